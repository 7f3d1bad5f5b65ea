package pipes

import (
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/store"
)

// A Built keeps what was decoded in a cache, in a form that is quick to read, so that it is decoded
// once for all starts of a program. It does that for *image.NRGBA and *Sound, where the registry
// knows the hash of the source.
type Built struct {
	cache *store.Cache
	o     DecodeOptions
}

// NewBuilt returns a Built for items that the pipe Decode(o) decodes.
func NewBuilt(c *store.Cache, o DecodeOptions) *Built { return &Built{c, o.orDefault()} }

// key returns under what an item is kept.
func (b *Built) key(it *assets.Item, format string) (key store.Key, ok bool) {
	d, ok := b.o.decoder(&assets.Item{Info: it.Info, Variant: assets.Variant{Format: format}})
	if !ok || it.Variant.Hash == (assets.Hash{}) {
		return key, false
	}
	return store.KeyOf("decoded", strconv.Itoa(builtVersion), strconv.Itoa(d.Version),
		string(it.Platform), it.Variant.API, it.Info.Type, format, it.Variant.Hash.String()), true
}

// Recall returns the pipe "recall", which stands before those that fetch, and gives an item the
// Value that is kept. They leave it alone then.
func (b *Built) Recall() assets.Pipe {
	return assets.Pipe{Name: "recall", Lane: assets.Disk,
		Run: func(_ context.Context, it *assets.Item) error {
			key, ok := b.key(it, plainFormat(it))
			if !ok {
				return nil
			}
			h, err := b.cache.Lookup(key)
			if err != nil {
				return nil
			}
			data, err := b.cache.Get(h)
			if err != nil {
				return nil // it is decoded again
			}
			if err := it.Reserve(2 * int64(len(data))); err != nil {
				return err
			}
			if found, err := readBuilt(data, b.o.Limits); err == nil {
				return take(it, found)
			}
			return nil
		}}
}

// Remember returns the pipe "remember", which stands behind Decode and keeps the Value of an item.
// If that cannot be written, it is decoded again the next time.
func (b *Built) Remember() assets.Pipe {
	return assets.Pipe{Name: "remember", Lane: assets.Disk,
		Run: func(_ context.Context, it *assets.Item) error {
			key, ok := b.key(it, plainFormat(it))
			if !ok {
				return nil
			}
			if _, err := b.cache.Lookup(key); err == nil {
				return nil
			}
			data := appendBuilt(it.Value)
			if data == nil {
				return nil
			}
			if h, err := b.cache.Put(data); err == nil {
				_ = b.cache.Set(key, h)
			}
			return nil
		}}
}

// plainFormat returns the format of an item when it is unpacked.
func plainFormat(it *assets.Item) string {
	f := it.Variant.Format
	if n := len(f) - len(packed); n > 0 && f[n:] == packed {
		return f[:n]
	}
	return f
}

// What is kept begins with what it is. Numbers are varints, and samples have little end first.
const (
	builtVersion = 1
	builtPicture = 'p' // width, height, pixels
	builtSound   = 's' // rate, channels, samples
)

// appendBuilt returns a value as it is kept, or nil if it is none of those that are.
func appendBuilt(v any) []byte {
	switch v := v.(type) {
	case *image.NRGBA:
		b := make([]byte, 0, len(v.Pix)+21)
		b = binary.AppendUvarint(append(b, builtPicture), uint64(v.Rect.Dx()))
		b = binary.AppendUvarint(b, uint64(v.Rect.Dy()))
		return append(b, v.Pix...)
	case *Sound:
		b := make([]byte, 0, 4*len(v.Samples)+21)
		b = binary.AppendUvarint(append(b, builtSound), uint64(v.Rate))
		b = binary.AppendUvarint(b, uint64(v.Channels))
		for _, s := range v.Samples {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(s))
		}
		return b
	}
	return nil
}

// readBuilt returns the value of what was kept. A picture keeps data.
func readBuilt(data []byte, l Limits) (Decoded, error) {
	bad := fmt.Errorf("%w: what was built", ErrFormat)
	if len(data) == 0 {
		return Decoded{}, bad
	}
	kind, rest := data[0], data[1:]
	var n [2]uint64
	for i := range n {
		v, used := binary.Uvarint(rest)
		if used <= 0 || v == 0 || v > math.MaxInt32 {
			return Decoded{}, bad
		}
		n[i], rest = v, rest[used:]
	}
	switch {
	case kind == builtPicture && n[0]*n[1] <= uint64(l.Pixels) && 4*n[0]*n[1] == uint64(len(rest)):
		w, h := int(n[0]), int(n[1])
		m := &image.NRGBA{Pix: slices.Clip(rest), Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
		return Decoded{Value: m, Size: int64(len(rest))}, nil
	case kind == builtSound && len(rest)%4 == 0 && int64(len(rest)/4) <= l.Samples:
		s := &Sound{Rate: int(n[0]), Channels: int(n[1]), Samples: make([]float32, len(rest)/4)}
		for i := range s.Samples {
			s.Samples[i] = math.Float32frombits(binary.LittleEndian.Uint32(rest[4*i:]))
		}
		return Decoded{Size: int64(len(rest)), Value: s}, nil
	}
	return Decoded{}, bad
}
