package history_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/history"
)

// Steps of a call come in their order, and others, with the same begin and end, in any.
func TestStepsHaveAnOrder(t *testing.T) {
	for _, c := range []struct {
		ordered bool
		popped  []int64
		want    bool
	}{
		{true, []int64{1, 2}, true}, {true, []int64{2, 1}, false},
		{false, []int64{1, 2}, true}, {false, []int64{2, 1}, true},
	} {
		r := history.NewRecorder(2, 4)
		log := r.Log(0)
		log.Begin(history.OpPush, 1)
		log.End(0, history.OK)
		if c.ordered {
			log.Then(history.OpPush, 2, 0, history.OK)
		} else {
			log.Also(history.OpPush, 2, 0, history.OK)
		}
		for _, v := range c.popped {
			r.Log(1).Begin(history.OpPop, 0)
			r.Log(1).End(v, history.OK)
		}
		checker := history.NewChecker(history.FIFO())
		require.Equal(t, c.want, checker.Linearizable(r.Calls()), "%+v", c)
		require.Equal(t, c.want, checker.Explain(r.Calls()) == "")
	}
}

// What two calls of a thread did that a coarse clock cannot tell apart is in the order of steps.
func TestStepsOfCallsAtTheSameTime(t *testing.T) {
	var log history.Log
	for _, v := range []int64{1, 3} {
		log.Begin(history.OpPush, v)
		log.End(0, history.OK)
		log.Then(history.OpPush, v+1, 0, history.OK)
	}
	calls := log.Calls()
	for i := range calls {
		calls[i].Begin, calls[i].End = 5, 6
	}
	for i := range calls {
		for j := range calls {
			require.Equal(t, i < j, calls[i].Precedes(&calls[j]), "%d, %d", i, j)
		}
	}
	other := calls[0]
	other.Thread++
	require.False(t, other.Precedes(&calls[1]), "of another thread")
}

// batches makes a linearizable history of threads that push and pop up to two values at a time,
// each of which is in a call at any time: so whatever can overlap does.
func batches(rnd *rand.Rand, threads, each int) (calls []history.Call) {
	type thread struct {
		calls  []history.Call
		n      int   // of them were made, with one or two steps each
		last   int   // where the last one begins in calls
		effect int64 // when that took effect
	}
	all := make([]thread, threads)
	var queue []int64
	var next int64
	for now := int64(10); now < int64(10*(threads*each+1)); {
		me := &all[rnd.IntN(threads)]
		if me.n == each {
			continue
		}
		now += 10
		begin := int64(1)
		if me.n++; me.n > 1 {
			end := me.effect + rnd.Int64N(now-me.effect)
			for i := range me.calls[me.last:] {
				me.calls[me.last+i].End = end
			}
			begin = end + 1
		}
		me.last, me.effect = len(me.calls), now
		pushes, steps := rnd.IntN(2) == 0, 1+rnd.IntN(2)
		for range steps {
			c := history.Call{Op: history.OpPop, Begin: begin, Step: int32(len(me.calls) + 1)}
			switch {
			case pushes:
				next++
				c.Op, c.Arg, c.Status = history.OpPush, next, history.OK
				queue = append(queue, next)
			case len(queue) > 0:
				c.Ret, c.Status = queue[0], history.OK
				queue = queue[1:]
			}
			me.calls = append(me.calls, c)
			if !pushes && c.Status == history.Fail {
				break
			}
		}
	}
	for i, me := range all {
		for j := range me.calls {
			c := me.calls[j]
			if c.Thread = int32(i); j >= me.last {
				c.End = int64(10 * (threads*each + 2))
			}
			calls = append(calls, c)
		}
	}
	return calls
}

// The search knows the order of steps, and needs it: with it calls that all overlap have so few
// orders that each history is judged soon.
func TestCheckerOfBatches(t *testing.T) {
	spec, steps := history.FIFO(), 0
	step := spec.Step
	spec.Step = func(s history.Values, c *history.Call) (history.Values, bool) {
		steps++
		return step(s, c)
	}
	checker := history.NewChecker(spec)
	most := 0
	for i := range short.Scaled(10_000) {
		calls := batches(rand.New(rand.NewPCG(uint64(i), 0)), 3, 4)
		steps = 0
		require.True(t, checker.Linearizable(calls), "%d", i)
		most = max(most, steps)
	}
	t.Log(most, "steps at most")
	require.Less(t, most, 1<<20)
}

// Verdicts are those of all orders in which each call precedes what it must.
func TestCheckerOfBatchesAgreesWithAllOrders(t *testing.T) {
	spec := history.FIFO()
	checker := history.NewChecker(spec)
	var verdicts [2]int
	for i := range short.Scaled(20_000) {
		rnd := rand.New(rand.NewPCG(uint64(i), 1))
		calls := batches(rnd, 2, 2)
		for range rnd.IntN(3) {
			mutate(rnd, calls)
		}
		var left []*history.Call
		for j := range calls {
			left = append(left, &calls[j])
		}
		want := permute(spec, spec.Init, left)
		require.Equal(t, want, checker.Linearizable(calls), "%d: %+v", i, calls)
		verdicts[btoi(want)]++
	}
	require.Positive(t, verdicts[0])
	require.Positive(t, verdicts[1])
	t.Log(verdicts)
}
