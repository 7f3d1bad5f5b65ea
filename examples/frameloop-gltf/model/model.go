package model

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/qmuntal/gltf"

	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Model is what a file holds.
type Model struct {
	Skeleton *anim.Skeleton
	Mesh     *anim.Mesh
	Clips    []anim.Clip
	Bounds   vec.AABB // of the mesh with the skeleton at rest
}

// Load reads a file and the buffers that it names beside it. An error is one line that begins
// with the file's name.
func Load(name string) (*Model, error) {
	m, err := load(name, os.ReadFile, func(uri string) string {
		return filepath.Join(filepath.Dir(name), uri)
	})
	if err == nil {
		return m, nil
	}
	if cause := (*os.PathError)(nil); errors.As(err, &cause) {
		return nil, fmt.Errorf("%s: %w", cause.Path, cause.Err)
	}
	return nil, fmt.Errorf("%s: %s", name, strings.Join(strings.Fields(err.Error()), " "))
}

// Read is Load for files that read reads, whose names have slashes. Its errors are among those of
// this, and what has ended too early is an io.ErrUnexpectedEOF.
func Read(name string, read func(name string) ([]byte, error)) (*Model, error) {
	return load(name, read, func(uri string) string { return path.Join(path.Dir(name), uri) })
}

// load reads a file and the buffers that beside has the names of.
func load(
	name string, read func(name string) ([]byte, error), beside func(uri string) string,
) (m *Model, err error) {
	defer func() {
		// The decoder is not ours and a damaged file may hold nulls where it expects objects.
		if e := recover(); e != nil {
			m, err = nil, fmt.Errorf("damaged file: %v", e)
		}
	}()
	text, err := read(name)
	if err != nil {
		return nil, err
	}
	if err := checkLengths(text); err != nil {
		return nil, err
	}
	r := reader{}
	err = gltf.NewDecoder(bytes.NewReader(text)).Decode(&r.doc)
	for i, b := range r.doc.Buffers {
		if b.URI != "" && !strings.HasPrefix(b.URI, "data:") && !filepath.IsLocal(b.URI) {
			return nil, fmt.Errorf("buffer %d: %q does not lie beside the file", i, b.URI)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("not a glTF 2.0 file: %w", err)
	}
	if v := r.doc.Asset.Version; v != "" && !strings.HasPrefix(v, "2.") {
		return nil, fmt.Errorf("version %s of glTF: only 2.0 is read", v)
	}
	for _, e := range r.doc.ExtensionsRequired {
		if !strings.HasPrefix(e, "KHR_materials_") && !strings.HasPrefix(e, "KHR_texture_") &&
			!strings.HasPrefix(e, "KHR_lights_") {
			return nil, fmt.Errorf("needs the extension %s, which is not read", e)
		}
	}
	for i, b := range r.doc.Buffers {
		if err := fill(b, func(uri string) ([]byte,
			error) {
			return read(beside(uri))
		}); err != nil {
			if p, ok := errors.AsType[*os.PathError](err); ok && errors.Is(p, os.ErrNotExist) {
				return nil, fmt.Errorf("buffer %d: file %s is missing", i, b.URI)
			}
			return nil, fmt.Errorf("buffer %d: %w", i, err)
		}
		r.bytes += len(b.Data)
	}
	return r.model()
}

// A cutOff says of what a file has too little.
type cutOff string

func (c cutOff) Error() string { return string(c) }

func (c cutOff) Unwrap() error { return io.ErrUnexpectedEOF }

// checkLengths compares the lengths that a binary file states with the file itself: the
// decoder would make room for what is not there.
func checkLengths(text []byte) error {
	const magic = "glTF"
	if !bytes.HasPrefix(text, []byte(magic)) {
		return nil
	}
	if len(text) < 20 {
		return cutOff(fmt.Sprintf("cut off after %d bytes", len(text)))
	}
	if v := binary.LittleEndian.Uint32(text[4:]); v != 2 {
		return fmt.Errorf("version %d of binary glTF: only 2 is read", v)
	}
	if n := binary.LittleEndian.Uint32(text[8:]); uint64(n) > uint64(len(text)) {
		return cutOff(fmt.Sprintf("cut off: %d of %d bytes", len(text), n))
	}
	for at := uint64(12); at+8 <= uint64(len(text)); {
		n := uint64(binary.LittleEndian.Uint32(text[at:]))
		if at+8+n > uint64(len(text)) {
			return cutOff(fmt.Sprintf("chunk at byte %d is longer than the file", at))
		}
		at += 8 + n
	}
	return nil
}

// fill reads a buffer that the decoder has left to us.
func fill(b *gltf.Buffer, read func(uri string) ([]byte, error)) (err error) {
	switch {
	case b.Data != nil:
	case strings.HasPrefix(b.URI, "data:"):
		_, code, ok := strings.Cut(b.URI, ";base64,")
		if !ok {
			return errors.New("embedded, but not in base64")
		}
		if b.Data, err = base64.StdEncoding.DecodeString(code); err != nil {
			return err
		}
	default:
		if b.Data, err = read(b.URI); err != nil {
			return err
		}
	}
	if len(b.Data) < b.ByteLength {
		return cutOff(fmt.Sprintf("%d of %d bytes", len(b.Data), b.ByteLength))
	}
	return nil
}

// A reader turns a document into a model.
type reader struct {
	doc      gltf.Document
	bytes    int // in all buffers
	skeleton anim.Skeleton
	mesh     anim.Mesh
	bone     []int           // of each node
	bound    map[hanging]int // bones of a node with bind matrices other than the first
	used     []bool          // bone has its bind matrix
}

type hanging struct {
	node int
	bind vec.Mat4
}

func (r *reader) model() (*Model, error) {
	if err := r.bones(); err != nil {
		return nil, err
	}
	if err := r.meshes(); err != nil {
		return nil, err
	}
	clips, err := r.clips()
	if err != nil {
		return nil, err
	}
	m := &Model{Skeleton: &r.skeleton, Mesh: &r.mesh, Clips: clips}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// AtRest returns the model's vertices and normals with the skeleton at rest, or says why the engine
// cannot work with it.
func (m *Model) AtRest() (pos, normal []vec.Vec3, err error) {
	c, err := anim.NewCrowd(m.Skeleton, nil, m.Mesh, 1)
	if err != nil {
		return nil, nil, err
	}
	c.Pose(0)
	pos, normal = make([]vec.Vec3, len(m.Mesh.Pos)), make([]vec.Vec3, len(m.Mesh.Pos))
	m.Mesh.Skin(c.PoseOf(0), pos, normal, 0, len(pos))
	return pos, normal, nil
}

// check asks the engine whether it can work with the model, and measures it.
func (m *Model) check() error {
	pos, _, err := m.AtRest()
	if err != nil {
		return err
	}
	for i := range m.Clips {
		if err := m.Clips[i].Check(m.Skeleton.Len()); err != nil {
			return err
		}
	}
	m.Bounds = vec.EmptyAABB()
	for i, p := range pos {
		if !finite(p.X, p.Y, p.Z) {
			return fmt.Errorf("vertex %d is at %v", i, p)
		}
		m.Bounds = m.Bounds.Extend(p)
	}
	return nil
}

func finite(x ...float32) bool {
	for _, v := range x {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return false
		}
	}
	return true
}
