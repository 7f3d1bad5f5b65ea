//go:build modelcheck

package taskgraph_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestModelGroup: each call of a group runs once, whoever makes it: a body, one that a call makes,
// or several from outside who meet in a parcel. A wait for the group is over only when all that
// were made before it have ended.
func TestModelGroup(t *testing.T) {
	for _, c := range []struct {
		workers         int
		inside, outside int // calls of a body, and of the caller
		nested          bool
		others          int // goroutines that make one each meanwhile
		waits           bool
	}{
		{1, 2, 0, false, 0, true},
		{2, 2, 0, false, 0, false},
		{2, 2, 0, true, 0, true},
		{1, 0, 3, false, 0, true},
		{2, 0, 2, false, 1, true},
		{2, 1, 2, false, 1, false},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			onSystem(t, taskgraph.Options{Workers: c.workers},
				func(m *modelcheck.Model) (caller func(s *taskgraph.System), after func()) {
					var sys *taskgraph.System
					var ran [16]int
					var ended atomics.Int32
					call := func(i int) func() { return func() { ran[i]++; ended.Add(1) } }
					want := int32(c.inside + c.outside + c.others)
					if c.nested {
						want += int32(c.inside)
					}
					return func(s *taskgraph.System) {
							sys = s
							g := s.NewGroup()
							met := park.New(park.OS)
							for i := range c.others {
								atomics.Go(func() { g.Go(s, call(12+i)); met.Unpark() })
							}
							body := s.Task(taskgraph.Run(func(b *taskgraph.Context) error {
								for i := range c.inside {
									f := call(i)
									if c.nested {
										f = func() { g.Go(s, call(4+i)); call(i)() }
									}
									g.Go(b, f)
								}
								if !c.waits {
									return nil
								}
								return g.Wait(b)
							})).Launch()
							for i := range c.outside {
								g.Go(s, call(8+i))
							}
							for range c.others {
								met.Park()
							}
							err := g.Wait(bg)
							m.Assert(err == nil && int(ended.Load()) >= c.outside+c.others,
								"the wait is over after %d calls: %v", ended.Load(), err)
							err = s.WaitUntilTasksComplete(bg, body)
							m.Assert(err == nil && (!c.waits || ended.Load() == want),
								"the body has ended after %d calls of %d: %v", ended.Load(), want,
								err)
						}, func() {
							for i, n := range ran {
								m.Assert(n <= 1, "call %d ran %d times", i, n)
							}
							m.Assert(ended.Load() == want, "%d calls of %d have run", ended.Load(),
								want)
							lost := sys.LostParcels()
							m.Assert(lost == 0, "%d parcels are lost", lost)
						}
				})
		})
	}
}
