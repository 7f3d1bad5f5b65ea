package encode

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/mewkiz/flac"
	"github.com/woozymasta/bcn"

	"github.com/heddle-go/heddle/assets/pipes"
)

// Decoders returns decoders of what the encoders make and read beyond those of package pipes, by
// format: "dds" is an *image.NRGBA of the largest picture of the chain, "flac" and "wav" a
// *pipes.Sound. A program that draws takes the blocks of a DDS file as they are.
func Decoders() map[string]pipes.Decoder {
	return map[string]pipes.Decoder{
		"dds": {Version: 1, Measure: measureDDS, Decode: decodeDDS},
		"flac": {Version: 1, Measure: func(data []byte, l pipes.Limits) (int64, error) {
			return 8 * min(l.Samples, 16*int64(len(data))), nil
		}, Decode: decodeFLAC},
		"wav": {Version: 1, Measure: func(data []byte, _ pipes.Limits) (int64, error) {
			return 8 * int64(len(data)), nil
		}, Decode: func(data []byte, l pipes.Limits) (pipes.Decoded, error) {
			w, err := readWAV(data, l)
			if err != nil {
				return pipes.Decoded{}, err
			}
			return w.sound(), nil
		}},
	}
}

// measureDDS looks at the header: what it says of the size is compared with the limit and with how
// many bytes there are, at four bits a pixel or more.
func measureDDS(data []byte, l pipes.Limits) (int64, error) {
	h, err := bcn.ReadDDSHeader(bytes.NewReader(data))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	n := int64(h.Width) * int64(h.Height)
	if h.Width == 0 || h.Height == 0 || h.Width > 1<<16 || h.Height > 1<<16 ||
		n > 2*int64(len(data)) {
		return 0, fmt.Errorf("%w: %d x %d pixels in %d bytes", ErrFormat, h.Width, h.Height,
			len(data))
	}
	if n > l.Pixels {
		return 0, fmt.Errorf("%w: %d x %d pixels, at most %d", pipes.ErrLimit, h.Width, h.Height,
			l.Pixels)
	}
	return 4*n + int64(len(data)), nil
}

func decodeDDS(data []byte, l pipes.Limits) (pipes.Decoded, error) {
	if _, err := measureDDS(data, l); err != nil {
		return pipes.Decoded{}, err
	}
	_, m, err := bcn.DecodeDDSWithOptions(bytes.NewReader(data), &bcn.DecodeOptions{Workers: 1})
	if err != nil {
		return pipes.Decoded{}, err
	}
	whole := &image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
	return pipes.Decoded{Value: whole, Size: int64(len(m.Pix))}, nil
}

// decodeFLAC decodes a sound, as many samples as it has, whatever its header says.
func decodeFLAC(data []byte, l pipes.Limits) (pipes.Decoded, error) {
	s, err := flac.New(bytes.NewReader(data))
	if err != nil {
		return pipes.Decoded{}, err
	}
	w := &wav{rate: s.Info.SampleRate, bits: s.Info.BitsPerSample,
		samples: make([][]int32, s.Info.NChannels)}
	total := int64(0)
	for {
		f, err := s.ParseNext()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return pipes.Decoded{}, err
		}
		if len(f.Subframes) != len(w.samples) {
			return pipes.Decoded{}, fmt.Errorf("%w: %d channels of %d", ErrFormat,
				len(f.Subframes), len(w.samples))
		}
		for c, sub := range f.Subframes {
			w.samples[c] = append(w.samples[c], sub.Samples...)
			total += int64(len(sub.Samples))
		}
		if total > l.Samples {
			return pipes.Decoded{}, fmt.Errorf("%w: more than %d samples", pipes.ErrLimit,
				l.Samples)
		}
	}
	for _, c := range w.samples {
		if len(c) != len(w.samples[0]) || len(c) == 0 {
			return pipes.Decoded{}, fmt.Errorf("%w: channels of unequal length", ErrFormat)
		}
	}
	return w.sound(), nil
}

// sound returns a sound as package pipes has it.
func (w *wav) sound() pipes.Decoded {
	n := len(w.samples)
	s := &pipes.Sound{Rate: int(w.rate), Channels: n, Samples: make([]float32, n*len(w.samples[0]))}
	scale := 1 / float32(int64(1)<<(w.bits-1))
	for c, samples := range w.samples {
		for i, v := range samples {
			s.Samples[i*n+c] = float32(v) * scale
		}
	}
	return pipes.Decoded{Value: s, Size: 4 * int64(len(s.Samples))}
}
