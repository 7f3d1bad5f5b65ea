package encode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/qmuntal/gltf"

	"github.com/heddle-go/heddle/assets/pipes"
)

// Mesh returns the encoder of models, glTF 2.0 as text or binary, into a GLB with one buffer, in
// which the triangles of each indexed mesh come in the order of Forsyth's vertex cache
// optimisation. Vertices stay where they are, and so do the corners within a triangle, so that
// nothing else of the model changes. A model that refers to buffers in files of their own is given
// by Pack.
func Mesh() *Encoder {
	return &Encoder{name: "mesh", version: 1, format: "glb",
		params: fmt.Sprintf("order=forsyth cache=%d", cacheSize),
		run: func(source []byte, l pipes.Limits) ([]byte, error) {
			v, err := decode("glb", source, l)
			if err != nil {
				return nil, err
			}
			doc := v.(*gltf.Document)
			for i, b := range doc.Buffers {
				if len(b.Data) < b.ByteLength {
					return nil, fmt.Errorf("%w: buffer %d is elsewhere", ErrFormat, i)
				}
			}
			for _, at := range triangles(doc) {
				reorder(doc, doc.Accessors[at])
			}
			return binaryModel(doc)
		}}
}

// Pack returns a model with its buffers in itself: what Mesh needs to be a function of one piece of
// bytes. Read returns what a path beside the model leads to. A model without such buffers is
// returned as it is. Pictures stay in files of their own.
func Pack(source []byte, read func(path string) ([]byte, error), l pipes.Limits) ([]byte, error) {
	v, err := decode("glb", source, l.OrDefault())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	doc := v.(*gltf.Document)
	outside := false
	for i, b := range doc.Buffers {
		if b.URI == "" || strings.HasPrefix(b.URI, "data:") {
			continue
		}
		outside = true
		data, err := read(b.URI)
		if err != nil {
			return nil, err
		}
		if len(data) < b.ByteLength {
			return nil, fmt.Errorf("%w: %q is no buffer %d of %d bytes", ErrFormat, b.URI, i,
				b.ByteLength)
		}
		b.Data = data[:b.ByteLength]
	}
	if !outside {
		return source, nil
	}
	return binaryModel(doc)
}

// maxBuffer bounds the one buffer of a GLB, whose length has 32 bits.
const maxBuffer = 1 << 31

// binaryModel writes a model as a GLB with one buffer. It changes the model.
func binaryModel(doc *gltf.Document) ([]byte, error) {
	var whole []byte
	at := make([]int, len(doc.Buffers))
	for i, b := range doc.Buffers {
		for len(whole)%8 != 0 {
			whole = append(whole, 0)
		}
		at[i] = len(whole)
		if whole = append(whole, b.Data[:b.ByteLength]...); len(whole) > maxBuffer {
			return nil, fmt.Errorf("%w: buffers of %d bytes, at most %d", pipes.ErrLimit,
				len(whole), maxBuffer)
		}
	}
	for _, v := range doc.BufferViews {
		v.ByteOffset += at[v.Buffer]
		v.Buffer = 0
	}
	if doc.Buffers = nil; len(whole) > 0 {
		doc.Buffers = []*gltf.Buffer{{ByteLength: len(whole), Data: whole}}
	}
	var b bytes.Buffer
	e := gltf.NewEncoderFS(&b, nowhere{})
	e.AsBinary = true
	err := e.Encode(doc)
	return b.Bytes(), err
}

// nowhere is where an encoder writes that has no files to write.
type nowhere struct{}

var errNowhere = errors.New("a model in one piece writes no file")

// Open implements fs.FS.
func (nowhere) Open(string) (fs.File, error) { return nil, errNowhere }

// Create implements gltf.CreateFS.
func (nowhere) Create(string) (io.WriteCloser, error) { return nil, errNowhere }

// A span is a part of a buffer.
type span struct{ buffer, from, to int }

func (s span) meets(o span) bool { return s.buffer == o.buffer && s.from < o.to && o.from < s.to }

// triangles returns the accessors of indices whose triangles may come in any order: all who use one
// draw a list of triangles, and no other accessor shares a byte with it.
func triangles(doc *gltf.Document) (at []int) {
	others := make(map[int]bool) // indices of what is no list of triangles
	for _, m := range doc.Meshes {
		for _, p := range m.Primitives {
			switch {
			case p.Indices == nil:
			case p.Mode != gltf.PrimitiveTriangles || len(p.Extensions) > 0:
				others[*p.Indices] = true
			case !slices.Contains(at, *p.Indices):
				at = append(at, *p.Indices)
			}
		}
	}
	spans := make([]span, len(doc.Accessors))
	for i, a := range doc.Accessors {
		spans[i] = spanOf(doc, a)
	}
	return slices.DeleteFunc(at, func(i int) bool {
		a := doc.Accessors[i]
		if others[i] || a.Sparse != nil || a.BufferView == nil || a.Count == 0 || a.Count%3 != 0 ||
			a.Type != gltf.AccessorScalar || doc.BufferViews[*a.BufferView].ByteStride != 0 ||
			len(doc.BufferViews[*a.BufferView].Extensions) > 0 || indexSize(a) == 0 {
			return true
		}
		for j, s := range spans {
			if j != i && s.meets(spans[i]) {
				return true
			}
		}
		return false
	})
}

// spanOf returns what an accessor reads of the buffers, at most.
func spanOf(doc *gltf.Document, a *gltf.Accessor) span {
	if a.BufferView == nil || a.Count == 0 {
		return span{}
	}
	v := doc.BufferViews[*a.BufferView]
	from := v.ByteOffset + a.ByteOffset
	size := gltf.SizeOfElement(a.ComponentType, a.Type)
	return span{v.Buffer, from, from + (a.Count-1)*max(v.ByteStride, size) + size}
}

// indexSize returns how many bytes an index has; 0: no index is like that.
func indexSize(a *gltf.Accessor) int {
	switch a.ComponentType {
	case gltf.ComponentUbyte, gltf.ComponentUshort, gltf.ComponentUint:
		return a.ComponentType.ByteSize()
	}
	return 0
}

// reorder puts the triangles of an accessor into another order, where they are.
func reorder(doc *gltf.Document, a *gltf.Accessor) {
	s, size := spanOf(doc, a), indexSize(a)
	data := doc.Buffers[s.buffer].Data[s.from:s.to]
	indices := make([]uint32, a.Count)
	for i := range indices {
		switch b := data[i*size:]; size {
		case 1:
			indices[i] = uint32(b[0])
		case 2:
			indices[i] = uint32(binary.LittleEndian.Uint16(b))
		case 4:
			indices[i] = binary.LittleEndian.Uint32(b)
		}
	}
	for i, v := range forsyth(indices) {
		switch b := data[i*size:]; size {
		case 1:
			b[0] = byte(v)
		case 2:
			binary.LittleEndian.PutUint16(b, uint16(v))
		case 4:
			binary.LittleEndian.PutUint32(b, v)
		}
	}
}
