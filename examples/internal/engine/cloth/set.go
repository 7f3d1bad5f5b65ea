package cloth

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A Set is a number of patches of Cols x Rows points each. Point (c, r) of patch i is at
// [i*Cols*Rows + r*Cols + c]; row 0 is the upper edge before anything falls.
type Set struct {
	// Macklin, Storey, Lu, Terdiman, Chentanez, Jeschke and Müller, "Small steps in physics
	// simulation", SCA 2019: many short steps with one sweep each beat few with many. Kim,
	// Chentanez and Müller, "Long range attachments", SCA 2012: no point is farther from a
	// pin than along the cloth, which carries weight in one sweep however long the cloth is.
	Cols, Rows int
	Gap        float32 // metres between neighbours at rest

	Pos    []vec.Vec3
	Prev   []vec.Vec3 // where the last short step began
	Normal []vec.Vec3 // filled in by Step
	Bounds []vec.AABB // a patch each; filled in by Step

	Pin    []Pin      // a patch each
	Hold   []vec.Mat4 // a patch each: moves Grip to the world
	Grip   []vec.Vec3 // points at rest in the holder's space; only those of pinned points count
	Wind   []vec.Vec3 // a patch each, metres a second
	Sphere []Sphere   // a patch each, which the cloth does not enter

	// for each point of a patch with Pin p at [p*Cols*Rows...]: metres to the nearest pin
	reach []float32
	near  []int32 // and that pin's point
}

// A Pin says which points of a patch are held.
type Pin uint8

// The pins.
const (
	PinTop  Pin = iota // the upper edge
	PinLeft            // the left edge, as of a flag
	pins
)

// A Sphere is a round obstacle; with Radius 0 there is none.
type Sphere struct {
	Center vec.Vec3
	Radius float32
}

const (
	steps   = 8     // short steps in a step
	sweeps  = 2     // over the constraints in a short step
	gravity = 9.81  // metres a second squared
	floor   = 0.01  // the lowest that a point gets
	drag    = 2.2   // how readily cloth goes with the wind
	bend    = 0.05  // how much of a fold is undone in a sweep
	stretch = 0.035 // of the length, beyond which a thread is tightened at the end of a step
	slack   = 40    // sweeps that this may take
)

// New returns patches that are held by nothing until Place.
func New(patches, cols, rows int, gap float32) *Set {
	n := cols * rows
	s := &Set{
		Cols: cols, Rows: rows, Gap: gap,
		Pos: make([]vec.Vec3, patches*n), Prev: make([]vec.Vec3, patches*n),
		Normal: make([]vec.Vec3, patches*n), Bounds: make([]vec.AABB, patches),
		Pin: make([]Pin, patches), Hold: make([]vec.Mat4, patches),
		Grip: make([]vec.Vec3, patches*n),
		Wind: make([]vec.Vec3, patches), Sphere: make([]Sphere, patches),
		reach: make([]float32, int(pins)*n), near: make([]int32, int(pins)*n),
	}
	for p := range pins {
		for q := range n {
			best, at := float32(-1), 0
			for pin := range n {
				if !s.pinned(p, pin) {
					continue
				}
				dx, dy := float32(q%cols-pin%cols), float32(q/cols-pin/cols)
				if d := gap * vec.Sqrt(float32(dx*dx)+float32(dy*dy)); best < 0 || d < best {
					best, at = d, pin
				}
			}
			s.reach[int(p)*n+q], s.near[int(p)*n+q] = best, int32(at)
		}
	}
	return s
}

// Len returns the number of patches.
func (s *Set) Len() int { return len(s.Pin) }

// Points returns the number of points of a patch.
func (s *Set) Points() int { return s.Cols * s.Rows }

// PosOf returns the points of patch i.
func (s *Set) PosOf(i int) []vec.Vec3 { n := s.Points(); return s.Pos[i*n : (i+1)*n : (i+1)*n] }

// NormalOf returns the normals of patch i.
func (s *Set) NormalOf(i int) []vec.Vec3 {
	n := s.Points()
	return s.Normal[i*n : (i+1)*n : (i+1)*n]
}

// Index returns the triangles of any patch, three points each.
func (s *Set) Index() []uint32 {
	var index []uint32
	for r := range s.Rows - 1 {
		for c := range s.Cols - 1 {
			p := uint32(r*s.Cols + c)
			q := p + uint32(s.Cols)
			index = append(index, p, q, p+1, p+1, q, q+1)
		}
	}
	return index
}

// Place hangs patch i, at rest and all but flat in the X-Y plane of its holder: row 0 along +X from
// the origin, the rows down along -Y.
func (s *Set) Place(i int, pin Pin, hold vec.Mat4) {
	n := s.Points()
	s.Pin[i], s.Hold[i] = pin, hold
	for q := range n {
		g := vec.V3(float32(q%s.Cols)*s.Gap, -float32(q/s.Cols)*s.Gap, 0)
		s.Grip[i*n+q] = g
		if !s.pinned(pin, q) { // no cloth is so flat that it cannot fold
			g.Z = 0.02 * vec.Sin(0.9*float32(q%s.Cols)+0.5*float32(q/s.Cols))
		}
		s.Pos[i*n+q] = hold.Point(g)
		s.Prev[i*n+q] = s.Pos[i*n+q]
	}
	s.shape(i)
}

func (s *Set) pinned(p Pin, q int) bool {
	if p == PinTop {
		return q < s.Cols
	}
	return q%s.Cols == 0
}

// Step moves patch i on by dt, its pins from where they were to Hold.
func (s *Set) Step(i int, dt float32) {
	n := s.Points()
	pos, prev, normal := s.Pos[i*n:(i+1)*n], s.Prev[i*n:(i+1)*n], s.Normal[i*n:(i+1)*n]
	grip, pin, hold, wind := s.Grip[i*n:(i+1)*n], s.Pin[i], &s.Hold[i], s.Wind[i]
	h := dt / steps
	for k := range steps {
		left := 1 / float32(steps-k)
		for q := range n {
			p := pos[q]
			if s.pinned(pin, q) {
				pos[q], prev[q] = p.Lerp(hold.Point(grip[q]), left), p
				continue
			}
			v := p.Sub(prev[q]).Scale(1 / h)
			push := normal[q].Scale(drag * normal[q].Dot(wind.Sub(v)))
			push = push.AddScaled(v, -0.25) // air
			push.Y -= gravity
			v = v.AddScaled(push, h)
			prev[q], pos[q] = p, p.AddScaled(v, h)
		}
		for range sweeps {
			s.sweep(pin, pos)
		}
		s.limit(i, pin, pos)
		if k == steps/2 {
			s.shape(i)
		}
	}
	for range slack {
		if s.tighten(pin, pos) {
			break
		}
	}
	s.shape(i)
}

// tighten shortens the threads that are stretched beyond what a step may leave, and reports
// whether there were none.
func (s *Set) tighten(pin Pin, pos []vec.Vec3) bool {
	cols, done := s.Cols, true
	most := float32(s.Gap*(1+stretch)) * float32(s.Gap*(1+stretch))
	for q := range pos {
		fixed := s.pinned(pin, q)
		if q%cols > 0 && pos[q].Sub(pos[q-1]).Len2() > most {
			s.pull(pin, pos, q-1, q, fixed, s.Gap, 1)
			done = false
		}
		if q >= cols && pos[q].Sub(pos[q-cols]).Len2() > most {
			s.pull(pin, pos, q-cols, q, fixed, s.Gap, 1)
			done = false
		}
	}
	return done
}

// sweep satisfies the constraints of a patch once, from the upper left on.
func (s *Set) sweep(pin Pin, pos []vec.Vec3) {
	cols, rows, gap := s.Cols, s.Rows, s.Gap
	diagonal := gap * 1.41421356
	for r := range rows {
		for c := range cols {
			q := r*cols + c
			fixed := s.pinned(pin, q)
			if c > 0 {
				s.pull(pin, pos, q-1, q, fixed, gap, 1)
			}
			if r > 0 {
				s.pull(pin, pos, q-cols, q, fixed, gap, 1)
				if c > 0 {
					s.pull(pin, pos, q-cols-1, q, fixed, diagonal, 0.6)
				}
				if c+1 < cols {
					s.pull(pin, pos, q-cols+1, q, fixed, diagonal, 0.6)
				}
			}
			if c > 1 {
				s.pull(pin, pos, q-2, q, fixed, 2*gap, bend)
			}
			if r > 1 {
				s.pull(pin, pos, q-2*cols, q, fixed, 2*gap, bend)
			}
		}
	}
}

// pull moves two points towards the distance l, by a share of what is amiss.
func (s *Set) pull(pin Pin, pos []vec.Vec3, a, b int, fixed bool, l, share float32) {
	d := pos[b].Sub(pos[a])
	m := d.Len()
	if m == 0 {
		return
	}
	f := share * (m - l) / m
	switch held := s.pinned(pin, a); {
	case held && fixed:
	case held:
		pos[b] = pos[b].AddScaled(d, -f)
	case fixed:
		pos[a] = pos[a].AddScaled(d, f)
	default:
		pos[a], pos[b] = pos[a].AddScaled(d, f/2), pos[b].AddScaled(d, -f/2)
	}
}

// limit keeps each point in reach of its pin, out of the sphere and above the ground.
func (s *Set) limit(i int, pin Pin, pos []vec.Vec3) {
	n := len(pos)
	reach, near, ball := s.reach[int(pin)*n:], s.near[int(pin)*n:], s.Sphere[i]
	for q := range pos {
		if s.pinned(pin, q) {
			continue
		}
		p := pos[q]
		if ball.Radius > 0 {
			if d := p.Sub(ball.Center); d.Len2() < float32(ball.Radius*ball.Radius) {
				p = ball.Center.AddScaled(d.Normalize(), ball.Radius)
			}
		}
		d := p.Sub(pos[near[q]])
		if m := d.Len(); m > reach[q] {
			p = pos[near[q]].AddScaled(d, reach[q]/m)
		}
		p.Y = max(p.Y, floor)
		pos[q] = p
	}
}

// shape computes the normals and the bounds of a patch.
func (s *Set) shape(i int) {
	n, cols := s.Points(), s.Cols
	pos, normal := s.Pos[i*n:(i+1)*n], s.Normal[i*n:(i+1)*n]
	box := vec.EmptyAABB()
	for r := range s.Rows {
		for c := range cols {
			l, h := max(c-1, 0), min(c+1, cols-1)
			u, d := max(r-1, 0), min(r+1, s.Rows-1)
			across := pos[r*cols+h].Sub(pos[r*cols+l])
			down := pos[d*cols+c].Sub(pos[u*cols+c])
			normal[r*cols+c] = down.Cross(across).Normalize()
			box = box.Extend(pos[r*cols+c])
		}
	}
	s.Bounds[i] = box
}

// Strain returns by how much of its length at rest the most stretched thread of patch i is
// longer.
func (s *Set) Strain(i int) float32 {
	var worst float32
	pos := s.PosOf(i)
	for q := range pos {
		if q%s.Cols > 0 {
			worst = max(worst, pos[q].Dist(pos[q-1])/s.Gap-1)
		}
		if q >= s.Cols {
			worst = max(worst, pos[q].Dist(pos[q-s.Cols])/s.Gap-1)
		}
	}
	return worst
}

// Digest returns h after the state of all patches.
func (s *Set) Digest(h vec.Hash) vec.Hash { return h.Vec3s(s.Pos).Vec3s(s.Prev) }
