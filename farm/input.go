package farm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
)

// An Input is what a job works on: an argument, and any number of further contents by reference.
// Make one with [Bytes] or [Stream]; a job is given one to read. It is a value.
type Input struct {
	arg    []byte // if inline
	inline bool
	argRef Ref
	refs   []Ref
	data   [][]byte // of the reference of that number, if it is in memory; else nil

	stream io.ReadSeeker // of Stream, until it has been stored
	store  blobs         // of what a job is given
	limit  int64         // of Bytes, there
}

// Bytes returns an Input whose argument is b, which must not change any more.
func Bytes(b []byte) Input { return Input{arg: b, inline: true, argRef: RefOf(b)} }

// Stream returns an Input whose argument is what r holds from its beginning to its end. It is read
// twice, outside of the workers of the task graph, and never whole in memory; nobody else may use r
// until the event of the call is complete.
func Stream(r io.ReadSeeker) Input { return Input{stream: r} }

// With returns the input with further contents, in their order: see [Farm.Put] and [Result.Ref].
func (in Input) With(refs ...Ref) Input {
	in.refs = slices.Concat(in.refs, refs)
	return in
}

// Bytes returns the argument. It must not be changed. It is [ErrTooLarge] beyond
// [Options.MemoryLimit].
func (in Input) Bytes(ctx context.Context) ([]byte, error) {
	if in.inline {
		return in.arg, nil
	}
	return readAll(ctx, in.store, in.argRef, in.limit)
}

// Size returns the size of the argument in bytes.
func (in Input) Size() int64 { return in.argRef.Size }

// Open returns the argument as a stream, which fails if it is not what its hash says.
func (in Input) Open(ctx context.Context) (io.ReadCloser, error) {
	if in.inline {
		return io.NopCloser(bytes.NewReader(in.arg)), nil
	}
	return open(ctx, in.store, in.argRef)
}

// Refs returns the references. It must not be changed.
func (in Input) Refs() []Ref { return in.refs }

// OpenRef returns the content of the reference of that number as a stream.
func (in Input) OpenRef(ctx context.Context, i int) (io.ReadCloser, error) {
	if i < 0 || i >= len(in.refs) {
		return nil, fmt.Errorf("%w: there are %d references, and none of number %d", ErrInvalid,
			len(in.refs), i)
	}
	if i < len(in.data) && in.data[i] != nil {
		return io.NopCloser(bytes.NewReader(in.data[i])), nil
	}
	return open(ctx, in.store, in.refs[i])
}

// withResult returns the input with the result of a call.
func (in Input) withResult(rec *record) Input {
	data := slices.Grow(slices.Clone(in.data), 1)
	for len(data) < len(in.refs) {
		data = append(data, nil)
	}
	if rec.kind == recordInline {
		data = append(data, append([]byte{}, rec.payload...))
	}
	in.data = data
	return in.With(rec.ref)
}

// isAtHand reports whether nothing of the input must be read from a store.
func (in Input) isAtHand() bool {
	for i := range in.refs {
		if i >= len(in.data) || in.data[i] == nil {
			return false
		}
	}
	return in.inline
}

// bytes returns how much a worker elsewhere would have to be sent.
func (in Input) bytes() int64 {
	n := in.argRef.Size
	for _, r := range in.refs {
		n += r.Size
	}
	return n
}

func open(ctx context.Context, s blobs, r Ref) (io.ReadCloser, error) {
	if s == nil {
		return nil, fmt.Errorf("%w: the input is read before the job has it", ErrInvalid)
	}
	rc, err := s.open(ctx, r)
	if err != nil {
		return nil, err
	}
	return &checked{ReadCloser: rc, want: r, hash: sha256.New()}, nil
}

func readAll(ctx context.Context, s blobs, r Ref, limit int64) ([]byte, error) {
	if r.Size > limit {
		return nil, fmt.Errorf("%w: %d bytes, and at most %d are read into memory", ErrTooLarge,
			r.Size, limit)
	}
	rc, err := open(ctx, s, r)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	b := make([]byte, 0, r.Size+1) // one more, so that the end is seen without growing
	for {
		n, err := rc.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return nil, err
		}
	}
}

// A checked reader fails at the end if what was read is not what its Ref says, and before that as
// soon as there is more.
type checked struct {
	io.ReadCloser
	want Ref
	hash interface {
		io.Writer
		Sum([]byte) []byte
	}
	n int64
}

func (c *checked) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if left := c.want.Size - c.n; int64(len(b)) > left+1 {
		b = b[:left+1] // one more, to see whether there is one
	}
	n, err := c.ReadCloser.Read(b)
	c.hash.Write(b[:n])
	c.n += int64(n)
	if c.n > c.want.Size {
		return 0, c.wrong()
	}
	if errors.Is(err, io.EOF) && (c.n < c.want.Size || Hash(c.hash.Sum(nil)) != c.want.Hash) {
		return 0, c.wrong()
	}
	return n, err
}

func (c *checked) wrong() error {
	return fmt.Errorf("%w: what is stored as %s is something else", ErrInvalid, c.want.Hash)
}
