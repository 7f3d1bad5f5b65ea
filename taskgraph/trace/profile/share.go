package profile

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/nest"
)

// A share says how much processor time a body has had by each moment, if bodies share processors
// evenly while more of them run than there are: R10. Without a number of processors it is the time
// itself.
type share struct {
	at   []time.Duration
	had  []time.Duration // by each of these moments
	rate []float64       // from then on

	quiet time.Duration // for how long no body ran at all
}

// until returns the processor time of who has run from the beginning to a moment.
func (s *share) until(at time.Duration) time.Duration {
	n := sort.Search(len(s.at), func(i int) bool { return s.at[i] > at })
	if n == 0 || s.rate[n-1] == 1 && n == 1 {
		return at
	}
	return s.had[n-1] + time.Duration(float64(at-s.at[n-1])*s.rate[n-1])
}

// shared finds when more bodies ran than there are processors, and when none did.
func shared(s *trace.Snapshot, from, to time.Duration, processors int) *share {
	type change struct {
		at time.Duration
		by int
	}
	var changes []change
	for i := range s.Lanes {
		var open [][]trace.Kind
		nest.Walk(&s.Lanes[i], from, to, func(op nest.Op) {
			for len(open) <= op.Row {
				open = append(open, nil)
			}
			stack := &open[op.Row]
			before := computes(*stack)
			switch op.What {
			case nest.Open:
				*stack = append(*stack, op.Event.Kind)
			case nest.Close:
				*stack = (*stack)[:len(*stack)-1]
			}
			if by := computes(*stack) - before; by != 0 {
				changes = append(changes, change{op.At, by})
			}
		})
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	share := &share{at: []time.Duration{from}, had: []time.Duration{from}, rate: []float64{1}}
	if processors <= 0 {
		processors = len(changes) // as many as ever run
	}
	running, last := 0, from
	for i, c := range changes {
		if running == 0 {
			share.quiet += c.at - last
		}
		last = c.at
		running += c.by
		if i+1 < len(changes) && changes[i+1].at == c.at {
			continue
		}
		rate := min(1, float64(processors)/float64(max(running, 1)))
		if last := len(share.rate) - 1; rate != share.rate[last] {
			share.had = append(share.had, share.until(c.at))
			share.at = append(share.at, c.at)
			share.rate = append(share.rate, rate)
		}
	}
	if running == 0 {
		share.quiet += to - last
	}
	return share
}

// computes returns 1 if the innermost stretch is a body or a range, and else 0.
func computes(stack []trace.Kind) int {
	if n := len(stack); n > 0 && (stack[n-1] == trace.Begin || stack[n-1] == trace.Range) {
		return 1
	}
	return 0
}
