package encode

import (
	"errors"
	"fmt"

	"github.com/heddle-go/heddle/assets/pipes"
)

// An Encoder makes one kind of resource into another form. Texture, Mesh and FLAC return one; it is
// not changed after that, and any goroutine may call its methods.
type Encoder struct {
	name    string
	version int
	params  string
	format  string
	run     func(source []byte, l pipes.Limits) ([]byte, error)
}

// ErrFormat is wrapped by the error of Encode if the source is damaged, or none of those that the
// encoder reads.
var ErrFormat = pipes.ErrFormat

// Name returns what the encoder does, in one word: "texture", "mesh", "flac".
func (e *Encoder) Name() string { return e.name }

// Version returns the version of the encoder. It is raised when the same source and parameters give
// other bytes than before.
func (e *Encoder) Version() int { return e.version }

// Params returns the parameters as text that is the same for the same parameters.
func (e *Encoder) Params() string { return e.params }

// Format returns the format of what Encode returns, which is also the ending of its file.
func (e *Encoder) Format() string { return e.format }

// String returns all that names the encoder.
func (e *Encoder) String() string { return fmt.Sprintf("%s/%d %s", e.name, e.version, e.params) }

// Encode returns the other form of a source, which it does not change. The error wraps ErrFormat,
// or pipes.ErrLimit for what is larger than the limits. A panic of a library is an ErrFormat.
func (e *Encoder) Encode(source []byte, l pipes.Limits) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("%w: %s: %v", ErrFormat, e.name, p)
		}
	}()
	if out, err = e.run(source, l.OrDefault()); err == nil {
		return out, nil
	}
	if !errors.Is(err, pipes.ErrLimit) && !errors.Is(err, ErrFormat) {
		err = fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return nil, fmt.Errorf("%s: %w", e.name, err)
}

// decode decodes a source by a decoder of package pipes, which refuses what is too large before it
// takes memory for it.
func decode(format string, source []byte, l pipes.Limits) (any, error) {
	d := pipes.Decoders()[format]
	if d.Measure != nil {
		if _, err := d.Measure(source, l); err != nil {
			return nil, err
		}
	}
	found, err := d.Decode(source, l)
	return found.Value, err
}
