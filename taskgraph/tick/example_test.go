package tick_test

import (
	"context"
	"fmt"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/tick"
)

// Three groups of a frame. The simulation starts in the second and has to end by the third, so what
// belongs to neither runs beside it.
func Example() {
	const (
		prePhysics = iota
		startPhysics
		postPhysics
	)
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)
	s := tick.New(sys, tick.Options{Groups: []tick.Group{
		{Name: "pre-physics"}, {Name: "start physics", NoDemotion: true}, {Name: "post-physics"},
	}})

	var force, speed, place float64
	input := s.Add(tick.Function{Name: "input", Group: prePhysics,
		Run: func(*taskgraph.Context, time.Duration) error {
			force++
			return nil
		}})
	s.Add(tick.Function{Name: "simulate", Group: startPhysics, End: postPhysics,
		After: []*tick.Tick{input},
		Run: func(_ *taskgraph.Context, dt time.Duration) error {
			speed += force * dt.Seconds()
			place += speed * dt.Seconds()
			return nil
		}})
	report := s.Add(tick.Function{Name: "report", Group: postPhysics, Interval: time.Second,
		Run: func(_ *taskgraph.Context, dt time.Duration) error {
			fmt.Println("after", dt)
			return nil
		}})

	for range 5 {
		if err := s.StartFrame(500 * time.Millisecond); err != nil {
			fmt.Println(err)
			return
		}
		if err := s.Run(ctx, prePhysics); err != nil {
			fmt.Println(err)
		}
		s.Release(startPhysics) // and at once, while it simulates, something else
		if err := s.EndFrame(ctx); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(force, speed, place, report)
	// Output:
	// after 500ms
	// after 1s
	// after 1s
	// 5 7.5 8.75 report
}
