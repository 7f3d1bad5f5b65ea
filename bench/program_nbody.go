package main

import (
	"math"
	"math/rand/v2"

	"github.com/heddle-go/heddle/taskgraph"
)

// A star is a body of the plane.
type star struct{ x, y, vx, vy, ax, ay, mass float32 }

// A quad is a square of the tree: the mass in it, where that has its centre, and its quarters;
// quarter 0 is none.
type quad struct {
	x, y, mass, side float32
	quarters         [4]int32
}

// A patch is one of the squares that the plane is cut into, with a tree of its own.
type patch struct {
	list, spare []int32
	tree        []quad
}

// nbodyPatches are in a row and in a column.
const (
	nbodyPatches = 4
	nbodyDepth   = 14
)

// build adds the square of some stars, cut at (x, y).
func (p *patch) build(stars []star, list, spare []int32, x, y, side float32, depth int) int32 {
	at := int32(len(p.tree))
	p.tree = append(p.tree, quad{side: side})
	if len(list) == 1 || depth == 0 {
		for _, i := range list {
			p.tree[at].add(stars[i].x, stars[i].y, stars[i].mass)
		}
		p.tree[at].centre()
		return at
	}
	quarter := func(i int32) (q int) {
		if stars[i].x >= x {
			q = 1
		}
		if stars[i].y >= y {
			q += 2
		}
		return q
	}
	to := 0
	for q := range 4 {
		from := to
		for _, i := range list {
			if quarter(i) == q {
				spare[to] = i
				to++
			}
		}
		if from == to {
			continue
		}
		step := side / 4
		kid := p.build(stars, spare[from:to], list[from:to:to], x+step*float32(q%2*2-1),
			y+step*float32(q/2*2-1), side/2, depth-1)
		p.tree[at].quarters[q] = kid
		p.tree[at].add(p.tree[kid].x, p.tree[kid].y, p.tree[kid].mass)
	}
	p.tree[at].centre()
	return at
}

func (q *quad) add(x, y, mass float32) {
	q.x += mass * x
	q.y += mass * y
	q.mass += mass
}

func (q *quad) centre() {
	q.x /= q.mass
	q.y /= q.mass
}

// pull adds what a square does to a star.
func (p *patch) pull(s *star, at int32) {
	q := &p.tree[at]
	dx, dy := q.x-s.x, q.y-s.y
	d2 := dx*dx + dy*dy + 1e-5
	if q.quarters == [4]int32{} || q.side*q.side < 0.25*d2 {
		f := q.mass / (d2 * float32(math.Sqrt(float64(d2))))
		s.ax += f * dx
		s.ay += f * dy
		return
	}
	for _, kid := range q.quarters {
		if kid != 0 {
			p.pull(s, kid)
		}
	}
}

// nbodyProgram moves stars by Barnes and Hut's method. The patches are built by forks or by a loop.
func nbodyProgram(n int) *app {
	random := rand.New(rand.NewPCG(13, 17))
	stars := make([]star, n)
	for i := range stars {
		// More of them in the middle.
		x, y := random.Float32()+random.Float32(), random.Float32()+random.Float32()
		stars[i] = star{x: x / 2, y: y / 2, mass: 1 / float32(n)}
	}
	patches := make([]patch, nbodyPatches*nbodyPatches)
	const side = 1.0 / nbodyPatches
	grow := func(k int) {
		p := &patches[k]
		if p.tree = p.tree[:0]; len(p.list) > 0 {
			p.build(stars, p.list, p.spare[:len(p.list)], side*(float32(k%nbodyPatches)+0.5),
				side*(float32(k/nbodyPatches)+0.5), side, nbodyDepth)
		}
	}
	growOne := func(_ *taskgraph.Context, k *int) { grow(*k) }
	for k := range patches {
		patches[k].list, patches[k].spare = make([]int32, 0, n), make([]int32, n)
	}
	return &app{
		phases: []phase{
			alone(func() {
				for k := range patches {
					patches[k].list = patches[k].list[:0]
				}
				for i := range stars {
					p := &patches[int(stars[i].x*nbodyPatches)+
						nbodyPatches*int(stars[i].y*nbodyPatches)]
					p.list = append(p.list, int32(i))
				}
			}),
			{n: len(patches), grain: 1, body: func(lo, hi int) {
				for k := lo; k < hi; k++ {
					grow(k)
				}
			}, forks: func(c *taskgraph.Context) {
				var all taskgraph.Forks[int]
				for k := 1; k < len(patches); k++ {
					all.Fork(c, growOne, k)
				}
				grow(0)
				all.Wait()
			}},
			{n: n, body: func(lo, hi int) {
				for i := lo; i < hi; i++ {
					s := &stars[i]
					s.ax, s.ay = 0, 0
					for k := range patches {
						if len(patches[k].tree) > 0 {
							patches[k].pull(s, 0)
						}
					}
				}
			}},
			{n: n, body: func(lo, hi int) {
				for i := lo; i < hi; i++ {
					s := &stars[i]
					s.vx, s.x = bounce(s.vx+1e-4*s.ax, s.x)
					s.vy, s.y = bounce(s.vy+1e-4*s.ay, s.y)
				}
			}},
		},
		sum: func() (sum uint64) {
			for _, s := range stars {
				sum = sumOf32(sum, []float32{s.x, s.y, s.vx, s.vy})
			}
			return sum
		},
	}
}

// bounce moves a coordinate and keeps it in [0, 1).
func bounce(speed, at float32) (float32, float32) {
	if next := at + 1e-2*speed; next >= 0 && next < 1 {
		return speed, next
	}
	return -speed, at
}
