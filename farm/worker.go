package farm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// WorkOptions configures a worker. The zero value is usable.
type WorkOptions struct {
	ID    string // which no other worker has; default made of the host's name and a random number
	Slots int    // how many jobs it runs at a time; default GOMAXPROCS
}

// A worker is one call of Farm.Work. Its loop goroutine owns the slots and the consumers; messages
// reach it over arrivals.
type worker struct {
	f     *Farm
	jobs  *Jobs
	opts  WorkOptions
	ctx   context.Context
	inbox string
	queue []*consumer // in the order in which they are asked

	arrivals chan arrival
	freed    chan struct{}
	wg       sync.WaitGroup

	mu      sync.Mutex
	running map[string]context.CancelCauseFunc // by key
	stats   WorkerStatus
}

// A consumer is the queue of one job in one priority, of which all workers take.
type consumer struct {
	stream, name string
	inbox        string
	id           jobID
	prio         Priority
	asking       asking
	asked        time.Time
	hint         bool // there may be more
}

type asking uint8

const (
	idle    asking = iota
	nowait         // for what is there
	waiting        // for what comes
)

type arrival struct {
	c   *consumer
	msg *nats.Msg
}

// pullFor is how long a request for a message that is to come is good for.
const pullFor = 5 * time.Second

// Work runs jobs for the farm until ctx ends; then those that run are told by their context, are
// given back, and Work returns when they have returned. The result is nil if ctx has ended, and the
// error if the worker cannot begin.
func (f *Farm) Work(ctx context.Context, jobs *Jobs, o WorkOptions) error {
	if f.isLocal() {
		return fmt.Errorf("%w: a local farm has no workers", ErrInvalid)
	}
	if jobs == nil || len(jobs.ids()) == 0 {
		return fmt.Errorf("%w: a worker without jobs", ErrInvalid)
	}
	if o.Slots < 0 {
		return fmt.Errorf("%w: %d slots", ErrInvalid, o.Slots)
	}
	set(&o.Slots, runtime.GOMAXPROCS(0))
	if o.ID == "" {
		o.ID = fmt.Sprintf("w-%08x", rand.Uint32())
	}
	if err := checkName(o.ID); err != nil {
		return err
	}
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return ErrClosed
	}
	f.working.Add(1)
	f.mu.Unlock()
	defer f.working.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.ctx, cancel)()
	w := &worker{f: f, jobs: jobs, opts: o, ctx: ctx, inbox: nats.NewInbox(),
		freed: make(chan struct{}, o.Slots), running: map[string]context.CancelCauseFunc{}}
	host, _ := os.Hostname()
	w.stats = WorkerStatus{ID: o.ID, Host: host, PID: os.Getpid(), Slots: o.Slots,
		Jobs: jobs.Names()}
	return w.work()
}

func (w *worker) work() error {
	f := w.f
	if err := w.ensure(); err != nil {
		return err
	}
	w.arrivals = make(chan arrival, 4*len(w.queue)+16)
	for i, c := range w.queue {
		// A message comes under the subject that it was queued with: so each has an inbox.
		c.inbox = fmt.Sprintf("%s.%d", w.inbox, i)
		in, err := f.nc.Subscribe(c.inbox, func(m *nats.Msg) {
			select {
			case w.arrivals <- arrival{c, m}:
			case <-w.ctx.Done():
				giveBack(m)
			}
		})
		if err != nil {
			return err
		}
		defer in.Unsubscribe()
	}
	stop, err := f.nc.Subscribe(f.cancelSubject("*"), w.cancelled)
	if err != nil {
		return err
	}
	defer stop.Unsubscribe()
	w.wg.Go(w.announce)
	w.loop()
	w.wg.Wait()
	w.say(true)
	return nil
}

// ensure makes the consumers that are not there yet.
func (w *worker) ensure() error {
	f := w.f
	for _, p := range order {
		for _, id := range w.jobs.ids() {
			c := &consumer{stream: f.streamName(p), name: token(id.name) + "-" + token(id.version),
				id: id, prio: p}
			_, err := f.js.CreateConsumer(w.ctx, c.stream, jetstream.ConsumerConfig{
				Durable:       c.name,
				FilterSubject: f.jobSubject(p, id, "*"),
				AckPolicy:     jetstream.AckExplicitPolicy,
				AckWait:       f.opts.AckWait,
				MaxDeliver:    -1,
				MaxAckPending: 100_000,
				MaxWaiting:    100_000,
			})
			if err != nil {
				if _, there := f.js.Consumer(w.ctx, c.stream, c.name); there != nil {
					return fmt.Errorf("farm: consumer %s: %w", c.name, err)
				}
			}
			w.queue = append(w.queue, c)
		}
	}
	return nil
}

// loop takes messages as long as there are free slots. Consumers that may have something are asked
// one after the other, in the order of their priorities; when none has anything, each is asked for
// what comes first.
func (w *worker) loop() {
	free := w.opts.Slots
	tick := time.NewTicker(pullFor / 2)
	defer tick.Stop()
	connected := w.f.nc.StatusChanged(nats.CONNECTED)
	defer w.f.nc.RemoveStatusListener(connected)
	for {
		if free > 0 {
			w.ask()
		}
		select {
		case <-w.ctx.Done():
			for {
				select {
				case a := <-w.arrivals:
					giveBack(a.msg)
				default:
					return
				}
			}
		case <-w.freed:
			free++
		case a := <-w.arrivals:
			c := a.c
			c.asking = idle
			if isStatus(a.msg) {
				c.hint = false
				break
			}
			meta, err := a.msg.Metadata()
			c.hint = err == nil && meta.NumPending > 0
			if free == 0 {
				giveBack(a.msg)
				c.hint = true
				w.f.note(Note{What: NoteGivenBack, Job: c.id.String(), Worker: w.opts.ID})
				break
			}
			free--
			w.count(func(p *WorkerStatus) { p.Busy++ })
			w.wg.Go(func() {
				w.take(c, a.msg, meta)
				w.count(func(p *WorkerStatus) { p.Busy-- })
				w.freed <- struct{}{}
			})
		case <-connected:
			for _, c := range w.queue {
				c.asking = idle // a request is lost with its connection
			}
		case <-tick.C:
			// Or because a node of the cluster has ended.
			for _, c := range w.queue {
				if c.asking != idle && time.Since(c.asked) > 2*pullFor {
					c.asking = idle
				}
			}
		}
	}
}

// ask sends requests for a slot that is free.
func (w *worker) ask() {
	for _, c := range w.queue {
		if c.asking == nowait {
			return // its answer says whom to ask next
		}
		if c.hint && c.asking == idle {
			w.pull(c, nowait)
			return
		}
	}
	for _, c := range w.queue {
		if c.asking == idle {
			w.pull(c, waiting)
		}
	}
}

func (w *worker) pull(c *consumer, how asking) {
	c.asking, c.asked = how, time.Now()
	req := `{"batch":1,"no_wait":true}`
	if how == waiting {
		req = fmt.Sprintf(`{"batch":1,"expires":%d}`, pullFor)
	}
	err := w.f.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+c.stream+"."+c.name, c.inbox,
		[]byte(req))
	if err != nil {
		c.hint = false // the tick asks again
	}
}

// isStatus tells answers that are no deliveries: a delivery has where it is acknowledged, whatever
// its headers say.
func isStatus(m *nats.Msg) bool { return m.Reply == "" }

func giveBack(m *nats.Msg) {
	if !isStatus(m) {
		_ = m.Respond([]byte("-NAK"))
	}
}

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

// cancelled tells the function of withdrawn work.
func (w *worker) cancelled(m *nats.Msg) {
	w.mu.Lock()
	cancel := w.running[m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]]
	w.mu.Unlock()
	if cancel != nil {
		cancel(errWithdrawn)
	}
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

func (w *worker) count(f func(*WorkerStatus)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.stats)
}

// announce says once a second that the worker is there.
func (w *worker) announce() {
	tick := time.NewTicker(presenceEvery)
	defer tick.Stop()
	for {
		w.say(false)
		select {
		case <-w.ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (w *worker) say(leaving bool) {
	w.mu.Lock()
	p := w.stats
	w.mu.Unlock()
	if leaving {
		p.Slots = 0
	}
	if b, err := json.Marshal(p); err == nil {
		_ = w.f.nc.Publish(w.f.workerSubject(p.ID), b)
	}
}
