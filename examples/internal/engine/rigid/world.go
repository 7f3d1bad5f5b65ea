package rigid

import (
	"fmt"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A World is a number of bodies over level ground at height 0, where body 0 stands for the
// ground. Its fields are read freely between stages; Pos, Rot, Vel and Spin of a body that
// moves by forces may be set between steps.
type World struct {
	Kind     []Kind
	Shape    []Shape
	Half     []vec.Vec3 // half extents of a box; a ball has its radius in all three
	Friction []float32
	Bounce   []float32 // 0: none; 1: as high as before

	Pos  []vec.Vec3
	Rot  []vec.Quat
	Vel  []vec.Vec3
	Spin []vec.Vec3

	Impact []float32 // the strongest impulse that a body felt in the last step, per mass: m/s
	Bounds []vec.AABB

	invMass []float32
	invSelf []vec.Vec3 // inverse inertia about the body's axes
	inv     []sym3     // and about the world's
	goal    []vec.Vec3 // where a body on rails is after the step
	goalRot []vec.Quat

	dt       float32
	order    []int32 // living bodies but the ground, by Bounds.Min.X
	free     []int32 // slots for Add, the next to use last
	partner  []int32 // maxPairs for each place in order
	partners []int32
	keys     []uint64
	cur      []manifold // one for each of keys
	old      []manifold // of the step before
	joints   []joint
	group    []int32 // bodies of one group, if that is not 0, do not collide

	parent     []int32 // union-find
	island     []int32 // of each body
	bodyStart  []int32 // island i has bodies[bodyStart[i]:bodyStart[i+1]]
	bodies     []int32
	touchStart []int32 // and manifolds cur[touches[...]]
	touches    []int32
	jointStart []int32 // and joints[held[...]]
	held       []int32
	islands    int
	Dropped    int // pairs in the last step beyond what a body may have: 0 in a sane scene
}

// A Kind says what moves a body.
type Kind uint8

// The kinds.
const (
	Gone   Kind = iota // no body: the slot is free
	Fixed              // never moves
	Rails              // goes where MoveTo says and pushes others
	Forces             // falls and is pushed
)

// A Shape is the form of a body.
type Shape uint8

// The shapes.
const (
	Ground Shape = iota // all below height 0; body 0 alone
	Box
	Ball
)

const maxPairs = 128 // that one body may begin

// New returns a world with ground and room for so many bodies beside it.
func New(bodies int) *World {
	n := bodies + 1
	w := &World{
		Kind: make([]Kind, n), Shape: make([]Shape, n), Half: make([]vec.Vec3, n),
		Friction: make([]float32, n), Bounce: make([]float32, n),
		Pos: make([]vec.Vec3, n), Rot: make([]vec.Quat, n), Vel: make([]vec.Vec3, n),
		Spin:   make([]vec.Vec3, n),
		Impact: make([]float32, n), Bounds: make([]vec.AABB, n),
		invMass: make([]float32, n), invSelf: make([]vec.Vec3, n), inv: make([]sym3, n),
		goal: make([]vec.Vec3, n), goalRot: make([]vec.Quat, n),
		order: make([]int32, 0, n), free: make([]int32, 0, n),
		partner: make([]int32, n*maxPairs), partners: make([]int32, n),
		keys: make([]uint64, 0, n*maxPairs/16), cur: make([]manifold, 0, n*maxPairs/16),
		old:    make([]manifold, 0, n*maxPairs/16),
		parent: make([]int32, n), island: make([]int32, n),
		bodyStart: make([]int32, n+1), bodies: make([]int32, n),
		touchStart: make([]int32, n+1), touches: make([]int32, n*maxPairs/16),
		joints: make([]joint, 0, n), group: make([]int32, n), jointStart: make([]int32, n+1),
		held: make([]int32, n),
	}
	for i := range n {
		w.Rot[i] = vec.QuatIdent
	}
	w.Kind[0], w.Shape[0], w.Friction[0] = Fixed, Ground, 0.7
	for i := n - 1; i > 0; i-- {
		w.free = append(w.free, int32(i))
	}
	return w
}

// Slots returns the number of bodies that there is room for, the ground counted.
func (w *World) Slots() int { return len(w.Kind) }

// Living returns the number of bodies beside the ground.
func (w *World) Living() int { return len(w.order) }

// A Body is what Add needs to know.
type Body struct {
	Kind     Kind
	Shape    Shape
	Half     vec.Vec3 // of a ball only X counts: its radius
	Density  float32  // kg a cubic metre; 0: 500
	Friction float32
	Bounce   float32
	Pos      vec.Vec3
	Rot      vec.Quat // zero: not turned
	Vel      vec.Vec3
	Group    int32 // bodies of one group do not collide; 0: none
}

// Add puts a body into the world between steps and returns its index, or an error when there
// is no room.
func (w *World) Add(b Body) (int, error) {
	if len(w.free) == 0 {
		return 0, fmt.Errorf("rigid: no room for more than %d bodies", w.Slots()-1)
	}
	if b.Shape == Ground || b.Kind == Gone || !(b.Half.X > 0) ||
		b.Shape == Box && !(b.Half.Y > 0 && b.Half.Z > 0) {
		return 0, fmt.Errorf("rigid: not a body: kind %d, shape %d, half extents %v", b.Kind,
			b.Shape, b.Half)
	}
	i := int(w.free[len(w.free)-1])
	w.free = w.free[:len(w.free)-1]
	if b.Rot == (vec.Quat{}) {
		b.Rot = vec.QuatIdent
	}
	if b.Density == 0 {
		b.Density = 500
	}
	h := b.Half
	var m float32
	var self vec.Vec3
	if b.Shape == Ball {
		h = vec.V3(h.X, h.X, h.X)
		m = b.Density * 4 / 3 * vec.Pi * h.X * h.X * h.X
		self = vec.V3(1, 1, 1).Scale(5 / (2 * m * h.X * h.X))
	} else {
		m = b.Density * 8 * h.X * h.Y * h.Z
		q := h.Mul(h)
		self = vec.V3(3/(m*(q.Y+q.Z)), 3/(m*(q.X+q.Z)), 3/(m*(q.X+q.Y)))
	}
	if b.Kind != Forces {
		m, self = 0, vec.Vec3{}
	} else {
		m = 1 / m
	}
	w.Kind[i], w.Shape[i], w.Half[i], w.Friction[i], w.Bounce[i] = b.Kind, b.Shape, h, b.Friction,
		b.Bounce
	w.invMass[i], w.invSelf[i] = m, self
	w.Pos[i], w.Rot[i], w.Vel[i], w.Spin[i] = b.Pos, b.Rot, b.Vel, vec.Vec3{}
	w.goal[i], w.goalRot[i] = b.Pos, b.Rot
	w.Impact[i], w.group[i] = 0, b.Group
	w.bound(i, 0)
	w.order = append(w.order, int32(i))
	return i, nil
}

// Remove takes a body out between steps. Its index will be given to another.
func (w *World) Remove(i int) {
	if i == 0 || w.Kind[i] == Gone {
		panic("rigid: Remove of what is no body")
	}
	w.Kind[i] = Gone
	for k, o := range w.order {
		if int(o) == i {
			w.order = append(w.order[:k], w.order[k+1:]...)
			break
		}
	}
	w.free = append(w.free, int32(i))
	w.part(i)
	// What touched it must not hand its impulses to the slot's next body.
	for k := range w.cur {
		if m := &w.cur[k]; int(m.a) == i || int(m.b) == i {
			m.n = 0
		}
	}
}

// MoveTo says where a body on rails is after the next step, which lasts dt.
func (w *World) MoveTo(i int, pos vec.Vec3, rot vec.Quat, dt float32) {
	if w.Kind[i] != Rails {
		panic("rigid: MoveTo of a body that is not on rails")
	}
	w.goal[i], w.goalRot[i] = pos, rot
	w.Vel[i] = pos.Sub(w.Pos[i]).Scale(1 / dt)
	turn := rot.Mul(w.Rot[i].Conj())
	s := 2 / dt
	if turn.W < 0 {
		s = -s
	}
	w.Spin[i] = vec.V3(turn.X, turn.Y, turn.Z).Scale(s) // small turns: the sine is the angle
}

// Matrix returns the space of body i as matrix, after the last step.
func (w *World) Matrix(i int) vec.Mat4 { return vec.Rigid(w.Pos[i], w.Rot[i]) }

// Digest returns h after the state of all bodies.
func (w *World) Digest(h vec.Hash) vec.Hash {
	for i, k := range w.Kind {
		if k == Gone {
			h = h.Int(-1)
			continue
		}
		h = h.Word(uint64(k)<<8 | uint64(w.Shape[i])).Vec3(w.Half[i]).Float(w.Impact[i])
		h = h.Vec3(w.Pos[i]).Vec3(w.Vel[i]).Vec3(w.Spin[i])
		h = h.Vec3(vec.V3(w.Rot[i].X, w.Rot[i].Y, w.Rot[i].Z)).Float(w.Rot[i].W)
	}
	return h
}

// A sym3 is a symmetric 3x3 matrix.
type sym3 struct{ xx, xy, xz, yy, yz, zz float32 }

func (m *sym3) mul(v vec.Vec3) vec.Vec3 {
	return vec.Vec3{
		X: float32(m.xx*v.X) + float32(m.xy*v.Y) + float32(m.xz*v.Z),
		Y: float32(m.xy*v.X) + float32(m.yy*v.Y) + float32(m.yz*v.Z),
		Z: float32(m.xz*v.X) + float32(m.yz*v.Y) + float32(m.zz*v.Z),
	}
}

// outer adds s times the product of a with itself.
func (m *sym3) outer(a vec.Vec3, s float32) {
	x, y, z := a.X*s, a.Y*s, a.Z*s
	m.xx += float32(a.X * x)
	m.xy += float32(a.X * y)
	m.xz += float32(a.X * z)
	m.yy += float32(a.Y * y)
	m.yz += float32(a.Y * z)
	m.zz += float32(a.Z * z)
}
