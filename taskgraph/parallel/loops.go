package parallel

import (
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/taskgraph"
)

// RangeWith calls body for disjoint ranges [lo, hi) that together cover [0, n), with a value for
// each participant: participant i has values[i] for itself while body runs. An error ends the loop
// early, and is returned; taskgraph.ErrStopLoop ends it and is not. There are at most as many
// participants as values. The value of one that never ran stays as it was; the caller is
// participant 0. It panics if values is empty.
//
// Values that are small lie in one cache line, which slows participants down that write them often.
func RangeWith[T any](on Launcher, n int, values []T, body func(v *T, lo, hi int) error) error {
	if len(values) == 0 {
		panic("parallel: RangeWith without values")
	}
	return on.RunLoop(taskgraph.Loop{N: n, Limit: len(values), Site: body,
		Body: func(p *taskgraph.Participant, lo, hi int) error {
			return body(&values[p.Index()], lo, hi)
		}})
}

// RangeNew is [RangeWith] with values that each participant makes by a call of make, with its
// number, before its first range. It returns the values of those who had a range, in the order of
// their numbers, for you to fold together; with n = 0 none. Participants that never ran have no
// value.
func RangeNew[T any](on Launcher, n int, make func(participant int) T,
	body func(v *T, lo, hi int) error) ([]T, error) {
	cells := newCells[T](limit(on))
	err := on.RunLoop(taskgraph.Loop{N: n, Limit: len(cells), Site: body,
		Body: func(p *taskgraph.Participant, lo, hi int) error {
			c := &cells[p.Index()]
			if !c.made {
				c.v = make(p.Index())
				c.made = true
			}
			return body(&c.v, lo, hi)
		}})
	var values []T
	for i := range cells {
		if cells[i].made {
			values = append(values, cells[i].v)
		}
	}
	return values, err
}

// A cell holds the value of one participant.
type cell[T any] struct {
	v    T
	made bool
	_    cacheline.Pad
}

func newCells[T any](n int) []cell[T] { return make([]cell[T], n) }
