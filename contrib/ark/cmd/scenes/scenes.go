package main

import (
	"github.com/heddle-go/heddle/contrib/ark"
	"github.com/mlange-42/ark/ecs"
)

// The loops of the first three scenes are written out, for Ark and for the schedule: a call of a
// function for each entity would take longer than what it does.
var scenes = []scene{
	{
		name: "position += velocity",
		fill: func(w *ecs.World, n int) {
			m := ecs.NewMap2[a, b](w)
			for i := range n {
				x, y := a(start(i)), b(start(i+1))
				m.NewEntity(&x, &y)
			}
		},
		loops: func(w *ecs.World) [][]func() {
			filter := ecs.NewFilter2[a, b](w)
			return [][]func(){{func() {
				q := filter.Query()
				for q.Next() {
					move(q.Get())
				}
			}}}
		},
		add: func(s *ark.Schedule) {
			s.Add("move", func(acc *ark.Access) ark.Body {
				pos, vel := ark.WriteOf[a](acc), ark.ReadOf[b](acc)
				q := acc.Query(pos, vel)
				each := func(ch *ark.Chunk) {
					p, v := pos.Of(ch), vel.Of(ch)
					v = v[:len(p)]
					for i := range p {
						move(&p[i], &v[i])
					}
				}
				return func(r *ark.Run) error { return r.Each(q, each) }
			})
		},
	},
	{
		name: "3 components, 26 archetypes",
		fill: func(w *ecs.World, n int) {
			m := ecs.NewMap3[a, b, c](w)
			spread(w, n, func(i int) ecs.Entity {
				x, y, z := a(start(i)), b(start(i+1)), c(start(i+2))
				return m.NewEntity(&x, &y, &z)
			})
		},
		loops: func(w *ecs.World) [][]func() {
			filter := ecs.NewFilter3[a, b, c](w)
			return [][]func(){{func() {
				q := filter.Query()
				for q.Next() {
					push(q.Get())
				}
			}}}
		},
		add: func(s *ark.Schedule) {
			s.Add("push", func(acc *ark.Access) ark.Body {
				pos, vel, force := ark.WriteOf[a](acc), ark.WriteOf[b](acc), ark.ReadOf[c](acc)
				q := acc.Query(pos, vel, force)
				each := func(ch *ark.Chunk) {
					p, v, f := pos.Of(ch), vel.Of(ch), force.Of(ch)
					v, f = v[:len(p)], f[:len(p)]
					for i := range p {
						push(&p[i], &v[i], &f[i])
					}
				}
				return func(r *ark.Run) error { return r.Each(q, each) }
			})
		},
	},
	{
		name: "5 components, 26 archetypes",
		fill: func(w *ecs.World, n int) {
			m := ecs.NewMap5[a, b, c, d, e](w)
			spread(w, n, func(i int) ecs.Entity {
				v, x, y := a(start(i)), b(start(i+1)), c(start(i+2))
				z, u := d(start(i+3)), e(start(i+4))
				return m.NewEntity(&v, &x, &y, &z, &u)
			})
		},
		loops: func(w *ecs.World) [][]func() {
			filter := ecs.NewFilter5[a, b, c, d, e](w)
			return [][]func(){{func() {
				q := filter.Query()
				for q.Next() {
					five(q.Get())
				}
			}}}
		},
		add: func(s *ark.Schedule) {
			s.Add("five", func(acc *ark.Access) ark.Body {
				pos, vel, force := ark.WriteOf[a](acc), ark.WriteOf[b](acc), ark.ReadOf[c](acc)
				sum, factor := ark.WriteOf[d](acc), ark.ReadOf[e](acc)
				q := acc.Query(pos, vel, force, sum, factor)
				each := func(ch *ark.Chunk) {
					p, v, f, g, h := pos.Of(ch), vel.Of(ch), force.Of(ch), sum.Of(ch), factor.Of(ch)
					v, f, g, h = v[:len(p)], f[:len(p)], g[:len(p)], h[:len(p)]
					for i := range p {
						five(&p[i], &v[i], &f[i], &g[i], &h[i])
					}
				}
				return func(r *ark.Run) error { return r.Each(q, each) }
			})
		},
	},
	{
		name: "3 systems that swap (2 share)",
		fill: func(w *ecs.World, n int) {
			ab, abc := ecs.NewMap2[a, b](w), ecs.NewMap3[a, b, c](w)
			abcd, abce := ecs.NewMap4[a, b, c, d](w), ecs.NewMap4[a, b, c, e](w)
			for i := range n {
				u, v, x, y, z := a(
					start(i),
				), b(
					start(i+1),
				), c(
					start(i+2),
				), d(
					start(i+3),
				), e(
					start(i+4),
				)
				switch i % 4 {
				case 0:
					ab.NewEntity(&u, &v)
				case 1:
					abc.NewEntity(&u, &v, &x)
				case 2:
					abcd.NewEntity(&u, &v, &x, &y)
				case 3:
					abce.NewEntity(&u, &v, &x, &z)
				}
			}
		},
		loops: func(w *ecs.World) [][]func() {
			return [][]func(){{loop2(w, swapAB), loop2(w, swapCD)}, {loop2(w, swapCE)}}
		},
		add: func(s *ark.Schedule) {
			pairs(s, "swap a, b", swapAB)
			pairs(s, "swap c, d", swapCD)
			pairs(s, "swap c, e", swapCE)
		},
	},
	{
		name: "4 independent systems that compute",
		fill: fillFour,
		loops: func(w *ecs.World) [][]func() {
			return [][]func(){{loop1(w, spinA), loop1(w, spinB), loop1(w, spinC), loop1(w, spinD)}}
		},
		add: func(s *ark.Schedule) {
			single(s, "a", spinA)
			single(s, "b", spinB)
			single(s, "c", spinC)
			single(s, "d", spinD)
		},
	},
	{
		name: "12 small systems",
		fill: fillFour,
		loops: func(w *ecs.World) [][]func() {
			row := []func(){loop1(w, driftA), loop1(w, driftB), loop1(w, driftC), loop1(w, driftD)}
			return [][]func(){row, {loop2(w, move), loop2(w, swapCD)}, row, {loop2(w, swapAB),
				loop2(w, swapCD)}}
		},
		add: func(s *ark.Schedule) {
			drift := func() {
				single(s, "drift a", driftA)
				single(s, "drift b", driftB)
				single(s, "drift c", driftC)
				single(s, "drift d", driftD)
			}
			drift()
			pairs(s, "move", move)
			pairs(s, "swap c, d", swapCD)
			drift()
			pairs(s, "swap a, b", swapAB)
			pairs(s, "swap c, d", swapCD)
		},
	},
	{
		name: "add and remove a component",
		fill: func(w *ecs.World, n int) {
			m := ecs.NewMap1[a](w)
			for i := range n {
				x := a(start(i))
				m.NewEntity(&x)
			}
		},
		loops: func(w *ecs.World) [][]func() {
			filter, m := ecs.NewFilter1[a](w), ecs.NewMap1[b](w)
			var all []ecs.Entity
			return [][]func(){{func() {
				all = all[:0]
				q := filter.Query()
				for q.Next() {
					all = append(all, q.Entity())
				}
				for _, ent := range all {
					m.Add(ent, &b{1, 2})
				}
			}}, {func() {
				all = all[:0]
				q := filter.Query()
				for q.Next() {
					all = append(all, q.Entity())
				}
				for _, ent := range all {
					m.Remove(ent)
				}
			}}}
		},
		add: func(s *ark.Schedule) {
			s.Add("add", func(acc *ark.Access) ark.Body {
				q, add := acc.Query(ark.ReadOf[a](acc)), ark.AddTo[b](acc)
				each := func(ch *ark.Chunk) {
					for i := range ch.Len() {
						add.Add(ch.Commands(), ch.Entity(i), b{1, 2})
					}
				}
				return func(r *ark.Run) error { return r.Each(q, each) }
			})
			s.AddFlush("added")
			s.Add("remove", func(acc *ark.Access) ark.Body {
				q, remove := acc.Query(ark.ReadOf[a](acc)), ark.RemoveFrom[b](acc)
				each := func(ch *ark.Chunk) {
					for i := range ch.Len() {
						remove.Remove(ch.Commands(), ch.Entity(i))
					}
				}
				return func(r *ark.Run) error { return r.Each(q, each) }
			})
		},
	},
}

func swapAB(x *a, y *b) { *x, *y = a(*y), b(*x) }
func swapCD(x *c, y *d) { *x, *y = c(*y), d(*x) }
func swapCE(x *c, y *e) { *x, *y = c(*y), e(*x) }

func spinA(v *a) { *v = a(spin(vec(*v))) }
func spinB(v *b) { *v = b(spin(vec(*v))) }
func spinC(v *c) { *v = c(spin(vec(*v))) }
func spinD(v *d) { *v = d(spin(vec(*v))) }

func driftA(v *a) { v.X += step }
func driftB(v *b) { v.X += step }
func driftC(v *c) { v.X += step }
func driftD(v *d) { v.X += step }

// fillFour gives w n entities with four components.
func fillFour(w *ecs.World, n int) {
	m := ecs.NewMap4[a, b, c, d](w)
	for i := range n {
		u, v, x, y := a(start(i)), b(start(i+1)), c(start(i+2)), d(start(i+3))
		m.NewEntity(&u, &v, &x, &y)
	}
}
