package particle

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A System is a number of emitters with equally many particles each. Particle p belongs to
// emitter p/PerEmitter.
type System struct {
	PerEmitter int
	Seed       uint64
	Emitters   []Emitter

	Pos  []vec.Vec3
	Vel  []vec.Vec3
	Life []float32 // seconds that are left; 0 and less: not to be seen
	Born []float32 // seconds that it had at birth

	Bounds []vec.AABB // of each emitter's particles; filled in by Bound
}

// New returns a system in which nothing is born yet.
func New(seed uint64, emitters, perEmitter int) *System {
	n := emitters * perEmitter
	return &System{
		PerEmitter: perEmitter, Seed: seed, Emitters: make([]Emitter, emitters),
		Pos: make([]vec.Vec3, n), Vel: make([]vec.Vec3, n),
		Life: make([]float32, n), Born: make([]float32, n),
		Bounds: make([]vec.AABB, emitters),
	}
}

// Reset makes all particles of emitter e wait for a first birth, spread over one life. A slot
// that is used again for another emitter must be reset.
func (s *System) Reset(e int) {
	n := s.PerEmitter
	for k := range n {
		p := e*n + k
		s.Pos[p], s.Vel[p] = s.Emitters[e].Pos, vec.Vec3{}
		s.Born[p] = 0
		s.Life[p] = -s.Emitters[e].Life * float32(k) / float32(n)
	}
}

// Step moves the particles [lo, hi) on by dt. frame must differ from step to step.
func (s *System) Step(frame uint64, dt float32, lo, hi int) {
	for p := lo; p < hi; p++ {
		e := &s.Emitters[p/s.PerEmitter]
		if s.Born[p] == 0 { // waits for a first birth: Life rises to 0
			if !e.On {
				continue
			}
			if s.Life[p] += dt; s.Life[p] >= 0 {
				s.bear(p, e, frame)
			}
			continue
		}
		if s.Life[p] -= dt; s.Life[p] <= 0 {
			if e.On {
				s.bear(p, e, frame)
			}
			continue
		}
		v := s.Vel[p].Scale(max(0, 1-float32(e.Drag*dt)))
		v.Y -= float32(e.Gravity * dt)
		pos := s.Pos[p].AddScaled(v, dt)
		if pos.Y < 0 && e.Gravity > 0 { // what falls bounces off the ground
			pos.Y, v = -0.4*pos.Y, vec.V3(0.7*v.X, -0.4*v.Y, 0.7*v.Z)
		}
		s.Pos[p], s.Vel[p] = pos, v
	}
}

func (s *System) bear(p int, e *Emitter, frame uint64) {
	r := vec.RandAt(s.Seed, uint64(p), frame)
	dir := e.Dir.Scale(1-e.Spread).AddScaled(r.Unit(), e.Spread).Normalize()
	s.Pos[p] = e.Pos.AddScaled(r.Unit(), e.Radius*r.Float32())
	s.Vel[p] = e.Carry.AddScaled(dir, e.Speed*r.Range(0.6, 1))
	s.Born[p] = e.Life * r.Range(0.5, 1)
	s.Life[p] = s.Born[p]
}

// Look returns what particle p looks like: its diameter, its colour and how much of it covers
// what is behind, 0 if it is not to be seen.
func (s *System) Look(p int) (size float32, color vec.Vec3, cover float32) {
	if s.Life[p] <= 0 || s.Born[p] == 0 {
		return 0, vec.Vec3{}, 0
	}
	e := &s.Emitters[p/s.PerEmitter]
	age := 1 - s.Life[p]/s.Born[p]
	size = e.Size + float32(e.Grow*(s.Born[p]-s.Life[p]))
	cover = vec.Smooth(0, 0.1, age) * (1 - float32(age*age))
	return max(size, 0), e.Color.Lerp(e.Fade, age), cover
}

// Bound computes the bounds of the emitters [lo, hi) from their living particles.
func (s *System) Bound(lo, hi int) {
	for e := lo; e < hi; e++ {
		b := vec.EmptyAABB()
		for p := e * s.PerEmitter; p < (e+1)*s.PerEmitter; p++ {
			if s.Life[p] > 0 {
				b = b.Extend(s.Pos[p])
			}
		}
		if !b.Empty() {
			em := &s.Emitters[e]
			b = b.Grow(em.Size + float32(max(em.Grow, 0)*em.Life))
		}
		s.Bounds[e] = b
	}
}

// Digest returns h after the state of all particles.
func (s *System) Digest(h vec.Hash) vec.Hash {
	return h.Vec3s(s.Pos).Vec3s(s.Vel).Floats(s.Life).Floats(s.Born)
}
