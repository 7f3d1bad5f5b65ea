package history_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/history"
)

// The monitor says what the search says, on histories that are right, that are nearly right,
// and that are arbitrary.
func TestFIFOMonitorAgreesWithSearch(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	c := history.NewChecker(history.FIFO())
	var m history.FIFOMonitor
	var verdicts [2]int
	for range short.Scaled(100_000) {
		h := randomFIFO(rnd, 1+rnd.IntN(4), 2+rnd.IntN(11))
		kind := rnd.IntN(8)
		for i := 0; i < kind; i++ {
			mutate(rnd, h)
		}
		if kind == 7 { // a value from nowhere, or one popped twice
			if a := &h[rnd.IntN(len(h))]; a.Op == history.OpPop {
				a.Ret, a.Status = int64(rnd.IntN(8)), history.OK
			}
		}
		want, err := c.Linearizable(h), m.Check(h)
		if want != (err == nil) {
			t.Fatalf("search: %v, monitor: %v\n%+v\n%s", want, err, h, c.Explain(h))
		}
		verdicts[btoi(want)]++
	}
	t.Log("wrong, right:", verdicts)
	require.Greater(t, min(verdicts[0], verdicts[1]), short.Scaled(100_000)/5)
}

func TestFIFOMonitorPatterns(t *testing.T) {
	push := func(begin, end, v int64) history.Call {
		return at(begin, end, history.OpPush, v, history.OK)
	}
	pop := func(begin, end, v int64) history.Call {
		return at(begin, end, history.OpPop, v, history.OK)
	}
	none := func(begin, end int64) history.Call {
		return at(begin, end, history.OpPop, 0, history.Fail)
	}
	var m history.FIFOMonitor
	for name, c := range map[string]struct {
		want string // "" if right
		h    []history.Call
	}{
		"nothing": {"", nil},
		"right": {"",
			[]history.Call{push(1, 2, 1), push(3, 4, 2), pop(5, 6, 1), pop(7, 8, 2), none(9, 10)}},
		"from nowhere": {"history: Pop() = 2 by 3 from 3 to 4, which nobody pushed",
			[]history.Call{push(1, 2, 1), pop(3, 4, 2)}},
		"twice": {"history: Pop() = 1 by 3 from 3 to 4 and Pop() = 1 by 5 from 5 to 6",
			[]history.Call{push(1, 2, 1), pop(3, 4, 1), pop(5, 6, 1)}},
		"too early": {
			"history: Pop() = 1 by 1 from 1 to 2 before Push(1) by 3 from 3 to 4",
			[]history.Call{push(3, 4, 1), pop(1, 2, 1)}},
		"early but together": {"", []history.Call{push(2, 4, 1), pop(1, 2, 1)}},
		"order": {"history: Push(1) by 1 from 1 to 2 before Push(2) by 3 from 3 to 4, but Pop() " +
			"= 2 by 5 from 5 to 6, and Pop() = 1 by 0 from 7 to 8",
			[]history.Call{push(1, 2, 1), push(3, 4, 2), pop(5, 6, 2), pop(7, 8, 1)}},
		"overlapping pops": {"",
			[]history.Call{push(1, 2, 1), push(3, 4, 2), pop(5, 7, 2), pop(7, 8, 1)}},
		"left behind": {"history: Push(1) by 1 from 1 to 2 before Push(2) by 3 from 3 to 4, but " +
			"Pop() = 2 by 5 from 5 to 6, and nobody popped it",
			[]history.Call{push(1, 2, 1), push(3, 4, 2), pop(5, 6, 2)}},
		"lost": {"history: Pop() = no by 3 from 3 to 4, though some value was inside " +
			"from 2 on", []history.Call{push(1, 2, 1), none(3, 4)}},
		"false empty": {"history: Pop() = no by 3 from 3 to 8, though some value was inside " +
			"from 2 to 10", []history.Call{push(1, 2, 1), push(3, 4, 2), pop(5, 6, 1), none(3, 8),
			pop(10, 11, 2)}},
		"a moment between": {"",
			[]history.Call{push(1, 2, 1), push(3, 5, 2), pop(5, 6, 1), none(3, 8), pop(10, 11, 2)}},
		"negative times": {"history: Pop() = no by -3 from -3 to 8, though some value was " +
			"inside from -4 on", []history.Call{push(-5, -4, -1<<40), none(-3, 8)}},
	} {
		t.Run(name, func(t *testing.T) {
			err := m.Check(c.h)
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, c.want)
			}
		})
	}
	require.PanicsWithValue(t, "history: FIFOMonitor: value 1 is pushed twice", func() {
		m.Check([]history.Call{push(1, 2, 1), push(1, 2, 1)})
	})
	require.PanicsWithValue(t, "history: FIFOMonitor: Pop() = ? with status -1", func() {
		m.Check([]history.Call{at(1, 2, history.OpPop, 1, history.Pending)})
	})
	refused := at(1, 2, history.OpPush, 1, history.Fail)
	require.NoError(t, m.Check([]history.Call{refused, refused}))
}

// longFIFO makes a long history without mistakes, thread by thread.
func longFIFO(rnd *rand.Rand, n int) []history.Call {
	h := randomFIFO(rnd, 8, n)
	slices.SortFunc(h, func(a, b history.Call) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Begin, b.Begin))
	})
	return h
}

// One mistake in a long history is found.
func TestFIFOMonitorLong(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	var m history.FIFOMonitor
	h := longFIFO(rnd, short.Scaled(100_000))
	require.NoError(t, m.Check(h))
	for range 10 {
		i := rnd.IntN(len(h))
		for h[i].Op != history.OpPop || h[i].Status != history.OK {
			i = (i + 1) % len(h)
		}
		was := h[i]
		h[i].Ret, h[i].Status = 0, history.Fail // so that a value is lost
		require.Error(t, m.Check(h), "%+v", was)
		h[i] = was
	}
	require.NoError(t, m.Check(h))
	require.LessOrEqual(t, testing.AllocsPerRun(2, func() { _ = m.Check(h) }), 1.0)
}

// BenchmarkFIFOMonitor judges a million calls.
func BenchmarkFIFOMonitor(b *testing.B) {
	h := longFIFO(rand.New(rand.NewPCG(13, 14)), 1_000_000)
	var m history.FIFOMonitor
	_ = m.Check(h)
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Check(h); err != nil {
			b.Fatal(err)
		}
	}
}
