package farm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

// runHere runs the function on the worker that runs the body. A failed attempt is followed by
// another one, as it would be elsewhere, in a round of its own.
func (r *Result) runHere(c *taskgraph.Context) error {
	f, fl := r.f, r.fl
	ctx, key := f.ctx, Hash{}
	if fl != nil {
		ctx, key = fl.ctx, fl.key
	}
	r.tries++
	f.note(Note{What: NoteLocal, Key: key, Job: r.id.String(), Attempt: r.tries})
	rec, err := r.attempt(c, ctx)
	if errors.Is(err, errUnkept) && ctx.Err() == nil && r.isWanted() { // W3a
		f.note(Note{What: NoteFailed, Key: key, Job: r.id.String(), Attempt: r.tries, Err: err})
		r.tries--
		r.spared++
		c.Again(c.System().AfterDelay(f.retryDelay(r.spared)))
		return nil
	}
	if err != nil && ctx.Err() == nil {
		f.note(Note{What: NoteFailed, Key: key, Job: r.id.String(), Attempt: r.tries, Err: err})
		if !isPermanent(err) && r.tries < f.opts.MaxDeliver && r.isWanted() {
			c.Again(c.System().AfterDelay(f.retryDelay(r.tries)))
			return nil
		}
		rec = failure(r.tries, "here", err)
	}
	switch {
	case fl == nil:
		r.settle(rec.outcome(r.id))
	case rec == nil: // nobody waits any more, or the farm is closed
		f.settle(fl, nil, context.Cause(ctx))
	default:
		f.ops.add(func() { f.keep(fl, rec) })
	}
	c.DontCompleteUntil(r.done)
	return nil
}

// isWanted reports whether anybody waits for what the call runs: it, or others of its flight.
func (r *Result) isWanted() bool {
	if r.fl != nil {
		return !r.f.isOver(r.fl)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.settled
}

// attempt calls the function once.
func (r *Result) attempt(c *taskgraph.Context, ctx context.Context) (rec *record, err error) {
	f := r.f
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if r.fl == nil { // the call is alone: its end is that of the work
		if r.opts.Context != nil {
			defer context.AfterFunc(r.opts.Context, cancel)()
		}
		if r.opts.Timeout > 0 {
			var end context.CancelFunc
			ctx, end = context.WithTimeout(ctx, r.opts.Timeout)
			defer end()
		}
	}
	run := func() {
		in := r.in
		if in.stream != nil {
			if err = f.storeStream(ctx, &in); err != nil {
				return
			}
		}
		in.store, in.limit = during{f.store, ctx}, f.opts.MemoryLimit
		rec, err = f.call(f.opts.Jobs, ctx, r.id, in)
	}
	if !r.in.isAtHand() {
		c.Blocking(run) // it reads from the store
	} else {
		run()
	}
	if rec != nil {
		rec.attempts, rec.worker = r.tries, "here"
		f.costs.ran(r.id, rec.run)
	}
	return rec, err
}

// call calls a function, and returns what it has written as a record. A panic is an error. What
// fails because the server does not take the result wraps errUnkept, whatever the function makes of
// it.
func (f *Farm) call(jobs *Jobs, ctx context.Context, id jobID, in Input) (rec *record, err error) {
	fn := jobs.lookup(id)
	out := &sink{ctx: ctx, store: f.store, limit: f.opts.InlineLimit}
	returned := false
	defer func() {
		if returned {
			return
		}
		out.abort()
		rec, err = nil, fmt.Errorf("farm: the function panicked: %v", recover())
		if unkept := f.unkept(out.err); unkept != nil {
			err = unkept
		}
	}()
	began := time.Now()
	err = fn(ctx, in, out)
	took := time.Since(began)
	returned = true
	if ctx.Err() != nil && err == nil {
		err = ctx.Err()
	} else if unkept := f.unkept(out.err); unkept != nil {
		err = unkept
	}
	if err != nil {
		out.abort()
		return nil, err
	}
	if rec, err = out.finish(); err != nil {
		return nil, cmp.Or(f.unkept(err), err)
	}
	rec.run = took
	return rec, nil
}

// unkept returns what it comes to that a result was not stored, or nil. Files of this process are
// no server: nobody but its user mends them, and so their failures are those of the job.
func (f *Farm) unkept(err error) error {
	if err == nil || f.isLocal() {
		return nil
	}
	if f.opts.Logger != nil {
		f.opts.Logger.Warn("farm: the server does not take a result", "err", err)
	}
	return fmt.Errorf("%w: %w", errUnkept, err)
}

// failure returns the record of what was given up.
func failure(attempts int, worker string, err error) *record {
	text := err.Error()
	return &record{kind: recordFailed, attempts: attempts, worker: worker,
		payload: []byte(text[:min(len(text), maxText)])}
}

func (f *Farm) retryDelay(tries int) time.Duration {
	return min(f.opts.RetryDelay<<min(tries-1, 10), time.Minute)
}
