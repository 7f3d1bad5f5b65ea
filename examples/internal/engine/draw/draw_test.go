package draw_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/cull"
	"github.com/heddle-go/heddle/examples/internal/engine/draw"
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/particle"
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// cutNone and cutMuch run a stage in one range, and in many from behind.
func cutNone(n int, stage func(lo, hi int)) { stage(0, n) }

func cutMuch(n int, stage func(lo, hi int)) {
	for hi := n; hi > 0; hi -= 3 {
		stage(max(0, hi-3), hi)
	}
}

// The picture with culling off is the same, along the whole path, however the work is cut; and
// culling is worth it.
func TestCullingLeavesNoTrace(t *testing.T) {
	d := newDemo()
	light := raster.Evening()
	var outside, hidden, crossing, through int
	for i := range 12 {
		eye, target := d.path.At(float32(i) / 12)
		if i%3 == 2 {
			// hard by a wall, so that much is behind it
			eye = vec.V3(14.8, 1.2, -1.7+0.2*float32(i))
			target = vec.V3(0, 1.4, 0)
		}
		v := raster.NewView(eye, target, 0.9, 1.5, 0.1)
		var hash [3]uint64
		for k := range hash {
			f := newFrame(d, raster.Options{Width: 72, Height: 48, Samples: 1 + i%2})
			each := cutNone
			if k == 2 {
				each = cutMuch
			}
			f.draw(&v, &light, k == 0, each)
			hash[k] = f.renderer.Hash()
			if k == 1 {
				for _, states := range [][]cull.State{f.static, f.moving} {
					for _, s := range states {
						switch s {
						case cull.Outside:
							outside++
						case cull.Hidden:
							hidden++
						case cull.Crossing:
							crossing++
						}
					}
				}
				for j, it := range f.clipped.Items() {
					if len(it.Pos) > len(d.static.Items()[j].Pos) {
						through++
					}
				}
			}
		}
		require.Equal(t, hash[0], hash[1], "from %v", eye)
		require.Equal(t, hash[0], hash[2], "from %v, cut", eye)
	}
	require.Greater(t, outside, 50)
	require.Greater(t, hidden, 50)
	require.Greater(t, crossing, 50)
	require.Positive(t, through, "nothing was ever cut")
}

// What is left of a sheet that reaches far beyond the view is in front of the near border, all
// of what can be seen is left, and its normals and colours are those of its points.
func TestClip(t *testing.T) {
	m := mesh.Ground(60, 60, 7, 9)
	m.Col = make([]vec.Vec3, len(m.Pos))
	paint := func(p vec.Vec3) vec.Vec3 { return p.Scale(0.01).Add(vec.V3(0.5, 0.5, 0.5)) }
	for i, p := range m.Pos {
		m.Col[i] = paint(p)
	}
	s := &draw.Static{}
	s.Add(m, vec.Ident, vec.V3(1, 1, 1), raster.Material{})
	c := s.NewClipped()
	v := raster.NewView(vec.V3(0.3, 1, 0.4), vec.V3(2, 0, 0.1), 1, 1.5, 0.8)
	f := cull.NewFrustum(&v.ViewProj)
	c.Clip(&f, []cull.State{cull.Crossing}, 0, 1)
	it := c.Items()[0]
	near := f.Planes()[4]
	require.NotEmpty(t, it.Idx)
	require.Less(t, len(it.Idx), len(m.Idx))
	require.Greater(t, len(it.Pos), len(m.Pos))
	for _, i := range it.Idx {
		require.Greater(t, near.Dist(it.Pos[i]), float32(-1e-4))
		require.Less(t, it.Col[i].Dist(paint(it.Pos[i])), float32(1e-4))
		require.Equal(t, vec.V3(0, 1, 0), it.Nrm[i])
	}
	// Each visible point of the sheet lies in exactly one triangle.
	r := vec.NewRand(4)
	for range 3000 {
		p := r.Vec3(vec.V3(-30, 0, -30), vec.V3(30, 0, 30))
		inside, border := true, false
		for _, q := range f.Planes() {
			inside = inside && q.Dist(p) >= 0
			border = border || vec.Abs(q.Dist(p)) < 1e-3
		}
		if !inside || border {
			continue
		}
		n := 0
		for k := 0; k < len(it.Idx); k += 3 {
			if over(it.Pos[it.Idx[k]], it.Pos[it.Idx[k+1]], it.Pos[it.Idx[k+2]], p) {
				n++
			}
		}
		require.Equal(t, 1, n, "point %v", p)
	}
	// And the states that need no cut.
	c.Clip(&f, []cull.State{cull.Inside}, 0, 1)
	require.Equal(t, s.Items()[0], c.Items()[0])
	for _, state := range []cull.State{cull.Outside, cull.Hidden} {
		c.Clip(&f, []cull.State{state}, 0, 1)
		require.Empty(t, c.Items()[0].Idx)
	}
}

// over reports whether p is in a level triangle.
func over(a, b, c, p vec.Vec3) bool {
	side := func(a, b vec.Vec3) bool { return b.Sub(a).Cross(p.Sub(a)).Y > 0 }
	return side(a, b) && side(b, c) && side(c, a)
}

func TestList(t *testing.T) {
	v := raster.NewView(vec.V3(0, 0, 10), vec.V3(0, 0, 0), 1, 1, 0.1)
	boxes := func(zs ...float32) (b []vec.AABB, items []raster.Item) {
		for _, z := range zs {
			b = append(b, vec.BoxAt(vec.V3(0, 0, z), vec.V3(1, 1, 1)))
			items = append(items, raster.Item{Tint: vec.V3(z, 0, 0)})
		}
		return b, items
	}
	a, ai := boxes(-5, 3, 9.5, -2)
	b, bi := boxes(0, -7, -3)
	as := []cull.State{cull.Inside, cull.Crossing, cull.Inside, cull.Hidden}
	bs := []cull.State{cull.Crossing, cull.Inside, cull.Outside}
	l := draw.NewList(10)
	for _, each := range []func(int, func(lo, hi int)){cutNone, cutMuch} {
		l.Begin(7)
		each(3, func(lo, hi int) { l.Collect(&v, 4, b, bs, lo, hi) })
		each(4, func(lo, hi int) { l.Collect(&v, 0, a, as, lo, hi) })
		l.Sort()
		require.Equal(t, 5, l.Len())
		each(5, func(lo, hi int) { l.Emit(0, ai, lo, hi) })
		each(5, func(lo, hi int) { l.Emit(4, bi, lo, hi) })
		var zs []float32
		for _, it := range l.Items() {
			zs = append(zs, it.Tint.X)
		}
		require.Equal(t, []float32{9.5, 3, 0, -5, -7}, zs)
		require.Equal(t, 2, l.Candidate(0))
		require.Equal(t, 5, l.Candidate(4))
	}
	l.Begin(0)
	l.Sort()
	require.Empty(t, l.Items())
	require.PanicsWithValue(t, "draw: more candidates than the list was made for", func() {
		l.Begin(11)
	})
}

func TestPath(t *testing.T) {
	p := draw.Path{
		Eye:    []vec.Vec3{{X: 1}, {Y: 2}, {Z: 3}, {X: -4}, {Y: -5}},
		Target: []vec.Vec3{{}, {X: 1}, {X: 2}, {X: 3}, {X: 4}},
	}
	for i := range p.Eye {
		eye, target := p.At(float32(i)/5 + 7)
		require.Less(t, eye.Dist(p.Eye[i]), float32(1e-4))
		require.Less(t, target.Dist(p.Target[i]), float32(1e-4))
	}
	last, _ := p.At(-0.001)
	step := float32(0)
	for i := range 1001 {
		eye, _ := p.At(float32(i) / 1000)
		d := eye.Dist(last)
		require.Less(t, d, float32(0.06))
		if i > 1 { // no jerk: the steps change slowly
			require.InDelta(t, step, d, 2e-3)
		}
		last, step = eye, d
	}
	one := draw.Path{Eye: []vec.Vec3{{X: 1}}, Target: []vec.Vec3{{Z: 1}}}
	eye, target := one.At(0.3)
	require.InDelta(t, 1, eye.X, 1e-6)
	require.InDelta(t, 1, target.Z, 1e-6)
}

func TestSplats(t *testing.T) {
	s := particle.New(1, 2, 20)
	for e := range s.Emitters {
		s.Emitters[e] = particle.Emitter{On: true, Dir: vec.V3(0, 1, 0), Speed: 1, Life: 1,
			Size: 0.2, Color: vec.V3(1, 1, 1), Glow: e == 1}
		s.Reset(e)
	}
	for f := range uint64(30) {
		s.Step(f, 1./60, 0, 40)
	}
	whole, cut := make([]raster.Splat, 40), make([]raster.Splat, 40)
	draw.Splats(whole, s, 0, 40)
	cutMuch(40, func(lo, hi int) { draw.Splats(cut, s, lo, hi) })
	require.Equal(t, whole, cut)
	for p, sp := range whole {
		if _, _, cover := s.Look(p); cover <= 0 {
			require.Zero(t, sp.Radius)
			continue
		}
		require.Equal(t, s.Pos[p], sp.Pos)
		require.Equal(t, p >= 20, sp.Alpha == 0 && sp.Emit.X > 0)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	d := newDemo()
	light := raster.Evening()
	f := newFrame(d, raster.Options{Width: 32, Height: 18, Samples: 1})
	n, moving, laps := d.static.Len(), len(d.moving), float32(0)
	require.Zero(t, testing.AllocsPerRun(8, func() {
		eye, target := d.path.At(laps)
		laps += 0.1
		v := raster.NewView(eye, target, 0.9, 1.5, 0.1)
		b := cull.NewFrustum(&v.ViewProj)
		b.Boxes(d.static.Bounds, f.static, 0, n)
		b.Boxes(d.bounds, f.moving, 0, moving)
		f.clipped.Clip(&b, f.static, 0, n)
		f.list.Begin(n + moving)
		f.list.Collect(&v, 0, d.static.Bounds, f.static, 0, n)
		f.list.Collect(&v, n, d.bounds, f.moving, 0, moving)
		f.list.Sort()
		f.list.Emit(0, f.clipped.Items(), 0, f.list.Len())
		f.list.Emit(n, d.moving, 0, f.list.Len())
		f.renderer.Begin(&v, &light, d.shadow, f.list.Items(), d.splats)
		f.renderer.Draw()
	}))
}
