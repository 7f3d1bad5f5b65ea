package rigid

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A manifold is where two bodies touch, or nearly.
type manifold struct {
	key    uint64
	a, b   int32
	before int32    // its place in the last step's, or -1
	n      int32    // of c
	normal vec.Vec3 // from a to b
	t1, t2 vec.Vec3 // with normal at right angles to each other
	c      [4]contact
}

// A contact is one point of a manifold.
type contact struct {
	ra, rb   vec.Vec3 // from the bodies' centres, when the step began
	la, lb   vec.Vec3 // the same in the bodies' own spaces
	sep      float32  // how far apart, when the step began; negative: overlap
	mn       float32  // what resists an impulse along the normal
	m1, m2   float32  // and across
	pn       float32  // impulses so far
	p1, p2   float32
	peak     float32 // the strongest of pn
	approach float32 // speed along the normal when the step began
}

// Collide computes the contacts of the pairs [lo, hi).
func (w *World) Collide(lo, hi int) {
	for k := lo; k < hi; k++ {
		m := &w.cur[k]
		m.n = 0
		near := float32(margin)
		near += w.Vel[m.b].Sub(w.Vel[m.a]).Len() * w.dt
		w.touch(m, near)
		if m.n == 0 {
			continue
		}
		m.t1 = m.normal.Cross(vec.V3(1, 0, 0))
		if vec.Abs(m.normal.X) > 0.7 {
			m.t1 = m.normal.Cross(vec.V3(0, 1, 0))
		}
		m.t1 = m.t1.Normalize()
		m.t2 = m.normal.Cross(m.t1)
		for i := range m.c[:m.n] {
			c := &m.c[i]
			c.la, c.lb = w.Rot[m.a].Conj().Rotate(c.ra), w.Rot[m.b].Conj().Rotate(c.rb)
			c.pn, c.p1, c.p2, c.peak = 0, 0, 0, 0
		}
		if m.before >= 0 {
			w.inherit(m, &w.old[m.before])
		}
	}
}

// inherit starts the contacts with the impulses of those that were there before.
func (w *World) inherit(m, o *manifold) {
	const same = 0.03 * 0.03
	used := [4]bool{}
	for i := range m.c[:m.n] {
		c := &m.c[i]
		best, at := float32(same), -1
		for j := range o.c[:o.n] {
			if d := o.c[j].lb.Sub(c.lb).Len2(); !used[j] && d < best {
				best, at = d, j
			}
		}
		if at < 0 {
			continue
		}
		used[at] = true
		p := &o.c[at]
		c.pn = p.pn
		across := o.t1.Scale(p.p1).AddScaled(o.t2, p.p2)
		c.p1, c.p2 = across.Dot(m.t1), across.Dot(m.t2)
	}
}

// add appends a contact at a point in the world.
func (w *World) add(m *manifold, p vec.Vec3, sep float32) {
	m.c[m.n] = contact{ra: p.Sub(w.Pos[m.a]), rb: p.Sub(w.Pos[m.b]), sep: sep}
	m.n++
}

// touch finds the contacts of a pair that are less than near apart.
func (w *World) touch(m *manifold, near float32) {
	a, b := int(m.a), int(m.b)
	switch {
	case w.Shape[a] == Ground && w.Shape[b] == Ball:
		w.groundBall(m, near)
	case w.Shape[a] == Ground:
		w.groundBox(m, near)
	case w.Shape[a] == Ball && w.Shape[b] == Ball:
		w.ballBall(m, near)
	case w.Shape[a] == Ball:
		w.boxBall(m, b, a, near)
		m.normal = m.normal.Neg()
	case w.Shape[b] == Ball:
		w.boxBall(m, a, b, near)
	default:
		w.boxBox(m, near)
	}
}

func (w *World) groundBall(m *manifold, near float32) {
	p, r := w.Pos[m.b], w.Half[m.b].X
	if sep := p.Y - r; sep < near {
		m.normal = vec.V3(0, 1, 0)
		w.add(m, vec.V3(p.X, (p.Y-r)/2, p.Z), sep)
	}
}

func (w *World) groundBox(m *manifold, near float32) {
	var s spots
	box := vec.AABB{Min: w.Half[m.b].Neg(), Max: w.Half[m.b]}
	for i := range 8 {
		if p := w.Pos[m.b].Add(w.Rot[m.b].Rotate(box.Corner(i))); p.Y < near {
			s.add(vec.V3(p.X, p.Y/2, p.Z), p.Y)
		}
	}
	m.normal = vec.V3(0, 1, 0)
	w.keep(m, &s)
}

func (w *World) ballBall(m *manifold, near float32) {
	d := w.Pos[m.b].Sub(w.Pos[m.a])
	l := d.Len()
	sep := l - w.Half[m.a].X - w.Half[m.b].X
	if sep >= near {
		return
	}
	m.normal = vec.V3(0, 1, 0)
	if l > 0 {
		m.normal = d.Scale(1 / l)
	}
	w.add(m, w.Pos[m.a].AddScaled(m.normal, w.Half[m.a].X+sep/2), sep)
}

// boxBall leaves the normal from the box to the ball.
func (w *World) boxBall(m *manifold, box, ball int, near float32) {
	c := w.Rot[box].Conj().Rotate(w.Pos[ball].Sub(w.Pos[box]))
	h, r := w.Half[box], w.Half[ball].X
	q := c.Max(h.Neg()).Min(h)
	d := c.Sub(q)
	l := d.Len()
	var n vec.Vec3
	if l > 0 {
		n = d.Scale(1 / l)
	} else { // the centre is inside: out by the nearest side
		o := h.Sub(c.Abs())
		switch {
		case o.X <= o.Y && o.X <= o.Z:
			n, l = vec.V3(sign(c.X), 0, 0), -o.X
		case o.Y <= o.Z:
			n, l = vec.V3(0, sign(c.Y), 0), -o.Y
		default:
			n, l = vec.V3(0, 0, sign(c.Z)), -o.Z
		}
	}
	sep := l - r
	if sep >= near {
		return
	}
	m.normal = w.Rot[box].Rotate(n)
	w.add(m, w.Pos[ball].AddScaled(m.normal, -(r+sep/2)), sep)
}

func sign(x float32) float32 {
	if x < 0 {
		return -1
	}
	return 1
}

// A frame is a box in the world.
type frame struct {
	pos  vec.Vec3
	axis [3]vec.Vec3
	half [3]float32
}

func (w *World) frame(i int32) (f frame) {
	f.pos = w.Pos[i]
	f.axis[0], f.axis[1], f.axis[2] = w.Rot[i].Axes()
	f.half = [3]float32{w.Half[i].X, w.Half[i].Y, w.Half[i].Z}
	return f
}

// boxBox finds the direction in which two boxes overlap least or are farthest apart, among the
// normals of their sides and the cross products of their edges. On a side, the other box's
// nearest side is clipped to it; edges have one contact.
func (w *World) boxBox(m *manifold, near float32) {
	a, b := w.frame(m.a), w.frame(m.b)
	d := b.pos.Sub(a.pos)
	var dot, abs [3][3]float32
	for i := range 3 {
		for j := range 3 {
			dot[i][j] = a.axis[i].Dot(b.axis[j])
			abs[i][j] = vec.Abs(dot[i][j])
		}
	}
	const never = -1e30
	sideA, sepA, sideB, sepB := 0, float32(never), 0, float32(never)
	for i := range 3 {
		s := vec.Abs(d.Dot(a.axis[i])) - a.half[i]
		s -= float32(b.half[0]*abs[i][0]) + float32(b.half[1]*abs[i][1]) +
			float32(b.half[2]*abs[i][2])
		if s > sepA {
			sideA, sepA = i, s
		}
		s = vec.Abs(d.Dot(b.axis[i])) - b.half[i]
		s -= float32(a.half[0]*abs[0][i]) + float32(a.half[1]*abs[1][i]) +
			float32(a.half[2]*abs[2][i])
		if s > sepB {
			sideB, sepB = i, s
		}
	}
	if sepA >= near || sepB >= near {
		return
	}
	edgeA, edgeB, sepE := 0, 0, float32(never)
	var edge vec.Vec3
	for i := range 3 {
		for j := range 3 {
			n := a.axis[i].Cross(b.axis[j])
			l := n.Len()
			if l < 0.05 {
				continue // nearly parallel: the sides say it better
			}
			n = n.Scale(1 / l)
			s := d.Dot(n)
			if s < 0 {
				n, s = n.Neg(), -s
			}
			for k := range 3 {
				s -= float32(a.half[k]*vec.Abs(n.Dot(a.axis[k]))) +
					float32(b.half[k]*vec.Abs(n.Dot(b.axis[k])))
			}
			if s > sepE {
				edgeA, edgeB, sepE, edge = i, j, s, n
			}
		}
	}
	if sepE >= near {
		return
	}
	// Sides are preferred, and of the two boxes the first, so that the choice does not flicker.
	const prefer = 0.004
	switch {
	case sepE > max(sepA, sepB)+prefer:
		m.normal = edge
		w.edges(m, &a, &b, edgeA, edgeB, sepE)
	case sepB > sepA+prefer:
		m.normal = b.axis[sideB].Scale(-sign(d.Dot(b.axis[sideB])))
		w.clip(m, &b, &a, sideB, m.normal, near)
		m.normal = m.normal.Neg()
	default:
		m.normal = a.axis[sideA].Scale(sign(d.Dot(a.axis[sideA])))
		w.clip(m, &a, &b, sideA, m.normal, near)
	}
}

// edges adds the contact of an edge of a and one of b.
func (w *World) edges(m *manifold, a, b *frame, i, j int, sep float32) {
	p, q := a.pos, b.pos
	for k := range 3 {
		if k != i {
			p = p.AddScaled(a.axis[k], a.half[k]*sign(m.normal.Dot(a.axis[k])))
		}
		if k != j {
			q = q.AddScaled(b.axis[k], -b.half[k]*sign(m.normal.Dot(b.axis[k])))
		}
	}
	// The nearest points of two lines with directions of length 1.
	u, v, d := a.axis[i], b.axis[j], q.Sub(p)
	uv := u.Dot(v)
	det := 1 - float32(uv*uv)
	s := (d.Dot(u) - float32(uv*d.Dot(v))) / det
	t := (float32(uv*d.Dot(u)) - d.Dot(v)) / det
	w.add(m, p.AddScaled(u, s).Lerp(q.AddScaled(v, t), 0.5), sep)
}

// clip adds the contacts of a side of one box, with the normal n outward, and the side of the
// other that looks at it most.
func (w *World) clip(m *manifold, on, of *frame, side int, n vec.Vec3, near float32) {
	face, best := 0, float32(-1)
	for k := range 3 {
		if c := vec.Abs(n.Dot(of.axis[k])); c > best {
			face, best = k, c
		}
	}
	u, v := (face+1)%3, (face+2)%3
	center := of.pos.AddScaled(of.axis[face], -of.half[face]*sign(n.Dot(of.axis[face])))
	du, dv := of.axis[u].Scale(of.half[u]), of.axis[v].Scale(of.half[v])
	var buf [2][12]vec.Vec3
	poly := append(buf[0][:0], center.Add(du).Add(dv), center.Sub(du).Add(dv),
		center.Sub(du).Sub(dv), center.Add(du).Sub(dv))
	next := buf[1][:0]
	for k := range 3 {
		if k == side {
			continue
		}
		for _, s := range [2]float32{1, -1} {
			plane := on.axis[k].Scale(s)
			limit := plane.Dot(on.pos) + on.half[k]
			next = next[:0]
			for i, p := range poly {
				q := poly[(i+1)%len(poly)]
				dp, dq := plane.Dot(p)-limit, plane.Dot(q)-limit
				if dp <= 0 {
					next = append(next, p)
				}
				if (dp < 0 && dq > 0) || (dp > 0 && dq < 0) {
					next = append(next, p.Lerp(q, dp/(dp-dq)))
				}
			}
			poly, next = next, poly
			if len(poly) == 0 {
				return
			}
		}
	}
	top := n.Dot(on.pos) + on.half[side]
	var s spots
	for _, p := range poly {
		if sep := n.Dot(p) - top; sep < near {
			s.add(p.AddScaled(n, -sep/2), sep)
		}
	}
	w.keep(m, &s)
}

// spots are candidates for contacts.
type spots struct {
	n   int
	p   [12]vec.Vec3
	sep [12]float32
}

func (s *spots) add(p vec.Vec3, sep float32) {
	s.p[s.n], s.sep[s.n] = p, sep
	s.n++
}

// keep adds the contacts of the spots, or of the four that span most: the deepest, the one
// farthest from it, and the farthest on either side of the line between.
func (w *World) keep(m *manifold, s *spots) {
	if s.n <= 4 {
		for i := range s.n {
			w.add(m, s.p[i], s.sep[i])
		}
		return
	}
	var chosen [4]int
	for i := 1; i < s.n; i++ {
		if s.sep[i] < s.sep[chosen[0]]-0.0005 {
			chosen[0] = i
		}
	}
	first := s.p[chosen[0]]
	far := float32(-1)
	for i := range s.n {
		if d := s.p[i].Sub(first).Len2(); d > far {
			chosen[1], far = i, d
		}
	}
	line := s.p[chosen[1]].Sub(first).Cross(m.normal)
	left, right := float32(0), float32(0)
	chosen[2], chosen[3] = -1, -1
	for i := range s.n {
		switch x := s.p[i].Sub(first).Dot(line); {
		case x > left:
			chosen[2], left = i, x
		case x < right:
			chosen[3], right = i, x
		}
	}
	for _, i := range chosen {
		if i >= 0 {
			w.add(m, s.p[i], s.sep[i])
		}
	}
}
