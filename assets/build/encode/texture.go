package encode

import (
	"bytes"
	"fmt"
	"image"

	"github.com/woozymasta/bcn"
	"golang.org/x/image/draw"

	"github.com/heddle-go/heddle/assets/pipes"
)

// maxQuality bounds TextureOptions.Quality.
const maxQuality = 10

// smallBlocks is how the parameters call the blocks of TextureOptions.Small.
const smallBlocks = "bc1,bc3"

// TextureOptions are the parameters of Texture. The zero value is usable.
type TextureOptions struct {
	// Small takes BC1, or BC3 for pictures with alpha, half a byte or one a pixel and soon done.
	// Default is BC7: one byte a pixel, and much closer to the source.
	Small bool
	// Quality is how long to look for better blocks, 1 to 10; default 1. Higher takes much longer.
	Quality int
	// Side is how long the longer side may be, in pixels: what is longer is halved until it is not.
	// Default: no limit. It is rounded up to a power of two.
	Side int
}

// Texture returns the encoder of pictures, PNG, JPEG or WebP, into a DDS file of blocks of BC1, BC3
// or BC7 with its whole mip chain, averaged in linear light. It panics at values out of range.
//
// The blocks are those of github.com/woozymasta/bcn on one goroutine: the task graph and the farm
// work on many pictures at a time. Pictures that are made smaller are resampled by Catmull and
// Rom's cubic.
func Texture(o TextureOptions) *Encoder {
	if o.Quality == 0 {
		o.Quality = bcn.QualityLevelFast
	}
	if o.Quality < 0 || o.Quality > maxQuality || o.Side < 0 {
		panic(fmt.Sprintf("encode: texture options out of range: %+v", o))
	}
	side := 0
	for n := 1; o.Side > 0 && side == 0; n *= 2 {
		if n >= o.Side {
			side = n
		}
	}
	blocks := "bc7"
	if o.Small {
		blocks = smallBlocks
	}
	return &Encoder{name: "texture", version: 1, format: "dds",
		params: fmt.Sprintf("blocks=%s quality=%d side=%d", blocks, o.Quality, side),
		run: func(source []byte, l pipes.Limits) ([]byte, error) {
			m, err := picture(source, l)
			if err != nil {
				return nil, err
			}
			m = shrink(m, side)
			format := bcn.FormatBC7
			if o.Small {
				format = bcn.FormatBC3
				if m.Opaque() {
					format = bcn.FormatBC1
				}
			}
			dds, err := bcn.EncodeDDSWithOptions([]image.Image{m}, format, &bcn.EncodeOptions{
				QualityLevel: o.Quality, Workers: 1, GenerateMipmaps: true, UseSRGB: true})
			if err != nil {
				return nil, err
			}
			var b bytes.Buffer
			err = dds.Write(&b)
			return b.Bytes(), err
		}}
}

// picture decodes a source by what it begins with.
func picture(source []byte, l pipes.Limits) (*image.NRGBA, error) {
	format := ""
	switch {
	case bytes.HasPrefix(source, []byte("\x89PNG\r\n\x1a\n")):
		format = "png"
	case bytes.HasPrefix(source, []byte("\xff\xd8")):
		format = "jpeg"
	case len(source) > 12 && string(source[:4]) == "RIFF" && string(source[8:12]) == "WEBP":
		format = "webp"
	default:
		return nil, fmt.Errorf("%w: neither PNG, JPEG nor WebP", ErrFormat)
	}
	v, err := decode(format, source, l)
	if err != nil {
		return nil, err
	}
	return v.(*image.NRGBA), nil
}

// shrink halves a picture until its longer side is no longer than side; 0: it stays as it is.
func shrink(m *image.NRGBA, side int) *image.NRGBA {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	for side > 0 && max(w, h) > side {
		w, h = max(w/2, 1), max(h/2, 1)
	}
	if w == m.Rect.Dx() && h == m.Rect.Dy() {
		return m
	}
	small := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.CatmullRom.Scale(small, small.Rect, m, m.Rect, draw.Src, nil)
	return small
}
