package pipes

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
)

// The decoder of Vorbis believes what the headers say: for some it would take gigabytes, or look
// for ever for the end of a code. What is checked here is from the Vorbis I specification,
// sections 3.2, 4.2 and 5.2.1.

// What a header may ask for.
const (
	mostBookEntries = 1 << 16 // of one codebook
	mostBookValues  = 1 << 21 // entries times dimensions, of all codebooks together
	mostBookWidth   = 1 << 10 // dimensions
)

var errVorbis = errors.New("a Vorbis header that cannot be")

// checkVorbis looks at the three headers of a file. It returns how many samples the last page says
// that there are, of all channels together.
func checkVorbis(data []byte) (samples int64, err error) {
	packets, last, err := oggPackets(data, 3)
	if err != nil {
		return 0, err
	}
	for i, p := range packets {
		if !bytes.HasPrefix(p, []byte{byte(2*i + 1), 'v', 'o', 'r', 'b', 'i', 's'}) {
			return 0, errVorbis
		}
		packets[i] = p[7:]
	}
	id, comment, setup := packets[0], packets[1], packets[2]
	if len(id) != 23 || id[4] == 0 || binary.LittleEndian.Uint32(id[5:]) == 0 {
		return 0, errVorbis
	}
	if short, long := id[21]&15, id[21]>>4; short < 6 || long < short || long > 13 {
		return 0, errVorbis
	}
	if err := checkComment(comment); err != nil {
		return 0, err
	}
	if err := checkBooks(setup); err != nil {
		return 0, err
	}
	channels := int64(id[4])
	if last < 0 || last > math.MaxInt64/channels/8 {
		return 0, errVorbis
	}
	return last * channels, nil
}

// oggPackets returns the first packets of a file, and the position of its last page. It reads pages
// as the decoder does, which heeds no more than the table of segments.
func oggPackets(data []byte, n int) (packets [][]byte, last int64, err error) {
	var packet []byte
	for first := true; len(data) > 0; first = false {
		if len(data) < 27 || string(data[:4]) != "OggS" || data[4] != 0 {
			return nil, 0, fmt.Errorf("%w: no page of Ogg", ErrFormat)
		}
		if first && data[5]&1 != 0 {
			return nil, 0, fmt.Errorf("%w: a page that goes on with nothing", ErrFormat)
		}
		last = int64(binary.LittleEndian.Uint64(data[6:]))
		final := data[5]&4 != 0
		segments := int(data[26])
		if segments == 0 || len(data) < 27+segments {
			return nil, 0, io.ErrUnexpectedEOF
		}
		table, rest := data[27:27+segments], data[27+segments:]
		for _, size := range table {
			if int(size) > len(rest) {
				return nil, 0, io.ErrUnexpectedEOF
			}
			if len(packets) < n {
				packet = append(packet, rest[:size]...)
				if size < 255 {
					packets, packet = append(packets, packet), nil
				}
			}
			rest = rest[size:]
		}
		data = rest
		if final {
			break
		}
	}
	if len(packets) < n {
		return nil, 0, io.ErrUnexpectedEOF
	}
	return packets, last, nil
}

// checkComment refuses a header that says that it has more comments than it has bytes.
func checkComment(b []byte) error {
	text := func() error {
		if len(b) < 4 {
			return errVorbis
		}
		n := binary.LittleEndian.Uint32(b)
		if uint64(n) > uint64(len(b)-4) {
			return errVorbis
		}
		b = b[4+n:]
		return nil
	}
	if err := text(); err != nil {
		return err
	}
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)/4) {
		return errVorbis
	}
	n := binary.LittleEndian.Uint32(b)
	b = b[4:]
	for range n {
		if err := text(); err != nil {
			return err
		}
	}
	return nil
}

// checkBooks reads the codebooks of a setup header. What follows them is of bounded size.
func checkBooks(setup []byte) error {
	r := &bitReader{data: setup}
	values := uint64(0)
	for range r.read(8) + 1 {
		if r.read(24) != 0x564342 {
			return errVorbis
		}
		width, entries := r.read(16), r.read(24)
		if r.bad || width == 0 || entries < 2 {
			return errVorbis
		}
		if values += uint64(width) * uint64(entries); width > mostBookWidth ||
			entries > mostBookEntries || values > mostBookValues {
			return fmt.Errorf("%w: a codebook of %d entries with %d dimensions", ErrLimit, entries,
				width)
		}
		if err := r.lengths(entries); err != nil {
			return err
		}
		switch kind := r.read(4); kind {
		case 0:
		case 1, 2:
			r.read(32)
			r.read(32)
			valueBits := uint64(r.read(4) + 1)
			r.read(1)
			n := uint64(entries) * uint64(width)
			if kind == 1 { // as the decoder has it
				n = uint64(math.Floor(math.Pow(float64(entries), 1/float64(width))))
			}
			r.skip(n * valueBits)
		default:
			return errVorbis
		}
		if r.bad {
			return errVorbis
		}
	}
	return nil
}

// lengths reads the lengths of the words of a codebook, which must be a whole tree: in one with a
// hole the decoder goes round for ever.
func (r *bitReader) lengths(entries uint32) error {
	full := uint64(0) // of 1<<32
	if r.read(1) == 0 {
		sparse := r.read(1) == 1
		for range entries {
			if !sparse || r.read(1) == 1 {
				full += 1 << (31 - r.read(5))
			}
		}
	} else {
		length := uint64(r.read(5)) + 1
		for at := uint32(0); at < entries; length++ {
			n := r.read(bits.Len32(entries - at))
			if n > entries-at || length > 32 || r.bad {
				return errVorbis
			}
			full += uint64(n) << (32 - length)
			at += n
		}
	}
	if r.bad || full != 1<<32 {
		return errVorbis
	}
	return nil
}

// A bitReader reads numbers from the lowest bit of the first byte on. At the end it is bad.
type bitReader struct {
	data []byte
	at   uint64 // in bits
	bad  bool
}

func (r *bitReader) read(n int) (v uint32) {
	if r.at+uint64(n) > 8*uint64(len(r.data)) {
		r.bad = true
		return 0
	}
	for i := range n {
		v |= uint32(r.data[r.at/8]>>(r.at%8)&1) << i
		r.at++
	}
	return v
}

func (r *bitReader) skip(n uint64) {
	if n > 8*uint64(len(r.data))-min(r.at, 8*uint64(len(r.data))) {
		r.bad = true
		return
	}
	r.at += n
}
