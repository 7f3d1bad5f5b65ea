package farm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// take is W1 to W6: it deals with one delivery.
func (w *worker) take(c *consumer, m *nats.Msg, meta *nats.MsgMetadata) {
	f := w.f
	subjectKey := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
	msg, err := decodeMessage(m.Data)
	if err == nil && (msg.id != c.id || msg.key().String() != subjectKey) {
		err = fmt.Errorf("%w: a message under a name that is not its own", ErrInvalid)
	}
	if err == nil && meta == nil {
		err = fmt.Errorf("%w: a message that is not from a queue", ErrInvalid)
	}
	if err != nil {
		w.putAside(m, c.id, err)
		return
	}
	key := msg.key()
	note := Note{Key: key, Job: msg.id.String(), Worker: w.opts.ID, Attempt: int(meta.NumDelivered)}
	say := func(what What, err error) {
		n := note
		n.What, n.Err = what, err
		f.note(n)
	}
	say(NoteDelivered, nil)
	ctx, cancel := context.WithCancelCause(w.ctx)
	defer cancel(nil)
	stopBeat := w.heartbeat(ctx, m, c.ackWait)
	defer stopBeat()

	var rec *record
	if !f.insist(ctx, func(ctx context.Context) (err error) {
		rec, _, err = f.find(ctx, key) // W2
		return err
	}) {
		w.release(m, meta, key, 0)
		return
	}
	if rec != nil {
		say(NoteFound, nil)
		w.ack(m)
		return
	}
	try := 1
	if isRepeated(m, meta) {
		if try = w.countTry(ctx, key); try == 0 {
			w.release(m, meta, key, 0)
			return
		}
	}
	if try > 1 {
		w.count(func(p *WorkerStatus) { p.Retried++ })
	}
	note.Attempt = try
	if try > f.opts.MaxDeliver {
		w.giveUp(m, meta, msg, try-1, errLost)
		return
	}
	if msg.timeout > 0 {
		// From now on, as the clock of whoever has called may differ. The server drops what is
		// queued for longer, and the caller withdraws what has become late; should that get lost,
		// this is the end of it.
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, msg.timeout)
		defer end()
	}
	w.mu.Lock()
	w.running[m.Reply] = run{subjectKey, cancel}
	w.mu.Unlock()
	forget := func() {
		w.mu.Lock()
		delete(w.running, m.Reply)
		w.mu.Unlock()
	}
	in := Input{arg: msg.arg, inline: msg.inline, argRef: msg.argRef, refs: msg.refs,
		data: msg.data, store: during{f.store, ctx}, limit: f.opts.MemoryLimit}
	for again := 1; ; again++ {
		say(NoteRun, nil)
		rec, err = f.call(w.jobs, ctx, msg.id, in) // W3, W4
		if !errors.Is(err, errUnkept) || ctx.Err() != nil {
			break
		}
		say(NoteFailed, err) // W3a
		if w.uncount(ctx, key, try) {
			forget()
			delay(m, f.retryDelay(int(meta.NumDelivered)))
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(f.retryDelay(again)):
		}
	}
	forget()
	over := ctx.Err() != nil // asked before the worker's, with which this one ends
	switch {
	case err == nil:
	case w.ctx.Err() != nil:
		w.release(m, meta, key, try)
		return
	case over:
		say(NoteFailed, context.Cause(ctx))
		w.ack(m) // withdrawn, or out of time
		return
	default:
		say(NoteFailed, err)
		w.count(func(p *WorkerStatus) { p.Failed++ })
		if try >= f.opts.MaxDeliver || isPermanent(err) {
			w.giveUp(m, meta, msg, try, err)
			return
		}
		delay(m, f.retryDelay(try))
		return
	}
	rec.attempts, rec.worker = try, w.opts.ID
	w.conclude(m, meta, msg, key, rec)
}

// release gives a message back whose run, of that number, is not to count (W7): the worker ends, or
// had no time to begin, and then the number is 0. What is on record makes it the next one of that
// number. If the server cannot be told that, it counts.
func (w *worker) release(m *nats.Msg, meta *nats.MsgMetadata, key Hash, try int) {
	if try > 0 || !isRepeated(m, meta) {
		w.uncount(context.WithoutCancel(w.ctx), key, max(try, 1))
	}
	w.giveBack(m)
}

// uncount makes the next run the one of that number, and reports whether that is on record.
func (w *worker) uncount(ctx context.Context, key Hash, try int) bool {
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	_, err := w.f.tries.Put(ctx, key.String(), []byte{byte(try - 1)})
	return err == nil
}

// lasting returns a context that outlives the worker by ten seconds, in which what has been done is
// put on record.
func (w *worker) lasting() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.ctx))
	stop := context.AfterFunc(w.ctx, func() { time.AfterFunc(10*time.Second, cancel) })
	return ctx, func() { stop(); cancel() }
}

var (
	errWithdrawn = errors.New("farm: withdrawn")
	errLost      = errors.New("its workers ended, or lost touch, in the middle of it")
)

// conclude is W5 and W6: the result is put on record, and only then is the message acknowledged.
// The run counts once whatever the server does: it is told until it has taken the record.
func (w *worker) conclude(m *nats.Msg, meta *nats.MsgMetadata, msg *message, key Hash,
	rec *record) {
	ctx, cancel := w.lasting()
	defer cancel()
	var first *record
	if !w.f.insist(ctx, func(ctx context.Context) (err error) {
		first, err = w.f.create(ctx, key, msg.id, rec)
		return err
	}) {
		if rec.kind == recordFailed {
			rec.attempts++ // those did count
		}
		w.release(m, meta, key, rec.attempts)
		return
	}
	w.count(func(p *WorkerStatus) {
		if first == rec {
			p.Done++
		} else {
			p.Duplicates++
		}
	})
	w.ack(m)
	if isRepeated(m, meta) {
		_ = w.f.tries.Purge(ctx, key.String())
	}
}

// isRepeated tells work that has been delivered before, in this message or in one that was
// forgotten (C6).
func isRepeated(m *nats.Msg, meta *nats.MsgMetadata) bool {
	return meta.NumDelivered > 1 || m.Header.Get(againHeader) != ""
}

// countTry is W2a: it counts the runs of work that has been delivered before, and returns the
// number of the one that is to begin, or 0 if ctx has ended. The first is not on record, unless it
// was one that did not count (W7).
func (w *worker) countTry(ctx context.Context, key Hash) int {
	tries := 1
	ok := w.f.insist(ctx, func(ctx context.Context) error {
		e, err := w.f.tries.Get(ctx, key.String())
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err == nil && len(e.Value()) == 1 {
			tries = int(e.Value()[0])
		}
		return err
	})
	tries = min(tries+1, 255)
	ok = ok && w.f.insist(ctx, func(ctx context.Context) error {
		_, err := w.f.tries.Put(ctx, key.String(), []byte{byte(tries)})
		return err
	})
	if !ok {
		return 0
	}
	return tries
}

// giveUp is the end of work that cannot be done: it is kept among the dead, its failure is put on
// record for who waits, and it leaves the queue.
func (w *worker) giveUp(m *nats.Msg, meta *nats.MsgMetadata, msg *message, tries int, why error) {
	f := w.f
	ctx, cancel := w.lasting()
	defer cancel()
	if !f.insist(ctx, func(ctx context.Context) error {
		return w.bury(ctx, f.deadSubject(msg.id), m, why)
	}) {
		w.release(m, meta, msg.key(), tries+1)
		return
	}
	w.count(func(p *WorkerStatus) { p.Dead++ })
	w.conclude(m, meta, msg, msg.key(), failure(tries, w.opts.ID, why))
}

// putAside keeps a message that is none among the dead, and takes it out of the queue.
func (w *worker) putAside(m *nats.Msg, id jobID, why error) {
	ctx, cancel := context.WithTimeout(w.ctx, 10*time.Second)
	defer cancel()
	w.f.note(Note{What: NoteAside, Job: id.String(), Worker: w.opts.ID, Err: why})
	if err := w.bury(ctx, w.f.asideSubject(), m, why); err != nil {
		delay(m, time.Second)
		return
	}
	w.count(func(p *WorkerStatus) { p.Dead++ })
	_ = m.Respond([]byte("+TERM"))
}

func (w *worker) bury(ctx context.Context, subject string, m *nats.Msg, why error) error {
	d := nats.NewMsg(subject)
	d.Data = m.Data
	d.Header.Set("Farm-Subject", m.Subject)
	d.Header.Set("Farm-Worker", w.opts.ID)
	text := strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, why.Error())
	d.Header.Set("Farm-Error", text[:min(len(text), maxText)])
	_, err := w.f.js.PublishMsg(ctx, d)
	return err
}

// heartbeat tells the server that a job goes on, until the function that it returns is called. It
// does so only after a sign of life of the server (W3b): where what the worker sends arrives and
// what is sent to it does not, it could neither get on nor end, and would keep the job for ever.
func (w *worker) heartbeat(ctx context.Context, m *nats.Msg, ackWait time.Duration) (stop func()) {
	end := make(chan struct{})
	w.wg.Go(func() {
		tick := time.NewTicker(ackWait / 3)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
				if mute := w.f.hooks.mute; mute != nil && mute() {
					continue
				}
				if w.f.nc.FlushTimeout(ackWait/3) == nil {
					_ = m.Respond([]byte("+WPI"))
				}
			}
		}
	})
	return func() { close(end) }
}

// ack is W6. An acknowledgement that is lost does no harm: the message comes again and W2 finds the
// result.
func (w *worker) ack(m *nats.Msg) {
	if drop := w.f.hooks.dropAck; drop != nil && drop() {
		return
	}
	_ = m.Respond([]byte("+ACK"))
}

func delay(m *nats.Msg, d time.Duration) {
	_ = m.Respond(fmt.Appendf(nil, `-NAK {"delay": %d}`, d))
}
