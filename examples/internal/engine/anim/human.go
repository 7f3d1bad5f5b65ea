package anim

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// Bones of the skeleton that [Human] returns, by what hangs on them.
const (
	BoneChest = 4
	BoneHead  = 6
	BoneHandL = 13
	BoneHandR = 34
	BoneFootL = 51
	BoneFootR = 55
)

// Clips of [Human], in their order.
const (
	ClipIdle = iota
	ClipWalk
	ClipDance
	ClipRide
)

// Human returns the skeleton of a figure of 60 bones that stands on the origin and looks along +Z,
// and its clips. It is made by rule: no file is read.
func Human() (*Skeleton, []Clip) {
	h := newHuman()
	return &h.Skeleton, []Clip{
		h.clip("idle", 4, h.idle), h.clip("walk", 1.1, h.walk),
		h.clip("dance", 2, h.dance), h.clip("ride", 3, h.ride),
	}
}

// A human is a skeleton in the making. All bones are level with the model's axes at rest, so
// a turn in a clip is about those.
type human struct {
	Skeleton
	at     []vec.Vec3 // in model space
	spine  []int      // from the pelvis to the head
	arm    [2][]int   // left, right: collar, upper arm, its twist, forearm, its twist, hand
	finger [2][5][]int
	leg    [2][]int // thigh, shin, foot, toe
}

func (h *human) bone(parent int, at vec.Vec3) int {
	t := at
	if parent >= 0 {
		t = at.Sub(h.at[parent])
	}
	h.Parent = append(h.Parent, int16(parent))
	h.at = append(h.at, at)
	h.T = append(h.T, t)
	h.R = append(h.R, vec.QuatIdent)
	h.Bind = append(h.Bind, vec.Translation(at.Neg()))
	return len(h.at) - 1
}

func newHuman() *human {
	h := &human{}
	p := -1
	// pelvis .. chest, neck, head
	for _, y := range []float32{0.96, 1.06, 1.16, 1.27, 1.38, 1.5, 1.58} {
		p = h.bone(p, vec.V3(0, y, 0))
		h.spine = append(h.spine, p)
	}
	chest, head := h.spine[4], h.spine[6]
	for side, x := range [2]float32{1, -1} {
		collar := h.bone(chest, vec.V3(0.05*x, 1.45, 0))
		upper := h.bone(collar, vec.V3(0.18*x, 1.45, 0))
		twist := h.bone(upper, vec.V3(0.31*x, 1.45, 0))
		fore := h.bone(upper, vec.V3(0.46*x, 1.45, 0))
		turn := h.bone(fore, vec.V3(0.58*x, 1.45, 0))
		palm := h.bone(fore, vec.V3(0.70*x, 1.45, 0)) // the wrist
		hand := h.bone(palm, vec.V3(0.72*x, 1.45, 0))
		h.arm[side] = []int{collar, upper, twist, fore, turn, palm, hand}
		for f := range 5 {
			z := 0.036 - 0.018*float32(f)
			start, step := float32(0.79), float32(0.028)
			if f == 0 { // the thumb
				start, z = 0.74, 0.05
			}
			parent, chain := hand, []int(nil)
			for k := range 3 {
				if f == 4 && k == 2 {
					break // the little finger is short
				}
				parent = h.bone(parent, vec.V3((start+step*float32(k))*x, 1.45, z))
				chain = append(chain, parent)
			}
			h.finger[side][f] = chain
		}
	}
	for side, x := range [2]float32{1, -1} {
		thigh := h.bone(0, vec.V3(0.095*x, 0.92, 0))
		shin := h.bone(thigh, vec.V3(0.1*x, 0.5, 0.01))
		foot := h.bone(shin, vec.V3(0.1*x, 0.09, -0.02))
		toe := h.bone(foot, vec.V3(0.1*x, 0.04, 0.1))
		h.leg[side] = []int{thigh, shin, foot, toe}
	}
	h.bone(head, vec.V3(0, 1.6, 0.06))     // jaw
	h.bone(head, vec.V3(0.03, 1.67, 0.1))  // eyes
	h.bone(head, vec.V3(-0.03, 1.67, 0.1)) //
	return h
}

// clip samples a motion at 30 a second. The motion gets the phase 0..1 and turns bones.
func (h *human) clip(name string, seconds float32, motion func(phase float32, p *pose)) Clip {
	const rate = 30
	n := h.Len()
	c := Clip{Name: name, Rate: rate, Samples: int(seconds*rate + 0.5)}
	c.T, c.R = make([]vec.Vec3, c.Samples*n), make([]vec.Quat, c.Samples*n)
	for k := range c.Samples {
		p := pose{c.T[k*n : (k+1)*n], c.R[k*n : (k+1)*n]}
		copy(p.t, h.T)
		copy(p.r, h.R)
		motion(float32(k)/float32(c.Samples), &p)
	}
	return c
}

// A pose is one sample of a clip in the making.
type pose struct {
	t []vec.Vec3
	r []vec.Quat
}

var axisX, axisY, axisZ = vec.V3(1, 0, 0), vec.V3(0, 1, 0), vec.V3(0, 0, 1)

// turn adds a turn after what the bone has.
func (p *pose) turn(bone int, axis vec.Vec3, angle float32) {
	p.r[bone] = vec.AxisAngle(axis, angle).Mul(p.r[bone])
}

// arms lets both arms hang, swung forward by an angle each, with bent elbows and fingers.
func (h *human) arms(p *pose, swing, bend, spread [2]float32) {
	for side, x := range [2]float32{1, -1} {
		a := h.arm[side]
		p.turn(a[3], axisY, -x*bend[side])
		p.turn(a[1], axisZ, -x*(1.4-spread[side]))
		p.turn(a[1], axisX, -swing[side])
		for f := range 5 {
			for _, bone := range h.finger[side][f] {
				p.turn(bone, axisZ, -x*0.25)
			}
		}
	}
}

func wave(phase float32) float32 { return vec.Sin(2 * vec.Pi * phase) }

func (h *human) idle(ph float32, p *pose) {
	b := wave(ph)
	for _, s := range h.spine[1:5] {
		p.turn(s, axisX, 0.012*b)
	}
	p.turn(h.spine[6], axisY, 0.35*wave(ph+0.2))
	p.turn(h.spine[6], axisX, -0.03*b)
	p.t[0].Y -= 0.005 * (1 + b)
	h.arms(p, [2]float32{0.05 * b, 0.05 * b}, [2]float32{0.25, 0.25}, [2]float32{0.05, 0.05})
}

func (h *human) walk(ph float32, p *pose) {
	p.t[0].Y -= 0.02 * (1 + vec.Cos(4*vec.Pi*ph))
	p.t[0].X += 0.015 * wave(ph)
	p.turn(h.spine[0], axisY, 0.1*wave(ph))
	p.turn(h.spine[3], axisY, -0.18*wave(ph))
	p.turn(h.spine[1], axisX, 0.06)
	for side := range 2 {
		q := ph + 0.5*float32(side)
		l := h.leg[side]
		p.turn(l[0], axisX, -0.45*wave(q))
		p.turn(l[1], axisX, 0.12+0.45*(1+wave(q-0.3))/2*1.6*vec.Smooth(-1, 1, wave(q+0.2)))
		p.turn(l[2], axisX, 0.1*wave(q))
	}
	h.arms(p, [2]float32{-0.5 * wave(ph), 0.5 * wave(ph)}, [2]float32{0.45, 0.45},
		[2]float32{0.02, 0.02})
}

func (h *human) dance(ph float32, p *pose) {
	beat := vec.Abs(wave(2 * ph))
	p.t[0].Y -= 0.07 * beat
	p.t[0].X += 0.08 * wave(ph)
	p.turn(h.spine[0], axisZ, 0.1*wave(ph))
	p.turn(h.spine[2], axisY, 0.35*wave(ph))
	p.turn(h.spine[3], axisZ, -0.15*wave(ph))
	p.turn(h.spine[6], axisX, 0.25*beat)
	for side, x := range [2]float32{1, -1} {
		l := h.leg[side]
		p.turn(l[0], axisX, -0.42*beat)
		p.turn(l[1], axisX, 0.82*beat)
		p.turn(l[2], axisX, -0.4*beat)
		p.turn(l[0], axisZ, 0.08*x-0.1*wave(ph))
	}
	h.arms(p, [2]float32{0.8 + 0.8*wave(2*ph), 0.8 - 0.8*wave(2*ph)}, [2]float32{1.1, 1.1},
		[2]float32{0.5 + 0.3*wave(ph), 0.5 - 0.3*wave(ph)})
}

func (h *human) ride(ph float32, p *pose) {
	p.t[0].Y -= 0.13
	p.turn(h.spine[1], axisX, 0.22)
	p.turn(h.spine[3], axisZ, 0.1*wave(ph))
	p.turn(h.spine[6], axisX, -0.18)
	for side, x := range [2]float32{1, -1} {
		l := h.leg[side]
		p.turn(l[0], axisX, -0.62)
		p.turn(l[1], axisX, 1.05)
		p.turn(l[2], axisX, -0.43)
		p.turn(l[0], axisZ, 0.18*x)
		p.turn(l[2], axisZ, -0.18*x)
	}
	h.arms(p, [2]float32{0.3, 0.2}, [2]float32{0.5, 0.4},
		[2]float32{1.1 + 0.15*wave(ph), 1.1 - 0.15*wave(ph)})
}
