package rigid

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

const (
	parts     = 4      // short steps in a step
	gravity   = 9.81   // metres a second squared
	threshold = 0.8    // m/s of approach below which nothing bounces
	pushOut   = 3      // m/s at most, to part bodies that overlap
	allowed   = 0.0005 // metres of overlap that are left alone
	airDrag   = 0.05   // shares of the speeds that are lost in a second
	turnDrag  = 0.3
)

// Solve moves the islands [lo, hi) on.
//
// Each short step applies forces and the impulses so far, corrects the velocities so that
// contacts neither approach nor, softly, overlap, moves the bodies, and takes the speed out
// again that only served to part them. Catto, "Solver2D", 2024, compares this with the other
// ways; the contacts' softness is that of a damped spring.
func (w *World) Solve(lo, hi int) {
	h := w.dt / parts
	for is := lo; is < hi; is++ {
		bodies := w.bodies[w.bodyStart[is]:w.bodyStart[is+1]]
		touches := w.touches[w.touchStart[is]:w.touchStart[is+1]]
		held := w.held[w.jointStart[is]:w.jointStart[is+1]]
		for _, k := range touches {
			w.ready(&w.cur[k])
		}
		for _, k := range held {
			w.tighten(&w.joints[k])
		}
		for part := range parts {
			for _, i := range bodies {
				w.Vel[i].Y -= float32(gravity * h)
				w.Vel[i] = w.Vel[i].Scale(1 - airDrag*h)
				w.Spin[i] = w.Spin[i].Scale(1 - turnDrag*h)
			}
			for _, k := range touches {
				w.warm(&w.cur[k])
			}
			for _, k := range held {
				w.pull(&w.joints[k], w.joints[k].p, w.joints[k].q)
			}
			past := float32(part) * h
			for _, k := range held {
				w.hold(&w.joints[k], h, past, true)
			}
			for _, k := range touches {
				w.correct(&w.cur[k], h, past, true)
			}
			for _, i := range bodies {
				w.Pos[i] = w.Pos[i].AddScaled(w.Vel[i], h)
				w.Rot[i] = w.Rot[i].Spin(w.Spin[i], h)
			}
			for _, k := range held {
				w.hold(&w.joints[k], h, past+h, false)
			}
			for _, k := range touches {
				w.correct(&w.cur[k], h, past+h, false)
			}
		}
		for _, k := range touches {
			w.bounce(&w.cur[k])
		}
		for _, k := range touches {
			m := &w.cur[k]
			for i := range m.c[:m.n] {
				p := m.c[i].peak
				w.felt(m.a, p)
				w.felt(m.b, p)
			}
		}
	}
}

func (w *World) felt(i int32, p float32) {
	if w.Kind[i] == Forces {
		w.Impact[i] = max(w.Impact[i], float32(p*w.invMass[i]))
	}
}

// ready computes what stays the same during the step.
func (w *World) ready(m *manifold) {
	for i := range m.c[:m.n] {
		c := &m.c[i]
		c.mn, c.m1, c.m2 = w.resist(m, c, m.normal), w.resist(m, c, m.t1), w.resist(m, c, m.t2)
		c.approach = w.speed(m, c).Dot(m.normal)
	}
}

// resist returns the impulse in a direction that changes the contact's speed by 1.
func (w *World) resist(m *manifold, c *contact, n vec.Vec3) float32 {
	ca, cb := c.ra.Cross(n), c.rb.Cross(n)
	k := w.invMass[m.a] + w.invMass[m.b] + ca.Dot(w.inv[m.a].mul(ca)) + cb.Dot(w.inv[m.b].mul(cb))
	return 1 / k
}

// speed returns how fast b's point of the contact moves, seen from a's.
func (w *World) speed(m *manifold, c *contact) vec.Vec3 {
	vb := w.Vel[m.b].Add(w.Spin[m.b].Cross(c.rb))
	return vb.Sub(w.Vel[m.a]).Sub(w.Spin[m.a].Cross(c.ra))
}

// push applies an impulse to b and its opposite to a, where forces move them: others belong to
// no island and are only read.
func (w *World) push(m *manifold, c *contact, p vec.Vec3) {
	if w.Kind[m.a] == Forces {
		w.Vel[m.a] = w.Vel[m.a].AddScaled(p, -w.invMass[m.a])
		w.Spin[m.a] = w.Spin[m.a].Sub(w.inv[m.a].mul(c.ra.Cross(p)))
	}
	if w.Kind[m.b] == Forces {
		w.Vel[m.b] = w.Vel[m.b].AddScaled(p, w.invMass[m.b])
		w.Spin[m.b] = w.Spin[m.b].Add(w.inv[m.b].mul(c.rb.Cross(p)))
	}
}

func (w *World) warm(m *manifold) {
	for i := range m.c[:m.n] {
		c := &m.c[i]
		w.push(m, c, m.normal.Scale(c.pn).AddScaled(m.t1, c.p1).AddScaled(m.t2, c.p2))
	}
}

// point returns where body i has the point of a contact now, past seconds after the step began.
func (w *World) point(i int32, local, r vec.Vec3, past float32) vec.Vec3 {
	if w.Kind[i] == Forces {
		return w.Pos[i].Add(w.Rot[i].Rotate(local))
	}
	return w.Pos[i].Add(r).AddScaled(w.Vel[i].Add(w.Spin[i].Cross(r)), past)
}

// correct takes from the velocities what makes contacts approach, and if it may, adds what
// makes those part that overlap.
func (w *World) correct(m *manifold, h, past float32, part bool) {
	hertz := float32(30)
	if w.Kind[m.a] != Forces || w.Kind[m.b] != Forces {
		hertz = 60
	}
	rate, full, ease := soft(hertz, 10, h)

	friction := vec.Sqrt(w.Friction[m.a] * w.Friction[m.b])
	for i := range m.c[:m.n] {
		c := &m.c[i]
		apart := w.point(m.b, c.lb, c.rb, past).Sub(w.point(m.a, c.la, c.ra, past))
		s := c.sep + apart.Dot(m.normal)
		bias, f, e := float32(0), float32(1), float32(0)
		if s > 0 {
			bias = s / h // may close the gap in this short step, and no more
		} else if part {
			bias, f, e = max(rate*min(0, s+allowed), -pushOut), full, ease
		}
		vn := w.speed(m, c).Dot(m.normal)
		p := max(0, c.pn-float32(c.mn*f*(vn+bias))-float32(e*c.pn))
		d := p - c.pn
		c.pn, c.peak = p, max(c.peak, p)
		w.push(m, c, m.normal.Scale(d))
	}
	for i := range m.c[:m.n] {
		c := &m.c[i]
		v := w.speed(m, c)
		p1, p2 := c.p1-float32(c.m1*v.Dot(m.t1)), c.p2-float32(c.m2*v.Dot(m.t2))
		limit := float32(friction * c.pn)
		if l := vec.Sqrt(float32(p1*p1) + float32(p2*p2)); l > limit {
			p1, p2 = p1*limit/l, p2*limit/l
		}
		d1, d2 := p1-c.p1, p2-c.p2
		c.p1, c.p2 = p1, p2
		w.push(m, c, m.t1.Scale(d1).AddScaled(m.t2, d2))
	}
}

// bounce gives back a share of the speed with which bodies met.
func (w *World) bounce(m *manifold) {
	e := max(w.Bounce[m.a], w.Bounce[m.b])
	if e == 0 {
		return
	}
	for i := range m.c[:m.n] {
		c := &m.c[i]
		if c.approach > -threshold || c.peak == 0 {
			continue
		}
		vn := w.speed(m, c).Dot(m.normal)
		p := max(0, c.pn-float32(c.mn*(vn+float32(e*c.approach))))
		d := p - c.pn
		c.pn, c.peak = p, max(c.peak, p)
		w.push(m, c, m.normal.Scale(d))
	}
}

// Finish moves those of the bodies [lo, hi) that are on rails and sets the bounds to where
// bodies are now.
func (w *World) Finish(lo, hi int) {
	for i := max(lo, 1); i < hi; i++ {
		switch w.Kind[i] {
		case Gone:
			continue
		case Rails:
			w.Pos[i], w.Rot[i] = w.goal[i], w.goalRot[i]
			w.Vel[i], w.Spin[i] = vec.Vec3{}, vec.Vec3{} // until the next MoveTo
		}
		w.bound(i, 0)
	}
}

// Step moves the world on by dt.
func (w *World) Step(dt float32) {
	w.Begin(dt)
	w.Simulate()
}

// Simulate is all stages from Prepare to Finish.
func (w *World) Simulate() {
	w.Prepare(0, w.Slots())
	w.Sort()
	w.Pairs(0, w.Living())
	w.Gather()
	w.Collide(0, w.PairCount())
	w.Link()
	w.Solve(0, w.Islands())
	w.Finish(0, w.Slots())
}
