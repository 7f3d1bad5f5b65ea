package main

import (
	"math/rand/v2"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/stress/history"
)

const countsWindows = "calls in short histories that an order explains"

// A small is an object with three operations, for windows; what they are is the object's affair.
type small interface {
	call(log *history.Log, rnd *rand.Rand, v byte)
	drain(log *history.Log)
}

// windows plays histories of one kind of object.
func windows[S comparable](j *job, spec history.Spec[S], threads int, prepare func() small) {
	const each = 7 // as many values as a Pack can show
	checker := history.NewChecker(spec)
	seed := j.rnd.Uint64()
	w := history.Windows[small]{
		Threads: threads,
		Count:   j.size(2000),
		Prepare: func(int) small { return prepare() },
		Calls: func(s small, log *history.Log, rnd *rand.Rand) {
			mine := rand.New(rand.NewPCG(seed, rnd.Uint64()))
			for i := range each {
				s.call(log, mine, byte(log.Thread()*each+i+1))
			}
		},
		Drain: func(s small, log *history.Log) { s.drain(log) },
		Judge: func(calls []history.Call) bool {
			j.count(len(calls))
			if !checker.Linearizable(calls) {
				j.failf("a window that no order explains:\n%s", checker.Explain(calls))
			} else if !history.RetryJustified(calls, history.Taking) {
				j.failf("a retry that overlaps no taking: %+v", calls)
			} else {
				return true
			}
			return false
		},
	}
	w.Play()
}

func runWindows(j *job) {
	switch j.rnd.IntN(6) {
	case 0:
		windows(j, history.FIFO(), 3, func() small {
			return pushPop{always8(new(lockfree.Queue[byte]))}
		})
	case 1:
		n := j.between(1, 5)
		windows(j, history.BoundedFIFO(n), 3, func() small {
			return pushPop{lockfree.NewRing[byte](n)}
		})
	case 2:
		windows(j, history.LIFO(), 3, func() small {
			return pushPop{always8(new(lockfree.Stack[byte]))}
		})
	case 3:
		windows(j, history.Deque(), 3, func() small { return new(smallDeque) })
	case 4:
		windows(j, history.ClosableList(), 3, func() small { return new(smallList) })
	case 5:
		windows(j, history.AutoResetEvent(), 3, func() small {
			return smallSignal{sleepevent.NewSignal(sleepevent.Options{})}
		})
	}
}

// pushPop makes a small of one that pushes and pops.
type pushPop struct {
	q interface {
		TryPush(v byte) bool
		TryPop() (byte, bool)
	}
}

// An unbounded one never refuses.
type unbounded struct {
	q interface {
		Push(v byte)
		Pop() (byte, bool)
	}
}

func always8(q interface {
	Push(v byte)
	Pop() (byte, bool)
}) unbounded {
	return unbounded{q}
}

func (u unbounded) TryPush(v byte) bool  { u.q.Push(v); return true }
func (u unbounded) TryPop() (byte, bool) { return u.q.Pop() }

func (p pushPop) call(log *history.Log, rnd *rand.Rand, v byte) {
	if rnd.IntN(2) == 0 {
		log.Begin(history.OpPush, int64(v))
		ok := p.q.TryPush(v)
		log.End(0, status(ok))
		return
	}
	p.pop(log)
}

func (p pushPop) pop(log *history.Log) bool {
	log.Begin(history.OpPop, 0)
	v, ok := p.q.TryPop()
	log.End(int64(v), status(ok))
	return ok
}

func (p pushPop) drain(log *history.Log) {
	for p.pop(log) {
	}
}

// smallDeque is owned by thread 0.
type smallDeque struct{ d lockfree.Deque[uint32] }

func (s *smallDeque) call(log *history.Log, rnd *rand.Rand, v byte) {
	switch {
	case log.Thread() != 0:
		s.steal(log)
	case rnd.IntN(5) < 3:
		log.Begin(history.OpPush, int64(v))
		s.d.Push(uint32(v))
		log.End(0, history.OK)
	case rnd.IntN(3) == 0:
		log.Begin(history.OpNewest, 0)
		v, ok := s.d.Newest()
		log.End(int64(v), status(ok))
	default:
		log.Begin(history.OpPop, 0)
		v, ok := s.d.Pop()
		log.End(int64(v), status(ok))
	}
}

func (s *smallDeque) steal(log *history.Log) bool {
	log.Begin(history.OpSteal, 0)
	v, r := s.d.Steal()
	log.End(int64(v), stealStatus[r])
	return r == lockfree.StealOK
}

func (s *smallDeque) drain(log *history.Log) {
	for s.steal(log) {
	}
}

// smallList is closed now and then.
type smallList struct{ l lockfree.ClosableList[byte] }

func (s *smallList) call(log *history.Log, rnd *rand.Rand, v byte) {
	switch what := rnd.IntN(20); {
	case what < 2:
		s.close(log)
	case what < 5:
		log.Begin(history.OpClosed, 0)
		closed := s.l.Closed()
		log.End(0, status(closed))
	default:
		log.Begin(history.OpPush, int64(v))
		ok := s.l.TryPush(v)
		log.End(0, status(ok))
	}
}

func (s *smallList) close(log *history.Log) {
	log.Begin(history.OpClose, 0)
	items, ok := s.l.Close(nil)
	var wide [history.MaxCalls]int64
	for i, v := range items {
		wide[i] = int64(v)
	}
	log.End(history.Pack(wide[:len(items)]...), status(ok))
}

func (s *smallList) drain(log *history.Log) {
	s.close(log)
	s.close(log)
}

// smallSignal is waited for by thread 0 alone, which never waits long.
type smallSignal struct{ s *sleepevent.Signal }

func (s smallSignal) call(log *history.Log, rnd *rand.Rand, _ byte) {
	switch {
	case log.Thread() != 0:
		log.Begin(history.OpTrigger, 0)
		s.s.Trigger()
		log.End(0, history.OK)
	case rnd.IntN(2) == 0:
		log.Begin(history.OpReset, 0)
		set := s.s.Reset()
		log.End(0, status(set))
	default:
		s.drain(log)
	}
}

func (s smallSignal) drain(log *history.Log) {
	log.Begin(history.OpWait, 0)
	ok := s.s.WaitTimeout(0)
	log.End(0, status(ok))
}
