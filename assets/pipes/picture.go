package pipes

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// A pictureFormat is how pictures are read.
type pictureFormat struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

var pictureFormats = map[string]pictureFormat{
	"png":  {png.DecodeConfig, png.Decode},
	"jpeg": {jpeg.DecodeConfig, jpeg.Decode},
	"webp": {webp.DecodeConfig, webp.Decode},
}

// mostScans is how often a JPEG may go over the picture. Each takes the time of its pixels, and
// hardly a byte.
const mostScans = 256

// pictures returns the decoder of a format of pictures.
func pictures(format string) Decoder {
	f := pictureFormats[format]
	return Decoder{
		Version: 1,
		Measure: func(data []byte, l Limits) (int64, error) {
			c, err := f.config(bytes.NewReader(data))
			if err != nil {
				return 0, err
			}
			if c.Width <= 0 || c.Height <= 0 {
				return 0, fmt.Errorf("%w: %d x %d pixels", ErrFormat, c.Width, c.Height)
			}
			if int64(c.Width) > l.Pixels/int64(c.Height) {
				return 0, fmt.Errorf("%w: %d x %d pixels, at most %d", ErrLimit, c.Width, c.Height,
					l.Pixels)
			}
			if n := bytes.Count(data, []byte{0xff, 0xda}); format == "jpeg" && n > mostScans {
				return 0, over("scans of a JPEG", int64(n), mostScans)
			}
			// As it is decoded, up to eight bytes and a JPEG's coefficients; and as it stays.
			return int64(c.Width) * int64(c.Height) * 20, nil
		},
		Decode: func(data []byte, _ Limits) (Decoded, error) {
			m, err := f.decode(bytes.NewReader(data))
			if err != nil {
				return Decoded{}, err
			}
			n := toNRGBA(m)
			return Decoded{Value: n, Size: int64(len(n.Pix))}, nil
		},
	}
}

// toNRGBA returns a picture with eight bits a channel, without premultiplied alpha, from (0, 0) on.
func toNRGBA(m image.Image) *image.NRGBA {
	b := m.Bounds()
	tight := func(stride int) bool { return b.Min == image.Point{} && stride == 4*b.Dx() }
	switch m := m.(type) {
	case *image.NRGBA:
		if tight(m.Stride) {
			return m
		}
	case *image.RGBA:
		if tight(m.Stride) && m.Opaque() {
			return &image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
		}
	case *image.YCbCr, *image.Gray, *image.CMYK: // opaque: there is a fast way to RGBA
		n := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
		draw.Draw(n, n.Rect, m, b.Min, draw.Src)
		return &image.NRGBA{Pix: n.Pix, Stride: n.Stride, Rect: n.Rect}
	}
	n := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(n, n.Rect, m, b.Min, draw.Src)
	return n
}
