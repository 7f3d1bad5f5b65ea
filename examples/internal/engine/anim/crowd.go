package anim

import (
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Crowd is a number of characters of one model: a structure of arrays with an element for
// each. A character's methods may run beside those of any other.
type Crowd struct {
	Skeleton *Skeleton
	Clips    []Clip
	Mesh     *Mesh

	Root  []vec.Mat4 // model space to the world's
	Clock []float32  // seconds into the motion
	Speed []float32  // seconds of motion a second
	From  []int16    // the clip that is left
	To    []int16    // the clip that is shown when Blend is 1
	Blend []float32  // 0..1

	// What Pose fills in. Bone b of character i is at [i*bones+b].
	Bones  []vec.Mat4 // the bone's space to the world's
	Skin   []vec.Mat4 // model space as bound to the world's: Bones times Bind
	Bounds []vec.AABB // of the posed mesh, in the world

	reach []vec.AABB // of the vertices that a bone moves, in the bone's space
}

// NewCrowd returns n characters that rest at the origin, or what is wrong with the model.
func NewCrowd(s *Skeleton, clips []Clip, m *Mesh, n int) (*Crowd, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	for i := range clips {
		if err := clips[i].Check(s.Len()); err != nil {
			return nil, err
		}
	}
	if err := m.Check(s.Len()); err != nil {
		return nil, err
	}
	c := &Crowd{
		Skeleton: s, Clips: clips, Mesh: m,
		Root: make([]vec.Mat4, n), Clock: make([]float32, n), Speed: make([]float32, n),
		From: make([]int16, n), To: make([]int16, n), Blend: make([]float32, n),
		Bones: make([]vec.Mat4, n*s.Len()), Skin: make([]vec.Mat4, n*s.Len()),
		Bounds: make([]vec.AABB, n),
	}
	for i := range n {
		c.Root[i], c.Speed[i] = vec.Ident, 1
	}
	c.reach = make([]vec.AABB, s.Len())
	for b := range c.reach {
		c.reach[b] = vec.EmptyAABB()
	}
	for v, j := range m.Joint {
		for k, b := range j {
			if m.Weight[v][k] > 0 {
				c.reach[b] = c.reach[b].Extend(s.Bind[b].Point(m.Pos[v]))
			}
		}
	}
	return c, nil
}

// Len returns the number of characters.
func (c *Crowd) Len() int { return len(c.Root) }

// Advance moves the clock of character i on.
func (c *Crowd) Advance(i int, dt float32) { c.Clock[i] += float32(dt * c.Speed[i]) }

// PoseOf returns the matrices of character i that [Mesh.Skin] takes.
func (c *Crowd) PoseOf(i int) []vec.Mat4 {
	n := c.Skeleton.Len()
	return c.Skin[i*n : (i+1)*n : (i+1)*n]
}

// Bone returns the space of bone b of character i, as last posed.
func (c *Crowd) Bone(i, b int) *vec.Mat4 { return &c.Bones[i*c.Skeleton.Len()+b] }

// A Driven is a bone that something else than a clip moves.
type Driven struct {
	Bone  int
	Space vec.Mat4 // the bone's space to the world's
}

// Pose computes the bones of character i at its clock, under its root.
func (c *Crowd) Pose(i int) { c.PoseBy(i, nil) }

// PoseBy is Pose but for the bones that something else moves, in order of their numbers: these are
// where that says, and what hangs on them follows.
func (c *Crowd) PoseBy(i int, driven []Driven) {
	s := c.Skeleton
	n := s.Len()
	bones, skin := c.Bones[i*n:(i+1)*n], c.Skin[i*n:(i+1)*n]
	var from, to *Clip
	var fa, fb, ta, tb int
	var ft, tt float32
	blend := vec.Clamp(c.Blend[i], 0, 1)
	if len(c.Clips) > 0 {
		from, to = &c.Clips[c.From[i]], &c.Clips[c.To[i]]
		fa, fb, ft = from.at(c.Clock[i])
		ta, tb, tt = to.at(c.Clock[i])
	}
	box := vec.EmptyAABB()
	for b := range n {
		t, r, sc := s.T[b], s.R[b], vec.Vec3{X: 1, Y: 1, Z: 1}
		if s.S != nil {
			sc = s.S[b]
		}
		if to != nil {
			switch {
			case blend == 0:
				t, r, sc = from.sample(n, b, fa, fb, ft, t, sc)
			case blend == 1:
				t, r, sc = to.sample(n, b, ta, tb, tt, t, sc)
			default:
				t0, r0, s0 := from.sample(n, b, fa, fb, ft, t, sc)
				t1, r1, s1 := to.sample(n, b, ta, tb, tt, t, sc)
				t, r, sc = t0.Lerp(t1, blend), r0.Nlerp(r1, blend), s0.Lerp(s1, blend)
			}
		}
		local := vec.TRS(t, r, sc)
		parent := &c.Root[i]
		if p := s.Parent[b]; p >= 0 {
			parent = &bones[p]
		}
		if len(driven) > 0 && driven[0].Bone == b {
			bones[b], driven = driven[0].Space, driven[1:]
		} else {
			bones[b] = parent.Mul(&local)
		}
		skin[b] = bones[b].Mul(&s.Bind[b])
		if !c.reach[b].Empty() {
			box = box.Union(c.reach[b].Transform(&bones[b]))
		}
	}
	c.Bounds[i] = box.Grow(1e-4) // a vertex is a mean of where its bones have it, but for rounding
}

// sample returns bone b between two samples; t and s are at rest.
func (c *Clip) sample(bones, b, k0, k1 int, at float32, t,
	s vec.Vec3) (vec.Vec3, vec.Quat, vec.Vec3) {
	i, j := k0*bones+b, k1*bones+b
	if c.T != nil {
		t = c.T[i].Lerp(c.T[j], at)
	}
	if c.S != nil {
		s = c.S[i].Lerp(c.S[j], at)
	}
	return t, c.R[i].Nlerp(c.R[j], at), s
}
