package main

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/stress/history"
)

const (
	countsStack    = "pushes and pops, in a history that was judged from end to end"
	countsStalling = "pushes; who was accepted, in which order, and whether the owner was woken"
	countsClosable = "pushes and closes; who was accepted, and in which order"
)

func runStack(j *job) {
	var s lockfree.Stack[int64]
	threads := j.between(2, maxThreads)
	each := j.size(j.between(30_000, 120_000)) / threads
	r := history.NewRecorder(threads+1, each+each/2)
	pushes := j.between(40, 60)
	var ready atomics.Uint32
	var all sync.WaitGroup
	pop := func(log *history.Log) bool {
		log.Begin(history.OpPop, 0)
		v, ok := s.Pop()
		log.End(v, status(ok))
		return ok
	}
	for i := range threads {
		rnd := j.fork()
		all.Go(func() {
			log := r.Log(i)
			for ready.Add(1); ready.Load() < uint32(threads); {
				atomics.Gosched()
			}
			var buf []int64
			for n := range each {
				switch what := rnd.IntN(100); {
				case what < pushes:
					v := int64(n*threads + i)
					log.Begin(history.OpPush, v)
					s.Push(v)
					log.End(0, history.OK)
				case what == 99 && rnd.IntN(4) == 0:
					log.Begin(history.OpPop, 0)
					buf = s.PopAll(buf[:0])
					log.End(append(buf, 0)[0], status(len(buf) > 0))
					for _, v := range buf[min(1, len(buf)):] {
						log.Also(history.OpPop, 0, v, history.OK)
					}
				default:
					pop(log)
				}
			}
		})
	}
	all.Wait()
	for pop(r.Log(threads)) {
	}
	j.fail(judgeStack(r.Calls(), each*threads))
	j.count(len(r.Calls()))
}

// judgeStack says what is wrong with calls of a stack, with values below n that are pushed once at
// most, and of which none may be left:
//
//   - each is popped once, and the pop does not end before the push began;
//   - there are no values a and b such that b was pushed after a, and was surely inside when the
//     pop of a began, and after it ended;
//   - a pop finds nothing only if at some moment of it nothing was surely inside.
//
// These follow from what a stack is; that there is nothing else to ask is not claimed.
func judgeStack(calls []history.Call, n int) error {
	pushes, pops := make([]*history.Call, n), make([]*history.Call, n)
	for i := range calls {
		c := &calls[i]
		switch {
		case c.Op == history.OpPush:
			pushes[c.Arg] = c
		case c.Status == history.OK:
			if c.Ret < 0 || c.Ret >= int64(n) || pops[c.Ret] != nil {
				return fmt.Errorf("%d was popped by %d from %d to %d, and twice, or never pushed",
					c.Ret, c.Thread, c.Begin, c.End)
			}
			pops[c.Ret] = c
		}
	}
	var values []int
	var lives []life
	for v := range n {
		push, pop := pushes[v], pops[v]
		switch {
		case push == nil && pop == nil:
			continue
		case push == nil || pop == nil || pop.End < push.Begin:
			return fmt.Errorf("%d was pushed: %+v, and popped: %+v", v, push, pop)
		}
		values = append(values, v)
		lives = append(lives, life{push.End, pop.Begin})
	}
	if err := judgeNesting(pushes, pops, values); err != nil {
		return err
	}
	return judgeEmpty(lives, calls)
}

// judgeNesting looks for values a and b of which b was pushed later, and popped later.
func judgeNesting(pushes, pops []*history.Call, values []int) error {
	// Go through the pops of the values a, by their begins. Among the values b that were
	// inside by then, look for one whose push began after that of a had ended, and whose
	// pop begins after that of a has ended: latest is a tree of the latest pop of each stretch of
	// values, by the begin of their push.
	byPush := slices.Clone(values)
	slices.SortFunc(byPush, func(a, b int) int {
		return cmp.Compare(pushes[a].Begin, pushes[b].Begin)
	})
	rank := make([]int, len(pushes))
	for i, v := range byPush {
		rank[v] = i
	}
	byPop, byPushed := slices.Clone(values), slices.Clone(values)
	slices.SortFunc(byPop, func(a, b int) int { return cmp.Compare(pops[a].Begin, pops[b].Begin) })
	slices.SortFunc(byPushed, func(a, b int) int {
		return cmp.Compare(pushes[a].End, pushes[b].End)
	})
	// Fenwick, "A new data structure for cumulative frequency tables", 1994, from above
	latest := make([]int64, len(values)+1)
	k := 0
	for _, a := range byPop {
		for ; k < len(byPushed) && pushes[byPushed[k]].End < pops[a].Begin; k++ {
			b := byPushed[k]
			for i := len(values) - rank[b]; i < len(latest); i += i & -i {
				latest[i] = max(latest[i], pops[b].Begin)
			}
		}
		first, _ := slices.BinarySearchFunc(byPush, pushes[a].End+1, func(b int, at int64) int {
			return cmp.Compare(pushes[b].Begin, at)
		})
		last := int64(0)
		for i := len(values) - first; i > 0; i -= i & -i {
			last = max(last, latest[i])
		}
		if last > pops[a].End {
			return fmt.Errorf("%d was popped from %d to %d, though a value that was pushed after "+
				"it was there until %d", a, pops[a].Begin, pops[a].End, last)
		}
	}
	return nil
}

// runClosableList has goroutines push to lists while others close them.
func runClosableList(j *job) {
	threads := j.between(2, maxThreads)
	closers := j.between(1, 2)
	for range j.size(j.between(300, 1500)) {
		var l lockfree.ClosableList[int]
		accepted := make([]int, threads) // of each thread the first ones
		closed := make([][]int, closers)
		var all sync.WaitGroup
		for i := range threads {
			all.Go(func() {
				for n := 0; n < 50 && l.TryPush(n*threads+i); n++ {
					accepted[i]++
				}
				if accepted[i] < 50 && l.TryPush(-1) {
					j.failf("a closed list takes a value")
				}
			})
		}
		wait := j.rnd.IntN(20)
		for i := range closers {
			all.Go(func() {
				for range wait {
					atomics.Gosched()
				}
				items, ok := l.Close(nil)
				if !ok && len(items) > 0 || !l.Closed() {
					j.failf("a Close that came late returns %d values", len(items))
				}
				if ok {
					closed[i] = append(items, -1)
				}
			})
		}
		all.Wait()
		seen, total := make([]int, threads), 0
		for _, items := range closed {
			for _, v := range items {
				if v < 0 {
					total++
				} else if seen[v%threads]++; v/threads != seen[v%threads]-1 {
					j.failf("the list returns %d as number %d of its thread", v, seen[v%threads])
				}
			}
		}
		if total != 1 {
			j.failf("%d closed the list", total)
		}
		if !slices.Equal(seen, accepted) {
			j.failf("the list returns %v, and took %v", seen, accepted)
		}
		for _, n := range accepted {
			j.count(n)
		}
		j.count(closers + threads)
	}
}

// runStallingQueue has goroutines push to queues whose owners sleep when there is nothing.
func runStallingQueue(j *job) {
	threads := j.between(1, maxThreads)
	for range j.size(j.between(50, 200)) {
		var q lockfree.StallingQueue[int]
		event := sleepevent.NewSignal(sleepevent.Options{})
		late := j.one(3) // the owner takes nothing before the queue is closed
		each, stop := j.between(1, 400), j.rnd.IntN(500)
		accepted, got := make([]int, threads), make([]int, threads)
		var all sync.WaitGroup
		for i := range threads {
			all.Go(func() {
				for n := range each {
					if i == 0 && n == stop {
						if wake, _ := q.Close(); wake {
							event.Trigger()
						}
					}
					wake, ok := q.Push(n*threads+i, i%2)
					if wake {
						event.Trigger()
					}
					if !ok {
						break
					}
					accepted[i]++
				}
			})
		}
		var owner sync.WaitGroup
		owner.Go(func() {
			var buf []int
			for closed := false; !closed; {
				mark := q.Mark()
				closed = q.Closed()
				if buf = buf[:0]; closed || !late {
					buf, mark = q.PopAll(1, q.PopAll(0, buf)), lockfree.Mark{}
				}
				for _, v := range buf {
					if i := v % threads; v/threads != got[i] {
						j.failf("value %d of a thread comes as number %d", v/threads, got[i])
					}
					got[v%threads]++
				}
				if !closed && len(buf) == 0 && q.Stall(mark) {
					if !q.Closed() {
						event.Wait()
					}
					q.Unstall()
				}
			}
		})
		all.Wait()
		if wake, _ := q.Close(); wake {
			event.Trigger()
		}
		owner.Wait()
		if !slices.Equal(got, accepted) {
			j.failf("the owner got %v, and accepted were %v", got, accepted)
		}
		for _, n := range accepted {
			j.count(n + 1)
		}
	}
}
