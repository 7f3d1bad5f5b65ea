package rigid_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

const dt = 1. / 60

func add(t *testing.T, w *rigid.World, b rigid.Body) int {
	t.Helper()
	if b.Friction == 0 {
		b.Friction = 0.6
	}
	i, err := w.Add(b)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func cube(half float32, x, y, z float32) rigid.Body {
	return rigid.Body{Kind: rigid.Forces, Shape: rigid.Box, Half: vec.V3(half, half, half),
		Pos: vec.V3(x, y, z)}
}

// TestStackStands holds that five boxes on top of each other stand for 300 frames, overlap by
// less than 1 cm at any time, and end where they began.
func TestStackStands(t *testing.T) {
	w := rigid.New(16)
	const half = 0.25
	var stack []int
	for k := range 5 {
		stack = append(stack, add(t, w, cube(half, 0, half+2*half*float32(k), 0)))
	}
	var worst float32
	for f := range 300 {
		w.Step(dt)
		below := float32(0)
		for k, i := range stack {
			worst = max(worst, below+half-w.Pos[i].Y, w.Overlap())
			below = w.Pos[i].Y + half
			if d := w.Pos[i].Dist(vec.V3(0, half+2*half*float32(k), 0)); d > 0.02 {
				t.Fatalf("frame %d: box %d is %v from its place", f, k, d)
			}
			if _, up, _ := w.Rot[i].Axes(); up.Y < 0.9998 {
				t.Fatalf("frame %d: box %d leans by %v", f, k, up)
			}
		}
	}
	t.Logf("overlap at most %.5f m", worst)
	if worst >= 0.01 {
		t.Errorf("overlap %v m", worst)
	}
	for k, i := range stack {
		if v := w.Vel[i].Len() + w.Spin[i].Len(); v > 0.01 {
			t.Errorf("box %d still moves: %v, %v", k, w.Vel[i], w.Spin[i])
		}
	}
}

// TestDroppedStackStands lets five boxes with gaps between them fall onto each other, a little
// aside and turned.
func TestDroppedStackStands(t *testing.T) {
	w := rigid.New(16)
	var stack []int
	for k := range 5 {
		b := cube(0.3, 0.01*float32(k%3), 0.4+0.7*float32(k), 0.01*float32(k%2))
		b.Rot = vec.AxisAngle(vec.V3(0, 1, 0), 0.1*float32(k))
		stack = append(stack, add(t, w, b))
	}
	for range 300 {
		w.Step(dt)
	}
	for k, i := range stack {
		if d := vec.Abs(w.Pos[i].Y - (0.3 + 0.6*float32(k))); d > 0.01 {
			t.Errorf("box %d is %v off its height", k, d)
		}
	}
	if o := w.Overlap(); o >= 0.01 {
		t.Errorf("overlap %v m", o)
	}
}

// TestRamp holds friction against the angle at which a box begins to slide.
func TestRamp(t *testing.T) {
	for _, test := range []struct {
		angle    float32
		friction float32
		slides   bool
	}{{0.35, 0.6, false}, {0.35, 0.2, true}, {0.6, 0.6, true}, {0.5, 0.6, false}} {
		w := rigid.New(4)
		rot := vec.AxisAngle(vec.V3(0, 0, 1), test.angle)
		add(t, w, rigid.Body{Kind: rigid.Fixed, Shape: rigid.Box, Half: vec.V3(10, 0.5, 2),
			Pos: vec.V3(0, 8, 0), Rot: rot, Friction: test.friction})
		b := cube(0.3, 0, 0, 0)
		b.Pos, b.Rot, b.Friction = vec.V3(0, 8, 0).Add(rot.Rotate(vec.V3(2, 0.8, 0))), rot,
			test.friction
		i := add(t, w, b)
		start := w.Pos[i]
		for range 60 {
			w.Step(dt)
		}
		d := start.Dist(w.Pos[i])
		// With friction, what slides has lost some of g sin.
		s, c := vec.Sincos(test.angle)
		want := 0.5 * 9.81 * max(0, s-test.friction*c)
		if test.slides && vec.Abs(d-want) > 0.15*want || !test.slides && d > 0.01 {
			t.Errorf("%+v: moved %v in a second, want %v", test, d, want)
		}
	}
}

// TestBallsPassMomentum holds a head-on hit of equal balls against what momentum asks for.
func TestBallsPassMomentum(t *testing.T) {
	w := rigid.New(4)
	ball := rigid.Body{Kind: rigid.Forces, Shape: rigid.Ball, Half: vec.V3(0.2, 0, 0), Bounce: 1,
		Pos: vec.V3(0, 50, 0)}
	a := add(t, w, ball)
	ball.Pos.X, ball.Vel.X = 1, -4
	b := add(t, w, ball)
	for range 30 {
		w.Step(dt)
	}
	if va, vb := w.Vel[a].X, w.Vel[b].X; vec.Abs(va+4) > 0.2 || vec.Abs(vb) > 0.2 ||
		w.Impact[a] != 0 {
		t.Errorf("speeds %v and %v after the hit, impact %v", va, vb, w.Impact[a])
	}
	if d := vec.Abs(w.Pos[a].Y - w.Pos[b].Y); d > 0.01 {
		t.Errorf("a head-on hit parted the heights by %v", d)
	}
}

func TestBallBouncesAndRolls(t *testing.T) {
	w := rigid.New(4)
	i := add(t, w, rigid.Body{Kind: rigid.Forces, Shape: rigid.Ball, Half: vec.V3(0.25, 0, 0),
		Bounce: 0.6, Pos: vec.V3(0, 2, 0), Vel: vec.V3(2, 0, 0)})
	top, down, hit := float32(0), false, float32(0)
	for range 300 {
		w.Step(dt)
		if w.Vel[i].Y < -3 {
			down = true
		}
		if down && w.Vel[i].Y > 0 {
			top = max(top, w.Pos[i].Y-0.25)
			hit = max(hit, w.Impact[i])
		}
	}
	if want := float32(1.75 * 0.36); vec.Abs(top-want) > 0.15 {
		t.Errorf("bounced to %v, want %v", top, want)
	}
	if hit == 0 {
		t.Error("nothing was felt")
	}
	// It rolls: the point at the ground does not move.
	slip := w.Vel[i].Add(w.Spin[i].Cross(vec.V3(0, -0.25, 0)))
	slip.Y = 0
	if w.Vel[i].X < 0.5 || slip.Len() > 0.05 {
		t.Errorf("at %v m/s it slips by %v", w.Vel[i].X, slip)
	}
}

// TestRailsPush holds that what is on rails arrives exactly, is not moved by others, and moves
// others out of its way.
func TestRailsPush(t *testing.T) {
	w := rigid.New(4)
	b := cube(0.5, -2, 0.5, 0)
	b.Kind = rigid.Rails
	pusher := add(t, w, b)
	i := add(t, w, cube(0.3, 0, 0.3, 0))
	for f := range 120 {
		p := vec.V3(-2+0.02*float32(f+1), 0.5, 0)
		w.MoveTo(pusher, p, vec.QuatIdent, dt)
		w.Step(dt)
		if w.Pos[pusher] != p {
			t.Fatalf("frame %d: on rails to %v, is at %v", f, p, w.Pos[pusher])
		}
		if o := w.Overlap(); o > 0.02 {
			t.Fatalf("frame %d: overlap %v", f, o)
		}
	}
	if got := w.Pos[i].X; vec.Abs(got-(0.4+0.8)) > 0.1 {
		t.Errorf("pushed to %v", got)
	}
}

// heap lets boxes and balls fall on one heap, round a turning paddle.
func heap(t *testing.T, bodies int) (*rigid.World, int) {
	w := rigid.New(bodies + 1)
	r := vec.NewRand(11)
	for k := range bodies {
		b := rigid.Body{Kind: rigid.Forces, Shape: rigid.Shape(1 + k%2), Friction: 0.5, Bounce: 0.1}
		b.Half = r.Vec3(vec.V3(0.1, 0.1, 0.1), vec.V3(0.3, 0.3, 0.3))
		b.Pos = vec.V3(r.Range(-1, 1), 0.5+0.35*float32(k), r.Range(-1, 1))
		b.Rot = vec.AxisAngle(r.Unit(), r.Range(0, 3))
		add(t, w, b)
	}
	return w, add(t, w, rigid.Body{Kind: rigid.Rails, Shape: rigid.Box, Half: vec.V3(1.5, 0.2, 0.1),
		Pos: vec.V3(0, 0.3, 2)})
}

func paddle(w *rigid.World, i, frame int) {
	w.MoveTo(i, vec.V3(0, 0.3, 2), vec.AxisAngle(vec.V3(0, 1, 0), 0.02*float32(frame+1)), dt)
}

func TestHeapSettles(t *testing.T) {
	w, p := heap(t, 60)
	var worst float32
	for f := range 900 {
		paddle(w, p, f)
		w.Step(dt)
		if f > 600 {
			worst = max(worst, w.Overlap())
		}
		if w.Dropped != 0 {
			t.Fatalf("frame %d: %d pairs too many", f, w.Dropped)
		}
		for i := 1; i < w.Slots(); i++ {
			if q := w.Pos[i]; !(q.Y > 0) || !(q.Len() < 100) || !(w.Vel[i].Len() < 25) {
				t.Fatalf("frame %d: body %d is at %v with %v", f, i, q, w.Vel[i])
			}
		}
	}
	t.Logf("overlap at most %.4f m when settled, %d islands", worst, w.Islands())
	if worst > 0.03 {
		t.Errorf("overlap %v m", worst)
	}
}

// inRanges runs a stage over 0..n in uneven ranges from behind.
func inRanges(n, seed int, stage func(lo, hi int)) {
	for hi := n; hi > 0; seed++ {
		lo := max(0, hi-1-seed%5)
		stage(lo, hi)
		hi = lo
	}
}

// TestCutsDoNotMatter steps one world whole and another in ranges.
func TestCutsDoNotMatter(t *testing.T) {
	a, pa := heap(t, 40)
	b, pb := heap(t, 40)
	for f := range 300 {
		paddle(a, pa, f)
		a.Step(dt)
		paddle(b, pb, f)
		b.Begin(dt)
		inRanges(b.Slots(), f, b.Prepare)
		b.Sort()
		inRanges(b.Living(), f, b.Pairs)
		b.Gather()
		inRanges(b.PairCount(), f, b.Collide)
		b.Link()
		inRanges(b.Islands(), f, b.Solve)
		inRanges(b.Slots(), f, b.Finish)
		if a.Digest(0) != b.Digest(0) {
			t.Fatalf("the cut shows in frame %d", f)
		}
	}
}

// TestPairsAreAll compares the pairs with those that a look at every two bodies finds.
func TestPairsAreAll(t *testing.T) {
	w, p := heap(t, 40)
	for f := range 100 {
		paddle(w, p, f)
		w.Step(dt)
	}
	w.Begin(dt)
	w.Prepare(0, w.Slots())
	w.Sort()
	w.Pairs(0, w.Living())
	w.Gather()
	want := 0
	for i := 1; i < w.Slots(); i++ {
		if w.Kind[i] == rigid.Forces && w.Bounds[i].Min.Y < 0 {
			want++
		}
		for j := 1; j < i; j++ {
			if w.Bounds[i].Overlaps(w.Bounds[j]) &&
				(w.Kind[i] == rigid.Forces || w.Kind[j] == rigid.Forces) {
				want++
			}
		}
	}
	if got := w.PairCount(); got != want || want < 40 {
		t.Errorf("%d pairs, want %d", got, want)
	}
}

// TestIslands holds that bodies far apart are islands of their own, and that neither the
// ground nor a body on rails joins two.
func TestIslands(t *testing.T) {
	w := rigid.New(8)
	a, b := add(t, w, cube(0.25, 0, 0.25, 0)), add(t, w, cube(0.25, 0, 0.75, 0))
	c := add(t, w, cube(0.25, 1, 0.25, 0))
	wall := cube(0.25, 0.5, 0.25, 0)
	wall.Kind = rigid.Rails
	k := add(t, w, wall)
	w.Step(dt)
	if w.Islands() != 2 || w.IslandOf(a) != w.IslandOf(b) || w.IslandOf(a) == w.IslandOf(c) ||
		w.IslandOf(k) != -1 || w.IslandOf(0) != -1 {
		t.Errorf("%d islands: %d %d %d %d", w.Islands(), w.IslandOf(a), w.IslandOf(b),
			w.IslandOf(c), w.IslandOf(k))
	}
}

// TestRemoveAndAdd takes the lowest box out of a stack and puts others in its slot.
func TestRemoveAndAdd(t *testing.T) {
	w := rigid.New(3)
	low := add(t, w, cube(0.25, 0, 0.25, 0))
	high := add(t, w, cube(0.25, 0, 0.75, 0))
	add(t, w, cube(0.25, 5, 0.25, 0))
	if _, err := w.Add(cube(0.25, 0, 3, 0)); err == nil ||
		!strings.Contains(err.Error(), "more than 3 bodies") {
		t.Errorf("a fourth body: %v", err)
	}
	for range 30 {
		w.Step(dt)
	}
	w.Remove(low)
	if w.Living() != 2 {
		t.Errorf("%d living", w.Living())
	}
	again := add(t, w, cube(0.25, 9, 4, 0))
	if again != low {
		t.Errorf("the new body is %d, the free slot was %d", again, low)
	}
	w.Step(dt)
	if v := w.Vel[again]; v.X != 0 || v.Z != 0 || v.Y >= 0 {
		t.Errorf("the new body got %v from the old one", v)
	}
	for range 60 {
		w.Step(dt)
	}
	if y := w.Pos[high].Y; vec.Abs(y-0.25) > 0.01 {
		t.Errorf("the upper box is at height %v", y)
	}
	if _, err := w.Add(rigid.Body{Kind: rigid.Forces, Shape: rigid.Box}); err == nil {
		t.Error("a box without size was added")
	}
}

func TestMisusePanics(t *testing.T) {
	w := rigid.New(1)
	i := add(t, w, cube(0.2, 0, 1, 0))
	for name, misuse := range map[string]func(){
		"Remove": func() { w.Remove(0) },
		"MoveTo": func() { w.MoveTo(i, vec.Vec3{}, vec.QuatIdent, dt) },
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "rigid: "+name) {
					t.Errorf("%s: %s", name, r)
				}
			}()
			misuse()
		}()
	}
}

func TestNoAllocation(t *testing.T) {
	w, p := heap(t, 40)
	f := 0
	if n := testing.AllocsPerRun(200, func() {
		paddle(w, p, f)
		w.Step(dt)
		f++
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
