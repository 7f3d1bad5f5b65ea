package audio

import (
	"encoding/binary"
	"io"
)

// WriteWAV writes samples, left and right by turns and within -1..1, as a WAV file of 16 bits.
func WriteWAV(w io.Writer, samples []float32) error {
	n := uint32(2 * len(samples))
	b := make([]byte, 0, 44+n)
	le := binary.LittleEndian
	b = append(b, "RIFF"...)
	b = le.AppendUint32(b, 36+n)
	b = append(b, "WAVEfmt "...)
	b = le.AppendUint32(b, 16)
	b = le.AppendUint16(b, 1) // plain numbers
	b = le.AppendUint16(b, 2) // ears
	b = le.AppendUint32(b, Rate)
	b = le.AppendUint32(b, 4*Rate)
	b = le.AppendUint16(b, 4)
	b = le.AppendUint16(b, 16)
	b = append(b, "data"...)
	b = le.AppendUint32(b, n)
	for _, x := range samples {
		b = le.AppendUint16(b, uint16(int16(max(-1, min(1, x))*32767)))
	}
	_, err := w.Write(b)
	return err
}
