package scene

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// An ID is the number of an object. A number is used again after its object is gone.
type ID int32

// None is no object.
const None ID = -1

// A Kind says what an object is, and so what Slot is an index of.
type Kind uint8

// The kinds.
const (
	Group   Kind = iota // holds others
	Stone               // of draw.Static: never moves
	Camera              // there is one
	Thing               // a body that forces move
	Engine              // a body on rails that follows a rule
	Figure              // of anim.Crowd; Body is what it pushes others with, or 0
	Emitter             // of particle.System
	Patch               // of cloth.Set
	Voice               // of audio.Score
	kinds
)

// maxRefs is how many others an object can hold; a group goes on in the group it holds last.
const maxRefs = 4

// Objects is what all objects have in common: a structure of arrays by ID.
type Objects struct {
	Alive []bool
	Kind  []Kind
	Slot  []int32
	Body  []int32       // of rigid.World, or 0
	On    []ID          // what it is fixed to, or None
	Bone  []int16       // of the figure On, or -1
	Local []vec.Mat4    // its place on that
	Refs  [][maxRefs]ID // what it holds: None, or alive
	Class []Class       // by Classify
	Place []vec.Vec3    // where a dependent was put in its last update
	free  []ID
}

func newObjects(n int) Objects {
	o := Objects{
		Alive: make([]bool, n), Kind: make([]Kind, n), Slot: make([]int32, n),
		Body: make([]int32, n),
		On:   make([]ID, n), Bone: make([]int16, n), Local: make([]vec.Mat4, n),
		Refs:  make([][maxRefs]ID, n),
		Class: make([]Class, n), Place: make([]vec.Vec3, n), free: make([]ID, n),
	}
	for i := range n {
		o.free[i] = ID(n - 1 - i)
	}
	return o
}

// Len returns the number of IDs.
func (o *Objects) Len() int { return len(o.Alive) }

// room reports whether n more fit.
func (o *Objects) room(n int) bool { return len(o.free) >= n }

func (o *Objects) add(k Kind, slot, body int) ID {
	i := o.free[len(o.free)-1]
	o.free = o.free[:len(o.free)-1]
	o.Alive[i], o.Kind[i], o.Slot[i], o.Body[i] = true, k, int32(slot), int32(body)
	o.On[i], o.Bone[i], o.Local[i] = None, -1, vec.Ident
	o.Refs[i] = [maxRefs]ID{None, None, None, None}
	o.Place[i] = vec.Vec3{}
	return i
}

func (o *Objects) remove(i ID) {
	o.Alive[i] = false
	o.free = append(o.free, i)
}

// attach fixes i to an object that it also holds from then on.
func (o *Objects) attach(i, on ID, bone int, local vec.Mat4) {
	o.On[i], o.Bone[i], o.Local[i] = on, int16(bone), local
	o.Refs[i][0] = on
}

// hold makes a group hold another object, in a further group if it is full.
func (o *Objects) hold(group, other ID) {
	for {
		for k := range maxRefs - 1 {
			if o.Refs[group][k] == None {
				o.Refs[group][k] = other
				return
			}
		}
		if o.Refs[group][maxRefs-1] == None {
			o.Refs[group][maxRefs-1] = o.add(Group, 0, 0)
		}
		group = o.Refs[group][maxRefs-1]
	}
}
