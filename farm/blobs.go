package farm

import (
	"context"
	"io"
)

// blobs keeps contents by their hash.
type blobs interface {
	open(ctx context.Context, r Ref) (io.ReadCloser, error)
	has(ctx context.Context, r Ref) (bool, error)
	create(ctx context.Context) (blobWriter, error)
}

// A blobWriter takes a content whose hash is not known yet. One of commit and abort is called.
type blobWriter interface {
	io.Writer
	commit() (Ref, error)
	abort()
}

// during is a store that is asked no longer than a context lasts, whatever context its user gives:
// that of the farm, or of one run of a job.
type during struct {
	blobs
	ctx context.Context
}

func (d during) join(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(d.ctx, func() { cancel(context.Cause(d.ctx)) })
	return ctx, func() { stop(); cancel(nil) }
}

func (d during) open(ctx context.Context, r Ref) (io.ReadCloser, error) {
	ctx, end := d.join(ctx)
	rc, err := d.blobs.open(ctx, r)
	if err != nil {
		end()
		return nil, err
	}
	return &ended{rc, end}, nil
}

func (d during) has(ctx context.Context, r Ref) (bool, error) {
	ctx, end := d.join(ctx)
	defer end()
	return d.blobs.has(ctx, r)
}

// An ended reader calls a function when it is closed.
type ended struct {
	io.ReadCloser
	end func()
}

func (e *ended) Close() error {
	e.end()
	return e.ReadCloser.Close()
}

// chunk is how much of a content is sent at a time.
const chunk = 128 << 10

// A sink takes the result of a job: in memory up to a limit, beyond it to a store.
type sink struct {
	ctx   context.Context
	store blobs
	limit int
	buf   []byte
	blob  blobWriter
	err   error
}

func (s *sink) Write(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.blob == nil && len(s.buf)+len(b) <= s.limit {
		s.buf = append(s.buf, b...)
		return len(b), nil
	}
	if s.blob == nil {
		if s.blob, s.err = s.store.create(s.ctx); s.err != nil {
			s.blob = nil
			return 0, s.err
		}
		if _, s.err = s.blob.Write(s.buf); s.err != nil {
			return 0, s.err
		}
		s.buf = nil
	}
	n, err := s.blob.Write(b)
	s.err = err
	return n, err
}

// finish returns what was written as a record that has succeeded.
func (s *sink) finish() (*record, error) {
	if s.blob == nil {
		return &record{kind: recordInline, ref: RefOf(s.buf), payload: s.buf}, s.err
	}
	blob := s.blob
	s.blob = nil
	if s.err != nil {
		blob.abort()
		return nil, s.err
	}
	r, err := blob.commit()
	return &record{kind: recordObject, ref: r}, err
}

func (s *sink) abort() {
	if s.blob != nil {
		s.blob.abort()
		s.blob = nil
	}
}
