package draw_test

import (
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/cull"
	"github.com/heddle-go/heddle/examples/internal/engine/draw"
	"github.com/heddle-go/heddle/examples/internal/engine/figure"
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A demo is a scene that stands still.
type demo struct {
	static    draw.Static
	occluders []vec.Mat4
	moving    []raster.Item
	bounds    []vec.AABB // of moving
	splats    []raster.Splat
	path      draw.Path
	shadow    *raster.Shadow
}

func item(m *mesh.Mesh, at vec.Mat4, mat raster.Material) raster.Item {
	return raster.Item{Pos: m.Pos, Nrm: m.Nrm, Col: m.Col, Idx: m.Idx, Model: at,
		Tint: vec.V3(1, 1, 1), Material: mat}
}

func newDemo() *demo {
	d := &demo{}
	one := vec.V3(1, 1, 1)
	d.static.Add(mesh.Ground(120, 120, 24, 24), vec.Translation(vec.V3(0, -0.02, 0)), one,
		draw.Meadow)
	d.static.Add(mesh.Ground(28, 20, 8, 8), vec.Ident, one, draw.Paving)
	col := mesh.Column(0.32, 4.2, 24)
	for i := range 7 {
		for _, z := range []float32{-6, 6} {
			d.static.Add(col, vec.Translation(vec.V3(float32(i)*4-12, 0, z)), one, draw.Marble)
		}
	}
	cube := mesh.Box(one)
	box := func(c, half vec.Vec3, m raster.Material) {
		at := vec.TRS(c, vec.QuatIdent, half)
		d.static.Add(cube, at, one, m)
		d.occluders = append(d.occluders, at)
	}
	box(vec.V3(0, 4.45, -6), vec.V3(13, 0.25, 0.5), draw.Marble)
	box(vec.V3(0, 4.45, 6), vec.V3(13, 0.25, 0.5), draw.Marble)
	box(vec.V3(0, 2.5, -9.5), vec.V3(14, 2.5, 0.4), draw.OldWall)
	box(vec.V3(14, 1.5, -4), vec.V3(0.4, 1.5, 5.5), draw.OldWall)
	for i := range 15 {
		at := vec.V3(3+1.3*float32(i/5), 0.35+0.7*float32(i%5), -1.5-0.8*float32(i/5))
		m := vec.TRS(at, vec.AxisAngle(vec.V3(0, 1, 0), 0.3*float32(i)), vec.V3(0.35, 0.35, 0.35))
		d.move(item(cube, m, draw.Crate), vec.BoxAt(vec.Vec3{}, one).Transform(&m))
	}
	body := figure.Human(0.06)
	skin := body.Mesh
	crowd, err := anim.NewCrowd(body.Skeleton, body.Clips, skin, 6)
	if err != nil {
		panic(err)
	}
	for i := range crowd.Len() {
		crowd.Root[i] = vec.Rigid(vec.V3(-4+1.5*float32(i), 0, 2.2-1.1*float32(i%3)),
			vec.AxisAngle(vec.V3(0, 1, 0), 0.4*float32(i)-0.5))
		crowd.Clock[i] = 0.37 * float32(i)
		crowd.From[i] = int16(i % 4)
		crowd.Pose(i)
		pos, nrm := make([]vec.Vec3, len(skin.Pos)), make([]vec.Vec3, len(skin.Pos))
		skin.Skin(crowd.PoseOf(i), pos, nrm, 0, len(pos))
		d.move(raster.Item{Pos: pos, Nrm: nrm, Col: body.Colors(uint64(i)), Idx: skin.Index,
			Model: vec.Ident, Tint: one, Material: draw.Dressed}, crowd.Bounds[i])
	}
	r := vec.NewRand(3)
	for e := range 2 {
		base := vec.V3(-1.5+5*float32(e), 0.9, -3.5)
		for i := range 160 {
			u := float32(i) / 160
			p := base.Add(vec.V3(r.Range(-0.2, 0.2)*(1+4*u)+u*1.2, u*3.4,
				r.Range(-0.2, 0.2)*(1+4*u)))
			d.splats = append(d.splats,
				raster.Splat{Pos: p, Radius: 0.12 + 0.45*u, Color: vec.V3(0.5, 0.5, 0.5),
					Alpha: 0.16 * (1 - u)})
		}
		for range 120 {
			u := r.Float32()
			p := base.Add(vec.V3(r.Range(-0.2, 0.2)*(1-0.7*u), 0.9*u, r.Range(-0.2, 0.2)*(1-0.7*u)))
			d.splats = append(d.splats,
				raster.Splat{Pos: p, Radius: 0.14 * (1.1 - u),
					Emit: vec.V3(1.5, 0.5, 0.1).Scale(1 - u)})
		}
		for range 50 {
			u := r.Float32()
			p := base.Add(vec.V3(r.Range(-0.5, 0.5)*u, 2.4*u, r.Range(-0.5, 0.5)*u))
			d.splats = append(d.splats,
				raster.Splat{Pos: p, Radius: 0.015, Emit: vec.V3(8, 3, 0.6)})
		}
	}
	d.path = draw.Path{
		Eye: []vec.Vec3{{X: -9.5, Y: 2, Z: 4.5}, {X: 0, Y: 3.2, Z: 9}, {X: 9, Y: 2.4, Z: 5},
			{X: 10, Y: 1.6, Z: -3}, {X: -3, Y: 1.4, Z: -4}},
		Target: []vec.Vec3{{X: 1, Y: 1.5, Z: -2.5}, {X: 0, Y: 1, Z: 0}, {X: 0, Y: 1.2, Z: 0},
			{X: 0, Y: 1.2, Z: 2}, {X: 3, Y: 1.5, Z: 3}},
	}
	light := raster.Evening()
	d.shadow = raster.NewShadow(2048, light.Sun,
		vec.AABB{Min: vec.V3(-16, -0.5, -12), Max: vec.V3(16, 6, 12)})
	d.shadow.Static(d.static.Items())
	d.shadow.Begin(d.moving)
	d.shadow.Setup(0, len(d.moving))
	d.shadow.Draw(0, d.shadow.Tiles())
	return d
}

func (d *demo) move(it raster.Item, bounds vec.AABB) {
	d.moving, d.bounds = append(d.moving, it), append(d.bounds, bounds)
}

// A frame is all that a picture of the demo needs.
type frame struct {
	d              *demo
	static, moving []cull.State
	occlusion      *cull.Occlusion
	clipped        *draw.Clipped
	list           *draw.List
	renderer       *raster.Renderer
}

func newFrame(d *demo, opt raster.Options) *frame {
	n := d.static.Len() + len(d.moving)
	f := &frame{
		d: d, static: make([]cull.State, d.static.Len()), moving: make([]cull.State, len(d.moving)),
		occlusion: cull.NewOcclusion(160, 90, len(d.occluders)), clipped: d.static.NewClipped(),
		list: draw.NewList(n), renderer: raster.New(opt),
	}
	verts, indices := d.static.Size()
	for i := range d.moving {
		verts += len(d.moving[i].Pos)
		indices += len(d.moving[i].Idx)
	}
	f.renderer.Reserve(n, verts, indices, len(d.splats))
	return f
}

// draw runs all stages; each runs one over its ranges.
func (f *frame) draw(v *raster.View, light *raster.Light, all bool,
	each func(n int, stage func(lo, hi int))) {
	d, o, r := f.d, f.occlusion, f.renderer
	frustum := cull.NewFrustum(&v.ViewProj)
	if all {
		cull.All(f.static, 0, len(f.static))
		cull.All(f.moving, 0, len(f.moving))
	} else {
		o.Begin(&v.ViewProj, v.Near, d.occluders)
		each(len(d.occluders), o.Setup)
		each(o.Rows(), o.Draw)
		for _, k := range [2]struct {
			boxes  []vec.AABB
			states []cull.State
		}{{d.static.Bounds, f.static}, {d.bounds, f.moving}} {
			each(len(k.boxes), func(lo, hi int) { frustum.Boxes(k.boxes, k.states, lo, hi) })
			each(len(k.boxes), func(lo, hi int) { o.Test(k.boxes, k.states, lo, hi) })
		}
	}
	n := d.static.Len()
	each(n, func(lo, hi int) { f.clipped.Clip(&frustum, f.static, lo, hi) })
	l := f.list
	l.Begin(n + len(d.moving))
	each(n, func(lo, hi int) { l.Collect(v, 0, d.static.Bounds, f.static, lo, hi) })
	each(len(d.moving), func(lo, hi int) { l.Collect(v, n, d.bounds, f.moving, lo, hi) })
	l.Sort()
	each(l.Len(), func(lo, hi int) {
		l.Emit(0, f.clipped.Items(), lo, hi)
		l.Emit(n, d.moving, lo, hi)
	})
	r.Begin(v, light, d.shadow, l.Items(), d.splats)
	each(l.Len(), r.Setup)
	each(len(d.splats), r.Splats)
	r.Sort()
	each(r.Tiles(), r.Raster)
	each(r.Tiles(), r.Occlude)
	each(r.Tiles(), r.Shade)
}

// TestDemo draws a picture: there is something to see, many colours, none of which fills it.
func TestDemo(t *testing.T) {
	light := raster.Evening()
	opt := raster.Options{Width: 320, Height: 180, Samples: 1, Occlusion: true}
	f := newFrame(newDemo(), opt)
	eye, target := f.d.path.At(0)
	view := raster.NewView(eye, target, 0.9, 16./9, 0.1)
	f.draw(&view, &light, false, cutNone)
	img := f.renderer.Image()
	count := map[color.RGBA]int{}
	for y := range opt.Height {
		for x := range opt.Width {
			count[img.RGBAAt(x, y)]++
		}
	}
	require.Greater(t, len(count), 5000)
	for c, n := range count {
		require.Less(t, n, opt.Width*opt.Height/20, "%v", c)
	}
}
