package mesh

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// Box returns a box about the origin with flat sides.
func Box(half vec.Vec3) *Mesh {
	m := &Mesh{}
	for axis := range 3 {
		for _, sign := range [2]float32{-1, 1} {
			var n, u, v vec.Vec3
			switch axis {
			case 0:
				n, u, v = vec.V3(sign, 0, 0), vec.V3(0, sign, 0), vec.V3(0, 0, 1)
			case 1:
				n, u, v = vec.V3(0, sign, 0), vec.V3(0, 0, sign), vec.V3(1, 0, 0)
			case 2:
				n, u, v = vec.V3(0, 0, sign), vec.V3(sign, 0, 0), vec.V3(0, 1, 0)
			}
			m.quad(n.Sub(u).Sub(v).Mul(half), n.Add(u).Sub(v).Mul(half),
				n.Add(u).Add(v).Mul(half), n.Sub(u).Add(v).Mul(half), n)
		}
	}
	m.Measure()
	return m
}

// quad adds four corners in counter-clockwise order and the two triangles between them.
func (m *Mesh) quad(a, b, c, d, n vec.Vec3) {
	i := uint32(len(m.Pos))
	m.Pos = append(m.Pos, a, b, c, d)
	m.Nrm = append(m.Nrm, n, n, n, n)
	m.Idx = append(m.Idx, i, i+1, i+2, i, i+2, i+3)
}

// Ground returns a level grid of nx by nz cells about the origin that looks up.
func Ground(sizeX, sizeZ float32, nx, nz int) *Mesh {
	m := &Mesh{Idx: GridIndices(nx+1, nz+1)}
	for z := range nz + 1 {
		for x := range nx + 1 {
			m.Pos = append(m.Pos, vec.V3(sizeX*(float32(x)/float32(nx)-0.5), 0,
				sizeZ*(float32(z)/float32(nz)-0.5)))
			m.Nrm = append(m.Nrm, vec.V3(0, 1, 0))
		}
	}
	m.Measure()
	return m
}

// GridIndices returns the triangles of a grid of nx by ny points, row after row. The outside
// is where the points of a row run to the right and the rows run towards the viewer's feet.
func GridIndices(nx, ny int) []uint32 {
	idx := make([]uint32, 0, 6*(nx-1)*(ny-1))
	for y := range ny - 1 {
		for x := range nx - 1 {
			a := uint32(y*nx + x)
			b, c, d := a+1, a+uint32(nx), a+uint32(nx)+1
			// The diagonals alternate, so that a cloth folds alike to both sides.
			if (x+y)%2 == 0 {
				idx = append(idx, a, c, d, a, d, b)
			} else {
				idx = append(idx, a, c, b, b, c, d)
			}
		}
	}
	return idx
}

// Lathe returns a profile turned about the Y axis. A point of the profile is a radius and a
// height, from the bottom up; where two neighbours are equal there is an edge, elsewhere the
// normals are smooth. Ends of radius 0 are closed.
func Lathe(profile []vec.Vec2, segments int) *Mesh {
	m := &Mesh{}
	row := uint32(segments + 1)
	for i := 0; i+1 < len(profile); i++ {
		if profile[i] == profile[i+1] {
			continue
		}
		n0, n1 := profileNormal(profile, i, -1), profileNormal(profile, i, +1)
		base := uint32(len(m.Pos))
		for k, p := range [2]vec.Vec2{profile[i], profile[i+1]} {
			n := [2]vec.Vec2{n0, n1}[k]
			for s := range segments + 1 {
				sin, cos := vec.Sincos(2 * vec.Pi * float32(s%segments) / float32(segments))
				m.Pos = append(m.Pos, vec.V3(p.X*cos, p.Y, -p.X*sin))
				m.Nrm = append(m.Nrm, vec.V3(n.X*cos, n.Y, -n.X*sin))
			}
		}
		for s := range uint32(segments) {
			a, b, c, d := base+s, base+s+1, base+row+s, base+row+s+1
			if profile[i].X > 0 {
				m.Idx = append(m.Idx, a, b, d)
			}
			if profile[i+1].X > 0 {
				m.Idx = append(m.Idx, a, d, c)
			}
		}
	}
	m.Measure()
	return m
}

// profileNormal returns the normal of the line i of a profile at its lower (side < 0) or upper
// end: the mean with its neighbour's, unless there is an edge.
func profileNormal(profile []vec.Vec2, i, side int) vec.Vec2 {
	line := func(i int) vec.Vec2 {
		d := profile[i+1].Sub(profile[i])
		return vec.Vec2{X: d.Y, Y: -d.X}.Scale(1 / vec.Sqrt(d.Dot(d)))
	}
	n := line(i)
	j := i + side
	if j < 0 || j+1 >= len(profile) || profile[j] == profile[j+1] {
		return n
	}
	n = n.Add(line(j))
	if l := n.Dot(n); l > 0 {
		return n.Scale(1 / vec.Sqrt(l))
	}
	return line(i)
}

// Sphere returns a ball about the origin.
func Sphere(radius float32, segments int) *Mesh {
	rings := max(segments/2, 2)
	profile := make([]vec.Vec2, rings+1)
	for i := range profile {
		sin, cos := vec.Sincos(vec.Pi * float32(i) / float32(rings))
		profile[i] = vec.Vec2{X: radius * sin, Y: -radius * cos}
	}
	profile[0].X, profile[rings].X = 0, 0
	return Lathe(profile, segments)
}

// Boulder returns an icosahedron of radius 1 about the origin that is shaded as if it were round.
func Boulder() *Mesh {
	const g = 1.618034 // corners are at the ends of three rectangles with sides of that ratio
	m := &Mesh{}
	for k := range 12 {
		a, b := float32(1-k&1*2), g*float32(1-k&2)
		p := [3]vec.Vec3{{Y: a, Z: b}, {X: a, Y: b}, {X: b, Z: a}}[k/4].Normalize()
		m.Pos, m.Nrm = append(m.Pos, p), append(m.Nrm, p)
	}
	m.Measure()
	near := m.Pos[0].Dist(m.Pos[1]) * 1.01
	for i, p := range m.Pos {
		for j := i + 1; j < 12; j++ {
			for k := i + 1; k < 12; k++ {
				q, r := m.Pos[j], m.Pos[k]
				if j != k && p.Dist(q) < near && q.Dist(r) < near && r.Dist(p) < near &&
					p.Dot(q.Cross(r)) > 0 {
					m.Idx = append(m.Idx, uint32(i), uint32(j), uint32(k))
				}
			}
		}
	}
	return m
}

// Column returns a round column that stands on the ground, with a square plinth and a square
// slab on top. The radius is that of the shaft at its foot.
func Column(radius, height float32, segments int) *Mesh {
	r, h := radius, height
	at := func(x, y float32) vec.Vec2 { return vec.Vec2{X: r * x, Y: y} }
	b, t := 0.45*r, h-0.9*r // top of the plinth, foot of the capital
	profile := []vec.Vec2{
		at(1.35, b), at(1.42, b+0.12*r), at(1.35, b+0.26*r), at(1.12, b+0.32*r), at(1.12, b+0.32*r),
		at(1.18, b+0.4*r), at(1.14, b+0.5*r), at(1, b+0.56*r), at(1, b+0.56*r),
	}
	for i := 1; i <= 6; i++ { // the shaft swells a little and then narrows
		u := float32(i) / 6
		profile = append(profile, at(1+0.08*u-0.26*u*u, vec.Lerp(b+0.56*r, t, u)))
	}
	profile = append(profile, at(0.82, t), at(0.95, t+0.05*r), at(0.95, t+0.13*r),
		at(0.84, t+0.18*r),
		at(0.84, t+0.18*r), at(0.9, t+0.3*r), at(1.25, t+0.55*r), at(1.25, t+0.55*r))
	m := &Mesh{}
	one := vec.V3(1, 1, 1)
	m.Add(Lathe(profile, segments), vec.Ident, one)
	m.Add(Box(vec.V3(1.5*r, b/2, 1.5*r)), vec.Translation(vec.V3(0, b/2, 0)), one)
	m.Add(Box(vec.V3(1.4*r, 0.175*r, 1.4*r)), vec.Translation(vec.V3(0, h-0.175*r, 0)), one)
	return m
}
