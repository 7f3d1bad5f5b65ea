package figure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/figure"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

func TestHumanFitsItsSkeleton(t *testing.T) {
	b := figure.Human(0.04)
	require.NoError(t, b.Mesh.Check(b.Skeleton.Len()))
	require.Equal(t, 60, b.Skeleton.Len())
	box := vec.EmptyAABB()
	for _, p := range b.Mesh.Pos {
		box = box.Extend(p)
	}
	require.InDelta(t, 0, box.Min.Y, 0.03)
	require.InDelta(t, 1.78, box.Max.Y, 0.05)
	require.InDelta(t, -box.Min.X, box.Max.X, 0.02)
	used := map[uint16]bool{}
	for i, j := range b.Mesh.Joint {
		for k := range j {
			if b.Mesh.Weight[i][k] > 0 {
				used[j[k]] = true
			}
		}
	}
	require.Greater(t, len(used), 45, "joints that move something")
}

// In no motion is the skin torn: its edges keep about their lengths, but for a few at joints
// that bend far.
func TestMotionsDoNotTearTheSkin(t *testing.T) {
	b := figure.Human(0.045)
	m := b.Mesh
	c, err := anim.NewCrowd(b.Skeleton, b.Clips, m, len(b.Clips))
	require.NoError(t, err)
	pos, nrm := make([]vec.Vec3, len(m.Pos)), make([]vec.Vec3, len(m.Pos))
	for i := range c.Len() {
		c.From[i] = int16(i)
		for step := range 8 {
			c.Clock[i] = c.Clips[i].Duration() * float32(step) / 8
			c.Pose(i)
			m.Skin(c.PoseOf(i), pos, nrm, 0, len(pos))
			torn, edges := 0, 0
			for k := 0; k < len(m.Index); k += 3 {
				for e := range 3 {
					u, v := m.Index[k+e], m.Index[k+(e+1)%3]
					edges++
					if pos[u].Dist(pos[v]) > 2*m.Pos[u].Dist(m.Pos[v])+0.01 {
						torn++
					}
				}
			}
			require.Less(t, 100*torn, edges, "%s, step %d: %d of %d edges", c.Clips[i].Name, step,
				torn, edges)
			for v := range pos {
				require.True(t, c.Bounds[i].Contains(pos[v]))
			}
		}
	}
}

func TestColors(t *testing.T) {
	b := figure.Human(0.07)
	one := b.Colors(1)
	require.Len(t, one, len(b.Mesh.Pos))
	require.Equal(t, one, b.Colors(1))
	looks := map[vec.Vec3]bool{}
	for i := range uint64(20) {
		for _, c := range b.Colors(i) {
			looks[c] = true
		}
	}
	require.Greater(t, len(looks), 10)
}
