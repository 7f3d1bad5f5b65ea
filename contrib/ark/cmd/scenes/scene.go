package main

import (
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/heddle-go/heddle/contrib/ark"
	"github.com/mlange-42/ark/ecs"
)

// The components: a is of two numbers, as a position is.
type (
	vec struct{ X, Y float64 }
	a   vec
	b   vec
	c   vec
	d   vec
	e   vec
)

// A scene is a world, and what happens to it in a frame.
type scene struct {
	name  string
	fill  func(w *ecs.World, n int)
	loops func(w *ecs.World) [][]func() // Ark alone: functions of one row are independent
	add   func(s *ark.Schedule)         // the same systems in a schedule
}

// spread makes n entities in 26 archetypes, which differ in what is put on them besides what make
// makes.
func spread(w *ecs.World, n int, make func(i int) ecs.Entity) {
	u := w.Unsafe()
	for i := range n {
		ent := make(i)
		for bit, tag := range tags {
			if i%26>>bit&1 == 1 {
				u.Add(ent, ecs.TypeID(w, tag.Type()))
			}
		}
	}
}

type (
	tag0 struct{}
	tag1 struct{}
	tag2 struct{}
	tag3 struct{}
	tag4 struct{}
)

var tags = []ecs.Comp{ecs.C[tag0](), ecs.C[tag1](), ecs.C[tag2](), ecs.C[tag3](), ecs.C[tag4]()}

func start(i int) vec { return vec{float64(i), 1 / float64(i+1)} }

func sumOf[T any](w *ecs.World, v func(*T) vec, add func(v float64)) {
	q := ecs.NewFilter1[T](w).Query()
	for q.Next() {
		x := v(q.Get())
		add(x.X)
		add(x.Y)
		add(float64(q.Entity().ID()))
	}
}

func sumAll(w *ecs.World, add func(v float64)) {
	sumOf(w, func(v *a) vec { return vec(*v) }, add)
	sumOf(w, func(v *b) vec { return vec(*v) }, add)
	sumOf(w, func(v *c) vec { return vec(*v) }, add)
	sumOf(w, func(v *d) vec { return vec(*v) }, add)
	sumOf(w, func(v *e) vec { return vec(*v) }, add)
}

const step = 1.0 / 60

func move(p *a, v *b)       { p.X += v.X * step; p.Y += v.Y * step }
func push(p *a, v *b, f *c) { v.X += f.X * step; v.Y += f.Y * step; move(p, v) }
func five(p *a, v *b, f *c, g *d, h *e) {
	push(p, v, f)
	g.X += h.X * p.X * step
	g.Y += h.Y * p.Y * step
}

// spin is a handful of square roots.
func spin(v vec) vec {
	for range 8 {
		r := math.Sqrt(v.X*v.X + v.Y*v.Y + 1)
		v.X, v.Y = v.X/r+v.Y*step, v.Y/r-v.X*step
	}
	return v
}

// pairs adds a system that writes both of two components.
func pairs[A, B any](s *ark.Schedule, name string, f func(x *A, y *B)) {
	s.Add(name, func(acc *ark.Access) ark.Body {
		x, y := ark.WriteOf[A](acc), ark.WriteOf[B](acc)
		q := acc.Query(x, y)
		each := func(ch *ark.Chunk) {
			xs, ys := x.Of(ch), y.Of(ch)
			for i := range xs {
				f(&xs[i], &ys[i])
			}
		}
		return func(r *ark.Run) error { return r.Each(q, each) }
	})
}

func single[A any](s *ark.Schedule, name string, f func(x *A)) {
	s.Add(name, func(acc *ark.Access) ark.Body {
		x := ark.WriteOf[A](acc)
		q := acc.Query(x)
		each := func(ch *ark.Chunk) {
			xs := x.Of(ch)
			for i := range xs {
				f(&xs[i])
			}
		}
		return func(r *ark.Run) error { return r.Each(q, each) }
	})
}

// loop1 and loop2 are the same with Ark alone.
func loop1[A any](w *ecs.World, f func(x *A)) func() {
	filter := ecs.NewFilter1[A](w)
	return func() {
		q := filter.Query()
		for q.Next() {
			f(q.Get())
		}
	}
}

func loop2[A, B any](w *ecs.World, f func(x *A, y *B)) func() {
	filter := ecs.NewFilter2[A, B](w)
	return func() {
		q := filter.Query()
		for q.Next() {
			f(q.Get())
		}
	}
}

// inOrder and inGroups run a frame of Ark alone.
func inOrder(rows [][]func()) {
	for _, row := range rows {
		for _, f := range row {
			f()
		}
	}
}

func inGroups(rows [][]func()) {
	for _, row := range rows {
		var g errgroup.Group
		for _, f := range row {
			g.Go(func() error { f(); return nil })
		}
		_ = g.Wait()
	}
}
