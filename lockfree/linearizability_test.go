package lockfree_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
)

// Histories are recorded in windows: a few goroutines start together on a container that is
// empty, make a few calls each, and after them one goroutine takes what is left. Each window
// is judged by this project's own search, and each 16th by porcupine, too, by the same Spec.

// calls are those of a goroutine in a window: so few that 3 goroutines that push and nothing
// else, in two steps each, and the calls that take what is left are no more than can be judged.
const calls = 7

// A judge is a Checker or a LevelChecker.
type judge interface {
	Linearizable(calls []history.Call) bool
	Explain(calls []history.Call) string
}

// play plays windows. spec is what porcupine judges by.
func play[C any, S comparable](t *testing.T, j judge, spec history.Spec[S], w history.Windows[C]) {
	t.Helper()
	model := porcupine.Model{
		Init: func() any { return spec.Init },
		Step: func(state, input, _ any) (bool, any) {
			after, ok := spec.Step(state.(S), input.(*history.Call))
			return ok, after
		},
	}
	windows, undecided, patience := 0, 0, time.Second
	if testing.Short() { // with many processors most histories are such
		patience /= 10
	}
	w.Judge = func(calls []history.Call) bool {
		windows++
		if !j.Linearizable(calls) {
			t.Fatalf("window %d cannot be explained:\n%s", windows, j.Explain(calls))
		}
		if !history.RetryJustified(calls, history.Taking) {
			t.Fatalf("window %d: a retry that overlaps no other taking\n%+v", windows, calls)
		}
		// Porcupine judges some of them as well. It does not get to the end of every history
		// of batches, whose calls all overlap; the checker above does.
		if windows%16 == 0 && undecided < 3 {
			var operations []porcupine.Operation
			for i := range calls {
				c := &calls[i]
				operations = append(operations,
					porcupine.Operation{ClientId: int(c.Thread), Input: c, Call: c.Begin,
						Return: c.End})
			}
			switch porcupine.CheckOperationsTimeout(model, operations, patience) {
			case porcupine.Illegal:
				t.Fatalf("window %d: porcupine finds what the checker does not:\n%+v", windows,
					calls)
			case porcupine.Unknown:
				undecided++
			}
		}
		return true
	}
	w.Limit = 700 * time.Millisecond
	w.Count = short.Scaled(w.Count)
	played, overlaps := w.Play()
	t.Logf("%d overlapping pairs of calls in %d windows, %d too long for porcupine", overlaps,
		played, undecided)
}

// status makes a status of the result of a call.
func status(ok bool) int32 {
	if ok {
		return history.OK
	}
	return history.Fail
}

// numbered makes value i of a thread.
func numbered(log *history.Log, i int) byte { return byte(log.Thread()*calls + i + 1) }

// A windowed is a container of values of no priority.
type windowed interface {
	Push(v byte) bool
	Pop() (v byte, ok bool)
}

// always makes a windowed of one whose Push cannot fail.
type always struct {
	q interface {
		Push(v byte)
		Pop() (v byte, ok bool)
	}
}

func (a always) Push(v byte) bool       { a.q.Push(v); return true }
func (a always) Pop() (v byte, ok bool) { return a.q.Pop() }

// try makes a windowed of one with the names of a bounded one.
type try struct {
	q interface {
		TryPush(v byte) bool
		TryPop() (v byte, ok bool)
	}
}

func (r try) Push(v byte) bool       { return r.q.TryPush(v) }
func (r try) Pop() (v byte, ok bool) { return r.q.TryPop() }

func push[Q windowed](q Q, log *history.Log, i int) {
	v := numbered(log, i)
	log.Begin(history.OpPush, int64(v))
	ok := q.Push(v)
	log.End(0, status(ok))
}

func pop[Q windowed](q Q, log *history.Log) bool {
	log.Begin(history.OpPop, 0)
	v, ok := q.Pop()
	log.End(int64(v), status(ok))
	return ok
}

// fifoWindows are windows on a container that all threads push to and pop from.
func fifoWindows[Q windowed](threads, windows int, prepare func(slot int) Q) history.Windows[Q] {
	return history.Windows[Q]{
		Threads: threads,
		Count:   windows,
		Prepare: prepare,
		Calls: func(q Q, log *history.Log, rnd *rand.Rand) {
			for i := range calls {
				if rnd.IntN(2) == 0 {
					push(q, log, i)
				} else {
					pop(q, log)
				}
			}
		},
		Drain: func(q Q, log *history.Log) {
			for pop(q, log) {
			}
		},
	}
}

// oneByOne changes windows so that thread 0 pushes and thread 1 pops.
func oneByOne[Q windowed](w history.Windows[Q]) history.Windows[Q] {
	w.Threads = 2
	w.Calls = func(q Q, log *history.Log, _ *rand.Rand) {
		for i := range 2 * calls {
			if log.Thread() == 0 {
				push(q, log, i)
			} else {
				pop(q, log)
			}
		}
	}
	return w
}

func TestQueueLinearizable(t *testing.T) {
	spec := history.FIFO()
	for _, size := range []int{1, 2, 64} {
		play(t, history.NewChecker(spec), spec, fifoWindows(3, 5_000, func(int) always {
			return always{lockfree.NewQueueAt[byte](math.MaxUint64-4, size)}
		}))
	}
}

// narrow uses an IndexQueue for bytes.
type narrow struct{ *lockfree.IndexQueue[uint32] }

func (q narrow) Push(v byte) { q.IndexQueue.Push(uint32(v)) }

func (q narrow) Pop() (byte, bool) {
	v, ok := q.IndexQueue.Pop()
	return byte(v), ok
}

func TestIndexQueueLinearizable(t *testing.T) {
	spec := history.FIFO()
	for _, shift := range []uint8{0, 1, 4} {
		play(t, history.NewChecker(spec), spec, fifoWindows(3, 5_000, func(int) always {
			return always{narrow{lockfree.NewIndexQueueAt[uint32](math.MaxUint64-4, shift, 4)}}
		}))
	}
}

func TestSPSCQueueLinearizable(t *testing.T) {
	spec := history.FIFO()
	play(t, history.NewChecker(spec), spec, oneByOne(fifoWindows(2, 10_000, func(int) always {
		return always{lockfree.NewSPSCQueueAt[byte](math.MaxUint64 - 4)}
	})))
}

func TestRingLinearizable(t *testing.T) {
	for _, capacity := range []int{1, 2, 5} {
		spec := history.BoundedFIFO(capacity)
		play(t, history.NewChecker(spec), spec, fifoWindows(3, 5_000, func(int) try {
			return try{lockfree.NewRingAt[byte](capacity, -1)}
		}))
	}
}

func TestSPSCRingLinearizable(t *testing.T) {
	spec := history.BoundedFIFO(3)
	play(t, history.NewChecker(spec), spec, oneByOne(fifoWindows(2, 10_000, func(int) try {
		return try{lockfree.NewSPSCRingAt[byte](3, math.MaxUint64-4)}
	})))
}

func TestStackLinearizable(t *testing.T) {
	// The same stacks over and over, so that nodes are used again.
	var stacks [history.WindowSlots]*lockfree.Stack[byte]
	for i := range stacks {
		stacks[i] = lockfree.NewStackAt[byte](lockfree.TakingsLimit - 1000)
	}
	spec := history.LIFO()
	w := fifoWindows(3, 15_000, func(slot int) always { return always{stacks[slot]} })
	w.Calls = func(q always, log *history.Log, rnd *rand.Rand) {
		for i := range calls {
			switch what := rnd.IntN(10); {
			case what < 5:
				push(q, log, i)
			case what < 9:
				pop(q, log)
			default:
				log.Begin(history.OpPopAll, 0)
				all := q.q.(*lockfree.Stack[byte]).PopAll(nil)
				log.End(packed(all), history.OK)
			}
		}
	}
	play(t, history.NewChecker(spec), spec, w)
}

func packed(values []byte) int64 {
	var wide [history.MaxCalls]int64
	for i, v := range values {
		wide[i] = int64(v)
	}
	return history.Pack(wide[:len(values)]...)
}

// levelsUsed is how many levels a queue with priorities has here.
const levelsUsed = 3

func leveled(log *history.Log, i, level int) (value byte, leveled int64) {
	leveled = history.Leveled(int64(numbered(log, i)), level)
	return byte(leveled), leveled
}

func TestPriorityQueueLinearizable(t *testing.T) {
	spec := history.Levels()
	pop := func(q *lockfree.PriorityQueue[byte], log *history.Log) bool {
		log.Begin(history.OpPop, 0)
		v, ok := q.Pop()
		log.End(int64(v), status(ok))
		return ok
	}
	play(t, history.NewLevelChecker(spec, levelsUsed), spec,
		history.Windows[*lockfree.PriorityQueue[byte]]{
			Threads: 3,
			Count:   15_000,
			Prepare: func(int) *lockfree.PriorityQueue[byte] {
				return lockfree.NewPriorityQueueAt[byte](levelsUsed, math.MaxUint64-3, 2)
			},
			Calls: func(q *lockfree.PriorityQueue[byte], log *history.Log, rnd *rand.Rand) {
				for i := range calls {
					if rnd.IntN(5) > 1 {
						pop(q, log)
						continue
					}
					level := rnd.IntN(levelsUsed)
					v, arg := leveled(log, i, level)
					log.Begin(history.OpPush, arg)
					q.Push(v, level)
					log.End(0, history.OK)
				}
			},
			Drain: func(q *lockfree.PriorityQueue[byte], log *history.Log) {
				for pop(q, log) {
				}
			},
		})
}

func TestClosableListLinearizable(t *testing.T) {
	spec := history.ClosableList()
	closing := func(l *lockfree.ClosableList[byte], log *history.Log) bool {
		log.Begin(history.OpClose, 0)
		items, ok := l.Close(nil)
		log.End(packed(items), status(ok))
		return ok
	}
	play(t, history.NewChecker(spec), spec, history.Windows[*lockfree.ClosableList[byte]]{
		Threads: 3,
		Count:   15_000,
		Prepare: func(int) *lockfree.ClosableList[byte] { return new(lockfree.ClosableList[byte]) },
		Calls: func(l *lockfree.ClosableList[byte], log *history.Log, rnd *rand.Rand) {
			for i := range calls {
				switch what := rnd.IntN(20); {
				case what == 0 || what < 4 && log.Thread() == 0:
					closing(l, log)
				case what < 6:
					log.Begin(history.OpClosed, 0)
					closed := l.Closed()
					log.End(0, status(closed))
				default:
					v := numbered(log, i)
					log.Begin(history.OpPush, int64(v))
					ok := l.TryPush(v)
					log.End(0, status(ok))
				}
			}
		},
		Drain: func(l *lockfree.ClosableList[byte], log *history.Log) {
			for closing(l, log) {
			}
		},
	})
}

// The owner is thread 0.
func TestStallingQueueLinearizable(t *testing.T) {
	type queue = *lockfree.StallingQueue[byte]
	spec := history.StallingQueue()
	popAll := func(q queue, log *history.Log, priority int) {
		log.Begin(history.OpPopAll, int64(priority))
		values := q.PopAll(priority, nil)
		log.End(packed(values), history.OK)
	}
	play(t, history.NewChecker(spec), spec, history.Windows[queue]{
		Threads: 3,
		Count:   15_000,
		Prepare: func(int) queue {
			return lockfree.NewStallingQueueAt[byte](lockfree.TakingsLimit - 3)
		},
		Calls: func(q queue, log *history.Log, rnd *rand.Rand) {
			for i := range calls {
				what := rnd.IntN(20)
				switch owner := log.Thread() == 0; {
				case what == 0:
					log.Begin(history.OpClose, 0)
					wake, ok := q.Close()
					log.End(int64(status(wake)), status(ok))
				case what == 1:
					log.Begin(history.OpClosed, 0)
					closed := q.Closed()
					log.End(0, status(closed))
				case owner && what < 8:
					popAll(q, log, rnd.IntN(2))
				case owner && what < 12:
					log.Begin(history.OpStall, 0)
					ok := q.Stall(lockfree.Mark{})
					log.End(0, status(ok))
				case owner && what < 15:
					log.Begin(history.OpUnstall, 0)
					woken := q.Unstall()
					log.End(0, status(woken))
				default:
					v, priority := numbered(log, i), rnd.IntN(2)
					log.Begin(history.OpPush, history.OfPriority(int64(v), priority))
					wake, ok := q.Push(v, priority)
					log.End(int64(status(wake)), status(ok))
				}
			}
		},
		Drain: func(q queue, log *history.Log) {
			popAll(q, log, 0)
			popAll(q, log, 1)
		},
	})
}

// A stealable is a deque of numbers.
type stealable interface {
	Push(v uint32)
	Pop() (v uint32, ok bool)
	Steal() (v uint32, r lockfree.StealResult)
}

// newest looks at what the owner of a deque would pop, or pops it: a PointerDeque cannot be asked.
func newest[V byte | uint32 | uint64](d interface{ Pop() (V, bool) }, log *history.Log) {
	op, look := int32(history.OpPop), d.Pop
	if n, ok := d.(interface{ Newest() (V, bool) }); ok {
		op, look = history.OpNewest, n.Newest
	}
	log.Begin(op, 0)
	v, ok := look()
	log.End(int64(v), status(ok))
}

// pointers makes a stealable of a deque of pointers.
type pointers struct {
	d *lockfree.PointerDeque[uint32]
}

func (p pointers) Push(v uint32) { p.d.Push(&v) }

func (p pointers) Pop() (uint32, bool) {
	v, ok := p.d.Pop()
	if !ok {
		return 0, false
	}
	return *v, true
}

func (p pointers) Steal() (uint32, lockfree.StealResult) {
	v, r := p.d.Steal()
	if r != lockfree.StealOK {
		return 0, r
	}
	return *v, r
}

// Thread 0 owns the deque; the others steal. A retry has no effect, but must overlap a taking.
func TestDequeLinearizable(t *testing.T) {
	dequeLinearizable(t, func(int) stealable {
		return lockfree.NewDequeAt[uint32](math.MaxUint64 - 3)
	})
}

func TestPointerDequeLinearizable(t *testing.T) {
	dequeLinearizable(t, func(int) stealable {
		return pointers{lockfree.NewPointerDequeAt[uint32](math.MaxUint64 - 3)}
	})
}

var stealStatus = [...]int32{lockfree.StealOK: history.OK, lockfree.StealEmpty: history.Fail,
	lockfree.StealRetry: history.Retry}

func dequeLinearizable(t *testing.T, prepare func(int) stealable) {
	spec := history.Deque()
	steal := func(d stealable, log *history.Log) bool {
		log.Begin(history.OpSteal, 0)
		v, r := d.Steal()
		log.End(int64(v), stealStatus[r])
		return r == lockfree.StealOK
	}
	play(t, history.NewChecker(spec), spec, history.Windows[stealable]{
		Threads: 3,
		Count:   10_000,
		Prepare: prepare,
		Calls: func(d stealable, log *history.Log, rnd *rand.Rand) {
			for i := range 2 * calls {
				switch {
				case log.Thread() != 0:
					steal(d, log)
				case rnd.IntN(5) < 3:
					v := numbered(log, i)
					log.Begin(history.OpPush, int64(v))
					d.Push(uint32(v))
					log.End(0, history.OK)
				case rnd.IntN(3) == 0:
					newest(d, log)
				default:
					log.Begin(history.OpPop, 0)
					v, ok := d.Pop()
					log.End(int64(v), status(ok))
				}
			}
		},
		Drain: func(d stealable, log *history.Log) {
			for steal(d, log) {
			}
		},
	})
}
