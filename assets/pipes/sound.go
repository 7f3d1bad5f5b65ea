package pipes

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/jfreymuth/oggvorbis"
)

// A Sound is one that is decoded, with its channels by turns.
type Sound struct {
	Rate     int // samples a second, of each channel
	Channels int
	Samples  []float32 // from -1 to 1
}

// sounds decodes Ogg Vorbis.
var sounds = Decoder{
	Version: 1,
	Measure: func(data []byte, l Limits) (int64, error) {
		n, err := checkVorbis(data)
		if err != nil {
			return 0, err
		}
		// The tables of the decoder, and the samples with what they grow into.
		return 16<<20 + 8*min(n, l.Samples), nil
	},
	Decode: func(data []byte, l Limits) (Decoded, error) {
		if _, err := checkVorbis(data); err != nil {
			return Decoded{}, err
		}
		// Without Seek nothing of the file is believed before it is decoded.
		r, err := oggvorbis.NewReader(struct{ io.Reader }{bytes.NewReader(data)})
		if err != nil {
			return Decoded{}, err
		}
		s := &Sound{Rate: r.SampleRate(), Channels: r.Channels()}
		part := make([]float32, 1<<16)
		for err == nil {
			var n int
			n, err = r.Read(part)
			for i, v := range part[:max(n, 0)] {
				if math.IsNaN(float64(v)) {
					part[i] = 0
				}
			}
			s.Samples = append(s.Samples, part[:max(n, 0)]...)
			if int64(len(s.Samples)) > l.Samples {
				return Decoded{}, endless("samples", l.Samples)
			}
		}
		if err != io.EOF {
			return Decoded{}, fmt.Errorf("after %d samples: %w", len(s.Samples), err)
		}
		return Decoded{Value: s, Size: 4 * int64(len(s.Samples))}, nil
	},
}
