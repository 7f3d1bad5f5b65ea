package scene

import (
	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A DollPart is a body of a limp figure, in model space at rest. Its bone goes where the body does,
// and the bones that hang on it.
type DollPart struct {
	Bone         int
	Center, Half vec.Vec3
	// the part that it hangs on, before it in the list; the first one hangs on none
	On    int
	Joint vec.Vec3 // where
	Hertz float32  // how fast it swings back to how it hangs at rest
}

// A Doll says how a model falls down when nobody moves it.
type Doll struct {
	Parts []DollPart
	Hand  int      // the part by which it is dragged
	Grip  vec.Vec3 // and where
}

// A limb is a bone of a figure that pushes bodies: it has a body on rails, which the animation
// moves.
type limb struct {
	bone, body int
	group      int32 // of that body
}

// A joint is a bone of a doll, on one of its bodies.
type joint struct {
	body  int32
	local vec.Mat4 // the bone's space to the body's
}

const limbRadius = 0.09

// limbs gives a figure that pushes others its hands and feet.
func (p *plot) limbs(slot int) {
	s := p.s
	s.stand(slot, p.s.walkerStands(slot))
	s.Crowd.Pose(slot)
	for _, b := range s.limbBones {
		if b >= s.Crowd.Skeleton.Len() {
			continue
		}
		at := s.Crowd.Bone(slot, b).Pos()
		body := s.body(rigid.Body{
			Kind: rigid.Rails, Shape: rigid.Ball, Half: vec.V3(limbRadius, 0, 0), Pos: at,
			Friction: 0.4, Group: s.groups,
		}, lookNone, vec.Vec3{})
		s.limbs[slot] = append(s.limbs[slot], limb{b, body, s.groups})
	}
}

// doll adds a limp figure whose bones go where its bodies are, and returns it and its bodies. A
// model that says nothing of dolls gives one that stands, and no bodies.
func (p *plot) doll(at vec.Vec3, rot vec.Quat, group int32) (ID, []int) {
	s := p.s
	if s.doll == nil {
		id := p.figure(walk{}, anim.ClipIdle, p.r.Range(0, 4))
		s.stand(int(s.Objects.Slot[id]), vec.Translation(vec.V3(at.X, 0, at.Z)))
		return id, nil
	}
	id := p.figure(walk{}, anim.ClipIdle, 0)
	slot := int(s.Objects.Slot[id])
	var bodies []int
	for k, part := range s.doll.Parts {
		half := part.Half
		thing := p.hold(s.thing(rigid.Body{
			Shape: rigid.Box, Half: half, Pos: at.Add(rot.Rotate(part.Center)), Rot: rot,
			Friction: 0.5, Density: 300, Group: group,
		}, lookNone, vec.Vec3{}))
		body := int(s.Objects.Body[thing])
		bodies = append(bodies, body)
		rest, _ := s.Crowd.Skeleton.Bind[part.Bone].Inverse()
		back := vec.Translation(part.Center.Neg())
		s.joints[slot] = append(s.joints[slot], joint{int32(body), back.Mul(&rest)})
		s.driven[slot] = append(s.driven[slot], anim.Driven{Bone: part.Bone})
		if k == 0 {
			s.attach(id, thing, -1, vec.Ident)
		} else if err := s.World.Join(bodies[part.On], body, at.Add(rot.Rotate(part.Joint)),
			part.Hertz); err != nil {
			panic(err)
		}
	}
	s.limp(slot)
	return id, bodies
}

// dragged adds a doll that a figure with limbs drags by its hand.
func (p *plot) dragged(by ID) {
	s := p.s
	slot := int(s.Objects.Slot[by])
	hand := s.limbs[slot]
	if s.doll == nil || len(hand) == 0 {
		p.doll(s.Crowd.Root[slot].Pos().Add(vec.V3(0.7, 0, 0)), vec.QuatIdent, 0)
		return
	}
	lying := vec.AxisAngle(vec.V3(1, 0, 0), -vec.Pi/2)
	grip := s.World.Pos[hand[0].body]
	_, bodies := p.doll(grip.Sub(lying.Rotate(s.doll.Grip)), lying, hand[0].group)
	if err := s.World.Join(hand[0].body, bodies[s.doll.Hand], grip, 0); err != nil {
		panic(err)
	}
}

// limp moves the bones of a doll to where its bodies are.
func (s *Scene) limp(slot int) {
	at := s.shown().Mat
	for k := range s.joints[slot] {
		j := &s.joints[slot][k]
		s.driven[slot][k].Space = at[j.body].Mul(&j.local)
	}
	s.Crowd.PoseBy(slot, s.driven[slot])
}

// Bodies calls f for each body that a dependent reads, if it is fixed to one: all are of one
// island.
func (s *Scene) Bodies(d *Dependent, f func(body int32)) {
	f(d.Body)
	if d.Kind == Figure {
		for k := range s.joints[d.Slot] {
			f(s.joints[d.Slot][k].body)
		}
	}
}
