package lockfree_test

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
)

// Long histories of the queues, recorded from end to end, and judged as a whole by the monitor
// of unbounded FIFOs.

// A marathon is a queue of numbers under test.
type marathon struct {
	pushers, poppers int
	push             func(v int64) bool
	pop              func(thread int) (v int64, ok bool)
	level            int // which level the monitor looks at, of Leveled values; -1: all
}

// anyone makes a pop of one that does not ask who calls.
func anyone(pop func() (int64, bool)) func(int) (int64, bool) {
	return func(int) (int64, bool) { return pop() }
}

// run makes about that many calls, takes what is left, and judges.
func (m marathon) run(t *testing.T, calls int) {
	t.Helper()
	threads := m.pushers + m.poppers
	each := calls / threads
	r := history.NewRecorder(threads+1, 2*each)
	pop := func(log *history.Log) bool {
		log.Begin(history.OpPop, 0)
		v, ok := m.pop(log.Thread())
		log.End(v, status(ok))
		return ok
	}
	var ready atomics.Uint32
	var wg sync.WaitGroup
	for i := range threads {
		wg.Go(func() {
			log := r.Log(i)
			for ready.Add(1); ready.Load() < uint32(threads); {
				runtime.Gosched()
			}
			for n := range each {
				if i >= m.pushers {
					if !pop(log) {
						runtime.Gosched()
					}
					continue
				}
				v := int64(n*threads + i)
				if m.level >= 0 {
					v = history.Leveled(v, n&1)
				}
				log.Begin(history.OpPush, v)
				ok := m.push(v)
				log.End(0, status(ok))
				if !ok {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	for pop(r.Log(threads)) {
	}
	all := r.Calls()
	if m.level >= 0 {
		all = history.AppendLevel(nil, all, m.level)
	}
	pushed, empty := 0, 0
	for i := range all {
		if all[i].Op == history.OpPush {
			pushed++
		} else if all[i].Status == history.Fail {
			empty++
		}
	}
	t.Logf("%d calls, %d pushes, %d times empty", len(all), pushed, empty)
	var monitor history.FIFOMonitor
	require.NoError(t, monitor.Check(all))
}

// marathons runs a test with 2 and with 4 processors.
func marathons(t *testing.T, make func() marathon) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{2, 4} {
		runtime.GOMAXPROCS(procs)
		make().run(t, short.Scaled(150_000))
	}
}

func TestQueueMonitored(t *testing.T) {
	marathons(t, func() marathon {
		var q lockfree.Queue[int64]
		return marathon{2, 2, func(v int64) bool { q.Push(v); return true }, anyone(q.Pop), -1}
	})
	marathons(t, func() marathon { // whose segments come to their ends all the time
		q := lockfree.NewQueueAt[int64](0, 2)
		return marathon{2, 2, func(v int64) bool { q.Push(v); return true }, anyone(q.Pop), -1}
	})
}

func TestIndexQueueMonitored(t *testing.T) {
	for _, q := range []func() *lockfree.IndexQueue[uint32]{
		func() *lockfree.IndexQueue[uint32] { return new(lockfree.IndexQueue[uint32]) },
		func() *lockfree.IndexQueue[uint32] {
			return lockfree.NewIndexQueueAt[uint32](math.MaxUint64, 1, 2)
		},
	} {
		marathons(t, func() marathon {
			q := q()
			return marathon{2, 2, func(v int64) bool { q.Push(uint32(v)); return true },
				anyone(func() (int64, bool) { v, ok := q.Pop(); return int64(v), ok }), -1}
		})
	}
}

// What a Ring refused is not in the history; otherwise it is a queue.
func TestRingMonitored(t *testing.T) {
	for _, capacity := range []int{1, 64} {
		marathons(t, func() marathon {
			r := lockfree.NewRing[int64](capacity)
			return marathon{2, 2, r.TryPush, anyone(r.TryPop), -1}
		})
	}
}

func TestSPSCMonitored(t *testing.T) {
	marathons(t, func() marathon {
		var q lockfree.SPSCQueue[int64]
		return marathon{1, 1, func(v int64) bool { q.Push(v); return true }, anyone(q.Pop), -1}
	})
	marathons(t, func() marathon {
		r := lockfree.NewSPSCRing[int64](16)
		return marathon{1, 1, r.TryPush, anyone(r.TryPop), -1}
	})
}
