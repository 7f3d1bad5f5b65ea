package farm

import (
	"cmp"
	"context"
	"encoding/json"
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
	running map[string]run // by the subject on which each is acknowledged
	stats   WorkerStatus
}

// A run is one of a job's function. Of one job there are several at a time if the server takes a
// worker for lost that is not, and gives the job to it again.
type run struct {
	key    string
	cancel context.CancelCauseFunc
}

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
		o.ID = defaultID()
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
		freed: make(chan struct{}, o.Slots), running: map[string]run{}}
	host, _ := os.Hostname()
	w.stats = WorkerStatus{ID: o.ID, Host: host, PID: os.Getpid(), Slots: o.Slots,
		Jobs: jobs.Names()}
	return w.work()
}

func (w *worker) work() error {
	f := w.f
	if err := w.ensure(); err != nil {
		if w.ctx.Err() != nil {
			return nil // it was told to end before it could begin
		}
		return err
	}
	w.arrivals = make(chan arrival, 4*len(w.queue)+16)
	var inboxes []*nats.Subscription
	emptied := make(chan struct{}, len(w.queue)) // for each inbox
	for i, c := range w.queue {
		// A message comes under the subject that it was queued with: so each has an inbox.
		c.inbox = fmt.Sprintf("%s.%d", w.inbox, i)
		in, err := f.nc.Subscribe(c.inbox, func(m *nats.Msg) {
			select {
			case w.arrivals <- arrival{c, m}:
			case <-w.ctx.Done():
				w.decline(m)
			}
		})
		if err != nil {
			return err
		}
		defer in.Unsubscribe()
		in.SetClosedHandler(func(string) { emptied <- struct{}{} })
		inboxes = append(inboxes, in)
	}
	stop, err := f.nc.Subscribe(f.cancelSubject("*"), w.cancelled)
	if err != nil {
		return err
	}
	defer stop.Unsubscribe()
	w.wg.Go(w.announce)
	w.loop()
	w.drain(inboxes, emptied)
	w.wg.Wait()
	w.say(true)
	return nil
}

// drain gives back what has come and was not begun, and what the server has sent before it hears
// that nothing more is taken (W7). It returns when all that has come, or after answerIn. What the
// server has only queued for sending by then it takes back by itself, which does count as a run.
func (w *worker) drain(inboxes []*nats.Subscription, emptied <-chan struct{}) {
	left := 0
	for _, in := range inboxes {
		// What was sent over a connection that is lost is lost with it.
		if w.f.nc.IsConnected() && in.Drain() == nil {
			left++
		}
	}
	late := time.NewTimer(answerIn)
	defer late.Stop()
	for left > 0 || len(w.arrivals) > 0 {
		select {
		case a := <-w.arrivals:
			w.wg.Go(func() { w.decline(a.msg) })
		case <-emptied:
			left--
		case <-late.C:
			return
		}
	}
}

// defaultID is made of the host's name, if that may be in a name, and a random number.
func defaultID() string {
	host, _ := os.Hostname()
	host, _, _ = strings.Cut(host, ".")
	if len(host) > maxName/2 || checkName(host) != nil {
		host = "w"
	}
	return fmt.Sprintf("%s-%08x", host, rand.Uint32())
}

// ensure makes the consumers that are not there yet.
func (w *worker) ensure() error {
	f := w.f
	for _, p := range order {
		for _, id := range w.jobs.ids() {
			c := &consumer{stream: f.streamName(p), name: id.consumer(), id: id, prio: p}
			made, err := f.js.CreateConsumer(w.ctx, c.stream, jetstream.ConsumerConfig{
				Durable:       c.name,
				FilterSubject: f.jobSubject(p, id, "*"),
				AckPolicy:     jetstream.AckExplicitPolicy,
				AckWait:       f.opts.AckWait,
				MaxDeliver:    -1,
				MaxAckPending: 100_000,
				MaxWaiting:    100_000,
			})
			if err != nil {
				var there error
				if made, there = f.js.Consumer(w.ctx, c.stream, c.name); there != nil {
					return fmt.Errorf("farm: consumer %s: %w", c.name, err)
				}
			}
			// That of who came first: whose is longer must not be taken for lost.
			c.ackWait = cmp.Or(made.CachedInfo().Config.AckWait, f.opts.AckWait)
			w.queue = append(w.queue, c)
		}
	}
	return nil
}

// cancelled tells the runs of withdrawn work.
func (w *worker) cancelled(m *nats.Msg) {
	key := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.running {
		if r.key == key {
			r.cancel(errWithdrawn)
		}
	}
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
