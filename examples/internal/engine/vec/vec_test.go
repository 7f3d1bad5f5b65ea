package vec_test

import (
	"math"
	"testing"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

func near(t *testing.T, what string, got, want vec.Vec3) {
	t.Helper()
	if !(got.Dist(want) < 1e-4) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestHandedness(t *testing.T) {
	x, y, z := vec.V3(1, 0, 0), vec.V3(0, 1, 0), vec.V3(0, 0, 1)
	near(t, "x cross y", x.Cross(y), z)
	near(t, "a quarter turn about z", vec.AxisAngle(z, vec.Pi/2).Rotate(x), y)
	a, b, c := vec.AxisAngle(z, vec.Pi/2).Axes()
	near(t, "where x goes", a, y)
	near(t, "where y goes", b, x.Neg())
	near(t, "where z goes", c, z)
}

func TestQuatIsItsMatrix(t *testing.T) {
	r := vec.NewRand(1)
	for range 100 {
		q, p := vec.AxisAngle(r.Unit(), r.Range(-6, 6)), vec.AxisAngle(r.Unit(), r.Range(-6, 6))
		v := r.Vec3(vec.V3(-1, -1, -1), vec.V3(1, 1, 1))
		m, n := vec.Rigid(vec.Vec3{}, q), vec.Rigid(vec.Vec3{}, p)
		near(t, "turned by its matrix", m.Point(v), q.Rotate(v))
		mn := m.Mul(&n)
		near(t, "turned twice", mn.Dir(v), q.Mul(p).Rotate(v))
		near(t, "turned back", q.Conj().Rotate(q.Rotate(v)), v)
		near(t, "the mean's start", q.Nlerp(p, 0).Rotate(v), q.Rotate(v))
		near(t, "the mean's end", q.Nlerp(p, 1).Rotate(v), p.Rotate(v))
	}
}

func TestSpin(t *testing.T) {
	q := vec.QuatIdent
	for range 1000 {
		q = q.Spin(vec.V3(0, vec.Pi/2, 0), 0.001)
	}
	near(t, "a quarter turn about y in a second", q.Rotate(vec.V3(0, 0, 1)), vec.V3(1, 0, 0))
}

func TestInverse(t *testing.T) {
	r := vec.NewRand(2)
	for range 100 {
		m := vec.TRS(r.Unit().Scale(5), vec.AxisAngle(r.Unit(), 1),
			r.Vec3(vec.V3(1, 1, 1), vec.V3(3, 3, 3)))
		inv, ok := m.Inverse()
		if !ok {
			t.Fatal("no inverse")
		}
		v := r.Unit()
		near(t, "there and back", inv.Point(m.Point(v)), v)
	}
	flat := vec.Scaling(vec.V3(1, 0, 1))
	if _, ok := flat.Inverse(); ok {
		t.Error("a flat matrix has an inverse")
	}
}

func TestCameraLooksAlongMinusZ(t *testing.T) {
	view := vec.LookAt(vec.V3(0, 0, 5), vec.Vec3{}, vec.V3(0, 1, 0))
	near(t, "target in view space", view.Point(vec.Vec3{}), vec.V3(0, 0, -5))
	proj := vec.Perspective(1, 2, 1, 10)
	for dist, z := range map[float32]float32{1: -1, 10: 1} {
		c := proj.Project(vec.V3(0, 0, -dist))
		if got := c.Z / c.W; vec.Abs(got-z) > 1e-5 || vec.Abs(c.W-dist) > 1e-5 {
			t.Errorf("depth at %v is %v, w %v", dist, got, c.W)
		}
	}
	m := proj.Mul(&view)
	for i, p := range m.Planes() {
		if d := p.Dist(vec.Vec3{}); d <= 0 {
			t.Errorf("the target is %v outside plane %d", -d, i)
		}
		if l := p.N.Len(); vec.Abs(l-1) > 1e-5 {
			t.Errorf("plane %d has a normal of length %v", i, l)
		}
	}
	planes := m.Planes()
	if d := planes[4].Dist(vec.V3(0, 0, 4.5)); vec.Abs(d+0.5) > 1e-4 {
		t.Errorf("half a metre before the near plane is at %v", d)
	}
	if d := planes[0].Dist(vec.V3(-50, 0, 0)); d >= 0 {
		t.Error("far left is inside the left plane")
	}
	ortho := vec.Orthographic(-2, 4, -1, 3, 1, 9)
	near(t, "a corner of the orthographic box", ortho.Point(vec.V3(4, 3, -9)), vec.V3(1, 1, 1))
}

func TestBoxHoldsItsCorners(t *testing.T) {
	r := vec.NewRand(3)
	for range 100 {
		b := vec.BoxAt(r.Unit(), r.Vec3(vec.Vec3{}, vec.V3(2, 2, 2)))
		m := vec.TRS(r.Unit(), vec.AxisAngle(r.Unit(), r.Range(0, 6)), vec.V3(1, 2, 0.5))
		moved := b.Transform(&m).Grow(1e-5)
		for i := range 8 {
			if !moved.Contains(m.Point(b.Corner(i))) {
				t.Fatalf("corner %d of %v is outside %v", i, b, moved)
			}
		}
	}
	if e := vec.EmptyAABB(); !e.Empty() || e.Extend(vec.V3(1, 2, 3)).Empty() ||
		e.Overlaps(vec.BoxAt(vec.Vec3{}, vec.V3(1, 1, 1))) {
		t.Error("the empty box is not")
	}
}

func TestRand(t *testing.T) {
	a, b := vec.RandAt(7, 1, 2), vec.RandAt(7, 2, 1)
	if a.Uint64() == b.Uint64() {
		t.Error("object and time can be exchanged")
	}
	r := vec.NewRand(4)
	var sum vec.Vec3
	var seen [7]int
	const n = 20000
	for range n {
		u := r.Unit()
		if vec.Abs(u.Len()-1) > 1e-4 {
			t.Fatalf("a unit vector has length %v", u.Len())
		}
		sum = sum.Add(u)
		if f := r.Float32(); f < 0 || f >= 1 {
			t.Fatalf("number %v", f)
		}
		seen[r.Intn(len(seen))]++
	}
	if sum.Len()/n > 0.03 {
		t.Errorf("directions lean to %v", sum.Scale(1./n))
	}
	for i, c := range seen {
		if c < n/7*8/10 || c > n/7*12/10 {
			t.Errorf("%d came %d times of %d", i, c, n)
		}
	}
}

func TestHashSeesOrderAndBits(t *testing.T) {
	var h vec.Hash
	seen := map[vec.Hash]string{}
	for name, v := range map[string]vec.Hash{
		"nothing": h, "1 2": h.Float(1).Float(2), "2 1": h.Float(2).Float(1),
		"+0": h.Float(0), "-0": h.Float(float32(math.Copysign(0, -1))),
		"v": h.Vec3(vec.V3(1, 2, 3)), "w": h.Vec3(vec.V3(2, 1, 3)),
		"vs": h.Vec3s([]vec.Vec3{{X: 1, Y: 2, Z: 3}}),
	} {
		if other, ok := seen[v]; ok {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[v] = name
	}
}

func TestSmooth(t *testing.T) {
	for x, want := range map[float32]float32{-1: 0, 2: 0, 3: 0.5, 4: 1, 9: 1} {
		if got := vec.Smooth(2, 4, x); got != want {
			t.Errorf("at %v: %v, want %v", x, got, want)
		}
	}
}
