package cloth_test

import (
	"testing"

	"github.com/heddle-go/heddle/examples/internal/engine/cloth"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

const dt = 1. / 60

// hung returns two patches, one for each way to be held, in a gusty wind.
func hung() *cloth.Set {
	s := cloth.New(2, 16, 16, 0.08)
	for i, pin := range []cloth.Pin{cloth.PinTop, cloth.PinLeft} {
		s.Place(i, pin, vec.Translation(vec.V3(float32(i)*3, 2.2, 0)))
	}
	return s
}

func gust(s *cloth.Set, i, frame int) {
	t := float32(frame) * dt
	s.Wind[i] = vec.V3(4+3*vec.Sin(t), 0, 2*vec.Cos(1.3*t))
}

// TestStrain holds that no thread is ever stretched by 5 %, in the wind, while its holder swings
// and with a ball in it.
func TestStrain(t *testing.T) {
	s := hung()
	var worst [2]float32
	frames := 300
	if testing.Short() {
		frames = 60
	}
	for f := range frames {
		for i := range s.Len() {
			gust(s, i, f)
			a := float32(f) * dt
			s.Hold[i] = vec.Rigid(vec.V3(float32(i)*3+0.5*vec.Sin(2*a), 2.2, 0),
				vec.AxisAngle(vec.V3(0, 1, 0), 0.6*vec.Sin(1.5*a)))
			s.Sphere[i] = cloth.Sphere{Center: vec.V3(float32(i)*3+0.6, 1.5, 0.8*vec.Cos(a)),
				Radius: 0.3}
			s.Step(i, dt)
			worst[i] = max(worst[i], s.Strain(i))
			for q, p := range s.PosOf(i) {
				if p.Y < 0 || !(p.Dist(vec.V3(float32(i)*3, 2, 0)) < 4) {
					t.Fatalf("frame %d: point %d of patch %d is at %v", f, q, i, p)
				}
				if d := p.Dist(s.Sphere[i].Center); d < 0.25 {
					t.Fatalf("frame %d: point %d of patch %d is %v deep in the ball", f, q, i,
						0.3-d)
				}
				if !s.Bounds[i].Contains(p) {
					t.Fatalf("frame %d: point %d of patch %d is out of bounds", f, q, i)
				}
			}
		}
	}
	for i, w := range worst {
		t.Logf("patch %d: strain at most %.4f", i, w)
		if w >= 0.05 {
			t.Errorf("patch %d: strain %v", i, w)
		}
	}
}

// TestComesToRest holds that a cloth without wind hangs straight down and stays.
func TestComesToRest(t *testing.T) {
	if testing.Short() {
		t.Skip("that takes it some time")
	}
	s := hung()
	for range 700 {
		s.Step(0, dt)
	}
	before := s.PosOf(0)[s.Points()-1]
	s.Step(0, dt)
	after := s.PosOf(0)[s.Points()-1]
	if v := after.Dist(before) / dt; v > 0.01 {
		t.Errorf("it still moves at %v m/s", v)
	}
	if want := vec.V3(15*0.08, 2.2-15*0.08, 0); after.Dist(want) > 0.05 {
		t.Errorf("its corner hangs at %v, want %v", after, want)
	}
}

// TestPinsFollow holds that held points are where the holder is after each step.
func TestPinsFollow(t *testing.T) {
	s := hung()
	for f := range 60 {
		s.Hold[1] = vec.Translation(vec.V3(3+0.02*float32(f), 2.2, 0))
		s.Step(1, dt)
		for r := range s.Rows {
			if got, want := s.PosOf(1)[r*s.Cols],
				s.Hold[1].Point(vec.V3(0, -0.08*float32(r), 0)); got.Dist(want) > 1e-4 {
				t.Fatalf("frame %d: pin %d is at %v, want %v", f, r, got, want)
			}
		}
	}
}

func TestOrderOfPatchesDoesNotMatter(t *testing.T) {
	a, b := hung(), hung()
	for f := range 60 {
		for i := range 2 {
			gust(a, i, f)
			a.Step(i, dt)
			j := 1 - i
			gust(b, j, f)
			b.Step(j, dt)
		}
	}
	if a.Digest(0) != b.Digest(0) {
		t.Error("the order shows")
	}
}

func TestIndex(t *testing.T) {
	s := cloth.New(1, 4, 3, 1)
	s.Place(0, cloth.PinTop, vec.Ident)
	index := s.Index()
	if len(index) != 3*2*3*2 {
		t.Fatalf("%d indices", len(index))
	}
	var area float32
	for i := 0; i < len(index); i += 3 {
		p := s.PosOf(0)
		n := p[index[i+1]].Sub(p[index[i]]).Cross(p[index[i+2]].Sub(p[index[i]]))
		if n.Dot(s.NormalOf(0)[index[i]]) <= 0 {
			t.Fatalf("triangle %d looks against its normal", i/3)
		}
		area += n.Len() / 2
	}
	if vec.Abs(area-6) > 1e-2 {
		t.Errorf("area %v", area)
	}
}

func TestNoAllocation(t *testing.T) {
	s := hung()
	if n := testing.AllocsPerRun(10, func() { s.Step(1, dt) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
