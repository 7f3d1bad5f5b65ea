package pipes

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/qmuntal/gltf"

	"github.com/heddle-go/heddle/assets"
)

// models decodes glTF 2.0, as text and binary. Buffers and pictures that are files of their own are
// what it refers to; Link gives it the buffers.
var models = Decoder{
	Version: 1,
	Measure: func(data []byte, l Limits) (int64, error) {
		text, err := modelText(data)
		if err != nil {
			return 0, err
		}
		if int64(len(text)) > l.Text {
			return 0, over("bytes of a model's text", int64(len(text)), l.Text)
		}
		n := bytes.Count(text, []byte("{"))
		if n > l.Parts {
			return 0, over("parts of a model", int64(n), int64(l.Parts))
		}
		// What is in braces becomes a struct of up to some hundred bytes, and a number of two
		// characters or a list of three becomes one of eight or 24.
		return int64(len(data)) + 16*int64(len(text)) + 512*int64(n), nil
	},
	Decode: decodeModel,
}

func decodeModel(data []byte, l Limits) (Decoded, error) {
	if err := checkBuffers(data); err != nil {
		return Decoded{}, err
	}
	doc := new(gltf.Document)
	if err := gltf.NewDecoder(bytes.NewReader(data)).Decode(doc); err != nil {
		return Decoded{}, err
	}
	if err := checkModel(doc, l); err != nil {
		return Decoded{}, err
	}
	d := Decoded{Value: doc, Size: 2 * int64(len(data))}
	for _, b := range doc.Buffers {
		if external(b.URI) {
			d.Refs = append(d.Refs, b.URI)
		}
	}
	for _, i := range doc.Images {
		if external(i.URI) {
			d.Refs = append(d.Refs, i.URI)
		}
	}
	return d, nil
}

func external(uri string) bool { return uri != "" && !strings.HasPrefix(uri, "data:") }

// The parts of a GLB: a header, and chunks with a header each.
const (
	glbMagic = "glTF"
	glbText  = 20 // where the first chunk begins
)

// modelText returns the JSON of a model.
func modelText(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte(glbMagic)) {
		return data, nil
	}
	if len(data) < glbText {
		return nil, io.ErrUnexpectedEOF
	}
	n := binary.LittleEndian.Uint32(data[12:])
	if int64(n) > int64(len(data)-glbText) {
		return nil, io.ErrUnexpectedEOF
	}
	return data[glbText : glbText+int(n)], nil
}

// checkBuffers refuses buffers that are said to be longer than they can be, before the library
// makes room for them.
func checkBuffers(data []byte) error {
	text, err := modelText(data)
	if err != nil {
		return err
	}
	var doc struct {
		Buffers []struct {
			URI        string `json:"uri"`
			ByteLength int64  `json:"byteLength"`
		} `json:"buffers"`
	}
	// As the library does, which goes no further than the first value.
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&doc); err != nil {
		return err
	}
	for i, b := range doc.Buffers {
		if b.ByteLength < 0 || b.URI == "" && b.ByteLength > int64(len(data)) {
			return fmt.Errorf("%w: buffer %d has %d bytes", ErrFormat, i, b.ByteLength)
		}
	}
	return nil
}

// checkModel refuses a model that refers to what it does not have, so that who draws it need not
// look. The parts that it checks are those that lead to bytes, and the tree of nodes.
func checkModel(doc *gltf.Document, l Limits) error {
	bad := func(what string, i int) error { return fmt.Errorf("%w: %s %d", ErrFormat, what, i) }
	for i, b := range doc.Buffers {
		if b == nil || b.Data != nil && len(b.Data) < b.ByteLength {
			return bad("buffer", i)
		}
	}
	for i, v := range doc.BufferViews {
		if v == nil || v.Buffer < 0 || v.Buffer >= len(doc.Buffers) ||
			!inside(v.ByteOffset, int64(v.ByteLength), doc.Buffers[v.Buffer].ByteLength) {
			return bad("buffer view", i)
		}
	}
	view := func(at, offset int, size int64) bool {
		return at >= 0 && at < len(doc.BufferViews) &&
			inside(offset, size, doc.BufferViews[at].ByteLength)
	}
	for i, a := range doc.Accessors {
		if a == nil || a.Count < 0 || int64(a.Count) > l.Bytes {
			return bad("accessor", i)
		}
		size := int64(gltf.SizeOfElement(a.ComponentType, a.Type))
		if v := a.BufferView; v != nil && a.Count > 0 {
			if *v < 0 || *v >= len(doc.BufferViews) {
				return bad("accessor", i)
			}
			stride := max(int64(doc.BufferViews[*v].ByteStride), size)
			if stride > 1<<16 || !view(*v, a.ByteOffset, int64(a.Count-1)*stride+size) {
				return bad("accessor", i)
			}
		}
		if s := a.Sparse; s != nil {
			n, at := int64(s.Count), s.Indices
			if s.Count < 0 || s.Count > a.Count ||
				!view(at.BufferView, at.ByteOffset, n*int64(at.ComponentType.ByteSize())) ||
				!view(s.Values.BufferView, s.Values.ByteOffset, n*size) {
				return bad("sparse accessor", i)
			}
		}
	}
	for i, m := range doc.Images {
		if m == nil || m.BufferView != nil && !view(*m.BufferView, 0, 0) {
			return bad("image", i)
		}
	}
	// Each node has one parent at most, and so a tree has no circle that a root leads to.
	parents := make([]int, len(doc.Nodes))
	for i, n := range doc.Nodes {
		if n == nil || n.Mesh != nil && (*n.Mesh < 0 || *n.Mesh >= len(doc.Meshes)) {
			return bad("node", i)
		}
		for _, c := range n.Children {
			if c < 0 || c >= len(doc.Nodes) {
				return bad("node", i)
			}
			if parents[c]++; parents[c] > 1 {
				return fmt.Errorf("%w: node %d has two parents", ErrFormat, c)
			}
		}
	}
	for i, s := range doc.Scenes {
		if s == nil {
			return bad("scene", i)
		}
		for _, n := range s.Nodes {
			if n < 0 || n >= len(doc.Nodes) || parents[n] > 0 {
				return bad("scene", i)
			}
		}
	}
	for i, m := range doc.Meshes {
		if m == nil {
			return bad("mesh", i)
		}
		for _, p := range m.Primitives {
			if p == nil ||
				p.Indices != nil && (*p.Indices < 0 || *p.Indices >= len(doc.Accessors)) {
				return bad("mesh", i)
			}
			for _, a := range p.Attributes {
				if a < 0 || a >= len(doc.Accessors) {
					return bad("mesh", i)
				}
			}
		}
	}
	return nil
}

// inside reports whether a part fits into a whole.
func inside(offset int, size int64, whole int) bool {
	return offset >= 0 && size >= 0 && offset <= whole && size <= int64(whole-offset)
}

// Link returns the pipe "link", which stands behind assets.Dependencies and gives a *gltf.Document
// the bytes of its buffers that are files of their own.
func Link() assets.Pipe {
	return assets.Pipe{Name: "link", Run: func(_ context.Context, it *assets.Item) error {
		doc, ok := it.Value.(*gltf.Document)
		if !ok {
			return nil
		}
		for i, b := range doc.Buffers {
			if !external(b.URI) {
				continue
			}
			id, err := beside(it.ID, b.URI)
			if err != nil {
				return err
			}
			v, err := it.Child(id)
			if err != nil {
				return err
			}
			data, ok := v.([]byte)
			if !ok || len(data) < b.ByteLength {
				return fmt.Errorf("%w: %q is no buffer %d of %d bytes", ErrFormat, id, i,
					b.ByteLength)
			}
			b.Data = data[:b.ByteLength:b.ByteLength]
		}
		return nil
	}}
}
