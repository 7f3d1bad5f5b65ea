package modelcheck

import (
	"fmt"
	"strings"
)

// Replay repeats one schedule.
type Replay struct {
	observer
	schedule []uint16
	at       int
}

// NewReplay returns the explorer of one schedule, as a Failure has it. Where the schedule ends
// before the execution, the thread that moved last goes on.
func NewReplay(schedule string) (*Replay, error) {
	s, err := parseSchedule(schedule)
	if err != nil {
		return nil, err
	}
	return &Replay{schedule: s}, nil
}

// Name implements Explorer.
func (x *Replay) Name() string { return "replay" }

func (x *Replay) begin(*Engine) { x.at = 0 }

//go:norace
func (x *Replay) pick(e *Engine, cur int, enabled set) int {
	next := cur
	if next < 0 {
		next = lowest(enabled)
	}
	if x.at < len(x.schedule) {
		next = int(x.schedule[x.at])
		x.at++
		if next >= choiceMark || e.ready&(1<<next) == 0 {
			e.fail(KindDeterminism, "the schedule does not fit the program")
			return -1
		}
	}
	return next
}

//go:norace
func (x *Replay) choose(e *Engine, _ *thread, n int) int {
	if x.at == len(x.schedule) {
		return 0
	}
	v := int(x.schedule[x.at]) - choiceMark
	x.at++
	if v < 0 || v >= n {
		e.fail(KindDeterminism, "the schedule does not fit the program's choices")
		return 0
	}
	return v
}

//go:norace
func (x *Replay) did(e *Engine, t *thread, _ event) {
	if x.at < len(x.schedule) && x.schedule[x.at] == freezeMark {
		x.at++
		e.freeze(t)
	}
}

func (x *Replay) end(*Engine) bool { return false }

// Bytes runs one execution in which each decision is a byte, taken modulo the number of
// ways to go on; at the end of the bytes it goes on without preemptions. So a fuzzer, or a
// generator of random values, can choose schedules and shrink them.
type Bytes struct {
	observer
	data []byte
}

// NewBytes returns the explorer of one execution.
func NewBytes(data []byte) *Bytes { return &Bytes{data: data} }

// Name implements Explorer.
func (x *Bytes) Name() string { return "bytes" }

func (x *Bytes) begin(*Engine) {}

//go:norace
func (x *Bytes) take(n int) int {
	if len(x.data) == 0 {
		return 0
	}
	v := int(x.data[0]) % n
	x.data = x.data[1:]
	return v
}

//go:norace
func (x *Bytes) pick(_ *Engine, cur int, enabled set) int {
	if enabled&(enabled-1) == 0 {
		return lowest(enabled)
	}
	// The ways are counted from the one without preemption on, so that zeros mean none.
	first := cur
	if first < 0 {
		first = lowest(enabled)
	}
	others := enabled &^ (1 << first)
	n := 1
	for s := others; s != 0; s &= s - 1 {
		n++
	}
	if v := x.take(n); v > 0 {
		return nth(others, v-1)
	}
	return first
}

//go:norace
func (x *Bytes) choose(_ *Engine, _ *thread, n int) int { return x.take(n) }

func (x *Bytes) end(*Engine) bool { return false }

// name returns the letter of a thread.
func name(id int) string { return string(rune('A' + id)) }

func itoa(n int) string { return fmt.Sprint(n) }

// formatSchedule writes a schedule as runs of steps: A2B9 is two steps of A and nine of B,
// A1#3 a step of A and then its choice of 3, A1! a step of A after which it stands still.
func formatSchedule(s []uint16) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == freezeMark {
			b.WriteByte('!')
			i++
			continue
		}
		if s[i] >= choiceMark {
			fmt.Fprintf(&b, "#%d", s[i]-choiceMark)
			i++
			continue
		}
		j := i
		for j < len(s) && s[j] == s[i] {
			j++
		}
		fmt.Fprintf(&b, "%s%d", name(int(s[i])), j-i)
		i = j
	}
	return b.String()
}

// parseSchedule reads what formatSchedule writes.
func parseSchedule(text string) (s []uint16, err error) {
	for i := 0; i < len(text); {
		c := text[i]
		if c == '!' {
			s = append(s, freezeMark)
			i++
			continue
		}
		if c != '#' && (c < 'A' || c >= 'A'+MaxThreads) {
			return nil,
				fmt.Errorf("modelcheck: schedule %q: %q at %d is neither a thread (A to %s) nor "+
					"one of # and ! that may follow it", text, c, i, name(MaxThreads-1))
		}
		n, j := 0, i+1
		for ; j < len(text) && text[j] >= '0' && text[j] <= '9' && n < 1<<20; j++ {
			n = 10*n + int(text[j]-'0')
		}
		if j == i+1 {
			return nil, fmt.Errorf("modelcheck: schedule %q: no number after %q at %d", text, c, i)
		}
		i = j
		if c == '#' {
			if n >= choiceMark {
				return nil, fmt.Errorf("modelcheck: schedule %q: choice %d is not below 256", text,
					n)
			}
			s = append(s, choiceMark|uint16(n))
			continue
		}
		for range n {
			s = append(s, uint16(c-'A'))
		}
	}
	return s, nil
}
