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
	stopBeat := w.heartbeat(ctx, m)
	defer stopBeat()

	rec, _, err := f.find(ctx, key) // W2
	if err != nil {
		delay(m, time.Second)
		return
	}
	if rec != nil {
		say(NoteFound, nil)
		w.ack(m)
		return
	}
	try := 1
	if meta.NumDelivered > 1 {
		if try, err = w.countTry(ctx, key); err != nil {
			delay(m, time.Second)
			return
		}
		w.count(func(p *WorkerStatus) { p.Retried++ })
	}
	note.Attempt = try
	if try > f.opts.MaxDeliver {
		w.giveUp(ctx, m, msg, try-1, errLost)
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
	w.running[subjectKey] = cancel
	w.mu.Unlock()
	say(NoteRun, nil)
	in := Input{arg: msg.arg, inline: msg.inline, argRef: msg.argRef, refs: msg.refs,
		data: msg.data, store: f.store, limit: f.opts.MemoryLimit}
	rec, err = f.call(w.jobs, ctx, msg.id, in) // W3, W4
	w.mu.Lock()
	delete(w.running, subjectKey)
	w.mu.Unlock()
	switch {
	case err == nil:
	case w.ctx.Err() != nil:
		giveBack(m)
		return
	case errors.Is(context.Cause(ctx), errWithdrawn) || ctx.Err() != nil:
		say(NoteFailed, context.Cause(ctx))
		w.ack(m) // withdrawn, or out of time
		return
	default:
		say(NoteFailed, err)
		w.count(func(p *WorkerStatus) { p.Failed++ })
		if try >= f.opts.MaxDeliver || isPermanent(err) {
			w.giveUp(ctx, m, msg, try, err)
			return
		}
		delay(m, f.retryDelay(try))
		return
	}
	rec.attempts, rec.worker = try, w.opts.ID
	w.conclude(ctx, m, msg, key, rec)
}

var (
	errWithdrawn = errors.New("farm: withdrawn")
	errLost      = errors.New("its workers ended, or lost touch, in the middle of it")
)

// conclude is W5 and W6: the result is put on record, and only then is the message acknowledged.
// If the record cannot be made, the message comes again.
func (w *worker) conclude(ctx context.Context, m *nats.Msg, msg *message, key Hash, rec *record) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	first, err := w.f.create(ctx, key, msg.id, rec)
	if err != nil {
		delay(m, time.Second)
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
	if rec.attempts > 1 {
		_ = w.f.tries.Purge(ctx, key.String())
	}
}

// countTry is W2a: it counts the runs of work that has been delivered before. The first is not on
// record: so a delivery that was given back before it ran may count as one, but no more.
func (w *worker) countTry(ctx context.Context, key Hash) (int, error) {
	tries := 1
	e, err := w.f.tries.Get(ctx, key.String())
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
	case err != nil:
		return 0, err
	case len(e.Value()) == 1:
		tries = int(e.Value()[0])
	}
	tries = min(tries+1, 255)
	_, err = w.f.tries.Put(ctx, key.String(), []byte{byte(tries)})
	return tries, err
}

// giveUp is the end of work that cannot be done: it is kept among the dead, its failure is put on
// record for who waits, and it leaves the queue.
func (w *worker) giveUp(ctx context.Context, m *nats.Msg, msg *message, tries int,
	why error) {
	f := w.f
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := w.bury(ctx, f.deadSubject(msg.id), m, why); err != nil {
		delay(m, time.Second)
		return
	}
	w.count(func(p *WorkerStatus) { p.Dead++ })
	w.conclude(ctx, m, msg, msg.key(), failure(tries, w.opts.ID, why))
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

// heartbeat tells the server that a job goes on, until the function that it returns is called.
func (w *worker) heartbeat(ctx context.Context, m *nats.Msg) (stop func()) {
	end := make(chan struct{})
	w.wg.Go(func() {
		tick := time.NewTicker(w.f.opts.AckWait / 3)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
				if mute := w.f.hooks.mute; mute == nil || !mute() {
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
