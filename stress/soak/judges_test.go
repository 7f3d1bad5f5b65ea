package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/history"
)

func push(v, begin, end int64) history.Call {
	return history.Call{Op: history.OpPush, Arg: v, Status: history.OK, Begin: begin, End: end}
}

// took is a pop, of -1 if it found nothing.
func took(v, begin, end int64) history.Call {
	if v < 0 {
		return history.Call{Op: history.OpPop, Begin: begin, End: end}
	}
	return history.Call{Op: history.OpPop, Ret: v, Status: history.OK, Begin: begin, End: end}
}

func stole(v, begin, end int64) history.Call {
	c := took(v, begin, end)
	c.Op = history.OpSteal
	return c
}

func saw(v, begin, end int64) history.Call {
	c := took(v, begin, end)
	c.Op = history.OpNewest
	return c
}

type calls = []history.Call

func TestJudgeStackSeesWhatIsWrong(t *testing.T) {
	for says, h := range map[string]calls{
		"": {push(0, 1, 2), push(1, 3, 4), took(1, 5, 6), took(0, 7, 8),
			took(-1, 9, 10)},
		"twice":           {push(0, 1, 2), took(0, 3, 4), took(0, 5, 6)},
		"was pushed":      {push(0, 1, 2), push(1, 1, 2), took(0, 3, 4)},
		"was pushed: ":    {push(0, 5, 6), took(0, 3, 4)},
		"pushed after it": {push(0, 1, 2), push(1, 3, 4), took(0, 5, 6), took(1, 7, 8)},
		"found nothing":   {push(0, 1, 2), took(-1, 3, 4), took(0, 5, 6)},
		"all the time": {push(0, 1, 2), push(1, 3, 9), took(-1, 4, 5), took(1, 10, 11),
			took(0, 12, 13)},
		"though a value": {push(0, 1, 2), push(1, 3, 4), push(2, 3, 5), took(1, 6, 7),
			took(0, 8, 9), took(2, 10, 11)},
		"pushed after it w": {push(2, 1, 2), push(1, 3, 4), push(0, 8, 9), took(2, 5, 6),
			took(1, 10, 11), took(0, 12, 13)},
	} {
		err := judgeStack(h, 3)
		if says == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, says)
		}
	}
}

func TestJudgeDequeSeesWhatIsWrong(t *testing.T) {
	for says, h := range map[string]struct{ own, stolen calls }{
		"": {calls{push(0, 1, 2), push(1, 3, 4), saw(1, 4, 5), took(1, 5, 6),
			saw(0, 7, 8), saw(-1, 8, 9), took(-1, 9, 10)}, calls{stole(0, 7, 8), stole(-1, 9, 10)}},
		"stolen twice": {calls{push(0, 1, 2), took(-1, 9, 10)},
			calls{stole(0, 3, 4), stole(0, 5, 6)}},
		"was not pushed":   {calls{push(0, 1, 2)}, calls{stole(5, 3, 4)}},
		"pushed from 5 on": {calls{push(0, 5, 6), took(-1, 9, 10)}, calls{stole(0, 3, 4)}},
		"not the last of":  {calls{push(0, 1, 2), push(1, 3, 4), took(0, 5, 6)}, nil},
		"and stolen at":    {calls{push(0, 1, 2), took(0, 5, 6)}, calls{stole(0, 5, 6)}},
		"and 0 was there":  {calls{push(0, 1, 2), took(-1, 3, 4)}, calls{stole(0, 5, 6)}},
		"is left":          {calls{push(0, 1, 2)}, nil},
		"from above it": {calls{push(0, 1, 2), push(1, 3, 4), took(-1, 9, 10)},
			calls{stole(1, 5, 6), stole(0, 7, 8)}},
		"there all the time": {calls{push(0, 1, 2), took(0, 5, 6)}, calls{stole(-1, 3, 4)}},
		"last of [0 1]":      {calls{push(0, 1, 2), push(1, 3, 4), saw(0, 5, 6)}, nil},
		"0 was seen at 5":    {calls{push(0, 1, 2), saw(0, 5, 6)}, calls{stole(0, 3, 4)}},
		"and 1 was there": {calls{push(0, 1, 2), push(1, 3, 4), saw(-1, 5, 6)},
			calls{stole(0, 3, 6), stole(1, 7, 8)}},
	} {
		n := 0
		for _, c := range h.own {
			if c.Op == history.OpPush {
				n++
			}
		}
		err := judgeDeque(h.own, h.stolen, n)
		if says == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, says)
		}
	}
}

// What a judge refuses no order explains, and it accepts whatever a container does.
func TestJudgesAgreeWithTheSearch(t *testing.T) {
	stack, deque := history.NewChecker(history.LIFO()), history.NewChecker(history.Deque())
	rnd := rand.New(rand.NewPCG(1, 2))
	refused, missed := 0, 0
	histories := 20_000
	if testing.Short() {
		histories = 4_000
	}
	for range histories {
		isDeque, spoil := rnd.IntN(2) == 0, rnd.IntN(2) == 0
		h, n := simulate(rnd, isDeque)
		if spoil {
			a, b := &h[rnd.IntN(len(h))], &h[rnd.IntN(len(h))]
			if a.Op != history.OpPush && b.Op != history.OpPush && a.Op == b.Op {
				a.Ret, a.Status, b.Ret, b.Status = b.Ret, b.Status, a.Ret, a.Status
			}
		}
		var err error
		var right bool
		if isDeque {
			var own, stolen calls
			for _, c := range h {
				if c.Op == history.OpSteal {
					stolen = append(stolen, c)
				} else {
					own = append(own, c)
				}
			}
			err, right = judgeDeque(own, stolen, n), deque.Linearizable(h)
		} else {
			err, right = judgeStack(h, n), stack.Linearizable(h)
		}
		if err != nil {
			require.False(t, right, "%v\n%+v", err, h)
			refused++
		} else if !right {
			missed++
		}
		if !spoil {
			require.NoError(t, err)
		}
	}
	t.Logf("%d refused, %d missed", refused, missed)
	require.Greater(t, refused, histories/40)
	require.Less(t, missed, refused/4)
}

// simulate makes a history of calls that took effect one after the other, each at some moment of
// it, and that leave nothing. Those of a deque's owner do not overlap.
func simulate(rnd *rand.Rand, isDeque bool) (h calls, n int) {
	var s []int64
	owner := int64(0)
	take := func(c history.Call, i int) history.Call {
		if len(s) == 0 {
			return c
		}
		c.Ret, c.Status = s[i], history.OK
		s = slices.Delete(s, i, i+1)
		return c
	}
	for k := int64(0); k < 12 || len(s) > 0; k++ {
		at := 100 * (k + 1)
		c := history.Call{Begin: at - rnd.Int64N(300), End: at + rnd.Int64N(300)}
		what := rnd.IntN(5)
		if k >= 12 {
			what = 3 + rnd.IntN(2)
		}
		if isDeque && what == 4 {
			c.Op = history.OpSteal
			h = append(h, take(c, 0))
			continue
		}
		if isDeque {
			c.Begin, c.End = max(owner+1, min(c.Begin, at)), at+1
			owner = c.End
		}
		if what < 3 {
			c.Op, c.Arg, c.Status = history.OpPush, int64(n), history.OK
			s = append(s, c.Arg)
			n++
			h = append(h, c)
			continue
		}
		c.Op = history.OpPop
		if isDeque && rnd.IntN(4) == 0 {
			c.Op = history.OpNewest
			left := slices.Clone(s)
			h = append(h, take(c, len(s)-1))
			s = left
			continue
		}
		h = append(h, take(c, len(s)-1))
	}
	return h, n
}
