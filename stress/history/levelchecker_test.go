package history_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/seed"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/history"
)

func TestLevelChecker(t *testing.T) {
	push := func(begin, end, v int64, level int) history.Call {
		return at(begin, end, history.OpPush, history.Leveled(v, level), history.OK)
	}
	pop := func(begin, end, v int64, level int) history.Call {
		return at(begin, end, history.OpPop, history.Leveled(v, level), history.OK)
	}
	none := func(begin, end int64) history.Call {
		return at(begin, end, history.OpPop, 0, history.Fail)
	}
	pending := func(begin int64) history.Call {
		return at(begin, history.Never, history.OpPop, 0, history.Pending)
	}
	c := history.NewLevelChecker(history.Levels(), 3)
	for name, test := range map[string]struct {
		want bool
		h    []history.Call
	}{
		"highest first": {true,
			[]history.Call{push(1, 2, 1, 1), push(3, 4, 2, 0), pop(5, 6, 2, 0), pop(7, 8, 1, 1),
				none(9, 10)}},
		"passed over": {false,
			[]history.Call{push(1, 2, 1, 1), push(3, 4, 2, 0), pop(5, 6, 1, 1), pop(7, 8, 2, 0),
				none(9, 10)}},
		"the push above overlaps": {true,
			[]history.Call{push(1, 2, 1, 1), push(3, 5, 2, 0), pop(5, 6, 1, 1), pop(7, 8, 2, 0)}},
		// Not linearizable as a strict priority queue: 2 was there before 1, on a higher level.
		"seen empty before": {true,
			[]history.Call{push(2, 3, 2, 0), push(4, 5, 1, 1), pop(1, 6, 1, 1), pop(7, 8, 2, 0)}},
		"not all empty at one moment": {false,
			[]history.Call{push(1, 2, 1, 1), push(4, 5, 2, 0), pop(6, 7, 1, 1), none(3, 8),
				pop(9, 10, 2, 0)}},
		"order within a level": {false,
			[]history.Call{push(1, 2, 1, 1), push(3, 4, 2, 1), pop(5, 6, 2, 1)}},
		"order of two levels": {true,
			[]history.Call{push(1, 2, 1, 1), push(3, 4, 2, 0), pop(5, 6, 2, 0)}},
		"lost": {false, []history.Call{push(1, 2, 1, 2), none(3, 4)}},
		"taken by a pending pop": {true,
			[]history.Call{push(1, 2, 1, 2), pending(1), none(3, 4)}},
		"two taken by one": {false,
			[]history.Call{push(1, 2, 1, 2), push(1, 2, 1, 1), pending(1), none(3, 4)}},
		"two taken by two": {true,
			[]history.Call{push(1, 2, 1, 2), push(1, 2, 1, 1), pending(1), pending(2), none(3, 4)}},
	} {
		t.Run(name, func(t *testing.T) {
			text := c.Explain(test.h)
			require.Equal(t, test.want, c.Linearizable(test.h), text)
			require.Equal(t, test.want, text == "")
			r := seed.Rand(t, 0)
			for range 3 {
				r.Shuffle(len(test.h), func(i, j int) {
					test.h[i], test.h[j] = test.h[j], test.h[i]
				})
				require.Equal(t, test.want, c.Linearizable(test.h))
			}
		})
	}
	require.Equal(t, `level 0, where a call that took from below saw it empty:
time  thread 3             thread 5
   3  [ Push(2/level 0)
   4  '
   5                       [ Pop() = no
   6                       '  <- no order explains what has returned
before that: Push(2/level 0)
`, c.Explain([]history.Call{push(1, 2, 1, 1), push(3, 4, 2, 0), pop(5, 6, 1, 1)}))
	require.Panics(t, func() { history.NewLevelChecker(history.Levels(), 5) })
	require.Panics(t, func() { history.Leveled(1, 4) })
	for level := range 4 {
		require.Equal(t, level, history.LevelOf(history.Leveled(63, level)))
	}
}

// Two levels behave as a strict queue with priorities if nothing overlaps.
func TestLevelCheckerSequential(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	c := history.NewLevelChecker(history.Levels(), 2)
	var verdicts [2]int
	for range short.Scaled(20_000) {
		var h []history.Call
		var levels [2][]int64
		want := true
		for i := range int64(12) {
			level := rnd.IntN(2)
			v := history.Leveled(i, level)
			if rnd.IntN(2) == 0 {
				h = append(h, at(2*i, 2*i+1, history.OpPush, v, history.OK))
				levels[level] = append(levels[level], v)
				continue
			}
			call := at(2*i, 2*i+1, history.OpPop, 0, history.Fail)
			if rnd.IntN(4) > 0 {
				level = btoi(len(levels[0]) == 0) // the right one
			}
			if len(levels[level]) > 0 {
				call.Ret, call.Status = levels[level][0], history.OK
				levels[level] = levels[level][1:]
				want = want && (level == 0 || len(levels[0]) == 0)
			} else {
				want = want && len(levels[0]) == 0 && len(levels[1]) == 0
			}
			h = append(h, call)
		}
		require.Equal(t, want, c.Linearizable(h), "%+v", h)
		verdicts[btoi(want)]++
	}
	require.Greater(t, min(verdicts[0], verdicts[1]), short.Scaled(20_000)/10)
}
