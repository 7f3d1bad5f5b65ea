package raster

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A sheet that covers the whole screen, cut into uneven triangles, covers each sample once: also
// where it reaches behind the eye.
func TestNeighboursShareNoSampleAndLeaveNone(t *testing.T) {
	sheet := mesh.Ground(40, 40, 23, 17)
	r := vec.NewRand(5)
	for i := range sheet.Pos {
		if x, z := i%24, i/24; x > 0 && x < 23 && z > 0 && z < 17 {
			sheet.Pos[i].X += r.Range(-0.7, 0.7)
			sheet.Pos[i].Z += r.Range(-0.9, 0.9)
		}
	}
	for name, target := range map[string]vec.Vec3{"down": {X: 0.3, Y: 0, Z: -1},
		"ahead": {X: 3, Y: 0.2, Z: -9}} {
		t.Run(name, func(t *testing.T) {
			view := NewView(vec.V3(0.2, 2.5, 0.4), target, 1, 1.5, 0.05)
			g := geometry{w: 150, h: 100, m: view.ViewProj, near: view.Near}
			items := []Item{{Pos: sheet.Pos, Nrm: sheet.Nrm, Idx: sheet.Idx, Model: vec.Ident}}
			g.begin(items)
			g.setup(0, 1)
			count := make([]int, g.w*g.h)
			drawn := 0
			for c := range g.cluster {
				for i := range int(g.cluster[c].n) {
					depth, ids := make([]float32, g.w*g.h), make([]uint32, g.w*g.h)
					tri := &g.tris[c*clusterSize+i]
					g.fill(tri, tri.minX, tri.minY, tri.maxX, tri.maxY, depth, ids, 1)
					for s := range ids {
						count[s] += int(ids[s])
						drawn += int(ids[s])
					}
				}
			}
			for s, n := range count {
				x, y := float32(s%g.w)+0.5, float32(s/g.w)+0.5
				ray := view.ray(x, y, float32(g.w), float32(g.h))
				if ray.Y >= 0 || vec.Abs(ray.X/ray.Y)*2.5 > 15 || vec.Abs(ray.Z/ray.Y)*2.5 > 15 {
					continue // over the sheet's edge
				}
				require.Equal(t, 1, n, "sample %d,%d", s%g.w, s/g.w)
			}
			require.Greater(t, drawn, g.w*g.h/3)
		})
	}
}

// The place found through the triangle is the one found through the depth: the shares of the
// corners are those in space, not on the screen.
func TestSharesAreThoseInSpace(t *testing.T) {
	ground := mesh.Ground(50, 50, 2, 2)
	view := NewView(vec.V3(0, 1.5, 10), vec.V3(0, 0, 0), 1, 1, 0.1)
	r := New(Options{Width: 64, Height: 64, Samples: 1})
	light := Evening()
	r.Begin(&view, &light, nil,
		[]Item{{Pos: ground.Pos, Nrm: ground.Nrm, Idx: ground.Idx, Model: vec.Ident}}, nil)
	r.Setup(0, 1)
	r.Raster(0, r.Tiles())
	found := 0
	for i, id := range r.ids {
		if id == 0 {
			continue
		}
		x, y := float32(i%64)+0.5, float32(i/64)+0.5
		h := r.hit(id, x, y, view.ray(x, y, 64, 64))
		require.InDelta(t, 0, h.p.Y, 1e-3*float64(h.w))
		require.Less(t, h.mix(ground.Pos).Dist(h.p), 1e-3*h.w)
		require.InDelta(t, 1, h.b[0]+h.b[1]+h.b[2], 1e-5)
		found++
	}
	require.Greater(t, found, 1000)
}

// What is nearer than the near border is not drawn.
func TestNearBorder(t *testing.T) {
	view := NewView(vec.V3(0, 0, 1), vec.V3(0, 0, 0), 1, 1, 0.5)
	wall := mesh.Box(vec.V3(1, 1, 0.01))
	for z, want := range map[float32]bool{0.7: false, 0.3: true} {
		g := geometry{w: 8, h: 8, m: view.ViewProj, near: view.Near}
		g.begin([]Item{{Pos: wall.Pos, Nrm: wall.Nrm, Idx: wall.Idx,
			Model: vec.Translation(vec.V3(0, 0, z))}})
		g.setup(0, 1)
		depth := make([]float32, 64)
		g.draw(0, 0, 7, 7, depth, nil)
		require.Equal(t, want, depth[27] > 0, "wall at %v", z)
	}
}

func TestExp(t *testing.T) {
	for x := float32(-30); x < 30; x += 0.0137 {
		require.InEpsilon(t, math.Exp(float64(x)), exp(x), 2e-4, "of %v", x)
	}
	require.Less(t, exp(-1e6), float32(1e-20))
}
