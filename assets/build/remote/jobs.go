package remote

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/heddle-go/heddle/assets/build/encode"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/farm"
)

// Register registers the encoders as jobs "assets-texture", "assets-mesh" and "assets-flac", each
// under its version. A worker process needs no more than that and Farm.Work. What a job is given is
// not trusted: it names one of these encoders or is refused, and sources are held to the limits.
func Register(j *farm.Jobs, l pipes.Limits) {
	for _, e := range []*encode.Encoder{encode.Texture(encode.TextureOptions{}), encode.Mesh(),
		encode.FLAC()} {
		name, version := e.Name(), e.Version()
		j.RegisterBytes(jobName(e), jobVersion(e),
			func(_ context.Context, in []byte) ([]byte, error) {
				params, source, err := split(in)
				if err != nil {
					return nil, farm.Permanent(err)
				}
				e, err := encode.Parse(name, version, params)
				if err != nil {
					return nil, farm.Permanent(err)
				}
				out, err := e.Encode(source, l)
				return out, farm.Permanent(err) // another attempt would fail like this one
			})
	}
}

func jobName(e *encode.Encoder) string { return "assets-" + e.Name() }

func jobVersion(e *encode.Encoder) string { return strconv.Itoa(e.Version()) }

// maxParams bounds the text of parameters.
const maxParams = 1 << 10

// join returns the input of a job: the length of the parameters, these, and the source.
func join(e *encode.Encoder, source []byte) []byte {
	p := e.Params()
	in := make([]byte, 0, len(p)+len(source)+2)
	in = binary.AppendUvarint(in, uint64(len(p)))
	return append(append(in, p...), source...)
}

// split is the reverse of join.
func split(in []byte) (params string, source []byte, err error) {
	n, used := binary.Uvarint(in)
	if used <= 0 || n > maxParams || n > uint64(len(in)-used) {
		return "", nil, fmt.Errorf("%w: the input of a job", encode.ErrFormat)
	}
	return string(in[used : used+int(n)]), in[used+int(n):], nil
}
