package encode

import (
	"errors"
	"fmt"
)

// ErrUnknown is wrapped by the error of Parse.
var ErrUnknown = errors.New("encode: no such encoder")

// maxSide bounds TextureOptions.Side of an encoder that Parse returns.
const maxSide = 1 << 20

// Parse returns the encoder that has this name, version and text of parameters: for who is asked by
// another process to run one. The error wraps ErrUnknown.
func Parse(name string, version int, params string) (*Encoder, error) {
	var e *Encoder
	switch name {
	case "texture":
		var o TextureOptions
		var blocks string
		// What is read but not as it would be written is refused below.
		_, err := fmt.Sscanf(params, "blocks=%s quality=%d side=%d", &blocks, &o.Quality, &o.Side)
		o.Small = blocks == smallBlocks
		if err == nil && o.Quality > 0 && o.Quality <= maxQuality && o.Side >= 0 &&
			o.Side <= maxSide {
			e = Texture(o)
		}
	case "mesh":
		e = Mesh()
	case "flac":
		e = FLAC()
	}
	if e == nil || e.version != version || e.params != params {
		return nil, fmt.Errorf("%w: %.40q, version %d, with %.100q", ErrUnknown, name, version,
			params)
	}
	return e, nil
}
