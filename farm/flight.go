package farm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A flight is a piece of work that calls of this process wait for. It is in Farm.flights from when
// the first of them enters until it is settled. What changes is guarded by Farm.mu.
type flight struct {
	key    Hash
	id     jobID
	in     Input
	prio   Priority
	msg    *message
	ctx    context.Context // ends when it is settled, or nobody waits any more
	cancel context.CancelFunc
	driver *Result

	waiters  []*Result // in the order in which they came
	over     bool
	unwanted bool // it was over because nobody waited any more
	here     bool // it runs in this process
	queued   time.Time
	seq      uint64        // of its message, as far as is known; else 0
	check    time.Time     // when the result is looked for
	interval time.Duration // until the next time
}

// enter is C1: it finds the flight of a call, or makes one.
func (f *Farm) enter(r *Result) (fl *flight, first bool) {
	key := keyOf(r.id, r.in.argRef, r.in.refs)
	f.note(Note{What: NoteCalled, Key: key, Job: r.id.String()})
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl = f.flights[key]; fl != nil {
		fl.waiters = append(fl.waiters, r)
		fl.allow(r.opts.Timeout)
		return fl, false
	}
	fl = &flight{key: key, id: r.id, in: r.in, prio: r.opts.Priority, driver: r,
		waiters: []*Result{r}, interval: f.opts.Recheck}
	fl.msg = &message{id: r.id, timeout: r.opts.Timeout, inline: r.in.inline, arg: r.in.arg,
		argRef: r.in.argRef, refs: r.in.refs, data: r.in.data}
	fl.ctx, fl.cancel = context.WithCancel(f.ctx)
	fl.check = time.Now().Add(fl.interval)
	if f.closed {
		fl.over = true
		fl.cancel()
		go r.settle(nil, ErrClosed)
		return fl, false
	}
	f.flights[key] = fl
	return fl, true
}

// allow makes the work go on for as long as one more call allows: with its next message, which C5
// sends should this one have been dropped. It is for who holds Farm.mu.
func (fl *flight) allow(timeout time.Duration) {
	if timeout == 0 || fl.msg.timeout == 0 {
		fl.msg.timeout = 0
	} else {
		fl.msg.timeout = max(fl.msg.timeout, timeout)
	}
}

func (f *Farm) isOver(fl *flight) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fl.over
}

// remove is for who holds Farm.mu.
func (f *Farm) remove(fl *flight) {
	fl.over = true
	delete(f.flights, fl.key)
	if !fl.queued.IsZero() {
		f.waiting--
	}
}

// settle ends a flight and the calls that wait for it.
func (f *Farm) settle(fl *flight, rec *record, err error) {
	f.mu.Lock()
	if fl.over {
		f.mu.Unlock()
		return
	}
	f.remove(fl)
	waiters := fl.waiters
	fl.waiters = nil
	queued := fl.queued
	f.mu.Unlock()
	fl.cancel()
	if rec != nil && !queued.IsZero() {
		f.costs.came(fl.id, time.Since(queued), rec.run)
	}
	for _, r := range waiters {
		r.settle(rec, err)
	}
}

// settleWith ends a flight with what is on record.
func (f *Farm) settleWith(fl *flight, rec *record) {
	ok, err := rec.outcome(fl.id)
	f.settle(fl, ok, err)
}

// dropWaiter is for a call that does not wait any more. After the last one the work is given up.
func (f *Farm) dropWaiter(fl *flight, r *Result) {
	f.mu.Lock()
	fl.waiters = slices.DeleteFunc(fl.waiters, func(x *Result) bool { return x == r })
	last := len(fl.waiters) == 0 && !fl.over
	if last {
		fl.unwanted = true
		f.remove(fl)
	}
	queued := !fl.queued.IsZero()
	f.mu.Unlock()
	if !last {
		return
	}
	fl.cancel()
	if queued {
		f.ops.add(func() { f.withdraw(fl) })
	}
}

// withdraw takes a piece of work out of the queue, and tells the worker that runs it. Both are only
// to save work: whoever else waits for it queues it again (C5). The message is deleted by its
// number: after a purge of its subject the server forgets others that are delivered (C6).
func (f *Farm) withdraw(fl *flight) {
	key := fl.key.String()
	ctx, cancel := context.WithTimeout(f.ctx, 5*time.Second)
	defer cancel()
	q := f.queues[fl.prio]
	if m, err := q.GetLastMsgForSubject(ctx, f.jobSubject(fl.prio, fl.id, key)); err == nil {
		_ = q.DeleteMsg(ctx, m.Sequence)
	}
	_ = f.tries.Purge(ctx, key)
	_ = f.nc.Publish(f.cancelSubject(key), nil)
}

// find returns what is on record for a key, or nil.
func (f *Farm) find(ctx context.Context, key Hash) (*record, uint64, error) {
	e, err := f.results.Get(ctx, key.String())
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	rec, err := decodeRecord(e.Value())
	if err != nil {
		// What is no record is replaced by one.
		return &record{kind: recordFailed, payload: []byte(err.Error())}, e.Revision(), nil
	}
	return rec, e.Revision(), nil
}

// look is C2: it settles the flight if there is a result. A failure that was there before the call
// is taken away, so that the work is done again.
func (f *Farm) look(fl *flight) {
	f.insist(fl.ctx, func(ctx context.Context) error {
		began := time.Now()
		rec, revision, err := f.find(ctx, fl.key)
		if err != nil {
			return err
		}
		f.costs.asked(time.Since(began))
		switch {
		case rec == nil:
		case rec.kind == recordFailed:
			// If somebody was faster, it is looked at again.
			err = f.results.Delete(ctx, fl.key.String(), jetstream.LastRevision(revision))
			if err != nil {
				return err
			}
			return f.tries.Purge(ctx, fl.key.String())
		default:
			fl.driver.explain(whyKept, 0)
			f.settleWith(fl, rec)
		}
		return nil
	})
}

// publish is C3: it queues the work, and returns the number of its message, or 0 if there was one
// already. What is queued again (C6) says so to who gets it. It is not ok if the flight has ended.
func (f *Farm) publish(fl *flight, again bool) (seq uint64, ok bool) {
	msg, ok := f.slim(fl)
	if !ok {
		return 0, false
	}
	m := nats.NewMsg(f.jobSubject(fl.prio, fl.id, fl.key.String()))
	m.Data = msg.encode()
	if msg.timeout > 0 {
		ttl := max(msg.timeout, time.Second).Round(time.Second)
		m.Header.Set(jetstream.MsgTTLHeader, ttl.String())
	}
	if again {
		m.Header.Set(againHeader, "1")
	}
	f.mu.Lock()
	if fl.queued.IsZero() && !fl.over {
		fl.queued = time.Now()
		f.waiting++
	}
	f.mu.Unlock()
	ok = f.insist(fl.ctx, func(ctx context.Context) error {
		ack, err := f.js.PublishMsg(ctx, m, jetstream.WithRetryAttempts(0))
		switch {
		case err == nil:
			seq = ack.Sequence
		case !isQueued(err):
			return err
		}
		return nil
	})
	if !ok {
		return 0, false
	}
	f.note(Note{What: NoteQueued, Key: fl.key, Job: fl.id.String()})
	f.mu.Lock()
	fl.check = time.Now().Add(fl.interval)
	if seq > 0 {
		fl.seq = seq
	}
	unwanted := fl.unwanted && f.flights[fl.key] == nil
	f.mu.Unlock()
	if unwanted && f.ctx.Err() == nil {
		f.withdraw(fl) // it was queued just when the last call had given it up
	}
	return seq, true
}

// slim returns the message of a flight with no more contents in it than InlineLimit. The others are
// stored.
func (f *Farm) slim(fl *flight) (*message, bool) {
	f.mu.Lock()
	m := *fl.msg
	f.mu.Unlock()
	left := f.opts.InlineLimit
	if m.inline && len(m.arg) > left {
		if !f.putFor(fl, m.arg, m.argRef) {
			return nil, false
		}
		m.inline, m.arg = false, nil
	}
	left -= len(m.arg)
	m.data = slices.Clone(m.data)
	for i, b := range m.data {
		if len(b) <= left {
			left -= len(b)
			continue
		}
		if !f.putFor(fl, b, m.refs[i]) {
			return nil, false
		}
		m.data[i] = nil
	}
	return &m, true
}

func (f *Farm) putFor(fl *flight, b []byte, r Ref) bool {
	return f.putContent(fl.ctx, r, func() (io.Reader, error) {
		return bytes.NewReader(b), nil
	}) == nil
}

// putContent stores a content unless it is there, as often as it takes until ctx ends. It fails if
// the content cannot be read, or is not what its Ref says.
func (f *Farm) putContent(ctx context.Context, r Ref, read func() (io.Reader, error)) error {
	var failed error                            // for good
	f.insist(ctx, func(context.Context) error { // a large one takes longer than a question may
		there, err := f.store.has(ctx, r)
		if err != nil && f.isLocal() {
			failed = err
			return nil
		}
		if err != nil || there {
			return err
		}
		from, err := read()
		if err != nil {
			failed = err
			return nil
		}
		source := &sourceReader{Reader: from}
		got, err := f.Put(ctx, source)
		switch {
		case source.err != nil || err != nil && f.isLocal():
			failed = err
			return nil
		case err == nil && got != r:
			failed = errors.New("farm: the stream has changed while it was read")
		}
		return err
	})
	if failed == nil && ctx.Err() != nil {
		failed = context.Cause(ctx)
	}
	return failed
}

// A sourceReader knows why it could not be read.
type sourceReader struct {
	io.Reader
	err error
}

func (s *sourceReader) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// isQueued reports whether an error of a publication says that the subject holds a message already.
func isQueued(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && strings.Contains(api.Description, "maximum messages per subject")
}

// keep is W5 in this process: it puts a result on record, and settles the flight with the one that
// counts.
func (f *Farm) keep(fl *flight, rec *record) {
	f.insist(fl.ctx, func(ctx context.Context) error {
		first, err := f.create(ctx, fl.key, fl.id, rec)
		if err == nil {
			f.settleWith(fl, first)
		}
		return err
	})
}

// create puts a result on record unless there is one, and returns the one that is there then.
func (f *Farm) create(ctx context.Context, key Hash, id jobID, rec *record) (*record, error) {
	n := Note{What: NoteCompleted, Key: key, Job: id.String(), Worker: rec.worker,
		Attempt: rec.attempts, Result: rec.ref.Hash}
	if rec.kind == recordFailed {
		n.What = NoteDead
	}
	_, err := f.results.Create(ctx, key.String(), rec.encode())
	if err == nil {
		f.note(n)
		return rec, nil
	}
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return nil, err
	}
	first, _, err := f.find(ctx, key)
	if err == nil && first == nil {
		err = errors.New("farm: the result has just been removed")
	}
	if err != nil {
		return nil, err
	}
	n.What = NoteDuplicate
	f.note(n)
	return first, nil
}

// insist calls op until it succeeds, with pauses, or until ctx has ended; then it returns false.
func (f *Farm) insist(ctx context.Context, op func(context.Context) error) bool {
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		if ctx.Err() != nil {
			return false
		}
		one, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := op(one)
		cancel()
		if err == nil {
			return true
		}
		if f.opts.Logger != nil && ctx.Err() == nil {
			f.opts.Logger.Warn("farm: the server did not do it", "err", err)
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
}
