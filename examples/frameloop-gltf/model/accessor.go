package model

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/qmuntal/gltf"
)

// widths are how many numbers an element has.
var widths = map[gltf.AccessorType]int{
	gltf.AccessorScalar: 1, gltf.AccessorVec2: 2, gltf.AccessorVec3: 3, gltf.AccessorVec4: 4,
	gltf.AccessorMat4: 16,
}

// sizes are how many bytes a number has.
var sizes = map[gltf.ComponentType]int{
	gltf.ComponentByte: 1, gltf.ComponentUbyte: 1, gltf.ComponentShort: 2, gltf.ComponentUshort: 2,
	gltf.ComponentUint: 4, gltf.ComponentFloat: 4,
}

// maxZeros bounds how many numbers an accessor may have that names no data: they are zero.
const maxZeros = 1 << 22

// numbers returns the numbers of an accessor whose elements have one of the given widths, and
// the width. Whole numbers that stand for 0..1 or -1..1 are turned into that.
func (r *reader) numbers(accessor int, want ...int) (x []float64, width int, err error) {
	if accessor < 0 || accessor >= len(r.doc.Accessors) {
		return nil, 0, fmt.Errorf("accessor %d of %d", accessor, len(r.doc.Accessors))
	}
	a := r.doc.Accessors[accessor]
	fail := func(format string, args ...any) ([]float64, int, error) {
		return nil, 0, fmt.Errorf("accessor %d: %s", accessor, fmt.Sprintf(format, args...))
	}
	width = widths[a.Type]
	ok := false
	for _, w := range want {
		ok = ok || w == width
	}
	switch {
	case !ok:
		return fail("elements of type %v are not fit for their use", a.Type)
	case a.Count < 0 || a.Count > r.room(a)/width:
		return fail("%d elements reach beyond their buffer view", a.Count)
	}
	x = make([]float64, a.Count*width)
	if a.BufferView != nil {
		if err := r.read(x, width, a.ComponentType, a.Normalized, *a.BufferView,
			a.ByteOffset); err != nil {
			return fail("%v", err)
		}
	}
	if s := a.Sparse; s != nil {
		if s.Count < 0 || s.Count > a.Count {
			return fail("%d of %d elements are replaced", s.Count, a.Count)
		}
		at, values := make([]float64, s.Count), make([]float64, s.Count*width)
		if err := r.read(at, 1, s.Indices.ComponentType, false, s.Indices.BufferView,
			s.Indices.ByteOffset); err != nil {
			return fail("%v", err)
		}
		if err := r.read(values, width, a.ComponentType, a.Normalized, s.Values.BufferView,
			s.Values.ByteOffset); err != nil {
			return fail("%v", err)
		}
		for i, k := range at {
			if int(k) >= a.Count {
				return fail("element %v of %d is replaced", k, a.Count)
			}
			copy(x[int(k)*width:], values[i*width:(i+1)*width])
		}
	}
	return x, width, nil
}

// room returns how many numbers an accessor can have at most, before any room is made for them.
func (r *reader) room(a *gltf.Accessor) int {
	if a.BufferView == nil {
		return maxZeros
	}
	if v := *a.BufferView; v >= 0 && v < len(r.doc.BufferViews) {
		return min(r.doc.BufferViews[v].ByteLength, r.bytes)
	}
	return 0
}

// read fills x with elements of so many numbers from a view of a buffer.
func (r *reader) read(x []float64, width int, kind gltf.ComponentType, normalized bool, view,
	offset int) error {
	if len(x) == 0 {
		return nil
	}
	if view < 0 || view >= len(r.doc.BufferViews) {
		return fmt.Errorf("buffer view %d of %d", view, len(r.doc.BufferViews))
	}
	v := r.doc.BufferViews[view]
	if v.Buffer < 0 || v.Buffer >= len(r.doc.Buffers) {
		return fmt.Errorf("buffer %d of %d", v.Buffer, len(r.doc.Buffers))
	}
	data := r.doc.Buffers[v.Buffer].Data
	if v.ByteOffset < 0 || v.ByteLength < 0 || v.ByteOffset > len(data) ||
		v.ByteLength > len(data)-v.ByteOffset {
		return fmt.Errorf("buffer view %d reaches beyond its buffer of %d bytes", view, len(data))
	}
	data = data[v.ByteOffset : v.ByteOffset+v.ByteLength]
	size, ok := sizes[kind]
	if !ok {
		return fmt.Errorf("numbers of kind %v", kind)
	}
	stride := v.ByteStride
	if stride == 0 {
		stride = size * width
	}
	count := len(x) / width
	last := int64(count-1)*int64(stride) + int64(size*width)
	if stride < 0 || stride > 1<<16 || offset < 0 || offset > len(data) ||
		last > int64(len(data)-offset) {
		return fmt.Errorf("%d elements reach beyond buffer view %d of %d bytes", count, view,
			len(data))
	}
	for i := range count {
		for k := range width {
			x[i*width+k] = number(data[offset+i*stride+k*size:], kind, normalized)
		}
	}
	return nil
}

func number(b []byte, kind gltf.ComponentType, normalized bool) float64 {
	var v, top float64
	switch kind {
	case gltf.ComponentByte:
		v, top = float64(int8(b[0])), math.MaxInt8
	case gltf.ComponentUbyte:
		v, top = float64(b[0]), math.MaxUint8
	case gltf.ComponentShort:
		v, top = float64(int16(binary.LittleEndian.Uint16(b))), math.MaxInt16
	case gltf.ComponentUshort:
		v, top = float64(binary.LittleEndian.Uint16(b)), math.MaxUint16
	case gltf.ComponentUint:
		v, top = float64(binary.LittleEndian.Uint32(b)), math.MaxUint32
	default:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	if normalized {
		return max(v/top, -1)
	}
	return v
}
