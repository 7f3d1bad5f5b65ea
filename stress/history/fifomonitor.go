package history

import (
	"fmt"
	"math/bits"
	"slices"
)

// A FIFOMonitor judges histories of an unbounded queue in which each value is pushed once, of any
// length, without a search: such a history is linearizable if and only if it shows none of
// these patterns:
//
//   - a value is popped that was not pushed, or more than once, or before its push began;
//   - a value is pushed before another, but popped after it, or never;
//   - a pop finds nothing though at each moment of it some value was surely inside: its push
//     had ended, its pop had not begun.
//
// "Before" means Precedes, but that steps of one call have no order. A value that got lost shows by
// the third as soon as the queue is popped until it is empty; see AppendLevel for a queue with
// priorities.
//
// The zero FIFOMonitor is ready. It keeps its scratch memory, a few words for each call.
//
// # Concurrency
//
// For one goroutine at a time.
//
// # Cost
//
// O(n log n), and nearly linear where times lie close to each other: BenchmarkFIFOMonitor.
type FIFOMonitor struct {
	// Henzinger, Sezgin and Vafeiadis, "Aspect-oriented linearizability proofs", CONCUR 2013;
	// Bouajjani, Emmi, Enea and Hamza, "On reducing linearizability to state reachability",
	// ICALP 2015, state the patterns and prove that there are no others.

	table   []int32 // by hash, open addressing: the place of a value in values, plus 1
	shift   int
	values  []life
	empty   []int32 // the pops that found nothing
	begins  []stamp // the values by pushBegin
	ends    []stamp // the values by pushEnd
	scratch []stamp
	covered []span
}

// A life is what happened to a value.
type life struct {
	value     int64
	push, pop int32 // the calls; pop is -1 if there is none

	pushBegin, pushEnd, popBegin, popEnd int64
}

// A stamp is a value and the time by which it is sorted.
type stamp struct {
	at    uint64
	value int32
}

// A span is a time, without its ends.
type span struct{ begin, end int64 }

// Check returns nil if the history is linearizable, and otherwise says what is wrong. It takes
// OpPush and OpPop in any order, with any values; calls with the status Retry and OpPushes with
// the status Fail are left out. It panics for other calls, for pending ones, and for a value
// that is pushed twice.
func (m *FIFOMonitor) Check(calls []Call) error {
	if err := m.lives(calls); err != nil {
		return err
	}
	if err := m.checkOrder(calls); err != nil {
		return err
	}
	return m.checkEmpty(calls)
}

// lives finds out what happened to each value.
func (m *FIFOMonitor) lives(calls []Call) error {
	m.values, m.empty = m.values[:0], m.empty[:0]
	pushes := 0
	for i := range calls {
		c := &calls[i]
		if c.Op != OpPush && c.Op != OpPop ||
			c.Status != OK && c.Status != Fail && c.Status != Retry {
			badOp("FIFOMonitor", c)
		}
		if c.Op == OpPush && c.Status == OK {
			pushes++
		}
	}
	size := max(64, 1<<bits.Len(uint(2*pushes)))
	if len(m.table) < size {
		m.table = make([]int32, size)
	} else {
		clear(m.table)
	}
	m.values = slices.Grow(m.values, pushes)
	m.shift = 64 - bits.TrailingZeros(uint(len(m.table)))
	for i := range calls {
		if c := &calls[i]; c.Op == OpPush && c.Status == OK {
			at := m.find(c.Arg)
			if *at != 0 {
				panic(fmt.Sprintf("history: FIFOMonitor: value %d is pushed twice", c.Arg))
			}
			m.values = append(m.values, life{c.Arg, int32(i), -1, c.Begin, c.End, Never, Never})
			*at = int32(len(m.values))
		}
	}
	for i := range calls {
		c := &calls[i]
		if c.Op != OpPop || c.Status == Retry {
			continue
		}
		if c.Status == Fail {
			m.empty = append(m.empty, int32(i))
			continue
		}
		at := *m.find(c.Ret)
		if at == 0 {
			return fmt.Errorf("history: %s, which nobody pushed", timed(c))
		}
		v := &m.values[at-1]
		if v.pop >= 0 {
			return fmt.Errorf("history: %s and %s", timed(&calls[v.pop]), timed(c))
		}
		if c.End < v.pushBegin {
			return fmt.Errorf("history: %s before %s", timed(c), timed(&calls[v.push]))
		}
		v.pop, v.popBegin, v.popEnd = int32(i), c.Begin, c.End
	}
	return nil
}

// timed names a call with its times.
func timed(c *Call) string {
	return fmt.Sprintf("%s by %d from %d to %d", OpName(c), c.Thread, c.Begin, c.End)
}

// find returns the place of a value in the table, or the free one where it belongs.
func (m *FIFOMonitor) find(value int64) *int32 {
	mask := len(m.table) - 1
	for i := int(uint64(value) * 0x9e3779b97f4a7c15 >> m.shift); ; i = (i + 1) & mask {
		if at := &m.table[i]; *at == 0 || m.values[*at-1].value == value {
			return at
		}
	}
}

// checkOrder looks for a value that was pushed before another and popped after it.
func (m *FIFOMonitor) checkOrder(calls []Call) error {
	m.begins = m.sort(m.begins, func(v *life) int64 { return v.pushBegin })
	m.ends = m.sort(m.ends, func(v *life) int64 { return v.pushEnd })

	// Among the values pushed before the one at hand, the one popped last.
	var last *life
	next := 0
	for _, s := range m.begins {
		b := &m.values[s.value]
		for ; next < len(m.ends); next++ {
			a := &m.values[m.ends[next].value]
			if a.pushEnd >= b.pushBegin {
				break
			}
			if last == nil || a.popBegin > last.popBegin {
				last = a
			}
		}
		if last == nil || b.pop < 0 || last.popBegin <= b.popEnd {
			continue
		}
		after := "nobody popped it"
		if last.pop >= 0 {
			after = timed(&calls[last.pop])
		}
		return fmt.Errorf("history: %s before %s, but %s, and %s",
			timed(&calls[last.push]), timed(&calls[b.push]), timed(&calls[b.pop]), after)
	}
	return nil
}

// checkEmpty looks for a pop that found nothing though some value was inside at each moment.
func (m *FIFOMonitor) checkEmpty(calls []Call) error {
	// The moments at which some value was inside, as spans with moments between them.
	m.covered = m.covered[:0]
	for _, s := range m.ends {
		v := &m.values[s.value]
		if v.pushEnd >= v.popBegin {
			continue
		}
		if n := len(m.covered); n > 0 && v.pushEnd < m.covered[n-1].end {
			m.covered[n-1].end = max(m.covered[n-1].end, v.popBegin)
			continue
		}
		m.covered = append(m.covered, span{v.pushEnd, v.popBegin})
	}
	for _, i := range m.empty {
		c := &calls[i]
		at, _ := slices.BinarySearchFunc(m.covered, c.Begin, func(s span, t int64) int {
			if s.begin < t {
				return -1
			}
			return 1
		})
		if at > 0 && m.covered[at-1].end > c.End {
			return fmt.Errorf("history: %s, though some value was inside from %d %s", timed(c),
				m.covered[at-1].begin, until(m.covered[at-1].end))
		}
	}
	return nil
}

func until(t int64) string {
	if t == Never {
		return "on"
	}
	return fmt.Sprintf("to %d", t)
}

// sort returns the values sorted by a time. It uses the memory of from.
func (m *FIFOMonitor) sort(from []stamp, by func(v *life) int64) []stamp {
	from = from[:0]
	if len(m.values) == 0 {
		return from
	}
	least, most := by(&m.values[0]), by(&m.values[0])
	for i := range m.values {
		at := by(&m.values[i])
		least, most = min(least, at), max(most, at)
		from = append(from, stamp{uint64(at), int32(i)})
	}
	to := slices.Grow(m.scratch[:0], len(from))[:len(from)]
	// By the lowest digit first, each time in the order found.
	const digit = 11
	for shift := 0; shift < bits.Len64(uint64(most)-uint64(least)); shift += digit {
		place := func(s stamp) uint64 { return (s.at - uint64(least)) >> shift & (1<<digit - 1) }
		var starts [1 << digit]int32
		for _, s := range from {
			starts[place(s)]++
		}
		sum := int32(0)
		for i, n := range starts {
			starts[i] = sum
			sum += n
		}
		for _, s := range from {
			at := &starts[place(s)]
			to[*at] = s
			*at++
		}
		from, to = to, from
	}
	m.scratch = to
	return from
}
