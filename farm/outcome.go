package farm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// Event returns the event of the call.
func (r *Result) Event() taskgraph.Event { return r.ev }

// Get waits for the call and returns its result, or its failure, or the cause of ctx's end. A body
// gives its Context as ctx. It is [ErrTooLarge] beyond [Options.MemoryLimit], and [ErrMissing] if
// the result has been removed. A server that does not answer is asked again until ctx ends.
func (r *Result) Get(ctx context.Context) ([]byte, error) {
	if err := r.wait(ctx); err != nil {
		return nil, err
	}
	return r.bytes(ctx)
}

// Open is Get for a result that is read as a stream.
func (r *Result) Open(ctx context.Context) (io.ReadCloser, error) {
	if err := r.wait(ctx); err != nil {
		return nil, err
	}
	rec := r.record()
	if rec.kind == recordInline {
		return io.NopCloser(bytes.NewReader(rec.payload)), nil
	}
	return open(ctx, r.f.store, rec.ref)
}

// Ref returns the reference of the result of a call that has succeeded, or the zero Ref. It is
// stored in the farm if it is above [Options.InlineLimit]; [CallOptions.From] takes any.
func (r *Result) Ref() Ref {
	if rec := r.record(); rec != nil {
		return rec.ref
	}
	return Ref{}
}

// Why says where the job was run and for what reason, or "" as long as that is not decided. It is
// for people; what a program may want to know of it has methods.
func (r *Result) Why() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

// Kept reports whether the result was there before: somebody had done the same work, and nothing
// was run for this call. It is false as long as that is not known.
func (r *Result) Kept() bool { return r.is(whyKept) }

// Shared reports whether another call of this process had begun the same work and not ended it, so
// that this one waited for that.
func (r *Result) Shared() bool { return r.is(whyShared) }

func (r *Result) is(why reason) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why != "" && r.reason == why
}

func (r *Result) wait(ctx context.Context) error {
	var err error
	if c, ok := ctx.(*taskgraph.Context); ok && c.System() == r.sys {
		err = c.Wait(r.ev)
	} else {
		err = r.sys.WaitUntilTasksComplete(ctx, r.ev)
	}
	if err == nil && r.record() == nil {
		err = graphevent.ErrForgotten
	}
	return err
}

func (r *Result) record() *record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rec
}

func (r *Result) bytes(ctx context.Context) ([]byte, error) {
	rec := r.record()
	if rec.kind == recordInline {
		return rec.payload, nil
	}
	// A cluster that has just lost a node has once given something else than it had been given.
	for pause := 50 * time.Millisecond; ; pause *= 2 {
		b, err := readAll(ctx, r.f.store, rec.ref, r.f.opts.MemoryLimit)
		if !errors.Is(err, ErrInvalid) || pause > 5*time.Second || r.f.isLocal() {
			return b, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-r.f.ctx.Done():
			return nil, ErrClosed
		case <-time.After(pause):
		}
	}
}

// outcome returns what a call is settled with.
func (rec *record) outcome(id jobID) (*record, error) {
	if rec == nil {
		return nil, ErrClosed
	}
	if rec.kind == recordFailed {
		return nil, &JobError{Job: id.name, Version: id.version, Attempts: rec.attempts,
			Worker: rec.worker, Message: string(rec.payload)}
	}
	return rec, nil
}
