package mesh_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// biped is a small skeleton: trunk, head, two legs, an arm. Nothing hangs on its root.
func biped() ([]mesh.Limb, []int16) {
	return []mesh.Limb{
		{Joint: 1, A: vec.V3(0, 1, 0), B: vec.V3(0, 1.4, 0), RA: 0.14, RB: 0.16, Flat: 0.7},
		{Joint: 2, A: vec.V3(0, 1.65, 0), B: vec.V3(0, 1.7, 0), RA: 0.1, RB: 0.1},
		{Joint: 3, A: vec.V3(0.1, 0.95, 0), B: vec.V3(0.12, 0.5, 0), RA: 0.1, RB: 0.07},
		{Joint: 4, A: vec.V3(0.12, 0.5, 0), B: vec.V3(0.12, 0.1, 0), RA: 0.07, RB: 0.05},
		{Joint: 5, A: vec.V3(-0.1, 0.95, 0), B: vec.V3(-0.12, 0.5, 0), RA: 0.1, RB: 0.07},
		{Joint: 6, A: vec.V3(-0.12, 0.5, 0), B: vec.V3(-0.12, 0.1, 0), RA: 0.07, RB: 0.05},
		{Joint: 7, A: vec.V3(0.2, 1.4, 0), B: vec.V3(0.6, 1.4, 0), RA: 0.06, RB: 0.05},
		{Joint: 2, A: vec.V3(0, 1.75, 0), B: vec.V3(0, 1.76, 0), RA: 0.1, RB: 0.1},
	}, []int16{-1, 0, 1, 0, 3, 0, 5, 1}
}

func shapes() map[string]*mesh.Mesh {
	limbs, parent := biped()
	figure, _ := mesh.Figure(limbs, parent, 0.04, 0.05)
	return map[string]*mesh.Mesh{
		"box":    mesh.Box(vec.V3(1, 2, 3)),
		"ground": mesh.Ground(4, 6, 3, 5),
		"lathe": mesh.Lathe([]vec.Vec2{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 0}, {X: 0.5, Y: 2},
			{X: 0, Y: 2.2}}, 12),
		"sphere":  mesh.Sphere(2, 16),
		"column":  mesh.Column(0.5, 4, 16),
		"boulder": mesh.Boulder(),
		"figure":  &figure.Mesh,
	}
}

// The corners of a triangle run counter-clockwise about its vertices' normals.
func TestWindingAndNormalsAgree(t *testing.T) {
	for name, m := range shapes() {
		t.Run(name, func(t *testing.T) {
			require.Len(t, m.Nrm, len(m.Pos))
			require.NotEmpty(t, m.Idx)
			for i := 0; i < len(m.Idx); i += 3 {
				a, b, c := m.Idx[i], m.Idx[i+1], m.Idx[i+2]
				n := m.Pos[b].Sub(m.Pos[a]).Cross(m.Pos[c].Sub(m.Pos[a]))
				if n.Len() < 1e-5 {
					continue // a sliver of the figure, no wider than a hair
				}
				sum := m.Nrm[a].Add(m.Nrm[b]).Add(m.Nrm[c])
				require.Positive(t, n.Dot(sum), "triangle %d", i/3)
			}
			for i, n := range m.Nrm {
				require.InDelta(t, 1, n.Len(), 1e-4)
				require.True(t, m.Bounds.Contains(m.Pos[i]))
			}
		})
	}
}

// A solid has no holes: where a triangle ends another begins.
func TestSolidsAreClosed(t *testing.T) {
	for name, m := range shapes() {
		if name == "ground" || name == "column" {
			continue // open, or made of three solids
		}
		t.Run(name, func(t *testing.T) {
			type edge [2]vec.Vec3
			count := map[edge]int{}
			for i := 0; i < len(m.Idx); i += 3 {
				for k := range 3 {
					a, b := m.Pos[m.Idx[i+k]], m.Pos[m.Idx[i+(k+1)%3]]
					count[edge{a, b}]++
					count[edge{b, a}]--
				}
			}
			for e, n := range count {
				require.Zero(t, n, "edge %v", e)
			}
		})
	}
}

func TestFigureBindsToNearbyJoints(t *testing.T) {
	limbs, parent := biped()
	s, nearest := mesh.Figure(limbs, parent, 0.03, 0.05)
	require.Greater(t, len(s.Pos), 1000)
	shared := 0
	for i, w := range s.Weight {
		var sum float32
		for k := range 4 {
			require.GreaterOrEqual(t, w[k], float32(0))
			sum += w[k]
			if w[k] > 0 {
				require.NotZero(t, s.Joint[i][k], "nothing hangs on the root")
				b := limbs[s.Joint[i][k]-1]
				require.Less(t, s.Pos[i].Dist(b.A.Lerp(b.B, 0.5)), b.A.Dist(b.B)/2+0.4)
			}
		}
		require.InDelta(t, 1, sum, 1e-5)
		require.Equal(t, uint16(limbs[nearest[i]].Joint), s.Joint[i][0])
		if w[0] < 0.95 {
			shared++
		}
	}
	require.Positive(t, shared, "nowhere do two joints share a vertex")
}

func TestAddMovesAndTints(t *testing.T) {
	m := mesh.Box(vec.V3(1, 1, 1))
	m.Add(mesh.Box(vec.V3(1, 1, 1)), vec.Translation(vec.V3(5, 0, 0)), vec.V3(0.5, 0, 0))
	require.Len(t, m.Idx, 3*24)
	require.Equal(t, vec.AABB{Min: vec.V3(-1, -1, -1), Max: vec.V3(6, 1, 1)}, m.Bounds)
	require.Equal(t, vec.V3(1, 1, 1), m.Col[0])
	require.Equal(t, vec.V3(0.5, 0, 0), m.Col[len(m.Col)-1])
}
