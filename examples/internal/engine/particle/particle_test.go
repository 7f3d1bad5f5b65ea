package particle_test

import (
	"testing"

	"github.com/heddle-go/heddle/examples/internal/engine/particle"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

const dt = 1. / 60

func fountain(seed uint64) *particle.System {
	s := particle.New(seed, 3, 100)
	for e := range s.Emitters {
		s.Emitters[e] = particle.Emitter{
			On: true, Pos: vec.V3(float32(e)*10, 1, 0), Dir: vec.V3(0, 1, 0), Spread: 0.2,
			Radius: 0.1,
			Speed:  4, Life: 1.5, Gravity: 9.8, Drag: 0.1, Size: 0.05, Grow: 0.02,
			Color: vec.V3(1, 1, 1),
		}
		s.Reset(e)
	}
	return s
}

// TestCutsDoNotMatter steps one system whole and one in uneven ranges from behind.
func TestCutsDoNotMatter(t *testing.T) {
	a, b := fountain(5), fountain(5)
	n := len(a.Pos)
	for f := range uint64(200) {
		a.Step(f, dt, 0, n)
		for hi := n; hi > 0; {
			lo := max(0, hi-1-int(f)%41)
			b.Step(f, dt, lo, hi)
			hi = lo
		}
	}
	if a.Digest(0) != b.Digest(0) {
		t.Error("the cut shows")
	}
	if other := fountain(6); func() vec.Hash {
		for f := range uint64(200) {
			other.Step(f, dt, 0, n)
		}
		return other.Digest(0)
	}() == a.Digest(0) {
		t.Error("the seed does not show")
	}
}

// TestFlow holds that births are spread over a life, that particles stay within reach of their
// emitter and their bounds, and that no emitter feeds another.
func TestFlow(t *testing.T) {
	s := fountain(1)
	alive := func() (n int) {
		for _, l := range s.Life {
			if l > 0 {
				n++
			}
		}
		return n
	}
	before := 0
	for f := range uint64(300) {
		s.Step(f, dt, 0, len(s.Pos))
		s.Bound(0, len(s.Emitters))
		now := alive()
		if f < 80 && (now < before || now-before > 12) {
			t.Fatalf("frame %d: from %d to %d", f, before, now)
		}
		before = now
		for p := range s.Pos {
			e := p / s.PerEmitter
			if s.Life[p] <= 0 {
				continue
			}
			if d := s.Pos[p].Dist(s.Emitters[e].Pos); d > 5 {
				t.Fatalf("frame %d: particle %d is %v from its emitter", f, p, d)
			}
			if !s.Bounds[e].Contains(s.Pos[p]) || s.Pos[p].Y < 0 {
				t.Fatalf("frame %d: particle %d at %v is out of bounds", f, p, s.Pos[p])
			}
			if size, _, cover := s.Look(p); size <= 0 || cover < 0 || cover > 1 {
				t.Fatalf("frame %d: particle %d has size %v and cover %v", f, p, size, cover)
			}
		}
	}
	if before < len(s.Pos)*9/10 {
		t.Errorf("%d of %d alive", before, len(s.Pos))
	}
	for e := range s.Emitters {
		s.Emitters[e].On = false
	}
	for f := range uint64(100) {
		s.Step(300+f, dt, 0, len(s.Pos))
	}
	if s.Bound(0, 3); alive() != 0 || !s.Bounds[0].Empty() {
		t.Errorf("%d alive after the emitters went off", alive())
	}
}

// TestFreeFall holds a particle without drag against its parabola.
func TestFreeFall(t *testing.T) {
	s := particle.New(1, 1, 1)
	s.Emitters[0] = particle.Emitter{On: true, Pos: vec.V3(0, 50, 0), Dir: vec.V3(1, 0, 0),
		Speed: 3, Life: 10, Gravity: 9.8}
	s.Reset(0)
	s.Step(0, dt, 0, 1)
	start, v := s.Pos[0], s.Vel[0]
	for f := range uint64(60) {
		s.Step(f+1, dt, 0, 1)
	}
	want := start.Add(v).Sub(vec.V3(0, 4.9, 0))
	if d := s.Pos[0].Dist(want); d > 0.1 {
		t.Errorf("after a second at %v, want %v", s.Pos[0], want)
	}
}

func TestNoAllocation(t *testing.T) {
	s := fountain(2)
	f := uint64(0)
	if n := testing.AllocsPerRun(100, func() {
		s.Step(f, dt, 0, len(s.Pos))
		s.Bound(0, 3)
		f++
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
