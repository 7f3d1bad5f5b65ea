package scene

import (
	"github.com/heddle-go/heddle/examples/internal/engine/audio"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// Begin starts a frame: the clock, the wind and the camera. It is sequential and comes before
// all others.
func (s *Scene) Begin() {
	s.Frame++
	t := s.time()
	s.Wind = vec.V3(2.5+2*vec.Sin(0.7*t), 0, 1.2*vec.Sin(1.1*t+1)+0.6*vec.Sin(3.1*t))
	s.lastEye = s.Eye
	s.Eye, s.Target = s.path.At(t / (12 * float32(s.Size)))
	s.World.Begin(DT)
	clear(s.Score()) // each living voice writes its note
}

// time returns the seconds since the beginning.
func (s *Scene) time() float32 { return float32(float64(s.Frame) / FPS) }

// UpdateInputs moves the inputs [lo, hi) and tells the simulation where they go: machines, and the
// body, the hands and the feet of who walks, as the animation has them in this frame. It comes
// before the world's Prepare.
func (s *Scene) UpdateInputs(lo, hi int) {
	t := s.time()
	for _, in := range s.Part.Inputs[lo:hi] {
		switch in.Kind {
		case Engine:
			e := &s.engines[in.Slot]
			pos := e.center.AddScaled(e.swing, vec.Sin(e.rate*t+e.phase))
			s.World.MoveTo(int(in.Body), pos, vec.AxisAngle(vec.V3(0, 1, 0), turned(e.turn, t)), DT)
		case Figure:
			f, i := &s.figures[in.Slot], int(in.Slot)
			f.angle += f.speed / f.radius * DT
			if f.angle > 2*vec.Pi {
				f.angle -= 2 * vec.Pi
			}
			s.stand(i, s.walkerStands(i))
			s.World.MoveTo(int(in.Body), s.walkerAt(i), vec.QuatIdent, DT)
			s.Crowd.Advance(i, DT)
			s.Crowd.Pose(i)
			for _, l := range s.limbs[i] {
				s.World.MoveTo(l.body, s.Crowd.Bone(i, l.bone).Pos(), vec.QuatIdent, DT)
			}
		}
	}
}

// walkerStands returns the place of a figure that walks, which looks along its circle.
func (s *Scene) walkerStands(slot int) vec.Mat4 {
	f := &s.figures[slot]
	return vec.Rigid(s.walkerAt(slot).Sub(vec.V3(0, walkerRadius, 0)),
		vec.AxisAngle(vec.V3(0, 1, 0), f.angle+vec.Pi))
}

// walkerAt returns the centre of the body that it pushes others with.
func (s *Scene) walkerAt(slot int) vec.Vec3 {
	f := &s.figures[slot]
	sin, cos := vec.Sincos(f.angle)
	return f.center.Add(vec.V3(f.radius*cos, walkerRadius, -f.radius*sin))
}

// stand puts a figure at a place.
func (s *Scene) stand(slot int, at vec.Mat4) { s.Crowd.Root[slot] = at.Mul(&s.fit) }

// turned returns the angle of something that turns, within one turn.
func turned(rate, t float32) float32 {
	x := rate * t / (2 * vec.Pi)
	return (x - vec.Floor(x)) * 2 * vec.Pi
}

// PostPhysics writes where the bodies of the slots [lo, hi) are, after the simulation.
func (s *Scene) PostPhysics(lo, hi int) {
	p := s.now()
	for i := lo; i < hi; i++ {
		p.Mat[i], p.Vel[i], p.Impact[i] = s.World.Matrix(i), s.World.Vel[i], s.World.Impact[i]
	}
}

// UpdateUnrelated updates the unrelated [lo, hi). It comes after Begin and UpdateInputs,
// patches also after figures, and reads nothing of the simulation.
func (s *Scene) UpdateUnrelated(lo, hi int) {
	for _, u := range s.Part.Unrelated[lo:hi] {
		if on := s.Objects.On[u.ID]; on != None {
			s.put(u.ID, u.Kind, int(u.Slot), s.holder(u.ID), vec.Vec3{}, 0)
		}
		s.update(u.Kind, int(u.Slot))
	}
}

// UpdateChains updates the chains of dependents [lo, hi), each in order. With Serial and Split
// it comes after PostPhysics of the bodies that they are fixed to; with Lagged after
// UpdateInputs.
func (s *Scene) UpdateChains(lo, hi int) {
	for c := lo; c < hi; c++ {
		for d := s.Part.Chains[c]; d < s.Part.Chains[c+1]; d++ {
			s.UpdateDependent(int(d))
		}
	}
}

// UpdateDependent updates one dependent. It comes after the one that it is fixed to.
func (s *Scene) UpdateDependent(i int) {
	d := &s.Part.Dependents[i]
	p := s.shown()
	at := s.holder(d.ID)
	var vel vec.Vec3
	var hit float32
	if d.Body != 0 {
		vel, hit = p.Vel[d.Body], p.Impact[d.Body]
	}
	s.Objects.Place[d.ID] = at.Pos()
	s.put(d.ID, d.Kind, int(d.Slot), at, vel, hit)
	s.update(d.Kind, int(d.Slot))
}

// holder returns the place of an object that is fixed to another.
func (s *Scene) holder(i ID) vec.Mat4 {
	o := &s.Objects
	on := o.On[i]
	var m *vec.Mat4
	switch {
	case o.Kind[on] == Thing:
		m = &s.shown().Mat[o.Body[on]]
	case o.Kind[on] == Figure && o.Bone[i] >= 0:
		m = s.Crowd.Bone(int(o.Slot[on]), int(o.Bone[i]))
	case o.Kind[on] == Figure:
		m = &s.Crowd.Root[o.Slot[on]]
	default:
		m = &vec.Ident
	}
	return m.Mul(&o.Local[i])
}

// put moves an object to a place.
func (s *Scene) put(id ID, k Kind, slot int, at vec.Mat4, vel vec.Vec3, hit float32) {
	switch k {
	case Figure:
		s.stand(slot, at)
	case Emitter:
		e := &s.Particles.Emitters[slot]
		e.Pos, e.Carry = at.Pos(), vel.Scale(0.3)
	case Patch:
		s.Cloth.Hold[slot] = at
	case Voice:
		v := &s.voices[slot]
		v.at, v.note.Hit = at.Pos(), 0
		switch v.note.Sound {
		case audio.Knock:
			if hit > 0.6 {
				v.note.Hit = min(hit*0.2, 1)
			}
		case audio.Rumble:
			v.note.Pitch = 150 + 120*vel.Len()
			v.gain = 0.5 * vec.Smooth(0.1, 3, vel.Len())
		}
	}
}

// update moves an object on by a frame at its place.
func (s *Scene) update(k Kind, slot int) {
	switch k {
	case Figure:
		s.Crowd.Advance(slot, DT)
		if s.joints[slot] != nil {
			s.limp(slot)
		} else {
			s.Crowd.Pose(slot)
		}
	case Emitter:
		n := s.Particles.PerEmitter
		s.Particles.Step(s.Frame, DT, slot*n, (slot+1)*n)
		s.Particles.Bound(slot, slot+1)
	case Patch:
		s.Cloth.Wind[slot] = s.Wind
		s.Cloth.Step(slot, DT)
	case Voice:
		v := &s.voices[slot]
		n := v.note
		right := s.Target.Sub(s.Eye).Cross(vec.V3(0, 1, 0)).Normalize()
		n.Place(v.at, s.Eye, right, v.gain)
		s.Scores[s.Frame&1][slot] = n
		v.note.New = false
	}
}

// Voices returns how many voices there can be.
func (s *Scene) Voices() int { return len(s.voices) }

// Sound computes what the voices [lo, hi) sound like in a frame, which is the one under way or the
// one before. It comes after all of that frame's voices were updated and after the Mix before, and
// may run beside anything else but the Begin of the next frame but one.
func (s *Scene) Sound(frame uint64, lo, hi int) { s.Mixer.Voices(s.Scores[frame&1], lo, hi) }

// Mix adds them up to the frame's block of sound. It comes after Sound and is sequential.
func (s *Scene) Mix() {
	s.Mixer.Mix(0, s.Mixer.Samples())
	s.Heard = s.Mixer.Digest(s.Heard)
}

// LagError returns how far the dependents that are fixed to bodies are from where this frame's
// simulation says, as root of the mean square. It comes after them and PostPhysics.
func (s *Scene) LagError() float32 {
	var sum float64
	n := 0
	for _, d := range s.Part.Dependents {
		if d.Body != 0 {
			at := s.now().Mat[d.Body].Mul(&s.Objects.Local[d.ID])
			sum += float64(at.Pos().Sub(s.Objects.Place[d.ID]).Len2())
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return vec.Sqrt(float32(sum / float64(n)))
}

// Digest returns the sum of the scene's whole state, what was heard so far included. It comes
// after a frame and its Mix.
func (s *Scene) Digest() vec.Hash {
	h := s.World.Digest(vec.Hash(s.Seed).Int(s.Size).Word(s.Frame))
	h = s.Cloth.Digest(s.Particles.Digest(h))
	n := s.Crowd.Skeleton.Len()
	for i, used := range s.used[Figure] {
		if !used {
			continue
		}
		h = h.Int(i).Float(s.Crowd.Clock[i]).Float(s.figures[i].angle)
		for b := range n {
			h = h.Floats(s.Crowd.Bone(i, b)[:])
		}
	}
	o := &s.Objects
	for i, alive := range o.Alive {
		if alive {
			h = h.Int(i).Int(int(o.Kind[i])<<8 | int(o.Class[i])).Int(int(o.Slot[i])).
				Int(int(o.On[i])).Vec3(o.Place[i])
			for _, r := range o.Refs[i] {
				h = h.Int(int(r))
			}
		}
	}
	p := s.now()
	for i := range p.Mat {
		h = h.Floats(p.Mat[i][:]).Vec3(p.Vel[i]).Float(p.Impact[i])
	}
	for i := range s.voices {
		h = h.Vec3(s.voices[i].at).Float(s.voices[i].gain)
	}
	for i := range s.sites {
		h = h.Int(int(s.sites[i].state)).Word(s.sites[i].since).Int(int(s.sites[i].thing))
	}
	return h.Vec3(s.Eye).Vec3(s.Target).Int(len(s.Roots)).Int(s.loads).Word(uint64(s.Heard))
}

const walkerRadius = 0.4
