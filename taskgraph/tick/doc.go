// Package tick runs what a program does in every frame as tick groups, in the manner of game
// engines: the functions that tick are tasks of a taskgraph.System, each in a group that says
// between which points of the frame it may run, and after other functions.
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
//	s.Add(tick.Function{Name: "think", Group: postPhysics, Run: think,
//		Interval: 100 * time.Millisecond})
//
//	for {
//		err := s.StartFrame(dt)             // holds what ticks in this frame
//		err = s.Run(ctx, prePhysics)        // releases a group, and waits for it
//		s.Release(duringPhysics)            // releases one, and goes on at once
//		...
//		err = s.EndFrame(ctx)               // the rest, and what was added meanwhile
//	}
//
// # Groups
//
// At the start of a frame each function that is due becomes a task that is held. Releasing a group
// launches the tasks that start in it, those of high priority first, and of these, those first that
// end first. A [Set.Run] of a group waits for all that has to end by it, whatever group it started
// in. So a function runs between the release of its group and the wait for its end group, in
// parallel with all that its prerequisites allow.
//
// # Demotion
//
// A function cannot run before its prerequisites, so one whose prerequisite starts in a later group
// starts in that group too. And one whose prerequisite may take until a later group than its own
// end starts in that later group, so that no wait for a group takes longer than the group's own
// functions. That is demotion: a function moves to a later group for a frame, never to an earlier
// one. Groups with [Group.NoDemotion] are passed over. What does not tick in a frame is nobody's
// prerequisite in it.
//
// # During a frame
//
// Any goroutine may add functions during a frame: they tick in the same frame, in the group that is
// released next if their own has been released. What is added after the last group has been
// released runs at the end of the frame, and what that adds too, until nothing is added any more.
package tick
