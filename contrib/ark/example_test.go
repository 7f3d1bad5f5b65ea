package ark_test

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/contrib/ark"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/mlange-42/ark/ecs"
)

type Position struct{ X, Y float64 }
type Velocity struct{ X, Y float64 }
type Age struct{ Frames int }

// Two systems that have nothing to do with each other run at the same time; what is too old is
// removed at the end of the frame.
func Example() {
	sys := taskgraph.Start(taskgraph.Options{})
	world := ecs.NewWorld()
	birds := ecs.NewMap3[Position, Velocity, Age](&world)
	for i := range 10 {
		birds.NewEntity(&Position{}, &Velocity{X: 1, Y: float64(i)}, &Age{Frames: i})
	}

	s := ark.New(sys, &world, ark.Options{})
	s.Add("move", func(a *ark.Access) ark.Body {
		pos, vel := ark.WriteOf[Position](a), ark.ReadOf[Velocity](a)
		moving := a.Query(pos, vel)
		return func(r *ark.Run) error {
			return r.Each(moving, func(c *ark.Chunk) {
				p, v := pos.Of(c), vel.Of(c)
				for i := range p {
					p[i].X += v[i].X
					p[i].Y += v[i].Y
				}
			})
		}
	})
	s.Add("age", func(a *ark.Access) ark.Body {
		age := ark.WriteOf[Age](a)
		a.Commands()
		mortal := a.Query(age)
		return func(r *ark.Run) error {
			return r.Each(mortal, func(c *ark.Chunk) {
				for i := range age.Of(c) {
					if old := &age.Of(c)[i]; old.Frames >= 10 {
						c.Commands().RemoveEntity(c.Entity(i))
					} else {
						old.Frames++
					}
				}
			})
		}
	})
	for range 3 {
		if err := s.RunFrame(context.Background()); err != nil {
			fmt.Println(err)
		}
	}

	query := ecs.NewFilter1[Position](&world).Query()
	fmt.Println(query.Count(), "are left")
	for query.Next() {
		if p := query.Get(); p.Y == 21 {
			fmt.Println(*p)
		}
	}
	fmt.Println(sys.Shutdown(context.Background()))
	// Output:
	// 8 are left
	// {3 21}
	// <nil>
}
