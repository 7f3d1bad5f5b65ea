package raster_test

import (
	"image/color"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

func item(m *mesh.Mesh, at vec.Mat4, mat raster.Material) raster.Item {
	return raster.Item{Pos: m.Pos, Nrm: m.Nrm, Col: m.Col, Idx: m.Idx, Model: at,
		Tint: vec.V3(1, 1, 1), Material: mat}
}

// yard is ground, a wall, and things with every pattern; smoke before and behind the wall.
func yard() (items []raster.Item, splats []raster.Splat) {
	items = append(items, item(mesh.Ground(40, 40, 10, 10), vec.Ident,
		raster.Material{Pattern: raster.Slabs, Color: vec.V3(0.4, 0.4, 0.4)}))
	ball, cube := mesh.Sphere(0.5, 16), mesh.Box(vec.V3(1, 1, 1))
	for p := raster.Plain; p <= raster.Plaster; p++ {
		m := raster.Material{Pattern: p, Color: vec.V3(0.5, 0.3, 0.2),
			Second: vec.V3(0.1, 0.1, 0.1), Specular: 0.1, Gloss: 4, ModelCoat: p == raster.Crate}
		items = append(items, item(ball, vec.Translation(vec.V3(1.2*float32(p)-3, 0.5, 0)), m))
		items = append(items, item(cube,
			vec.TRS(vec.V3(1.5*float32(p)-4, 0.6, -3), vec.AxisAngle(vec.V3(0, 1, 0), float32(p)),
				vec.V3(0.5, 0.6, 0.5)), m))
	}
	leaf := raster.Material{Color: vec.V3(0.2, 0.4, 0.1), TwoSided: true, Through: 0.4}
	items = append(items, item(mesh.Ground(1, 1, 2, 2),
		vec.TRS(vec.V3(3, 2, -1), vec.AxisAngle(vec.V3(1, 0, 0), 1.3), vec.V3(1, 1, 1)), leaf))
	r := vec.NewRand(1)
	for range 200 {
		splats = append(splats, raster.Splat{Pos: r.Vec3(vec.V3(-4, 0, -5), vec.V3(4, 3, 2)),
			Radius: 0.3, Color: vec.V3(0.5, 0.5, 0.5), Alpha: 0.3})
		splats = append(splats, raster.Splat{Pos: r.Vec3(vec.V3(-4, 0, -5), vec.V3(4, 3, 2)),
			Radius: 0.1, Emit: vec.V3(1, 0.4, 0.1)})
	}
	return items, splats
}

var box = vec.AABB{Min: vec.V3(-10, 0, -10), Max: vec.V3(10, 4, 10)}

func view() raster.View {
	return raster.NewView(vec.V3(1, 2, 6), vec.V3(0, 0.8, 0), 1, 1.5, 0.1)
}

func picture(opt raster.Options, items []raster.Item, splats []raster.Splat) *raster.Renderer {
	light, v := raster.Evening(), view()
	s := raster.NewShadow(256, light.Sun, box)
	s.Static(items)
	s.Begin(nil)
	s.Draw(0, s.Tiles())
	r := raster.New(opt)
	r.Begin(&v, &light, s, items, splats)
	r.Draw()
	return r
}

var options = []raster.Options{
	{Width: 150, Height: 100, Samples: 1, Occlusion: true},
	{Width: 75, Height: 50, Samples: 2, Occlusion: true},
	{Width: 150, Height: 100, Samples: 1},
}

// Four goroutines that take the ranges of each stage in odd pieces draw the same bits.
func TestParticipantsMakeNoDifference(t *testing.T) {
	items, splats := yard()
	light, v := raster.Evening(), view()
	for _, opt := range options {
		want := picture(opt, items, splats).Hash()
		s, r := raster.NewShadow(256, light.Sun, box), raster.New(opt)
		each := func(n, step int, stage func(lo, hi int)) {
			var wg sync.WaitGroup
			for g := range 4 {
				wg.Go(func() {
					for lo := g * step; lo < n; lo += 4 * step {
						stage(lo, min(lo+step, n))
					}
				})
			}
			wg.Wait()
		}
		for range 2 {
			s.Begin(items)
			each(len(items), 3, s.Setup)
			each(s.Tiles(), 2, s.Draw)
			r.Begin(&v, &light, s, items, splats)
			each(len(items), 1, r.Setup)
			each(len(splats), 17, r.Splats)
			r.Sort()
			each(r.Tiles(), 1, r.Raster)
			each(r.Tiles(), 2, r.Occlude)
			each(r.Tiles(), 3, r.Shade)
			require.Equal(t, want, r.Hash())
		}
	}
}

// The order of the items, and items that are not seen, leave no trace.
func TestOrderMakesNoDifference(t *testing.T) {
	items, splats := yard()
	behind := item(mesh.Sphere(1, 12), vec.Translation(vec.V3(0, 2, 20)),
		raster.Material{Color: vec.V3(1, 0, 0)})
	below := item(mesh.Sphere(0.4, 12), vec.Translation(vec.V3(0, -1, 0)),
		raster.Material{Color: vec.V3(1, 0, 0)})
	light, v := raster.Evening(), view()
	for _, opt := range options {
		draw := func(items []raster.Item, splats []raster.Splat) uint64 {
			r := raster.New(opt)
			r.Begin(&v, &light, nil, items, splats)
			r.Draw()
			return r.Hash()
		}
		want := draw(items, splats)
		more := append(slices.Clone(items), behind, below)
		slices.Reverse(more)
		require.Equal(t, want, draw(more, splats))
		require.NotEqual(t, want, draw(items[1:], splats), "the ground leaves no trace")
		require.NotEqual(t, want, draw(items, splats[2:]), "a splat leaves no trace")
	}
}

func luminance(c color.RGBA) int { return 2*int(c.R) + 5*int(c.G) + int(c.B) }

// The ground in the shadow of a plate is darker than beside it, and not black.
func TestShadow(t *testing.T) {
	light := raster.Evening()
	light.Sun = vec.V3(0, 1, 0)
	plain := raster.Material{Color: vec.V3(0.4, 0.4, 0.4)}
	items := []raster.Item{
		item(mesh.Ground(20, 20, 4, 4), vec.Ident, plain),
		item(mesh.Box(vec.V3(1, 0.05, 1)), vec.Translation(vec.V3(0, 3, 0)), plain),
	}
	v := raster.NewView(vec.V3(0, 2.5, 6), vec.V3(0, 0, 0), 1, 1, 0.1)
	s := raster.NewShadow(512, light.Sun, box)
	at := func(s *raster.Shadow, p vec.Vec3) int {
		r := raster.New(raster.Options{Width: 100, Height: 100, Samples: 1})
		r.Begin(&v, &light, s, items, nil)
		r.Draw()
		c := v.ViewProj.Project(p)
		return luminance(r.Image().RGBAAt(int(50+50*c.X/c.W), int(50-50*c.Y/c.W)))
	}
	s.Begin(items[1:])
	s.Setup(0, 1)
	s.Draw(0, s.Tiles())
	dark, lit := at(s, vec.V3(0, 0, 0)), at(s, vec.V3(2, 0, 0))
	require.Less(t, 4*dark, 3*lit)
	require.Greater(t, 5*dark, lit)
	require.InDelta(t, lit, at(nil, vec.V3(0, 0, 0)), 60)

	moved := s.Hash()
	s.Begin(nil) // the plate is gone
	s.Draw(0, s.Tiles())
	require.NotEqual(t, moved, s.Hash())
	require.InDelta(t, lit, at(s, vec.V3(0, 0, 0)), 60)
	s.Static(items[1:]) // and here to stay
	s.Begin(nil)
	s.Draw(0, s.Tiles())
	require.Equal(t, moved, s.Hash())
}

// Fire behind a wall is not seen; before it, it is.
func TestSplatsHaveDepth(t *testing.T) {
	light, v := raster.Evening(), view()
	wall := []raster.Item{item(mesh.Box(vec.V3(9, 9, 0.1)), vec.Ident,
		raster.Material{Color: vec.V3(0.1, 0.1, 0.1)})}
	draw := func(splats ...raster.Splat) uint64 {
		r := raster.New(raster.Options{Width: 60, Height: 40, Samples: 1})
		r.Begin(&v, &light, nil, wall, splats)
		r.Draw()
		return r.Hash()
	}
	none := draw()
	fire := func(z float32) raster.Splat {
		return raster.Splat{Pos: vec.V3(0, 1, z), Radius: 0.3, Emit: vec.V3(9, 3, 1)}
	}
	require.Equal(t, none, draw(fire(-2)))
	require.NotEqual(t, none, draw(fire(2)))
	a, b := raster.Splat{Pos: vec.V3(0, 1, 1), Radius: 0.5, Alpha: 0.8,
		Color: vec.V3(1, 0, 0)},
		raster.Splat{Pos: vec.V3(0, 1, 2), Radius: 0.5, Alpha: 0.8, Color: vec.V3(0, 1, 0)}
	require.Equal(t, draw(a, b), draw(b, a))
}

func TestNothingIsAllocated(t *testing.T) {
	items, splats := yard()
	light, v := raster.Evening(), view()
	s := raster.NewShadow(128, light.Sun, box)
	r := raster.New(raster.Options{Width: 60, Height: 40, Samples: 2, Occlusion: true})
	verts, indices := 0, 0
	for i := range items {
		verts += len(items[i].Pos)
		indices += len(items[i].Idx)
	}
	r.Reserve(len(items), verts, indices, len(splats))
	first := true
	allocs := testing.AllocsPerRun(3, func() {
		s.Begin(items)
		s.Setup(0, len(items))
		s.Draw(0, s.Tiles())
		if first {
			r.Begin(&v, &light, s, items[:2], splats[:5]) // less than was reserved
		} else {
			r.Begin(&v, &light, s, items, splats)
		}
		first = false
		r.Draw()
	})
	require.Zero(t, allocs)
}

func TestOptions(t *testing.T) {
	for _, opt := range []raster.Options{{}, {Width: 1, Height: 1},
		{Width: -1, Height: 1, Samples: 1}, {Width: 1, Height: 1, Samples: 3},
		{Width: 1 << 15, Height: 1, Samples: 1}} {
		require.PanicsWithValue(t, "raster: picture size or samples out of range", func() {
			raster.New(opt)
		})
	}
}
