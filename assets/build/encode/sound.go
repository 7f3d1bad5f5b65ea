package encode

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/mewkiz/flac"
	"github.com/mewkiz/flac/frame"
	"github.com/mewkiz/flac/meta"

	"github.com/heddle-go/heddle/assets/pipes"
)

// FLAC returns the encoder of sounds, WAV with 8, 16 or 24 bits of PCM and one or two channels,
// into FLAC, which loses nothing. Of two channels it takes left and right, or middle and side,
// whichever gives fewer bytes.
func FLAC() *Encoder {
	return &Encoder{name: "flac", version: 1, format: "flac",
		params: fmt.Sprintf("block=%d", soundBlock),
		run: func(source []byte, l pipes.Limits) ([]byte, error) {
			w, err := readWAV(source, l)
			if err != nil {
				return nil, err
			}
			ways := []frame.Channels{frame.ChannelsMono}
			if len(w.samples) == 2 {
				ways = []frame.Channels{frame.ChannelsLR, frame.ChannelsMidSide}
			}
			var best []byte
			for _, way := range ways {
				out, err := w.flac(way)
				if err != nil {
					return nil, err
				}
				if best == nil || len(out) < len(best) {
					best = out
				}
			}
			return best, nil
		}}
}

// soundBlock is how many samples of each channel a block of FLAC has, but for the last.
const soundBlock = 4096

// A wav is a sound as it is in a file.
type wav struct {
	rate    uint32 // samples a second
	bits    uint8  // of a sample
	samples [][]int32
}

// readWAV reads the chunks of a RIFF file, and ignores those that say nothing of the sound.
func readWAV(b []byte, l pipes.Limits) (*wav, error) {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WAVE" {
		return nil, fmt.Errorf("%w: no WAV", ErrFormat)
	}
	var w *wav
	for rest := b[12:]; len(rest) >= 8; {
		name, n := string(rest[:4]), int64(binary.LittleEndian.Uint32(rest[4:]))
		rest = rest[8:]
		if n > int64(len(rest)) {
			return nil, fmt.Errorf("%w: a chunk of %d bytes, %d are left", ErrFormat, n, len(rest))
		}
		chunk := rest[:n]
		rest = rest[min(n+n&1, int64(len(rest))):]
		switch {
		case name == "fmt " && w == nil:
			var err error
			if w, err = wavFormat(chunk); err != nil {
				return nil, err
			}
		case name == "data" && w != nil:
			return w, w.take(chunk, l)
		}
	}
	return nil, fmt.Errorf("%w: a WAV without format or data", ErrFormat)
}

// The kinds of samples that are read.
const (
	wavPCM        = 1
	wavExtensible = 0xfffe // PCM too if its sub-format, 24 bytes on, says so
)

func wavFormat(chunk []byte) (*wav, error) {
	if len(chunk) < 16 {
		return nil, fmt.Errorf("%w: a WAV format of %d bytes", ErrFormat, len(chunk))
	}
	kind := binary.LittleEndian.Uint16(chunk)
	if kind == wavExtensible && len(chunk) >= 40 {
		kind = binary.LittleEndian.Uint16(chunk[24:])
	}
	channels, bits := binary.LittleEndian.Uint16(chunk[2:]), binary.LittleEndian.Uint16(chunk[14:])
	w := &wav{rate: binary.LittleEndian.Uint32(chunk[4:]), bits: uint8(bits)}
	align := int(binary.LittleEndian.Uint16(chunk[12:]))
	if kind != wavPCM || channels < 1 || channels > 2 || bits != 8 && bits != 16 && bits != 24 ||
		w.rate < 1 || w.rate > 655350 || align != int(channels)*int(bits)/8 {
		return nil, fmt.Errorf("%w: WAV of kind %d, %d channels, %d bits, %d Hz", ErrFormat, kind,
			channels, bits, w.rate)
	}
	w.samples = make([][]int32, channels)
	return w, nil
}

// take reads the samples.
func (w *wav) take(data []byte, l pipes.Limits) error {
	wide := int(w.bits) / 8
	n := len(data) / wide / len(w.samples)
	if most := l.Samples; int64(n*len(w.samples)) > most {
		return fmt.Errorf("%w: %d samples, at most %d", pipes.ErrLimit, n*len(w.samples), most)
	}
	if n == 0 {
		return fmt.Errorf("%w: a WAV without samples", ErrFormat)
	}
	for c := range w.samples {
		w.samples[c] = make([]int32, n)
	}
	for i := range n {
		for c := range w.samples {
			b := data[(i*len(w.samples)+c)*wide:]
			switch wide {
			case 1: // without a sign, as 8 bits are in a WAV
				w.samples[c][i] = int32(b[0]) - 128
			case 2:
				w.samples[c][i] = int32(int16(binary.LittleEndian.Uint16(b)))
			case 3:
				w.samples[c][i] = int32(b[0]) | int32(b[1])<<8 | int32(int8(b[2]))<<16
			}
		}
	}
	return nil
}

// flac encodes a sound with its channels in a certain way.
func (w *wav) flac(way frame.Channels) ([]byte, error) {
	n := len(w.samples[0])
	var b bytes.Buffer
	// The encoder could write this afterwards into a file, and would take a short last block for
	// the least, which the format does not allow.
	e, err := flac.NewEncoder(&b, &meta.StreamInfo{BlockSizeMin: soundBlock,
		BlockSizeMax: soundBlock, SampleRate: w.rate, NChannels: uint8(len(w.samples)),
		BitsPerSample: w.bits, NSamples: uint64(n), MD5sum: w.sum()})
	if err != nil {
		return nil, err
	}
	for from := 0; from < n; from += soundBlock {
		to := min(from+soundBlock, n)
		f := &frame.Frame{Header: frame.Header{HasFixedBlockSize: true,
			BlockSize: uint16(to - from), SampleRate: w.rate, Channels: way, BitsPerSample: w.bits}}
		for _, samples := range w.samples {
			f.Subframes = append(f.Subframes, &frame.Subframe{
				SubHeader: frame.SubHeader{Pred: frame.PredVerbatim}, // or better
				Samples:   slices.Clone(samples[from:to]),            // the encoder writes to them
				NSamples:  to - from})
		}
		if err := e.WriteFrame(f); err != nil {
			return nil, err
		}
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// sum returns the sum of all samples that the header has, for whoever decodes them to compare.
func (w *wav) sum() (sum [md5.Size]byte) {
	h := md5.New()
	line := make([]byte, 0, 1<<12)
	for i := range w.samples[0] {
		for c := range w.samples {
			v := uint32(w.samples[c][i])
			for k := range int(w.bits) / 8 {
				line = append(line, byte(v>>(8*k)))
			}
		}
		if len(line) > cap(line)-16 || i == len(w.samples[0])-1 {
			h.Write(line)
			line = line[:0]
		}
	}
	h.Sum(sum[:0])
	return sum
}
