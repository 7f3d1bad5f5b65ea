package main

import (
	"sync"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
)

const countsCalls = "pushes and pops, in a history that the monitor of queues has judged"

// A fifo is a queue of numbers whose whole history is recorded and judged.
type fifo struct {
	push    func(v int64) bool
	pushAll func(vs []int64)
	pop     func(thread int) (int64, bool)
	popN    func(buf []int64) int
	one     bool // one pusher and one popper
	levels  int  // values are Leveled; 0: they are not
}

// always makes a push of one that cannot fail.
func always(push func(int64)) func(int64) bool {
	return func(v int64) bool { push(v); return true }
}

// anyone makes a pop of one that does not ask who calls.
func anyone(pop func() (int64, bool)) func(int) (int64, bool) {
	return func(int) (int64, bool) { return pop() }
}

func runQueue(j *job) {
	var q lockfree.Queue[int64]
	j.monitor(fifo{push: always(q.Push), pushAll: q.PushAll, pop: anyone(q.Pop), popN: q.PopN})
}

func runIndexQueue(j *job) {
	var q lockfree.IndexQueue[uint32]
	narrow := func(vs []int64) {
		is := make([]uint32, len(vs))
		for i, v := range vs {
			is[i] = uint32(v)
		}
		q.PushAll(is)
	}
	some := func(buf []int64) int {
		is := make([]uint32, len(buf))
		n := q.PopN(is)
		for i, v := range is[:n] {
			buf[i] = int64(v)
		}
		return n
	}
	pop := func(int) (int64, bool) { v, ok := q.Pop(); return int64(v), ok }
	j.monitor(fifo{push: always(func(v int64) { q.Push(uint32(v)) }), pushAll: narrow, pop: pop,
		popN: some})
}

func runRing(j *job) {
	r := lockfree.NewRing[int64](1 << j.rnd.IntN(12))
	j.monitor(fifo{push: r.TryPush, pop: anyone(r.TryPop), popN: r.TryPopN})
}

func runSPSCQueue(j *job) {
	var q lockfree.SPSCQueue[int64]
	j.monitor(fifo{push: always(q.Push), pushAll: q.PushAll, pop: anyone(q.Pop), popN: q.PopN,
		one: true})
}

func runSPSCRing(j *job) {
	r := lockfree.NewSPSCRing[int64](1 << j.rnd.IntN(12))
	j.monitor(fifo{push: r.TryPush, pop: anyone(r.TryPop), popN: r.TryPopN, one: true})
}

func runPriorityQueue(j *job) {
	levels := j.between(1, 4)
	q := lockfree.NewPriorityQueue[int64](levels)
	push := func(v int64) { q.Push(v, history.LevelOf(v)) }
	j.monitor(fifo{push: always(push), pop: anyone(q.Pop), levels: levels})
}

const maxThreads = 8

// monitor makes calls from several goroutines, takes what is left, and judges.
func (j *job) monitor(q fifo) {
	pushers, poppers := j.between(1, 4), j.between(1, 4)
	if q.one {
		pushers, poppers = 1, 1
	}
	threads := pushers + poppers
	each := j.size(j.between(40_000, 160_000)) / threads
	batch := 1 // values at most that are pushed or popped at a time
	if j.one(3) {
		batch = j.between(2, 20)
	}
	r := history.NewRecorder(threads+1, 2*each)
	var ready atomics.Uint32
	var all sync.WaitGroup
	for i := range threads {
		rnd := j.fork()
		all.Go(func() {
			log := r.Log(i)
			vs := make([]int64, batch)
			for ready.Add(1); ready.Load() < uint32(threads); {
				atomics.Gosched()
			}
			for n := 0; n < each; {
				some := vs[:1+rnd.IntN(batch)]
				switch {
				case i >= pushers:
					if !q.take(log, some) {
						atomics.Gosched()
					}
				default:
					for k := range some {
						some[k] = int64((n+k)*threads + i)
						if q.levels > 0 {
							some[k] = history.Leveled(some[k], rnd.IntN(q.levels))
						}
					}
					if !q.give(log, some) {
						atomics.Gosched()
					}
				}
				n += len(some)
			}
		})
	}
	all.Wait()
	for rest := make([]int64, 1); q.take(r.Log(threads), rest); {
	}
	calls := r.Calls()
	var m history.FIFOMonitor
	if q.levels == 0 {
		j.fail(m.Check(calls))
	}
	var part []history.Call
	for level := range q.levels {
		part = history.AppendLevel(part[:0], calls, level)
		j.fail(m.Check(part))
	}
	for i := range calls {
		// a refused push is judged by nobody
		if calls[i].Op == history.OpPop || calls[i].Status == history.OK {
			j.count(1)
		}
	}
}

// give pushes values, and reports whether all were taken.
func (q *fifo) give(log *history.Log, vs []int64) bool {
	if q.pushAll != nil && len(vs) > 1 {
		log.Begin(history.OpPush, vs[0])
		q.pushAll(vs)
		log.End(0, history.OK)
		for _, v := range vs[1:] {
			log.Also(history.OpPush, v, 0, history.OK)
		}
		return true
	}
	for _, v := range vs {
		log.Begin(history.OpPush, v)
		ok := q.push(v)
		log.End(0, status(ok))
		if !ok {
			return false
		}
	}
	return true
}

// take pops up to as many values as buf is long, and reports whether there was one.
func (q *fifo) take(log *history.Log, buf []int64) bool {
	log.Begin(history.OpPop, 0)
	if q.popN == nil || len(buf) == 1 {
		v, ok := q.pop(log.Thread())
		log.End(v, status(ok))
		return ok
	}
	n := q.popN(buf)
	log.End(buf[0], status(n > 0))
	for _, v := range buf[1:max(n, 1)] {
		log.Also(history.OpPop, 0, v, history.OK)
	}
	return n > 0
}

// status makes a status of the result of a call.
func status(ok bool) int32 {
	if ok {
		return history.OK
	}
	return history.Fail
}
