package rigid

import (
	"fmt"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A joint holds two bodies together at a point, as a ball in its socket, and turns them softly back
// to how they were towards each other when they were joined.
type joint struct {
	a, b   int32
	la, lb vec.Vec3 // the point, in the bodies' own spaces
	rest   vec.Quat // how b was turned in a's space
	hertz  float32  // of the soft turn

	ra, rb vec.Vec3 // from the bodies' centres, when the step began
	firm   sym3     // the impulse at the point that changes the speed there by 1
	stiff  sym3     // likewise for a turn
	p, q   vec.Vec3 // impulses so far, at the point and about it
}

// Join holds two bodies together at a point of the world, between steps. At least one of them moves
// by forces. hertz says how fast they swing back to how they are now: 0 lets them turn freely. An
// error says why that cannot be.
func (w *World) Join(a, b int, at vec.Vec3, hertz float32) error {
	switch {
	case len(w.joints) == cap(w.joints):
		return fmt.Errorf("rigid: no room for more than %d joints", cap(w.joints))
	case a == b || w.Kind[a] == Gone || w.Kind[b] == Gone ||
		w.Kind[a] != Forces && w.Kind[b] != Forces:
		return fmt.Errorf("rigid: a joint of the bodies %d and %d, of kinds %d and %d", a, b,
			w.Kind[a], w.Kind[b])
	}
	w.joints = append(w.joints, joint{
		a: int32(a), b: int32(b), hertz: hertz,
		la: w.Rot[a].Conj().Rotate(at.Sub(w.Pos[a])), lb: w.Rot[b].Conj().Rotate(at.Sub(w.Pos[b])),
		rest: w.Rot[a].Conj().Mul(w.Rot[b]),
	})
	return nil
}

// part drops the joints of a body that is taken out.
func (w *World) part(body int) {
	kept := w.joints[:0]
	for _, j := range w.joints {
		if int(j.a) != body && int(j.b) != body {
			kept = append(kept, j)
		}
	}
	w.joints = kept
}

// Slack returns how far the two bodies of the loosest joint are apart where it holds them together.
func (w *World) Slack() (most float32) {
	for i := range w.joints {
		j := &w.joints[i]
		most = max(most, w.at(j.a, j.la).Dist(w.at(j.b, j.lb)))
	}
	return most
}

// at returns where body i has a point of its own space.
func (w *World) at(i int32, local vec.Vec3) vec.Vec3 {
	return w.Pos[i].Add(w.Rot[i].Rotate(local))
}

// tighten computes what stays the same for a joint during the step.
func (w *World) tighten(j *joint) {
	j.ra, j.rb = w.Rot[j.a].Rotate(j.la), w.Rot[j.b].Rotate(j.lb)
	m := w.invMass[j.a] + w.invMass[j.b]
	column := func(e vec.Vec3) vec.Vec3 {
		a, b := w.inv[j.a].mul(j.ra.Cross(e)).Cross(j.ra), w.inv[j.b].mul(j.rb.Cross(e)).Cross(j.rb)
		return e.Scale(m).Add(a).Add(b)
	}
	x, y, z := column(vec.V3(1, 0, 0)), column(vec.V3(0, 1, 0)), column(vec.V3(0, 0, 1))
	j.firm = sym3{x.X, y.X, z.X, y.Y, z.Y, z.Z}.inverse()
	a, b := w.inv[j.a], w.inv[j.b]
	j.stiff = sym3{a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz +
		b.zz}.inverse()
}

// pull applies an impulse to b at the joint and its opposite to a, and a turn likewise.
func (w *World) pull(j *joint, p, q vec.Vec3) {
	if w.Kind[j.a] == Forces {
		w.Vel[j.a] = w.Vel[j.a].AddScaled(p, -w.invMass[j.a])
		w.Spin[j.a] = w.Spin[j.a].Sub(w.inv[j.a].mul(j.ra.Cross(p).Add(q)))
	}
	if w.Kind[j.b] == Forces {
		w.Vel[j.b] = w.Vel[j.b].AddScaled(p, w.invMass[j.b])
		w.Spin[j.b] = w.Spin[j.b].Add(w.inv[j.b].mul(j.rb.Cross(p).Add(q)))
	}
}

// hold takes from the velocities what parts the bodies at the joint, and if it may, adds what
// brings them together again and turns them back.
func (w *World) hold(j *joint, h, past float32, mend bool) {
	if mend && j.hertz > 0 {
		rate, full, ease := soft(j.hertz, 1, h)
		turn := w.Rot[j.b].Mul(w.Rot[j.a].Mul(j.rest).Conj())
		s := float32(2)
		if turn.W < 0 {
			s = -s
		}
		amiss := vec.V3(turn.X, turn.Y, turn.Z).Scale(s * rate)
		d := j.stiff.mul(w.Spin[j.b].Sub(w.Spin[j.a]).Add(amiss)).Scale(-full).AddScaled(j.q, -ease)
		j.q = j.q.Add(d)
		w.pull(j, vec.Vec3{}, d)
	}
	v := w.Vel[j.b].Add(w.Spin[j.b].Cross(j.rb)).Sub(w.Vel[j.a]).Sub(w.Spin[j.a].Cross(j.ra))
	full, ease := float32(1), float32(0)
	if mend {
		var rate float32
		rate, full, ease = soft(60, 2, h)
		apart := w.point(j.b, j.lb, j.rb, past).Sub(w.point(j.a, j.la, j.ra, past))
		v = v.AddScaled(apart, rate)
	}
	d := j.firm.mul(v).Scale(-full).AddScaled(j.p, -ease)
	j.p = j.p.Add(d)
	w.pull(j, d, vec.Vec3{})
}

// soft returns how a damped spring of a frequency and a damping ratio mends in short steps of h:
// which share of what is amiss a second, and how the impulses that do so are weakened.
func soft(hertz, damping, h float32) (rate, full, ease float32) {
	omega := 2 * vec.Pi * hertz
	a1 := 2*damping + float32(h*omega)
	a2 := h * omega * a1
	return omega / a1, a2 / (1 + a2), 1 / (1 + a2)
}

// inverse returns the inverse of a matrix that has one.
func (m sym3) inverse() sym3 {
	xx, xy, xz := float32(m.yy*m.zz)-float32(m.yz*m.yz), float32(m.xz*m.yz)-float32(m.xy*m.zz),
		float32(m.xy*m.yz)-float32(m.xz*m.yy)
	d := 1 / (float32(m.xx*xx) + float32(m.xy*xy) + float32(m.xz*xz))
	return sym3{
		xx: xx * d, xy: xy * d, xz: xz * d,
		yy: (float32(m.xx*m.zz) - float32(m.xz*m.xz)) * d,
		yz: (float32(m.xy*m.xz) - float32(m.xx*m.yz)) * d,
		zz: (float32(m.xx*m.yy) - float32(m.xy*m.xy)) * d,
	}
}
