// Package ark runs the systems of an Ark world in parallel: github.com/mlange-42/ark keeps the
// entities and components, and a [Schedule] runs what works on them.
//
// Each system declares the components that it reads and writes. From these declarations the
// schedule makes a task graph: two systems of which one writes what the other reads or writes run
// in the order in which they were added, and all others at the same time. Inside a system, queries
// are iterated in parallel by table and chunk.
//
//	s := ark.New(sys, &world, ark.Options{})
//	s.Add("move", func(a *ark.Access) ark.Body {
//		pos, vel := ark.WriteOf[Position](a), ark.ReadOf[Velocity](a)
//		moving := a.Query(pos, vel)
//		return func(r *ark.Run) error {
//			return r.Each(moving, func(c *ark.Chunk) {
//				p, v := pos.Of(c), vel.Of(c)
//				for i := range p {
//					p[i].X += v[i].X
//					p[i].Y += v[i].Y
//				}
//			})
//		}
//	})
//	err := s.RunFrame(ctx)
//
// # Structural changes
//
// While systems run, no entity comes or goes and none changes its components. A system records such
// changes as [Commands], which are applied at the flush points of the schedule (see
// [Schedule.AddFlush]) and at the end of the frame: those of a system after those of the systems
// added before it, and within a system in the order of the rows. So a frame leaves the same world
// whatever the number of workers, and the same as with [Options.Serial].
//
// # Verification
//
// A declaration that is wrong is a data race. Handles check theirs always; [Options.Verify] finds
// systems that get round the handles.
package ark
