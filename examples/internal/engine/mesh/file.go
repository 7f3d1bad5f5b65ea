package mesh

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// Extension is that of the names of files that hold a mesh.
const Extension = ".mesh"

// A file is a magic number, a version, the numbers of vertices and indices, then all positions,
// normals and tints, then the indices, and a sum of all before, in words of four bytes, the lowest
// byte first.
const (
	magic    = "HMSH"
	version  = 1
	header   = 16
	vertex   = 9 * 4
	trailer  = 4
	maxVerts = 1 << 20
	maxIdx   = 3 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Encode returns a mesh as the bytes of a file.
func (m *Mesh) Encode() []byte {
	le := binary.LittleEndian
	b := make([]byte, 0, header+vertex*len(m.Pos)+4*len(m.Idx)+trailer)
	b = append(b, magic...)
	for _, n := range [...]int{version, len(m.Pos), len(m.Idx)} {
		b = le.AppendUint32(b, uint32(n))
	}
	col := m.Col
	if col == nil {
		col = white(len(m.Pos))
	}
	for _, list := range [...][]vec.Vec3{m.Pos, m.Nrm, col} {
		for _, v := range list {
			for _, x := range [...]float32{v.X, v.Y, v.Z} {
				b = le.AppendUint32(b, math.Float32bits(x))
			}
		}
	}
	for _, i := range m.Idx {
		b = le.AppendUint32(b, i)
	}
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// Decode returns the mesh of a file's bytes. The error is an io.ErrUnexpectedEOF if the file ends
// too early.
func Decode(b []byte) (*Mesh, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < len(magic), len(b) < header && string(b[:len(magic)]) == magic:
		return nil, cut(len(b), header)
	case string(b[:len(magic)]) != magic:
		return nil, errors.New("no mesh: it begins otherwise")
	case le.Uint32(b[4:]) != version:
		return nil, fmt.Errorf("version %d of meshes: only %d is read", le.Uint32(b[4:]), version)
	}
	verts, idx := int64(le.Uint32(b[8:])), int64(le.Uint32(b[12:]))
	switch size := header + vertex*verts + 4*idx + trailer; {
	case verts > maxVerts || idx > maxIdx || idx%3 != 0 || idx > 0 && verts == 0:
		return nil, fmt.Errorf("%d vertices and %d indices", verts, idx)
	case int64(len(b)) < size:
		return nil, cut(len(b), int(size))
	case int64(len(b)) > size:
		return nil, fmt.Errorf("%d bytes too many", int64(len(b))-size)
	}
	body := b[:len(b)-trailer]
	if le.Uint32(b[len(body):]) != crc32.Checksum(body, castagnoli) {
		return nil, errors.New("the sum of its bytes is another")
	}
	rest := body[header:]
	next := func() uint32 {
		x := le.Uint32(rest)
		rest = rest[4:]
		return x
	}
	list := func() []vec.Vec3 {
		l := make([]vec.Vec3, verts)
		for i := range l {
			x, y, z := next(), next(), next()
			l[i] = vec.V3(math.Float32frombits(x), math.Float32frombits(y), math.Float32frombits(z))
		}
		return l
	}
	m := &Mesh{Pos: list(), Nrm: list(), Col: list(), Idx: make([]uint32, idx)}
	for i := range m.Idx {
		if m.Idx[i] = next(); int64(m.Idx[i]) >= verts {
			return nil, fmt.Errorf("index %d is %d, of %d vertices", i, m.Idx[i], verts)
		}
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	m.Measure()
	return m, nil
}

func cut(has, want int) error {
	return fmt.Errorf("%d of %d bytes: %w", has, want, io.ErrUnexpectedEOF)
}

// Check reports a vertex that is nowhere.
func (m *Mesh) Check() error {
	for i := range m.Pos {
		for _, v := range [...]vec.Vec3{m.Pos[i], m.Nrm[i]} {
			for _, x := range [...]float32{v.X, v.Y, v.Z} {
				if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
					return fmt.Errorf("vertex %d is at %v and looks along %v", i, m.Pos[i],
						m.Nrm[i])
				}
			}
		}
	}
	return nil
}

// Bytes returns how much memory a mesh takes.
func (m *Mesh) Bytes() int64 {
	return int64(12*(len(m.Pos)+len(m.Nrm)+len(m.Col)) + 4*len(m.Idx))
}

// Room makes a mesh stand for a body: its middle in the origin, and as large as a box of half
// lengths of at most most and at least least, which are returned. A mesh without an extent stays as
// it is.
func (m *Mesh) Room(least, most float32) (half vec.Vec3) {
	m.Measure()
	if m.Bounds.Empty() {
		return vec.V3(least, least, least)
	}
	middle := m.Bounds.Min.Lerp(m.Bounds.Max, 0.5)
	half = m.Bounds.Max.Sub(m.Bounds.Min).Scale(0.5)
	scale := float32(1)
	if long := max(half.X, half.Y, half.Z); long > most {
		scale = most / long
	}
	for i, p := range m.Pos {
		m.Pos[i] = p.Sub(middle).Scale(scale)
	}
	m.Measure()
	half = half.Scale(scale)
	return vec.V3(max(half.X, least), max(half.Y, least), max(half.Z, least))
}
