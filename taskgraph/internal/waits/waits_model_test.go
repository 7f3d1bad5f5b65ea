//go:build modelcheck

package waits_test

import (
	"slices"
	"testing"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// TestModelShown: who looks at a wait that bodies use one after the other sees what it is for in
// one of them and, from the list of one, nothing but what it is for in that.
func TestModelShown(t *testing.T) {
	for _, c := range []struct {
		name   string
		bodies [][]int // what each waits for; 3 is of another system
		looks  int
		same   bool // it is one body, which waits again
	}{
		{"one body", [][]int{{0, 1}}, 2, false},
		{"two bodies", [][]int{{0, 1}, {2}}, 1, false},
		{"fewer, then more", [][]int{{0}, {1, 2}}, 1, false},
		{"also another system's", [][]int{{0, 3}}, 2, false},
		{"one body again", [][]int{{0}, {1, 2}}, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{
				Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0), modelcheck.DPOR(0)},
				LockFree:  true,
			}, func(m *modelcheck.Model) {
				s := graphevent.NewStore(graphevent.Options{})
				all := []graphevent.Event{s.NewEvent(), s.NewEvent(), s.NewEvent(),
					graphevent.NewStore(graphevent.Options{}).NewEvent()}
				events, want := make([][]graphevent.Event,
					len(c.bodies)), make([][]graphevent.Event, len(c.bodies))
				for i, body := range c.bodies {
					for _, e := range body {
						events[i] = append(events[i], all[e])
						if e != 3 {
							want[i] = append(want[i], all[e])
						}
					}
				}
				var w waits.Wait
				lists := make([]*waits.List, len(c.bodies))
				for i := range lists {
					lists[i] = new(waits.List)
					if c.same {
						lists[i] = lists[0]
					}
				}
				m.Thread(func() {
					for i := range lists {
						w.Show(s, events[i], []uint64{waits.Ref(want[i][0])})
						lists[i].Set(&w)
						lists[i].End(&w)
					}
				})
				m.Thread(func() {
					for range c.looks {
						if seen, ok := w.Look(s); ok {
							i := slices.IndexFunc(want, func(events []graphevent.Event) bool {
								return slices.Equal(events, seen.Events)
							})
							m.Assert(i >= 0, "what is seen is of no wait")
							m.Assert(slices.Equal(seen.Below, want[i][:1]),
								"what lies below is of another wait")
							m.Assert(seen.Alien == (len(events[i]) > len(want[i])),
								"another system's is of another wait")
						}
						for i := range lists {
							if of := lists[i].First(); of != nil {
								found := lists[i].AppendTo(of, s, nil)
								isHere := slices.Equal(found, want[i])
								for _, events := range want {
									isHere = isHere || c.same && slices.Equal(found, events)
								}
								m.Assert(len(found) == 0 || isHere,
									"what is seen is of another body")
							}
						}
					}
				})
			})
		})
	}
}
