package history_test

import (
	"math/rand/v2"

	"github.com/heddle-go/heddle/stress/history"
)

// randomFIFO makes a linearizable history of a queue: calls take effect one after the other,
// each a while after its begin and before its end, and the calls of a thread do not overlap.
func randomFIFO(rnd *rand.Rand, threads, n int) []history.Call {
	calls := make([]history.Call, 0, n)
	last := make([]int64, threads) // when the last call of a thread ended
	var values []int64
	now, next := int64(0), int64(0)
	for range n {
		now += int64(rnd.IntN(4))
		c := history.Call{Thread: int32(rnd.IntN(threads)), Op: history.OpPop}
		c.Begin = max(last[c.Thread]+int64(rnd.IntN(2)), now-int64(rnd.IntN(12)))
		now = max(now, c.Begin)
		c.End = now + int64(rnd.IntN(12))
		last[c.Thread] = c.End
		switch {
		case rnd.IntN(2) == 0:
			next++
			c.Op, c.Arg, c.Status = history.OpPush, next, history.OK
			values = append(values, next)
		case len(values) > 0:
			c.Ret, c.Status = values[0], history.OK
			values = values[1:]
		}
		calls = append(calls, c)
	}
	rnd.Shuffle(n, func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	return calls
}

// mutate changes a history a little, so that it may be no longer linearizable.
func mutate(rnd *rand.Rand, calls []history.Call) {
	i, j := rnd.IntN(len(calls)), rnd.IntN(len(calls))
	a, b := &calls[i], &calls[j]
	switch rnd.IntN(4) {
	case 0: // two calls return what the other did
		if a.Op == b.Op {
			a.Arg, b.Arg, a.Ret, b.Ret, a.Status, b.Status = b.Arg, a.Arg, b.Ret, a.Ret, b.Status,
				a.Status
		}
	case 1: // a call is shorter
		a.Begin = a.End - rnd.Int64N(a.End-a.Begin+1)
		a.End -= rnd.Int64N(a.End - a.Begin + 1)
	case 2: // a pop finds nothing
		if a.Op == history.OpPop {
			a.Ret, a.Status = 0, history.Fail
		}
	case 3: // two calls are made at the time of the other
		a.Begin, a.End, b.Begin, b.End = b.Begin, b.End, a.Begin, a.End
	}
}
