package cull_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/cull"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

const near = 0.1

func camera() (vec.Vec3, vec.Mat4) {
	eye := vec.V3(1, 2, 9)
	proj := vec.Perspective(1, 1.5, near, 1000)
	look := vec.LookAt(eye, vec.V3(0, 1, 0), vec.V3(0, 1, 0))
	return eye, proj.Mul(&look)
}

// world returns boxes all around the eye, and walls before it.
func world(n int) (boxes []vec.AABB, walls []vec.Mat4) {
	r := vec.NewRand(7)
	for range n {
		c := r.Vec3(vec.V3(-25, -4, -40), vec.V3(25, 8, 20))
		boxes = append(boxes, vec.BoxAt(c, r.Vec3(vec.V3(0.1, 0.1, 0.1), vec.V3(1, 1, 1))))
	}
	for i := range 6 {
		at := vec.V3(float32(i)*3-8, 1.5, -2-float32(i%3))
		walls = append(walls, vec.TRS(at, vec.AxisAngle(vec.V3(0, 1, 0), 0.3*float32(i)),
			vec.V3(1.8, 2, 0.2)))
	}
	// beneath the eye and behind it
	walls = append(walls, vec.TRS(vec.V3(0, -1, 0), vec.QuatIdent, vec.V3(40, 0.5, 40)),
		vec.TRS(vec.V3(1, 2, 9), vec.QuatIdent, vec.V3(0.01, 0.01, 0.05))) // in the eye
	return boxes, walls
}

func inClip(p vec.Vec4) bool {
	return vec.Abs(p.X) <= p.W && vec.Abs(p.Y) <= p.W && p.Z >= -p.W
}

// No point of a box that is called outside is in the view; all of one called inside are.
func TestFrustumErrsOnTheSafeSide(t *testing.T) {
	_, m := camera()
	f := cull.NewFrustum(&m)
	boxes, _ := world(1200)
	states := make([]cull.State, len(boxes))
	f.Boxes(boxes, states, 0, len(boxes))
	r := vec.NewRand(1)
	count := map[cull.State]int{}
	for i, b := range boxes {
		count[states[i]]++
		for range 30 {
			in := inClip(m.Project(r.Vec3(b.Min, b.Max)))
			if states[i] == cull.Outside {
				require.False(t, in)
			}
			if states[i] == cull.Inside {
				require.True(t, in)
			}
		}
	}
	for _, s := range []cull.State{cull.Outside, cull.Crossing, cull.Inside} {
		require.Greater(t, count[s], 50, "state %d", s)
	}
	require.Equal(t, cull.Outside, f.Box(vec.EmptyAABB()))
}

// shields reports whether the line from the eye to a point passes through a wall.
func shields(walls []vec.Mat4, eye, p vec.Vec3) bool {
	for i := range walls {
		inv, _ := walls[i].Inverse()
		a, b := inv.Point(eye), inv.Point(p)
		lo, hi := float32(0), float32(1)
		d := b.Sub(a)
		for _, k := range [3][2]float32{{a.X, d.X}, {a.Y, d.Y}, {a.Z, d.Z}} {
			t0, t1 := (-1-k[0])/k[1], (1-k[0])/k[1]
			lo, hi = max(lo, min(t0, t1)), min(hi, max(t0, t1))
		}
		if lo <= hi {
			return true
		}
	}
	return false
}

func run(o *cull.Occlusion, m *vec.Mat4, walls []vec.Mat4, boxes []vec.AABB, states []cull.State) {
	o.Begin(m, near, walls)
	o.Setup(0, len(walls))
	o.Draw(0, o.Rows())
	o.Test(boxes, states, 0, len(boxes))
}

// Between the eye and any visible point of a box that is called hidden stands a wall.
func TestHiddenBoxesAreBehindWalls(t *testing.T) {
	eye, m := camera()
	boxes, walls := world(1200)
	o := cull.NewOcclusion(160, 100, len(walls))
	f := cull.NewFrustum(&m)
	states := make([]cull.State, len(boxes))
	f.Boxes(boxes, states, 0, len(boxes))
	run(o, &m, walls, boxes, states)
	r := vec.NewRand(2)
	hidden, behind := 0, 0
	for i, b := range boxes {
		if states[i] == cull.Outside {
			continue
		}
		all := true
		for range 60 {
			p := r.Vec3(b.Min, b.Max)
			if !inClip(m.Project(p)) {
				continue
			}
			s := shields(walls[:len(walls)-1], eye, p)
			all = all && s
			if states[i] == cull.Hidden {
				require.True(t, s, "box %d at %v", i, b)
			}
		}
		if all {
			behind++
		}
		if states[i] == cull.Hidden {
			hidden++
		}
	}
	require.Greater(t, hidden, behind/3, "of %d boxes behind walls", behind)
}

// A wall does not hide itself, nor what stands before it.
func TestOccludersDoNotHideThemselves(t *testing.T) {
	_, m := camera()
	_, walls := world(0)
	boxes := make([]vec.AABB, len(walls))
	for i := range walls {
		boxes[i] = vec.BoxAt(vec.Vec3{}, vec.V3(1, 1, 1)).Transform(&walls[i])
		o := cull.NewOcclusion(160, 100, 1)
		o.Begin(&m, near, walls[i:i+1])
		o.Setup(0, 1)
		o.Draw(0, o.Rows())
		require.False(t, o.Hides(boxes[i]), "wall %d", i)
	}
}

// However the stages are cut, the states are the same.
func TestCutsMakeNoDifference(t *testing.T) {
	_, m := camera()
	boxes, walls := world(500)
	f := cull.NewFrustum(&m)
	want, got := make([]cull.State, len(boxes)), make([]cull.State, len(boxes))
	f.Boxes(boxes, want, 0, len(boxes))
	run(cull.NewOcclusion(160, 100, len(walls)), &m, walls, boxes, want)

	o := cull.NewOcclusion(160, 100, len(walls))
	back := func(n, step int, stage func(lo, hi int)) {
		for hi := n; hi > 0; hi -= step {
			stage(max(0, hi-step), hi)
		}
	}
	back(len(boxes), 7, func(lo, hi int) { f.Boxes(boxes, got, lo, hi) })
	o.Begin(&m, near, walls)
	back(len(walls), 1, o.Setup)
	back(o.Rows(), 3, o.Draw)
	back(len(boxes), 11, func(lo, hi int) { o.Test(boxes, got, lo, hi) })
	require.Equal(t, want, got)
}

func TestAll(t *testing.T) {
	s := make([]cull.State, 3)
	cull.All(s, 1, 3)
	require.Equal(t, []cull.State{cull.Outside, cull.Crossing, cull.Crossing}, s)
}

func TestNothingIsAllocated(t *testing.T) {
	_, m := camera()
	boxes, walls := world(200)
	o := cull.NewOcclusion(160, 100, len(walls))
	states := make([]cull.State, len(boxes))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		f := cull.NewFrustum(&m)
		f.Boxes(boxes, states, 0, len(boxes))
		run(o, &m, walls, boxes, states)
	}))
}

func TestTooManyOccluders(t *testing.T) {
	_, m := camera()
	_, walls := world(0)
	require.PanicsWithValue(t, "cull: more occluders than the buffer was made for", func() {
		cull.NewOcclusion(8, 8, 1).Begin(&m, near, walls)
	})
}
