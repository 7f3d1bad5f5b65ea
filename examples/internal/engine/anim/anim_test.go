package anim_test

import (
	"strings"
	"testing"

	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// pegs is a mesh with a triangle at each bone of a skeleton whose bones are not turned at rest. A
// triangle hangs on its bone for the most part, and on the bone's parent for the rest.
func pegs(s *anim.Skeleton) *anim.Mesh {
	m := &anim.Mesh{}
	at := make([]vec.Vec3, s.Len())
	for i, p := range s.Parent {
		at[i] = s.T[i]
		if p >= 0 {
			at[i] = at[i].Add(at[p])
		}
		for k := range 3 {
			corner := vec.V3(0.02*float32(k%2), 0.02*float32(k/2), 0.02*float32(k/2))
			m.Index = append(m.Index, uint32(len(m.Pos)))
			m.Pos = append(m.Pos, at[i].Add(corner))
			m.Normal = append(m.Normal, vec.V3(0, -1, 1).Normalize())
			m.Joint = append(m.Joint, [4]uint16{uint16(i), uint16(max(p, 0))})
			m.Weight = append(m.Weight, [4]float32{0.8, 0.2})
		}
	}
	return m
}

func humans(t *testing.T, n int) *anim.Crowd {
	t.Helper()
	s, clips := anim.Human()
	c, err := anim.NewCrowd(s, clips, pegs(s), n)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestHuman(t *testing.T) {
	c := humans(t, 1)
	if n := c.Skeleton.Len(); n != 60 {
		t.Errorf("%d bones", n)
	}
	for _, bone := range []int{anim.BoneHandL, anim.BoneHandR, anim.BoneHead} {
		if c.Skeleton.Parent[bone] < 0 {
			t.Errorf("bone %d is a root", bone)
		}
	}
}

func TestSkinAtRestIsTheMesh(t *testing.T) {
	s, _ := anim.Human()
	m := pegs(s)
	c, err := anim.NewCrowd(s, nil, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	c.Root[0] = vec.Translation(vec.V3(3, 0, 1))
	c.Pose(0)
	pos, normal := make([]vec.Vec3, len(m.Pos)), make([]vec.Vec3, len(m.Pos))
	m.Skin(c.PoseOf(0), pos, normal, 0, len(pos))
	for v := range pos {
		if d := pos[v].Dist(m.Pos[v].Add(vec.V3(3, 0, 1))); d > 1e-4 {
			t.Fatalf("vertex %d is %v off", v, d)
		}
		if d := normal[v].Dist(m.Normal[v]); d > 1e-3 {
			t.Fatalf("normal %d is %v off", v, d)
		}
	}
}

// TestEveryMotion holds of every clip at any time: feet near the floor, no limb torn, bounds
// that hold every vertex, and no jump where the motion repeats.
func TestEveryMotion(t *testing.T) {
	c := humans(t, 1)
	m := c.Mesh
	pos, normal := make([]vec.Vec3, len(m.Pos)), make([]vec.Vec3, len(m.Pos))
	last := make([]vec.Vec3, len(m.Pos))
	for clip := range c.Clips {
		c.From[0], c.To[0], c.Blend[0] = int16(clip), int16(clip), 1
		const steps = 240
		for k := range steps + 2 {
			c.Clock[0] = c.Clips[clip].Duration() * float32(k) / steps
			c.Pose(0)
			m.Skin(c.PoseOf(0), pos, normal, 0, len(pos))
			low := float32(9)
			for v, p := range pos {
				if !c.Bounds[0].Contains(p) {
					t.Fatalf("%s at %d: vertex %d is outside the bounds", c.Clips[clip].Name, k, v)
				}
				if d := p.Dist(last[v]); k > 0 && d > 0.06 {
					t.Fatalf("%s at %d: vertex %d jumps %v", c.Clips[clip].Name, k, v, d)
				}
				low = min(low, p.Y)
			}
			copy(last, pos)
			if low < -0.07 || low > 0.1 {
				t.Fatalf("%s at %d: the lowest point is at %v", c.Clips[clip].Name, k, low)
			}
			for b := range c.Skeleton.Len() {
				if p := c.Skeleton.Parent[b]; p > 0 { // the pelvis itself is moved
					got, want := c.Bone(0, b).Pos().Dist(c.Bone(0,
						int(p)).Pos()), c.Skeleton.T[b].Len()
					if vec.Abs(got-want) > 1e-3 {
						t.Fatalf("%s at %d: bone %d is %v long, not %v", c.Clips[clip].Name, k, b,
							got, want)
					}
				}
			}
		}
	}
}

func TestBlendGoesFromOneToTheOther(t *testing.T) {
	c := humans(t, 3)
	for i, b := range []float32{0, 1, 0.5} {
		c.From[i], c.To[i], c.Blend[i], c.Clock[i] = anim.ClipIdle, anim.ClipDance, b, 0.3
		c.Pose(i)
	}
	ref := humans(t, 2)
	for i, clip := range []int16{anim.ClipIdle, anim.ClipDance} {
		ref.From[i], ref.To[i], ref.Blend[i], ref.Clock[i] = clip, clip, 1, 0.3
		ref.Pose(i)
		if *ref.Bone(i, anim.BoneHandL) != *c.Bone(i, anim.BoneHandL) {
			t.Errorf("end %d of the blend is not its clip", i)
		}
	}
	a, b, m := c.Bone(0, anim.BoneHandL).Pos(), c.Bone(1, anim.BoneHandL).Pos(), c.Bone(2,
		anim.BoneHandL).Pos()
	if m.Dist(a) >= b.Dist(a) || m.Dist(b) >= b.Dist(a) {
		t.Errorf("the middle %v is not between %v and %v", m, a, b)
	}
}

// TestCutsDoNotMatter skins in uneven ranges, backwards, and compares bit for bit.
func TestCutsDoNotMatter(t *testing.T) {
	c := humans(t, 1)
	c.To[0], c.Blend[0], c.Clock[0] = anim.ClipWalk, 0.7, 12.34
	c.Pose(0)
	n := len(c.Mesh.Pos)
	pos, normal := make([]vec.Vec3, n), make([]vec.Vec3, n)
	c.Mesh.Skin(c.PoseOf(0), pos, normal, 0, n)
	p2, n2 := make([]vec.Vec3, n), make([]vec.Vec3, n)
	for hi := n; hi > 0; {
		lo := max(0, hi-37)
		c.Mesh.Skin(c.PoseOf(0), p2, n2, lo, hi)
		hi = lo
	}
	var h vec.Hash
	if h.Vec3s(pos).Vec3s(normal) != h.Vec3s(p2).Vec3s(n2) {
		t.Error("the cut shows")
	}
}

func TestNoAllocation(t *testing.T) {
	c := humans(t, 1)
	c.To[0], c.Blend[0] = anim.ClipWalk, 0.5
	pos, normal := make([]vec.Vec3, len(c.Mesh.Pos)), make([]vec.Vec3, len(c.Mesh.Pos))
	if n := testing.AllocsPerRun(10, func() {
		c.Advance(0, 0.016)
		c.Pose(0)
		c.Mesh.Skin(c.PoseOf(0), pos, normal, 0, len(pos))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestBadModels(t *testing.T) {
	for name, spoil := range map[string]func(*anim.Skeleton, *anim.Mesh, []anim.Clip){
		"without bones": func(s *anim.Skeleton, _ *anim.Mesh, _ []anim.Clip) {
			s.Parent = nil
		},
		"bind matrices": func(s *anim.Skeleton, _ *anim.Mesh, _ []anim.Clip) {
			s.Bind = s.Bind[1:]
		},
		"before its children": func(s *anim.Skeleton, _ *anim.Mesh, _ []anim.Clip) {
			s.Parent[3] = 7
		},
		"hangs on bone": func(_ *anim.Skeleton, m *anim.Mesh, _ []anim.Clip) {
			m.Joint[5][2] = 99
		},
		"add up to": func(_ *anim.Skeleton, m *anim.Mesh, _ []anim.Clip) {
			m.Weight[5] = [4]float32{1, 1}
		},
		"index 4 of the mesh": func(_ *anim.Skeleton, m *anim.Mesh, _ []anim.Clip) {
			m.Index[4] = 1 << 20
		},
		"not a number of": func(_ *anim.Skeleton, m *anim.Mesh, _ []anim.Clip) {
			m.Index = m.Index[1:]
		},
		"normals": func(_ *anim.Skeleton, m *anim.Mesh, _ []anim.Clip) {
			m.Normal = nil
		},
		`clip "idle" has 0`: func(_ *anim.Skeleton, _ *anim.Mesh, c []anim.Clip) {
			c[0].Samples = 0
		},
		`clip "walk" of 33 samp`: func(_ *anim.Skeleton, _ *anim.Mesh, c []anim.Clip) {
			c[1].R = c[1].R[1:]
		},
	} {
		s, clips := anim.Human()
		m := pegs(s)
		spoil(s, m, clips)
		if _, err := anim.NewCrowd(s, clips, m, 1); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
