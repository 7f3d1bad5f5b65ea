package history_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/seed"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/history"
)

// judge is the verdict of porcupine.
func judge[S comparable](spec history.Spec[S], calls []history.Call) bool {
	model := porcupine.Model{
		Init: func() any { return spec.Init },
		Step: func(state, input, _ any) (bool, any) {
			s, ok := spec.Step(state.(S), input.(*history.Call))
			return ok, s
		},
	}
	var operations []porcupine.Operation
	for i := range calls {
		c := &calls[i]
		operations = append(operations,
			porcupine.Operation{ClientId: int(c.Thread), Input: c, Call: c.Begin, Return: c.End})
	}
	return porcupine.CheckOperations(model, operations)
}

// permute tries all orders.
func permute[S comparable](spec history.Spec[S], s S, left []*history.Call) bool {
	if !slices.ContainsFunc(left,
		func(c *history.Call) bool { return c.Status != history.Pending }) {
		return true
	}
next:
	for i, c := range left {
		for _, other := range left {
			if other.Precedes(c) {
				continue next
			}
		}
		after, ok := spec.Step(s, c)
		if !ok {
			continue
		}
		rest := append(append([]*history.Call{}, left[:i]...), left[i+1:]...)
		if permute(spec, after, rest) {
			return true
		}
	}
	return false
}

// Verdicts are the same as porcupine's.
func TestCheckerAgreesWithPorcupine(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	c := history.NewChecker(history.FIFO())
	var verdicts [2]int
	for range short.Scaled(100_000) {
		h := randomFIFO(rnd, 1+rnd.IntN(4), 1+rnd.IntN(10))
		right := rnd.IntN(3) == 0
		for !right && rnd.IntN(3) > 0 {
			mutate(rnd, h)
		}
		got := c.Linearizable(h)
		if got != judge(history.FIFO(), h) || right && !got {
			t.Fatalf("%v\n%s", got, c.Explain(h))
		}
		verdicts[btoi(got)]++
	}
	t.Log("wrong, right:", verdicts)
	require.Greater(t, min(verdicts[0], verdicts[1]), short.Scaled(100_000)/10)
}

// Verdicts on histories of any calls, pending ones among them, are those of trying all orders.
func TestCheckerAgreesWithAllOrders(t *testing.T) {
	t.Run("FIFO", func(t *testing.T) {
		allOrders(t, history.FIFO(), history.OpPush, history.OpPop)
	})
	t.Run("bounded FIFO", func(t *testing.T) {
		allOrders(t, history.BoundedFIFO(2), history.OpPush, history.OpPop)
	})
	t.Run("LIFO", func(t *testing.T) {
		allOrders(t, history.LIFO(), history.OpPush, history.OpPop, history.OpPopAll)
	})
	t.Run("deque", func(t *testing.T) {
		allOrders(t, history.Deque(), history.OpPush, history.OpPop, history.OpSteal,
			history.OpNewest)
	})
	t.Run("closable list", func(t *testing.T) {
		allOrders(t, history.ClosableList(), history.OpPush, history.OpPush, history.OpClose,
			history.OpClosed)
	})
	t.Run("stalling queue", func(t *testing.T) {
		allOrders(t, history.StallingQueue(), history.OpPush, history.OpPush, history.OpPopAll,
			history.OpStall, history.OpUnstall, history.OpClose, history.OpClosed)
	})
	t.Run("auto-reset", func(t *testing.T) {
		allOrders(t, history.AutoResetEvent(), history.OpTrigger, history.OpWait, history.OpReset)
	})
	t.Run("manual-reset", func(t *testing.T) {
		allOrders(t, history.ManualResetEvent(), history.OpTrigger, history.OpWait, history.OpReset)
	})
	t.Run("levels", func(t *testing.T) {
		allOrders(t, history.Levels(), history.OpPush, history.OpPop)
	})
}

func allOrders[S comparable](t *testing.T, spec history.Spec[S], ops ...int32) {
	rnd := rand.New(rand.NewPCG(5, uint64(len(ops))))
	c := history.NewChecker(spec)
	var verdicts, pending [2]int
	for range short.Scaled(10_000) {
		var h []history.Call
		var left []*history.Call
		holds := false
		for v := range int64(1 + rnd.IntN(6)) {
			call := history.Call{
				Thread: int32(v), Op: ops[rnd.IntN(len(ops))], Arg: v, Ret: int64(rnd.IntN(3)),
				Status: int32(rnd.IntN(2)), Begin: int64(rnd.IntN(20)),
			}
			call.End = call.Begin + int64(rnd.IntN(10))
			switch call.Op {
			case history.OpClose, history.OpPopAll:
				call.Arg = int64(rnd.IntN(2))
				if rnd.IntN(2) == 0 {
					call.Ret = history.Pack(call.Ret)
				}
			case history.OpPush:
				call.Arg = int64(len(h))
				if slices.Contains(ops, history.OpStall) {
					call.Arg = history.OfPriority(call.Arg, rnd.IntN(2))
				}
				if spec.Name != nil && !mayFail(spec) {
					call.Status = history.OK
				}
			}
			if rnd.IntN(8) == 0 {
				call.Status = history.Pending
				holds = true
			}
			h = append(h, call)
		}
		for i := range h {
			left = append(left, &h[i])
		}
		got := c.Linearizable(h)
		require.Equal(t, permute(spec, spec.Init, left), got, "%+v", h)
		require.Equal(t, got, c.Explain(h) == "")
		verdicts[btoi(got)]++
		if holds {
			pending[btoi(got)]++
		}
	}
	t.Log("wrong, right:", verdicts, "of these with pending calls:", pending)
	require.Greater(t, min(verdicts[0], verdicts[1], pending[0], pending[1]),
		short.Scaled(10_000)/50)
}

// mayFail reports whether a push may fail.
func mayFail[S comparable](spec history.Spec[S]) (may bool) {
	defer func() {
		if recover() != nil {
			may = false
		}
	}()
	spec.Step(spec.Init, &history.Call{Op: history.OpPush, Status: history.Fail})
	return true
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// at makes a call.
func at(begin, end int64, op int32, value int64, status int32) history.Call {
	return history.Call{Thread: int32(begin % 7), Op: op, Arg: value, Ret: value, Status: status,
		Begin: begin, End: end}
}

// The Specs must be able to say no, and yes to what is almost the same.
func TestSpecsRefuse(t *testing.T) {
	const (
		push, pop, steal, popAll = history.OpPush, history.OpPop, history.OpSteal, history.OpPopAll
		closing, closed          = history.OpClose, history.OpClosed
		trigger, wait, reset     = history.OpTrigger, history.OpWait, history.OpReset
		stall, unstall, newest   = history.OpStall, history.OpUnstall, history.OpNewest
		no, ok, retry            = history.Fail, history.OK, history.Retry
	)
	type calls = []history.Call
	fifo, bounded, lifo, deque := history.FIFO(), history.BoundedFIFO(1), history.LIFO(),
		history.Deque()
	list, auto, manual := history.ClosableList(), history.AutoResetEvent(),
		history.ManualResetEvent()
	levels, stalling := history.Levels(), history.StallingQueue()
	high, low := history.Leveled(1, 0), history.Leveled(1, 1)
	for name, c := range map[string]struct {
		spec any
		want bool
		h    calls
	}{
		"queue in order": {fifo, true,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok), at(5, 6, pop, 1, ok)}},
		"queue out of order": {fifo, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok), at(5, 6, pop, 2, ok)}},
		"pushes overlap": {fifo, true,
			calls{at(1, 3, push, 1, ok), at(3, 4, push, 2, ok), at(5, 6, pop, 2, ok)}},
		"false empty": {fifo, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, pop, 0, no), at(5, 6, pop, 1, ok)}},
		"empty meets push": {fifo, true,
			calls{at(1, 3, push, 1, ok), at(3, 4, pop, 0, no), at(5, 6, pop, 1, ok)}},
		"full": {bounded, true,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, no)}},
		"false full": {bounded, false, calls{at(1, 2, push, 1, no)}},
		"too full": {bounded, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok)}},
		"full between": {bounded, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, pop, 1, ok), at(5, 6, push, 2, no)}},
		"stack": {lifo, true,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok), at(5, 6, pop, 2, ok)}},
		"stack upside down": {lifo, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok), at(5, 6, pop, 1, ok)}},
		"all": {lifo, true,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok),
				at(5, 6, popAll, history.Pack(2, 1), ok), at(7, 8, pop, 0, no)}},
		"half of all": {lifo, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok),
				at(5, 6, popAll, history.Pack(2), ok)}},
		"all turned around": {lifo, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok),
				at(5, 6, popAll, history.Pack(1, 2), ok)}},
		"two ends": {deque, true,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok), at(5, 6, pop, 2, ok),
				at(5, 6, steal, 1, ok)}},
		"taken twice": {deque, false,
			calls{at(1, 2, push, 1, ok), at(3, 6, pop, 1, ok), at(3, 6, steal, 1, ok)}},
		"stolen from the wrong end": {deque, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok), at(5, 6, steal, 2, ok)}},
		"looked at, and still there": {deque, true,
			calls{at(1, 2, push, 1, ok), at(3, 4, newest, 1, ok), at(5, 6, pop, 1, ok)}},
		"looked at the wrong end": {deque, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok), at(5, 6, newest, 1, ok)}},
		"looked at when it was gone": {deque, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, steal, 1, ok), at(5, 6, newest, 1, ok)}},
		"looked at while it goes": {deque, true,
			calls{at(1, 2, push, 1, ok), at(3, 6, steal, 1, ok), at(4, 5, newest, 1, ok)}},
		"not seen, but there": {deque, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, newest, 0, no)}},
		"retry": {deque, true,
			calls{at(1, 2, push, 1, ok), at(3, 4, steal, 0, retry), at(3, 4, pop, 1, ok)}},
		"added after close": {list, false,
			calls{at(1, 2, closing, 0, ok), at(3, 4, push, 1, ok)}},
		"refused after close": {list, true,
			calls{at(1, 2, closing, 0, ok), at(3, 4, push, 1, no), at(3, 4, closed, 0, ok)}},
		"refused before close": {list, false,
			calls{at(1, 2, push, 1, no), at(3, 4, closing, 0, ok)}},
		"closed twice": {list, false,
			calls{at(1, 4, closing, 0, ok), at(1, 4, closing, 0, ok)}},
		"closed by nobody": {list, false, calls{at(1, 4, closing, 0, no)}},
		"seen open": {list, false,
			calls{at(1, 2, closing, 0, ok), at(3, 4, closed, 0, no)}},
		"left out": {list, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, closing, 0, ok)}},
		"registration order": {list, true,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok),
				at(5, 6, closing, history.Pack(1, 2), ok)}},
		"wrong order": {list, false,
			calls{at(1, 2, push, 1, ok), at(3, 4, push, 2, ok),
				at(5, 6, closing, history.Pack(2, 1), ok)}},
		"one trigger, two waits": {auto, false,
			calls{at(1, 2, trigger, 0, ok), at(3, 4, wait, 0, ok), at(3, 4, wait, 0, ok)}},
		"one trigger, one wait": {auto, true,
			calls{at(1, 2, trigger, 0, ok), at(3, 4, wait, 0, ok), at(5, 6, wait, 0, no)}},
		"missed": {auto, false,
			calls{at(1, 2, trigger, 0, ok), at(3, 4, wait, 0, no)}},
		"reset": {auto, true,
			calls{at(1, 2, trigger, 0, ok), at(3, 4, reset, 0, ok), at(5, 6, wait, 0, no)}},
		"reset of nothing": {auto, false, calls{at(1, 2, reset, 0, ok)}},
		"manual, two waits": {manual, true,
			calls{at(1, 2, trigger, 0, ok), at(3, 4, wait, 0, ok), at(3, 4, wait, 0, ok)}},
		"manual, reset": {manual, false,
			calls{at(1, 2, trigger, 0, ok), at(3, 4, reset, 0, ok), at(5, 6, wait, 0, ok)}},
		"any level": {levels, true,
			calls{at(1, 2, push, high, ok), at(1, 2, push, low, ok), at(3, 4, pop, low, ok)}},
		"level out of order": {levels, false,
			calls{at(1, 2, push, low, ok), at(3, 4, push, low+4, ok), at(5, 6, pop, low+4, ok)}},
		"one level is not empty": {levels, false,
			calls{at(1, 2, push, low, ok), at(3, 4, pop, 0, no)}},
		"stalled beside a value": {stalling, false,
			calls{woken(1, 2, push, 1, 0), at(3, 4, stall, 0, ok)}},
		"stalled beside a low value": {stalling, false,
			calls{woken(1, 2, push, history.OfPriority(1, 1), 0), at(3, 4, stall, 0, ok)}},
		"not stalled beside a value": {stalling, true,
			calls{woken(1, 2, push, 1, 0), at(3, 4, stall, 0, no)}},
		"not stalled, though empty": {stalling, false, calls{at(3, 4, stall, 0, no)}},
		"lost wake-up": {stalling, false,
			calls{at(1, 2, stall, 0, ok), woken(3, 4, push, 1, 0)}},
		"woken twice": {stalling, false,
			calls{at(1, 2, stall, 0, ok), woken(3, 4, push, 1, 1), woken(5, 6, push, 2, 1)}},
		"woken by the close": {stalling, true,
			calls{at(1, 2, stall, 0, ok), woken(3, 4, closing, 0, 1), at(5, 6, push, 1, no)}},
		"priorities apart": {stalling, true,
			calls{woken(1, 2, push, history.OfPriority(1, 1), 0), woken(3, 4, push, 2, 0),
				{Op: popAll, Ret: history.Pack(2), Status: ok, Begin: 5, End: 6}}},
		"priorities mixed": {stalling, false,
			calls{woken(1, 2, push, history.OfPriority(1, 1), 0), woken(3, 4, push, 2, 0),
				{Op: popAll, Ret: history.Pack(1, 2), Status: ok, Begin: 5, End: 6}}},
		"taken back": {stalling, true,
			calls{at(1, 2, stall, 0, ok), at(3, 4, unstall, 0, no), woken(5, 6, push, 1, 0)}},
		"taken back, but it was gone": {stalling, false,
			calls{at(1, 2, stall, 0, ok), at(3, 4, unstall, 0, ok)}},
	} {
		t.Run(name, func(t *testing.T) {
			switch spec := c.spec.(type) {
			case history.Spec[history.Values]:
				refuses(t, spec, c.want, c.h)
			case history.Spec[history.Closable]:
				refuses(t, spec, c.want, c.h)
			case history.Spec[history.Stalling]:
				refuses(t, spec, c.want, c.h)
			case history.Spec[bool]:
				refuses(t, spec, c.want, c.h)
			}
		})
	}
}

func woken(begin, end int64, op int32, value, wake int64) history.Call {
	return history.Call{Op: op, Arg: value, Ret: wake, Status: history.OK, Begin: begin, End: end}
}

func refuses[S comparable](t *testing.T, spec history.Spec[S], want bool, h []history.Call) {
	c := history.NewChecker(spec)
	require.Equal(t, want, c.Linearizable(h), c.Explain(h))
	require.Equal(t, want, judge(spec, h))
	r := seed.Rand(t, 0)
	for range 5 {
		r.Shuffle(len(h), func(i, j int) { h[i], h[j] = h[j], h[i] })
		require.Equal(t, want, c.Linearizable(h))
	}
}

func TestPending(t *testing.T) {
	c := history.NewChecker(history.FIFO())
	pending := func(begin int64, op int32, value int64) history.Call {
		return history.Call{Op: op, Arg: value, Status: history.Pending, Begin: begin,
			End: history.Never}
	}
	push, seen := pending(1, history.OpPush, 1), at(5, 6, history.OpPop, 1, history.OK)
	empty := at(3, 4, history.OpPop, 0, history.Fail)
	require.True(t, c.Linearizable([]history.Call{push}))
	require.True(t, c.Linearizable([]history.Call{push, seen}), "it had taken effect")
	require.True(t, c.Linearizable([]history.Call{push, empty}), "it had not")
	require.True(t, c.Linearizable([]history.Call{push, empty, seen}), "it had after that")
	push.Begin = 7
	require.False(t, c.Linearizable([]history.Call{push, seen}), "it had not begun")

	pop, pushed := pending(3, history.OpPop, 0), at(1, 2, history.OpPush, 1, history.OK)
	require.True(t, c.Linearizable([]history.Call{pushed, pop, seen}), "it took nothing")
	empty.Begin, empty.End = 7, 8
	require.True(t, c.Linearizable([]history.Call{pushed, pop, empty}), "it took the value")
	require.False(t, c.Linearizable([]history.Call{pushed, pop, seen, empty,
		at(9, 9, history.OpPop, 1, history.OK)}))
}

func TestRetryJustified(t *testing.T) {
	retry := at(10, 20, history.OpSteal, 0, history.Retry)
	for name, c := range map[string]struct {
		other history.Call
		want  bool
	}{
		"take":                 {at(1, 10, history.OpPop, 1, history.OK), true},
		"later take":           {at(20, 30, history.OpSteal, 1, history.OK), true},
		"take before":          {at(1, 9, history.OpPop, 1, history.OK), false},
		"take after":           {at(21, 22, history.OpPop, 1, history.OK), false},
		"another retry":        {at(10, 20, history.OpSteal, 1, history.Retry), false},
		"push":                 {at(10, 20, history.OpPush, 1, history.OK), false},
		"take under way":       {at(1, history.Never, history.OpPop, 1, history.Pending), true},
		"take that came later": {at(21, history.Never, history.OpPop, 1, history.Pending), false},
	} {
		calls := []history.Call{retry, c.other}
		if c.other.Status == history.Retry {
			require.False(t, history.RetryJustified(calls, history.Taking), name)
			continue
		}
		require.Equal(t, c.want, history.RetryJustified(calls, history.Taking), name)
	}
	require.False(t, history.RetryJustified([]history.Call{retry},
		func(*history.Call) bool { return true }), "a call does not justify itself")
	require.True(t, history.RetryJustified(nil, history.Taking))
}

func TestCheckerBounds(t *testing.T) {
	c := history.NewChecker(history.FIFO())
	require.True(t, c.Linearizable(nil))
	var h []history.Call
	for range history.MaxCalls {
		h = append(h, at(1, 2, history.OpPop, 0, history.Fail))
	}
	require.True(t, c.Linearizable(h))
	require.PanicsWithValue(t, "history: 65 calls, more than 64", func() {
		c.Linearizable(append(h, h[0]))
	})
	require.PanicsWithValue(t, "history: call 0 ended before it began", func() {
		c.Linearizable([]history.Call{at(2, 1, 0, 1, 1)})
	})
	require.PanicsWithValue(t, "history: value 256, not 0 to 255", func() {
		c.Linearizable([]history.Call{at(1, 1, history.OpPush, 256, 1)})
	})
	require.PanicsWithValue(t, "history: FIFO: Newest() = 1 with status 1", func() {
		c.Linearizable([]history.Call{at(1, 1, history.OpNewest, 1, 1)})
	})
	require.True(t, c.Linearizable(h), "usable after a panic")
}

func TestCheckerAllocatesNothing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	c := history.NewChecker(history.FIFO())
	var histories [][]history.Call
	for range 50 {
		h := randomFIFO(rnd, 4, 12)
		if rnd.IntN(2) == 0 {
			mutate(rnd, h)
		}
		histories = append(histories, h)
	}
	all := func() {
		for _, h := range histories {
			c.Linearizable(h)
		}
	}
	all()
	require.Zero(t, testing.AllocsPerRun(10, all))
}

// Sets and states that failed are not searched again.
func TestCheckerRemembers(t *testing.T) {
	spec := history.FIFO()
	steps := 0
	step := spec.Step
	spec.Step = func(s history.Values, c *history.Call) (history.Values, bool) {
		steps++
		return step(s, c)
	}
	var same []history.Call // equal values: a state for each set, not for each order
	for range 12 {
		same = append(same, at(1, 2, history.OpPush, 1, history.OK))
	}
	same = append(same, at(3, 4, history.OpPop, 2, history.OK))
	require.False(t, history.NewChecker(spec).Linearizable(same))
	require.LessOrEqual(t, steps, 12<<12)
}
