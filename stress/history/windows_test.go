package history_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/history"
)

// locked is a queue under a mutex. If careless, a pop looks and takes in two steps.
type locked struct {
	mu       sync.Mutex
	values   []int64
	careless bool
}

func (l *locked) push(v int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.values = append(l.values, v)
}

func (l *locked) pop() (v int64, ok bool) {
	l.mu.Lock()
	if l.careless && len(l.values) > 0 {
		v = l.values[0]
		l.mu.Unlock()
		atomics.Gosched()
		l.mu.Lock()
	}
	defer l.mu.Unlock()
	if len(l.values) == 0 {
		return 0, false
	}
	if !l.careless {
		v = l.values[0]
	}
	l.values = l.values[1:]
	return v, true
}

// windows of a queue under a mutex.
func windows(careless bool, count, threads int,
	judge func([]history.Call) bool) *history.Windows[*locked] {
	pop := func(q *locked, log *history.Log) bool {
		log.Begin(history.OpPop, 0)
		v, ok := q.pop()
		log.End(v, int32(btoi(ok)))
		return ok
	}
	return &history.Windows[*locked]{
		Threads: threads,
		Count:   count,
		Prepare: func(int) *locked { return &locked{careless: careless} },
		Calls: func(q *locked, log *history.Log, rnd *rand.Rand) {
			for i := range int64(8) {
				if rnd.IntN(2) == 0 {
					pop(q, log)
					continue
				}
				v := int64(log.Thread())*8 + i
				log.Begin(history.OpPush, v)
				q.push(v)
				log.End(0, history.OK)
			}
		},
		Drain: func(q *locked, log *history.Log) {
			for pop(q, log) {
			}
		},
		Judge: judge,
	}
}

func TestWindows(t *testing.T) {
	for threads := 1; threads <= 4; threads++ {
		c := history.NewChecker(history.FIFO())
		var m history.FIFOMonitor
		w := windows(false, short.Scaled(2000), threads, func(calls []history.Call) bool {
			if !c.Linearizable(calls) {
				t.Error(c.Explain(calls))
			}
			require.NoError(t, m.Check(calls))
			for i := range calls {
				require.LessOrEqual(t, calls[i].Thread, int32(threads))
			}
			return !t.Failed()
		})
		played, overlaps := w.Play()
		require.Equal(t, short.Scaled(2000), played)
		if threads == 1 {
			require.Zero(t, overlaps)
		}
		t.Logf("%d threads: %d overlapping pairs in %d windows", threads, overlaps, played)
	}
}

// Calls that wait for each other overlap.
func TestWindowsOverlap(t *testing.T) {
	judged := 0
	w := history.Windows[*atomics.Uint32]{
		Threads: 3,
		Count:   100,
		Prepare: func(int) *atomics.Uint32 { return new(atomics.Uint32) },
		Calls: func(begun *atomics.Uint32, log *history.Log, _ *rand.Rand) {
			log.Begin(history.OpTrigger, 0)
			for begun.Add(1); begun.Load() < 3; {
				atomics.Gosched()
			}
			log.End(0, history.OK)
		},
		Judge: func(calls []history.Call) bool {
			judged++
			return len(calls) == 3
		},
	}
	played, overlaps := w.Play()
	require.Equal(t, []int{100, 100, 300}, []int{played, judged, overlaps})
}

// A window makes the same calls each time.
func TestWindowsRepeat(t *testing.T) {
	var runs [2][]history.Call
	for i := range runs {
		windows(false, 100, 2, func(calls []history.Call) bool {
			for _, c := range calls {
				if c.Thread < 2 {
					runs[i] = append(runs[i], history.Call{Thread: c.Thread, Op: c.Op, Arg: c.Arg})
				}
			}
			return true
		}).Play()
	}
	require.Equal(t, runs[0], runs[1])
}

func TestWindowsFindMistake(t *testing.T) {
	c := history.NewChecker(history.FIFO())
	text := ""
	played, _ := windows(true, 100_000, 3, func(calls []history.Call) bool {
		if !c.Linearizable(calls) {
			text = c.Explain(calls)
		}
		return text == ""
	}).Play()
	require.Contains(t, text, "no order explains what has returned")
	t.Logf("found in window %d:\n%s", played, text)
}

func TestWindowsLimit(t *testing.T) {
	w := windows(false, 1000, 2, func([]history.Call) bool { return true })
	w.Limit = time.Nanosecond
	played, _ := w.Play()
	require.GreaterOrEqual(t, played, 100, "a tenth")
	require.Less(t, played, 1000)
}

// Judge may end the goroutine; then the others end, too.
func TestWindowsGoexit(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		windows(false, 1000, 3, func([]history.Call) bool {
			runtime.Goexit()
			return true
		}).Play()
	}()
	<-done
}

func TestRecorder(t *testing.T) {
	r := history.NewRecorder(2, 4)
	a, b := r.Log(0), r.Log(1)
	a.Begin(history.OpPush, 7)
	b.Begin(history.OpPop, 0)
	a.End(0, history.OK)
	a.Also(history.OpStall, 7, -1, history.OK)
	calls := r.Calls()
	require.Len(t, calls, 3)
	require.Equal(t, history.Call{Thread: 0, Op: history.OpPush, Arg: 7, Status: history.OK,
		Begin: calls[0].Begin, End: calls[0].End}, calls[0])
	require.Equal(t, history.Call{Thread: 0, Op: history.OpStall, Arg: 7, Ret: -1,
		Status: history.OK, Begin: calls[0].Begin, End: calls[0].End}, calls[1])
	require.Equal(t, history.Call{Thread: 1, Op: history.OpPop, Status: history.Pending,
		Begin: calls[2].Begin, End: history.Never}, calls[2])
	require.LessOrEqual(t, calls[0].Begin, calls[2].Begin)
	require.LessOrEqual(t, calls[2].Begin, calls[0].End)
	b.End(7, history.OK)
	b.Change(history.OpStall, 3)
	require.Equal(t, history.Call{Thread: 1, Op: history.OpStall, Arg: 3, Ret: 7,
		Status: history.OK, Begin: calls[2].Begin, End: b.Calls()[0].End}, b.Calls()[0])
	r.Reset()
	require.Empty(t, r.Calls())
	require.Zero(t, testing.AllocsPerRun(10, func() {
		r.Reset()
		for range 4 {
			a.Begin(history.OpPush, 1)
			a.End(0, history.OK)
		}
		r.Calls()
	}))
}
