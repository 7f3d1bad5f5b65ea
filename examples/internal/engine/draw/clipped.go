package draw

import (
	"github.com/heddle-go/heddle/examples/internal/engine/cull"
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Clipped is static geometry cut to a view: of the objects at its borders, the triangles
// beyond any border are left out and those that reach through the near border are cut there.
// Triangles that reach through the other borders stay whole, as the rasteriser draws no sample
// outside the picture.
type Clipped struct {
	of    *Static
	items []raster.Item
	// Room of its own for each object: its vertices and after them those made by cuts, and the
	// indices.
	pos, nrm, col [][]vec.Vec3
	idx           [][]uint32
}

// NewClipped returns room for the objects that s has now.
func (s *Static) NewClipped() *Clipped {
	n := len(s.items)
	c := &Clipped{
		of: s, items: make([]raster.Item, n), idx: make([][]uint32, n),
		pos: make([][]vec.Vec3, n), nrm: make([][]vec.Vec3, n), col: make([][]vec.Vec3, n),
	}
	for i := range s.items {
		it := &s.items[i]
		room := len(it.Pos) + 2*len(it.Idx)/3
		c.idx[i] = make([]uint32, 0, 2*len(it.Idx))
		c.pos[i] = append(make([]vec.Vec3, 0, room), it.Pos...)
		c.nrm[i] = append(make([]vec.Vec3, 0, room), it.Nrm...)
		if it.Col != nil {
			c.col[i] = append(make([]vec.Vec3, 0, room), it.Col...)
		}
	}
	return c
}

// Items returns the objects as last cut, with the numbers that they have in the Static. What
// is not seen has no triangles.
func (c *Clipped) Items() []raster.Item { return c.items }

// Clip cuts the objects lo to hi-1 to a view in which they have the given states.
func (c *Clipped) Clip(f *cull.Frustum, states []cull.State, lo, hi int) {
	planes := f.Planes()
	for i := lo; i < hi; i++ {
		it := &c.items[i]
		*it = c.of.items[i]
		switch states[i] {
		case cull.Inside:
		case cull.Crossing:
			c.cut(i, &planes)
		default:
			it.Idx = nil
		}
	}
}

// nearBorder is the place of the near border among the planes of a frustum.
const nearBorder = 4

func (c *Clipped) cut(i int, planes *[5]vec.Plane) {
	it := &c.items[i]
	n := len(it.Pos)
	k := cutter{pos: c.pos[i][:n], nrm: c.nrm[i][:n], idx: c.idx[i][:0], near: planes[nearBorder]}
	if it.Col != nil {
		k.col = c.col[i][:n]
	}
	for t := 0; t+2 < len(it.Idx); t += 3 {
		v := [3]uint32{it.Idx[t], it.Idx[t+1], it.Idx[t+2]}
		out, through := false, false
		for p := range planes {
			beyond := 0
			for _, j := range v {
				if planes[p].Dist(k.pos[j]) < 0 {
					beyond++
				}
			}
			out = out || beyond == 3
			through = through || p == nearBorder && beyond > 0
		}
		switch {
		case out:
		case through:
			k.triangle(v)
		default:
			k.idx = append(k.idx, v[0], v[1], v[2])
		}
	}
	it.Pos, it.Nrm, it.Col, it.Idx = k.pos, k.nrm, k.col, k.idx
}

// A cutter cuts the triangles of one object at the near border. Its slices have room for the
// worst case.
type cutter struct {
	pos, nrm, col []vec.Vec3
	idx           []uint32
	near          vec.Plane
}

// triangle keeps the part of a triangle on the inner side: three or four corners.
func (k *cutter) triangle(v [3]uint32) {
	var poly [4]uint32
	n := 0
	for a := range v {
		i, j := v[a], v[(a+1)%3]
		di, dj := k.near.Dist(k.pos[i]), k.near.Dist(k.pos[j])
		if di >= 0 {
			poly[n] = i
			n++
		}
		if di < 0 != (dj < 0) {
			poly[n] = k.between(i, j, di, dj)
			n++
		}
	}
	k.idx = append(k.idx, poly[0], poly[1], poly[2])
	if n == 4 {
		k.idx = append(k.idx, poly[0], poly[2], poly[3])
	}
}

// between adds the vertex at which the line from i to j passes the border. It starts from the
// inner end, so that the neighbour across the edge, which sees it backwards, cuts it at the
// same point.
func (k *cutter) between(i, j uint32, di, dj float32) uint32 {
	if di < 0 {
		i, j, di, dj = j, i, dj, di
	}
	t := di / (di - dj)
	k.pos = append(k.pos, k.pos[i].Lerp(k.pos[j], t))
	k.nrm = append(k.nrm, k.nrm[i].Lerp(k.nrm[j], t))
	if k.col != nil {
		k.col = append(k.col, k.col[i].Lerp(k.col[j], t))
	}
	return uint32(len(k.pos) - 1)
}
