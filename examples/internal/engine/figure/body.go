package figure

import (
	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Body is a human whose clothes have no colours yet. Mesh.Color is nil.
type Body struct {
	Skeleton *anim.Skeleton
	Mesh     *anim.Mesh
	Clips    []anim.Clip
	wears    []part // a vertex
}

// part is what covers a limb.
type part uint8

const (
	skin part = iota
	hair
	shirt
	belt
	trousers
	boots
	parts
)

// Human grows a body. cell is the size of its details in metres: 0.025 gives about 3,000
// vertices. It takes a while; one body is enough for a crowd.
func Human(cell float32) *Body {
	s, clips := anim.Human()
	l := limber{at: make([]vec.Vec3, s.Len())}
	for i, p := range s.Parent {
		l.at[i] = s.T[i]
		if p >= 0 {
			l.at[i] = l.at[i].Add(l.at[p]) // at rest no bone is turned
		}
	}
	l.trunk()
	l.side(1, anim.BoneHandL, 49)
	l.side(-1, anim.BoneHandR, 53)
	m, nearest := mesh.Figure(l.limbs, s.Parent, cell, 0.032)
	b := &Body{
		Skeleton: s, Clips: clips, wears: make([]part, len(nearest)),
		Mesh: &anim.Mesh{Pos: m.Pos, Normal: m.Nrm, Joint: m.Joint, Weight: m.Weight, Index: m.Idx},
	}
	for i, k := range nearest {
		b.wears[i] = l.wears[k]
	}
	return b
}

// Colors returns the linear colours of the vertices for the look of a number: the same number
// gives the same look.
func (b *Body) Colors(look uint64) []vec.Vec3 {
	r := vec.NewRand(look)
	pick := func(c ...vec.Vec3) vec.Vec3 { return c[r.Intn(len(c))] }
	var of [parts]vec.Vec3
	of[skin] = pick(vec.V3(0.72, 0.45, 0.32), vec.V3(0.55, 0.32, 0.2), vec.V3(0.3, 0.16, 0.09),
		vec.V3(0.16, 0.085, 0.05))
	of[hair] = pick(vec.V3(0.03, 0.02, 0.015), vec.V3(0.12, 0.06, 0.03), vec.V3(0.35, 0.22, 0.08),
		vec.V3(0.3, 0.08, 0.03))
	of[shirt] = pick(vec.V3(0.5, 0.06, 0.05), vec.V3(0.06, 0.2, 0.42), vec.V3(0.7, 0.45, 0.06),
		vec.V3(0.1, 0.3, 0.13), vec.V3(0.6, 0.56, 0.48), vec.V3(0.28, 0.08, 0.3))
	of[belt] = vec.V3(0.1, 0.05, 0.025)
	of[trousers] = pick(vec.V3(0.06, 0.08, 0.16), vec.V3(0.12, 0.1, 0.08), vec.V3(0.2, 0.17, 0.12),
		vec.V3(0.04, 0.04, 0.045))
	of[boots] = pick(vec.V3(0.06, 0.035, 0.02), vec.V3(0.025, 0.022, 0.02))
	c := make([]vec.Vec3, len(b.wears))
	for i, p := range b.wears {
		c[i] = of[p]
	}
	return c
}

// A limber gathers limbs.
type limber struct {
	at    []vec.Vec3 // of the joints
	limbs []mesh.Limb
	wears []part
}

func (l *limber) add(p part, joint int, a, b vec.Vec3, ra, rb, flat float32) {
	l.limbs = append(l.limbs, mesh.Limb{Joint: joint, A: a, B: b, RA: ra, RB: rb, Flat: flat})
	l.wears = append(l.wears, p)
}

// trunk adds what is in the middle. Joints 0 to 6 go from the pelvis to the head.
func (l *limber) trunk() {
	across := func(p part, joint int, half, y, z, r, flat float32) {
		l.add(p, joint, vec.V3(-half, y, z), vec.V3(half, y, z), r, r, flat)
	}
	across(trousers, 0, 0.065, 0.93, -0.012, 0.098, 0.95)
	across(belt, 0, 0.05, 1.0, -0.002, 0.09, 0.86)
	across(shirt, 1, 0.045, 1.07, 0, 0.093, 0.84)
	across(shirt, 2, 0.045, 1.17, 0.002, 0.098, 0.82)
	across(shirt, 3, 0.06, 1.27, 0.005, 0.105, 0.84)
	across(shirt, 4, 0.09, 1.38, 0.002, 0.105, 0.85)
	across(shirt, 4, 0.07, 1.445, -0.012, 0.06, 0)
	l.add(skin, anim.BoneHead-1, vec.V3(0, 1.47, -0.012), vec.V3(0, 1.57, 0.002), 0.055, 0.05, 0)
	head := anim.BoneHead
	l.add(skin, head, vec.V3(0, 1.62, 0.022), vec.V3(0, 1.69, 0.008), 0.066, 0.082, 1.12)
	l.add(skin, head, vec.V3(0, 1.645, 0.098), vec.V3(0, 1.672, 0.09), 0.015, 0.01, 0) // nose
	l.add(skin, 57, vec.V3(0, 1.588, 0.045), vec.V3(0, 1.6, 0.03), 0.04, 0.045, 0)     // chin
	l.add(hair, head, vec.V3(0, 1.708, -0.012), vec.V3(0, 1.66, -0.03), 0.09, 0.072, 1.05)
	for _, x := range [2]float32{1, -1} { // ears
		l.add(skin, head, vec.V3(0.078*x, 1.64, 0.0), vec.V3(0.082*x, 1.665, -0.005), 0.014, 0.016,
			0)
	}
}

// side adds an arm and a leg; x is 1 on the left and -1 on the right.
func (l *limber) side(x float32, hand, thigh int) {
	const y = 1.45
	collar, upper, twist, fore, turn, palm := hand-6, hand-5, hand-4, hand-3, hand-2, hand-1
	p := func(px, py, pz float32) vec.Vec3 { return vec.V3(px*x, py, pz) }
	l.add(shirt, collar, p(0.08, y-0.02, -0.01), p(0.15, y-0.01, -0.005), 0.07, 0.068, 0)
	l.add(shirt, upper, p(0.18, y, 0), p(0.27, y, 0), 0.066, 0.056, 0)
	l.add(shirt, twist, p(0.29, y, 0), p(0.34, y, 0), 0.055, 0.053, 0)
	l.add(skin, twist, p(0.37, y, 0), p(0.45, y, 0), 0.043, 0.04, 0)
	l.add(skin, fore, p(0.46, y, 0), p(0.55, y, 0), 0.041, 0.043, 0)
	l.add(skin, turn, p(0.57, y, 0), p(0.67, y, 0), 0.04, 0.03, 0)
	l.add(skin, palm, p(0.69, y, 0), p(0.71, y, 0), 0.027, 0.026, 1.2)
	l.add(skin, hand, p(0.735, y, 0), p(0.785, y, 0), 0.024, 0.021, 1.75)
	for f, j := 0, hand+1; f < 5; f++ {
		bones := 3
		if f == 4 {
			bones = 2
		}
		r := float32(0.0135)
		for k := range bones {
			end := l.at[j+k].Add(p(0.024, 0, 0))
			if k+1 < bones {
				end = l.at[j+k+1]
			}
			l.add(skin, j+k, l.at[j+k], end, r, r-0.001, 0)
			r -= 0.001
		}
		j += bones
	}
	shin, foot, toe := thigh+1, thigh+2, thigh+3
	l.add(trousers, thigh, p(0.092, 0.88, -0.01), p(0.1, 0.7, 0), 0.094, 0.08, 0)
	l.add(trousers, thigh, p(0.1, 0.7, 0), p(0.1, 0.53, 0.008), 0.08, 0.064, 0)
	l.add(trousers, shin, p(0.1, 0.49, 0.005), p(0.1, 0.38, -0.012), 0.062, 0.064, 0)
	l.add(trousers, shin, p(0.1, 0.38, -0.012), p(0.1, 0.28, -0.016), 0.064, 0.057, 0)
	l.add(boots, shin, p(0.1, 0.25, -0.018), p(0.1, 0.12, -0.022), 0.058, 0.049, 0)
	l.add(boots, foot, p(0.1, 0.055, -0.05), p(0.1, 0.05, 0.06), 0.052, 0.045, 0)
	l.add(boots, toe, p(0.1, 0.038, 0.09), p(0.1, 0.034, 0.14), 0.04, 0.034, 0)
}
