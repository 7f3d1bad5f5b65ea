package pipes

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/heddle-go/heddle/assets"
)

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// zstdOptions: a frame may ask for a window of this size, and no goroutines are started.
var zstdOptions = []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
	zstd.WithDecoderMaxWindow(64 << 20)}

func newZstd(r io.Reader) (*zstd.Decoder, error) { return zstd.NewReader(r, zstdOptions...) }

// packed is what a format ends in whose bytes are compressed, such as "png.zst".
const packed = ".zst"

// Unpack returns the pipe "unpack", which unpacks the Data of items whose Variant.Format ends in
// ".zst", and takes that off the Format. It heeds Limits.Bytes.
func Unpack(l Limits) assets.Pipe {
	l = l.OrDefault()
	return assets.Pipe{Name: "unpack", Run: func(ctx context.Context, it *assets.Item) error {
		format, is := strings.CutSuffix(it.Variant.Format, packed)
		if !is || it.Data == nil {
			return nil
		}
		data, err := unpack(ctx, it, it.Data, l)
		if err != nil {
			return err
		}
		it.Data, it.Variant.Format = data, format
		return nil
	}}
}

// unpack returns what data was compressed from, and reserves as much as it says that it needs.
func unpack(ctx context.Context, it *assets.Item, data []byte, l Limits) (out []byte, err error) {
	defer guard("zstd", &err)
	var h zstd.Header
	size := int64(0)
	if err := h.Decode(data); err != nil {
		return nil, damaged("zstd", err)
	}
	if h.HasFCS {
		if h.FrameContentSize > uint64(l.Bytes) {
			return nil, endless("bytes unpacked", l.Bytes)
		}
		size = int64(h.FrameContentSize)
	}
	if err := it.Reserve(int64(len(data)) + size); err != nil {
		return nil, err
	}
	z, err := newZstd(bytes.NewReader(data))
	if err != nil {
		return nil, damaged("zstd", err)
	}
	defer z.Close()
	out, err = readAll(ctx, "what is unpacked", z, size, l.Bytes)
	if err != nil && ctx.Err() == nil {
		return nil, damaged("zstd", err)
	} else if err != nil {
		return nil, err
	}
	return out, it.Reserve(int64(len(data)) + int64(len(out)))
}
