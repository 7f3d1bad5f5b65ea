// Package tick runs functions once a frame, for games and simulations.
//
//	package main
//
//	import "context"
//	import "fmt"
//	import "time"
//	import "github.com/heddle-go/heddle/taskgraph"
//	import "github.com/heddle-go/heddle/taskgraph/tick"
//
//	func main() {
//		sys, saves, err := taskgraph.Start(taskgraph.Options{}), 0, error(nil)
//		set := tick.New(sys, tick.Options{Groups: []tick.Group{{Name: "late"}}})
//		save := func(*taskgraph.Context, time.Duration) error { saves++; return nil }
//		set.Add(tick.Function{Run: save, Interval: 100 * time.Millisecond})
//		for frame := 0; frame < 60 && err == nil; frame++ {
//			if err = set.StartFrame(time.Second / 60); err == nil {
//				err = set.EndFrame(context.Background())
//			}
//		}
//		fmt.Println(saves, err, sys.Shutdown(context.Background()))
//	}
//
// It prints:
//
//	10 <nil> <nil>
//
// In 60 frames of 1/60 s, save was due 10 times and never failed.
//
// The functions are tasks of a taskgraph.System. A frame is divided into groups, as in game
// engines. The group of a function says in which part of the frame the function may run. A function
// can also have prerequisites, which are functions that it runs after:
//
//	const (
//		prePhysics = iota
//		duringPhysics
//		postPhysics
//	)
//	s := tick.New(sys, tick.Options{Groups: []tick.Group{
//		{Name: "pre-physics"}, {Name: "during physics", NoDemotion: true}, {Name: "post-physics"},
//	}})
//	input := s.Add(tick.Function{Name: "input", Group: prePhysics, Run: readInput})
//	s.Add(tick.Function{Name: "move", Group: prePhysics, After: []*tick.Tick{input}, Run: move})
//	s.Add(tick.Function{Name: "simulate", Group: duringPhysics, End: postPhysics, Run: simulate})
//
//	for {
//		err := s.StartFrame(dt)             // holds the functions that are due in this frame
//		err = s.Run(ctx, prePhysics)        // releases a group and waits for it
//		s.Release(duringPhysics)            // releases a group and returns at once
//		...
//		err = s.EndFrame(ctx)               // runs the rest, and functions added meanwhile
//	}
//
// # Groups
//
// At the start of a frame, each function that is due becomes a task that is not yet launched.
// Releasing a group launches the tasks that start in it. Tasks of high priority are launched first.
// Among tasks of equal priority, those with the earlier end group are launched first. [Set.Run]
// releases a group and waits for all functions that must end by that group, whichever group they
// started in. So a function runs between the release of its group and the wait for its end group,
// in parallel with all functions that it does not depend on.
//
// # Demotion
//
// A function cannot run before its prerequisites. If a prerequisite starts in a later group, the
// function starts in that group too. If a prerequisite may end in a group later than the function's
// own end, the function starts in that later group. So a wait for a group never waits for functions
// of a later group. This is demotion: a function moves to a later group for a frame, never to an
// earlier one. Demotion passes over groups with [Group.NoDemotion]. A function that is not due in a
// frame is not a prerequisite in that frame.
//
// # During a frame
//
// Any goroutine may add functions during a frame. They run in the same frame: in their group, or,
// if that has been released, in the next group to be released. A function that is added after the
// release of the last group runs at the end of the frame. So do the functions that it adds, until
// no more are added.
package tick
