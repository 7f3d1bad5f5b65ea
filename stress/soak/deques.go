package main

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
)

const countsDeque = "pushes, pops, looks and steals, in a history that was judged from end to end"

// A stealable is a deque of numbers.
type stealable interface {
	Push(v uint64)
	PushAll(vs []uint64)
	Pop() (uint64, bool)
	Steal() (uint64, lockfree.StealResult)
}

// A raidable is one of which a thief may take many at a time.
type raidable interface {
	StealN(buf []uint64) (int, lockfree.StealResult)
}

// A newester is one whose owner may look at what it would pop.
type newester interface {
	Newest() (uint64, bool)
}

// pointers makes a stealable of a deque of pointers.
type pointers struct {
	lockfree.PointerDeque[uint64]
}

func (p *pointers) Push(v uint64) { p.PointerDeque.Push(&v) }

func (p *pointers) PushAll(vs []uint64) {
	var ps []*uint64
	for _, v := range vs {
		ps = append(ps, &v)
	}
	p.PointerDeque.PushAll(ps)
}

func (p *pointers) Pop() (uint64, bool) {
	v, ok := p.PointerDeque.Pop()
	if !ok {
		return 0, false
	}
	return *v, true
}

func (p *pointers) Steal() (uint64, lockfree.StealResult) {
	v, r := p.PointerDeque.Steal()
	if r != lockfree.StealOK {
		return 0, r
	}
	return *v, r
}

var stealStatus = [...]int32{lockfree.StealOK: history.OK, lockfree.StealEmpty: history.Fail,
	lockfree.StealRetry: history.Retry}

func runDeque(j *job)        { j.deque(new(lockfree.Deque[uint64])) }
func runPointerDeque(j *job) { j.deque(new(pointers)) }

// deque has an owner and thieves make calls, and judges them.
func (j *job) deque(d stealable) {
	thieves := j.between(1, 4)
	each := j.size(j.between(40_000, 120_000)) / (thieves + 1)
	grow := j.between(35, 60) // percent of the owner's calls that push
	r := history.NewRecorder(thieves+1, each+each/2)
	raided, _ := d.(raidable)
	steal := func(log *history.Log, buf []uint64) (took int) {
		if raided != nil && len(buf) > 0 {
			log.Begin(history.OpSteal, 0)
			n, result := raided.StealN(buf)
			log.End(int64(buf[0])*min(int64(n), 1), stealStatus[result])
			for _, v := range buf[min(n, 1):n] {
				log.Also(history.OpSteal, 0, int64(v), history.OK)
			}
			return n
		}
		log.Begin(history.OpSteal, 0)
		v, result := d.Steal()
		log.End(int64(v), stealStatus[result])
		if result != lockfree.StealOK {
			return 0
		}
		return 1
	}
	var over atomics.Bool
	var all sync.WaitGroup
	for i := range thieves {
		buf := make([]uint64, j.between(0, 20)) // none: one at a time
		all.Go(func() {
			for n := 0; n < each && !over.Load(); {
				took := steal(r.Log(1+i), buf)
				if took == 0 {
					atomics.Gosched()
				}
				n += max(1, took)
			}
		})
	}
	log, rnd, next := r.Log(0), j.fork(), uint64(0)
	pop := func() bool {
		log.Begin(history.OpPop, 0)
		v, ok := d.Pop()
		log.End(int64(v), status(ok))
		return ok
	}
	looked, _ := d.(newester)
	for range each {
		switch {
		case looked != nil && rnd.IntN(4) == 0:
			log.Begin(history.OpNewest, 0)
			v, ok := looked.Newest()
			log.End(int64(v), status(ok))
		case rnd.IntN(100) >= grow:
			pop()
		case rnd.IntN(50) == 0:
			vs := make([]uint64, 2+rnd.IntN(30))
			for k := range vs {
				vs[k] = next
				next++
			}
			log.Begin(history.OpPush, int64(vs[0]))
			d.PushAll(vs)
			log.End(0, history.OK)
			for _, v := range vs[1:] {
				log.Also(history.OpPush, int64(v), 0, history.OK)
			}
		default:
			log.Begin(history.OpPush, int64(next))
			d.Push(next)
			log.End(0, history.OK)
			next++
		}
	}
	for pop() {
	}
	over.Store(true)
	all.Wait()
	for pop() { // a pop that lost the last value to a thief said that there is none
	}
	var stolen []history.Call
	for i := range thieves {
		stolen = append(stolen, r.Log(1+i).Calls()...)
	}
	j.fail(judgeDeque(log.Calls(), stolen, int(next)))
	j.count(len(log.Calls()) + len(stolen))
}

// judgeDeque says what is wrong with the calls of an owner, in their order, and of thieves, with
// values from 0 to n-1 that were pushed in this order, and of which none may be left:
//
//   - each is taken once, and a thief's call does not end before the push began;
//   - a pop takes what the owner pushed last of what it has not popped, and finds nothing
//     only if thieves' calls that began before its end have taken all that;
//   - so does a look, but takes nothing, and what it sees was not stolen before it began;
//   - of two steals, one before the other, the first takes from further down;
//   - a steal finds nothing only if at some moment of it nothing was surely inside.
//
// These follow from what a deque is; that there is nothing else to ask is not claimed.
func judgeDeque(own, stolen []history.Call, n int) error {
	taken := make([]*history.Call, n) // by thieves
	for i := range stolen {
		c := &stolen[i]
		switch {
		case c.Status != history.OK:
			continue
		case c.Ret < 0 || c.Ret >= int64(n):
			return fmt.Errorf("a steal of %d, which was not pushed", c.Ret)
		case taken[c.Ret] != nil:
			return fmt.Errorf("%d was stolen twice, from %d to %d and from %d to %d", c.Ret,
				taken[c.Ret].Begin, taken[c.Ret].End, c.Begin, c.End)
		}
		taken[c.Ret] = c
	}
	lives := make([]life, n)
	where := make([]int, n) // how many values were below it
	var stack []int64
	base := 0
	for i := range own {
		c := &own[i]
		switch {
		case c.Op == history.OpPush:
			where[c.Arg] = base + len(stack)
			lives[c.Arg] = life{pushed: c.End, gone: history.Never}
			stack = append(stack, c.Arg)
			if t := taken[c.Arg]; t != nil {
				if t.End < c.Begin {
					return fmt.Errorf("%d was stolen at %d and pushed from %d on", c.Arg, t.End,
						c.Begin)
				}
				lives[c.Arg].gone = t.Begin
			}
		case c.Status == history.OK:
			if len(stack) == 0 || stack[len(stack)-1] != c.Ret {
				return fmt.Errorf("a call from %d to %d found %d, not the last of %v", c.Begin,
					c.End, c.Ret, tail(stack))
			}
			if c.Op == history.OpNewest {
				if t := taken[c.Ret]; t != nil && t.End < c.Begin {
					return fmt.Errorf("%d was seen at %d and stolen before, at %d", c.Ret, c.Begin,
						t.End)
				}
				continue
			}
			if taken[c.Ret] != nil {
				return fmt.Errorf("%d was popped at %d and stolen at %d", c.Ret, c.Begin,
					taken[c.Ret].Begin)
			}
			lives[c.Ret].gone = c.Begin
			stack = stack[:len(stack)-1]
		default:
			for _, v := range stack {
				if taken[v] == nil || taken[v].Begin > c.End {
					return fmt.Errorf("a call from %d to %d found nothing, and %d was there",
						c.Begin, c.End, v)
				}
			}
			base += len(stack)
			stack = stack[:0]
		}
	}
	for _, v := range stack {
		if taken[v] == nil {
			return fmt.Errorf("%d is left", v)
		}
	}
	if err := judgeOrder(stolen, where); err != nil {
		return err
	}
	return judgeEmpty(lives, stolen)
}

// tail is the end of a list.
func tail(stack []int64) []int64 { return stack[max(0, len(stack)-3):] }

// judgeOrder looks for two steals, one before the other, of which the second takes from no further
// up.
func judgeOrder(stolen []history.Call, where []int) error {
	var byBegin []*history.Call
	for i := range stolen {
		if stolen[i].Status == history.OK {
			byBegin = append(byBegin, &stolen[i])
		}
	}
	byEnd := slices.Clone(byBegin)
	slices.SortFunc(byBegin, func(a, b *history.Call) int { return cmp.Compare(a.Begin, b.Begin) })
	slices.SortFunc(byEnd, func(a, b *history.Call) int { return cmp.Compare(a.End, b.End) })
	highest, k := -1, 0
	for _, c := range byBegin {
		for ; k < len(byEnd) && byEnd[k].End < c.Begin; k++ {
			highest = max(highest, where[byEnd[k].Ret])
		}
		if where[c.Ret] <= highest {
			return fmt.Errorf(
				"a steal from %d to %d took %d, and an earlier one took from above it", c.Begin,
				c.End, c.Ret)
		}
	}
	return nil
}

// A life is the time during which a value was surely inside, without the ends.
type life struct{ pushed, gone int64 }

// judgeEmpty looks for a call that found nothing, although at each moment of it some value was
// surely inside.
func judgeEmpty(lives []life, calls []history.Call) error {
	slices.SortFunc(lives, func(a, b life) int { return cmp.Compare(a.pushed, b.pushed) })
	var covered []life // apart, in order
	for _, l := range lives {
		switch {
		case l.gone <= l.pushed:
		case len(covered) > 0 && l.pushed < covered[len(covered)-1].gone:
			covered[len(covered)-1].gone = max(covered[len(covered)-1].gone, l.gone)
		default:
			covered = append(covered, l)
		}
	}
	for i := range calls {
		c := &calls[i]
		if c.Status != history.Fail || c.Op == history.OpPush {
			continue
		}
		at, _ := slices.BinarySearchFunc(covered, c.Begin, func(l life, begin int64) int {
			return cmp.Compare(l.pushed, begin)
		})
		if at > 0 && covered[at-1].gone > c.End { // pushed before the begin, gone after the end
			return fmt.Errorf("a call from %d to %d found nothing, and something was there all "+
				"the time", c.Begin, c.End)
		}
	}
	return nil
}
