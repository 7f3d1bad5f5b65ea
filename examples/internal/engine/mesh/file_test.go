package mesh_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A mesh comes back from a file as it was; what had no tints is white.
func TestFileRoundTrip(t *testing.T) {
	tinted := &mesh.Mesh{}
	tinted.Add(mesh.Sphere(0.5, 12), vec.Translation(vec.V3(1, 2, 3)), vec.V3(0.1, 0.2, 0.3))
	for _, m := range []*mesh.Mesh{mesh.Box(vec.V3(1, 2, 3)), tinted, mesh.Column(0.2, 2, 9), {}} {
		got, err := mesh.Decode(m.Encode())
		require.NoError(t, err)
		require.Equal(t, len(m.Pos), len(got.Pos))
		for i := range m.Pos {
			require.Equal(t, m.Pos[i], got.Pos[i])
			require.Equal(t, m.Nrm[i], got.Nrm[i])
			if m.Col == nil {
				require.Equal(t, vec.V3(1, 1, 1), got.Col[i])
			} else {
				require.Equal(t, m.Col[i], got.Col[i])
			}
		}
		require.Equal(t, len(m.Idx), len(got.Idx))
		for i := range m.Idx {
			require.Equal(t, m.Idx[i], got.Idx[i])
		}
		require.Equal(t, m.Encode(), got.Encode())
	}
}

// resummed puts the right sum at the end of a file.
func resummed(b []byte) []byte {
	body := b[:len(b)-4]
	return binary.LittleEndian.AppendUint32(bytes.Clone(body),
		crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
}

// A file that is cut off anywhere says so, and one with any other byte, or more of them, is
// refused.
func TestDamagedFile(t *testing.T) {
	whole := mesh.Box(vec.V3(1, 1, 1)).Encode()
	for n := range whole {
		_, err := mesh.Decode(whole[:n])
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d bytes", n)
	}
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 0x41
		_, err := mesh.Decode(b)
		require.Error(t, err, "byte %d", i)
	}
	_, err := mesh.Decode(append(bytes.Clone(whole), 0))
	require.EqualError(t, err, "1 bytes too many")
	word := func(at int, x uint32) []byte {
		b := bytes.Clone(whole)
		binary.LittleEndian.PutUint32(b[at:], x)
		return resummed(b)
	}
	for want, b := range map[string][]byte{
		"no mesh: it begins otherwise":        []byte("GIF89a and more of it"),
		"version 2 of meshes: only 1 is read": word(4, 2),
		"24 vertices and 35 indices":          word(12, 35),
		"4294967295 vertices and 36 indices":  word(8, math.MaxUint32),
		"index 35 is 24, of 24 vertices":      word(len(whole)-8, 24),
		"vertex 0 is at {NaN 1 -1} and looks along {-1 0 0}": word(16,
			math.Float32bits(float32(math.NaN()))),
	} {
		_, err := mesh.Decode(b)
		require.EqualError(t, err, want)
	}
}

// A mesh that is made to fit stands about the origin, no larger than it may be, and as it was
// shaped.
func TestRoom(t *testing.T) {
	r := vec.NewRand(3)
	for range 50 {
		m := &mesh.Mesh{}
		half := r.Vec3(vec.V3(0.001, 0.001, 0.001), vec.V3(9, 9, 9))
		m.Add(mesh.Box(half), vec.Translation(r.Vec3(vec.V3(-50, -50, -50), vec.V3(50, 50, 50))),
			vec.V3(1, 1, 1))
		got := m.Room(0.05, 0.75)
		for _, x := range [...][3]float32{
			{m.Bounds.Min.X, m.Bounds.Max.X, got.X}, {m.Bounds.Min.Y, m.Bounds.Max.Y, got.Y},
			{m.Bounds.Min.Z, m.Bounds.Max.Z, got.Z},
		} {
			require.InDelta(t, 0, x[0]+x[1], 1e-4)
			require.LessOrEqual(t, x[1], float32(0.7501))
			require.GreaterOrEqual(t, x[2], max(x[1]-1e-4, 0.05))
		}
		long := max(half.X, half.Y, half.Z)
		require.InDelta(t, half.X/long,
			m.Bounds.Max.X/max(m.Bounds.Max.X, m.Bounds.Max.Y, m.Bounds.Max.Z), 1e-3)
	}
	require.Equal(t, vec.V3(0.05, 0.05, 0.05), (&mesh.Mesh{}).Room(0.05, 0.75))
}

func FuzzDecode(f *testing.F) {
	f.Add(mesh.Box(vec.V3(1, 1, 1)).Encode())
	f.Add([]byte("HMSH"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := mesh.Decode(b)
		if err != nil {
			return
		}
		for _, i := range m.Idx {
			require.Less(t, int(i), len(m.Pos))
		}
	})
}
