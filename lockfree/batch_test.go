package lockfree_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
)

// Windows of calls that move several values. A batch that promises to be a sequence of single
// calls is recorded as these, all with its own begin and end; one that promises a single step
// is one call of its own.

const (
	batchCalls = 4 // of a goroutine in a window: five take seconds to judge if all overlap
	batchSize  = 2 // values of a call: two steps at most
)

// recorded writes down the single calls of a batch that has ended.
type recorded struct {
	log   *history.Log
	begun bool
}

func (r *recorded) add(op int32, arg, ret int64, status int32) {
	if !r.begun {
		r.begun = true
		r.log.Change(op, arg)
		r.log.End(ret, status)
		return
	}
	r.log.Then(op, arg, ret, status)
}

// A batched is a container with batches, whose TryPushN may find no room.
type batched interface {
	TryPushN(vs []byte) int
	TryPopN(buf []byte) int
}

func pushN(q batched, log *history.Log, vs []byte) {
	log.Begin(history.OpPush, int64(vs[0]))
	n := q.TryPushN(vs)
	r := recorded{log: log}
	for i, v := range vs[:min(n+1, len(vs))] {
		r.add(history.OpPush, int64(v), 0, status(i < n))
	}
}

func popN(q batched, log *history.Log, size int) bool {
	buf := make([]byte, size)
	log.Begin(history.OpPop, 0)
	n := q.TryPopN(buf)
	r := recorded{log: log}
	for i, v := range buf[:min(n+1, len(buf))] {
		r.add(history.OpPop, 0, int64(v), status(i < n))
	}
	return n == size
}

// batchWindows are windows in which the threads for which pushes or pops says so push or pop,
// by batches of 1 and more.
func batchWindows(threads, windows int, pushes, pops func(thread int) bool,
	prepare func(slot int) batched) history.Windows[batched] {
	return history.Windows[batched]{
		Threads: threads,
		Count:   windows,
		Prepare: prepare,
		Calls: func(q batched, log *history.Log, rnd *rand.Rand) {
			me := log.Thread()
			for i := range batchCalls {
				size := 1 + rnd.IntN(batchSize)
				if pushes(me) && (!pops(me) || rnd.IntN(2) == 0) {
					var vs []byte
					for j := range size {
						vs = append(vs, byte((me*batchCalls+i)*batchSize+j+1))
					}
					pushN(q, log, vs)
				} else {
					popN(q, log, size)
				}
			}
		},
		Drain: func(q batched, log *history.Log) {
			for popN(q, log, 1) {
			}
		},
	}
}

func everyThread(int) bool   { return true }
func firstThread(i int) bool { return i == 0 }
func otherThread(i int) bool { return i != 0 }

// unboundedBatches always has room.
type unboundedBatches struct {
	q batcher[byte]
}

func (u unboundedBatches) TryPushN(vs []byte) int { u.q.PushAll(vs); return len(vs) }
func (u unboundedBatches) TryPopN(buf []byte) int { return u.q.PopN(buf) }

func TestQueueBatchesLinearizable(t *testing.T) {
	spec := history.FIFO()
	for _, size := range []int{1, 2, 3, 64} {
		play(t, history.NewChecker(spec), spec,
			batchWindows(3, 5_000, everyThread, everyThread, func(int) batched {
				return unboundedBatches{lockfree.NewQueueAt[byte](math.MaxUint64-4, size)}
			}))
	}
}

func (q narrow) PushAll(vs []byte) {
	for _, v := range vs {
		q.Push(v)
	}
}

func (q narrow) PopN(buf []byte) int {
	is := make([]uint32, len(buf))
	n := q.IndexQueue.PopN(is)
	for k, i := range is[:n] {
		buf[k] = byte(i)
	}
	return n
}

func TestIndexQueueBatchesLinearizable(t *testing.T) {
	spec := history.FIFO()
	for _, shift := range []uint8{0, 1, 2} {
		play(t, history.NewChecker(spec), spec,
			batchWindows(3, 5_000, everyThread, everyThread, func(int) batched {
				return unboundedBatches{narrow{lockfree.NewIndexQueueAt[uint32](math.MaxUint64-4,
					shift,
					4)}}
			}))
	}
}

func TestSPSCQueueBatchesLinearizable(t *testing.T) {
	spec := history.FIFO()
	play(t, history.NewChecker(spec), spec,
		batchWindows(2, 10_000, firstThread, otherThread, func(int) batched {
			return unboundedBatches{lockfree.NewSPSCQueueAt[byte](math.MaxUint64 - 4)}
		}))
}

func TestRingBatchesLinearizable(t *testing.T) {
	for _, capacity := range []int{1, 2, 3, 5} {
		spec := history.BoundedFIFO(capacity)
		play(t, history.NewChecker(spec), spec,
			batchWindows(3, 5_000, everyThread, everyThread, func(int) batched {
				return lockfree.NewRingAt[byte](capacity, -1)
			}))
	}
}

func TestSPSCRingBatchesLinearizable(t *testing.T) {
	for _, capacity := range []int{1, 3} {
		spec := history.BoundedFIFO(capacity)
		play(t, history.NewChecker(spec), spec,
			batchWindows(2, 10_000, firstThread, otherThread, func(int) batched {
				return lockfree.NewSPSCRingAt[byte](capacity, math.MaxUint64-4)
			}))
	}
}

// opPushAll adds the values Arg and Arg+1 in one step.
const opPushAll = 1000

// withPushAll adds opPushAll to a Spec of values.
func withPushAll(spec history.Spec[history.Values]) history.Spec[history.Values] {
	step := spec.Step
	spec.Step = func(s history.Values, c *history.Call) (history.Values, bool) {
		if c.Op == opPushAll {
			s.Push(c.Arg)
			s.Push(c.Arg + 1)
			return s, true
		}
		return step(s, c)
	}
	spec.Name = nil
	return spec
}

// A Stack shows all of a PushAll or nothing.
func TestStackBatchesLinearizable(t *testing.T) {
	var stacks [history.WindowSlots]*lockfree.Stack[byte]
	for i := range stacks {
		stacks[i] = lockfree.NewStackAt[byte](lockfree.TakingsLimit - 1000)
	}
	spec := withPushAll(history.LIFO())
	play(t, history.NewChecker(spec), spec, history.Windows[*lockfree.Stack[byte]]{
		Threads: 3,
		Count:   10_000,
		Prepare: func(slot int) *lockfree.Stack[byte] { return stacks[slot] },
		Calls: func(s *lockfree.Stack[byte], log *history.Log, rnd *rand.Rand) {
			for i := range batchCalls {
				switch v := byte((log.Thread()*batchCalls+i)*batchSize + 1); rnd.IntN(5) {
				case 0, 1:
					log.Begin(opPushAll, int64(v))
					s.PushAll([]byte{v, v + 1})
					log.End(0, history.OK)
				case 2:
					log.Begin(history.OpPopAll, 0)
					all := s.PopAll(nil)
					log.End(packed(all), history.OK)
				default:
					pop(always{s}, log)
				}
			}
		},
		Drain: func(s *lockfree.Stack[byte], log *history.Log) {
			for pop(always{s}, log) {
			}
		},
	})
}

// Thieves see all of a PushAll of the owner or nothing.
func TestDequeBatchesLinearizable(t *testing.T) {
	dequeBatches(t, func(int) batchStealable {
		return lockfree.NewDequeAt[uint64](math.MaxUint64 - 3)
	})
}

func TestPointerDequeBatchesLinearizable(t *testing.T) {
	dequeBatches(t, func(int) batchStealable {
		return viaPointers{lockfree.NewPointerDequeAt[uint64](math.MaxUint64 - 3)}
	})
}

type batchStealable interface {
	PushAll(vs []uint64)
	Pop() (uint64, bool)
	Steal() (uint64, lockfree.StealResult)
}

func dequeBatches(t *testing.T, prepare func(int) batchStealable) {
	spec := withPushAll(history.Deque())
	steal := func(d batchStealable, log *history.Log) bool {
		if raided, ok := d.(interface {
			StealN(buf []uint64) (int, lockfree.StealResult)
		}); ok && log.Thread() == 1 {
			var buf [batchSize]uint64
			log.Begin(history.OpSteal, 0)
			n, r := raided.StealN(buf[:])
			log.End(int64(buf[0])*min(int64(n), 1), stealStatus[r])
			for i := 1; i < n; i++ {
				log.Also(history.OpSteal, 0, int64(buf[i]), history.OK)
			}
			return r == lockfree.StealOK
		}
		log.Begin(history.OpSteal, 0)
		v, r := d.Steal()
		log.End(int64(v), stealStatus[r])
		return r == lockfree.StealOK
	}
	play(t, history.NewChecker(spec), spec, history.Windows[batchStealable]{
		Threads: 3,
		Count:   8_000,
		Prepare: prepare,
		Calls: func(d batchStealable, log *history.Log, rnd *rand.Rand) {
			for i := range 2 * batchCalls {
				switch {
				case log.Thread() != 0:
					steal(d, log)
				case rnd.IntN(3) == 0:
					v := uint64(i*batchSize + 1)
					log.Begin(opPushAll, int64(v))
					d.PushAll([]uint64{v, v + 1})
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
		Drain: func(d batchStealable, log *history.Log) {
			for steal(d, log) {
			}
		},
	})
}

// A headState is what a ClosableHead is: its generation, its list, and whether it is closed.
type headState struct {
	gen  int64
	list history.Closable
}

const (
	opRegister = 1000 + iota // the element Arg&255 with generation Arg>>8
	opNext                   // closes generation Arg, opens the next, takes Ret
)

// The elements of a ClosableHead register with the generation that its caller saw, close that
// for good, or go on to the next.
func TestClosableHeadLinearizable(t *testing.T) {
	closable := history.ClosableList()
	spec := history.Spec[headState]{Step: func(s headState, c *history.Call) (headState, bool) {
		inner := *c
		gen := c.Arg
		switch c.Op {
		case opRegister:
			gen = c.Arg >> 8
			inner.Op, inner.Arg = history.OpPush, c.Arg&255
		default:
			inner.Op = history.OpClose
		}
		if gen != s.gen {
			return s, c.Status == history.Fail
		}
		list, ok := closable.Step(s.list, &inner)
		if ok && c.Op == opNext && c.Status == history.OK {
			return headState{gen: gen + 1}, true
		}
		return headState{gen: gen, list: list}, ok
	}}
	type head struct {
		lockfree.ClosableHead
		nexts
	}
	closing := func(h *head, log *history.Log, op int32, take func(gen uint32) (uint32, bool)) {
		gen := generation(&h.ClosableHead)
		log.Begin(op, int64(gen))
		list, ok := take(gen)
		log.End(0, status(ok))
		if ok { // after the call: the elements are the caller's
			var values []byte
			for _, link := range h.links(list) {
				values = append(values, byte(link))
			}
			log.Calls()[len(log.Calls())-1].Ret = packed(values)
		}
	}
	play(t, history.NewChecker(spec), spec, history.Windows[*head]{
		Threads: 3,
		Count:   10_000,
		Prepare: func(int) *head { return &head{nexts: make(nexts, 64)} },
		Calls: func(h *head, log *history.Log, rnd *rand.Rand) {
			for i := range calls {
				switch what := rnd.IntN(20); {
				case what < 5:
					closing(h, log, opNext, h.Next)
				case what == 5:
					closing(h, log, history.OpClose, h.Close)
				default:
					link, gen := uint32(numbered(log, i)), generation(&h.ClosableHead)
					log.Begin(opRegister, int64(gen)<<8|int64(link))
					ok := h.TryPush(gen, link, h.next(link))
					log.End(0, status(ok))
				}
			}
		},
		Drain: func(h *head, log *history.Log) { closing(h, log, opNext, h.Next) },
	})
}
