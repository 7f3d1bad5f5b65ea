package farm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph"
)

// A Farm is where jobs run. Make one with [Open] or [Local], and end it with [Farm.Close]. Any
// goroutine may call its methods.
type Farm struct {
	opts    Options
	store   blobs
	files   *files // of a local one
	srv     *embedded
	nc      *nats.Conn
	js      jetstream.JetStream
	results jetstream.KeyValue
	tries   jetstream.KeyValue
	objects jetstream.ObjectStore
	queues  [priorities]jetstream.Stream

	ctx    context.Context // ends with the farm
	cancel context.CancelCauseFunc
	ops    opQueue
	wg     sync.WaitGroup
	costs  costs
	marks  marks

	mu      park.Mutex
	closed  bool
	flights map[Hash]*flight
	pulses  map[*taskgraph.System]*pulse
	workers map[string]presence
	local   int             // jobs that run in this process for calls
	waiting int             // flights that are queued
	told    map[string]told // by consumer

	working sync.WaitGroup // calls of Work
	hooks   hooks
}

// hooks are for tests.
type hooks struct {
	dropAck func() bool // an acknowledgement is lost
	mute    func() bool // and that a job goes on is not said
}

// Local returns a farm that is this process alone: each job runs as a task on the workers of the
// task graph, nothing is kept, and nothing is started.
func Local(o Options) (*Farm, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	f := newFarm(o)
	f.files = &files{}
	f.store = f.files
	return f, nil
}

func newFarm(o Options) *Farm {
	f := &Farm{opts: o, flights: map[Hash]*flight{}, pulses: map[*taskgraph.System]*pulse{},
		workers: map[string]presence{}, told: map[string]told{}}
	f.ctx, f.cancel = context.WithCancelCause(context.Background())
	f.ops.init()
	f.marks.init(o.Trace)
	return f
}

// Open joins a farm: that of the server at [Options.URL], or one with a server of its own.
func Open(ctx context.Context, o Options) (_ *Farm, err error) {
	if err = o.validate(); err != nil {
		return nil, err
	}
	f := newFarm(o)
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	opts := []nats.Option{nats.Name("heddle-farm"), nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond), nats.Timeout(5 * time.Second),
		nats.PingInterval(10 * time.Second)} // a connection that is half dead is soon made anew
	where := o.URL
	if where == "" {
		if f.srv, err = startEmbedded(&o); err != nil {
			return nil, err
		}
		opts = append(opts, f.srv.options()...)
	}
	opts = append(opts, o.NATS...)
	if f.nc, err = nats.Connect(where, opts...); err != nil {
		return nil, fmt.Errorf("farm: connect: %w", err)
	}
	if f.js, err = jetstream.New(f.nc, jetstream.WithPublishAsyncTimeout(chunkIn)); err != nil {
		return nil, err
	}
	if err = f.ensureSoon(ctx); err != nil {
		return nil, err
	}
	content, err := f.js.Stream(ctx, "OBJ_"+f.bucket("content"))
	if err != nil {
		return nil, fmt.Errorf("farm: bucket %s: %w", f.bucket("content"), err)
	}
	f.store = metered{during{objects{f.js, f.bucket("content"), f.objects, content, o.Logger},
		f.ctx}, &f.costs}
	if err = f.listen(); err != nil {
		return nil, err
	}
	for range submitters {
		f.wg.Go(f.ops.run)
	}
	f.wg.Go(f.janitor)
	return f, nil
}

// submitters is how many goroutines speak to the server for calls.
const submitters = 16

// URL returns how worker processes of this machine reach the server in this process, or where the
// farm's server is. It is "" if nobody can reach it. It holds a token: whoever has it can use the
// farm.
func (f *Farm) URL() string {
	if f.srv != nil {
		return f.srv.url()
	}
	return f.opts.URL
}

// Names of streams, buckets and subjects.

func (f *Farm) streamName(p Priority) string { return f.opts.Name + "-jobs-" + p.String() }
func (f *Farm) deadName() string             { return f.opts.Name + "-dead" }
func (f *Farm) bucket(s string) string       { return f.opts.Name + "-" + s }

// jobSubject is where a piece of work is queued.
func (f *Farm) jobSubject(p Priority, id jobID, key string) string {
	return f.opts.Name + ".job." + p.String() + "." + token(id.name) + "." + token(id.version) +
		"." + key
}

func (f *Farm) doneSubject(key string) string   { return f.opts.Name + ".done." + key }
func (f *Farm) cancelSubject(key string) string { return f.opts.Name + ".cancel." + key }
func (f *Farm) deadSubject(id jobID) string {
	return f.opts.Name + ".dead." + token(id.name) + "." + token(id.version)
}
func (f *Farm) asideSubject() string             { return f.opts.Name + ".dead" }
func (f *Farm) workerSubject(name string) string { return f.opts.Name + ".worker." + name }

// ensureSoon is ensure for a server that has perhaps just started: for some seconds it may take
// connections, and have no JetStream yet.
func (f *Farm) ensureSoon(ctx context.Context) error {
	for end := time.Now().Add(10 * time.Second); ; {
		err := f.ensure(ctx)
		if !errors.Is(err, nats.ErrNoResponders) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ensure makes what is not there yet. What is there is taken as it is.
func (f *Farm) ensure(ctx context.Context) error {
	o := &f.opts
	for _, p := range order {
		var err error
		f.queues[p], err = f.ensureStream(ctx, jetstream.StreamConfig{
			Name:                 f.streamName(p),
			Subjects:             []string{o.Name + ".job." + p.String() + ".*.*.*"},
			Retention:            jetstream.WorkQueuePolicy,
			Discard:              jetstream.DiscardNew,
			DiscardNewPerSubject: true,
			MaxMsgsPerSubject:    1,
			MaxMsgs:              o.MaxQueued,
			Storage:              jetstream.FileStorage,
			Replicas:             o.Replicas,
			AllowMsgTTL:          true,
			Duplicates:           time.Second, // not used: a subject holds one message
		})
		if err != nil {
			return err
		}
	}
	_, err := f.ensureStream(ctx, jetstream.StreamConfig{
		Name:     f.deadName(),
		Subjects: []string{o.Name + ".dead", o.Name + ".dead.*.*"},
		Discard:  jetstream.DiscardOld,
		MaxMsgs:  100_000,
		MaxBytes: min(256<<20, o.MaxStore/8), // the server sets them aside
		Storage:  jetstream.FileStorage,
		Replicas: o.Replicas,
	})
	if err != nil {
		return err
	}
	f.results, err = f.ensureKV(ctx, jetstream.KeyValueConfig{
		Bucket:   f.bucket("results"),
		TTL:      o.KeepResults,
		Storage:  jetstream.FileStorage,
		Replicas: o.Replicas,
		RePublish: &jetstream.RePublish{Source: "$KV." + f.bucket("results") + ".*",
			Destination: f.doneSubject("{{wildcard(1)}}")},
	})
	if err != nil {
		return err
	}
	f.tries, err = f.ensureKV(ctx, jetstream.KeyValueConfig{Bucket: f.bucket("tries"),
		TTL: 24 * time.Hour, Storage: jetstream.FileStorage, Replicas: o.Replicas})
	if err != nil {
		return err
	}
	f.objects, err = f.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: f.bucket("content"), Storage: jetstream.FileStorage, Replicas: o.Replicas})
	if err != nil {
		f.objects, err = f.js.ObjectStore(ctx, f.bucket("content"))
	}
	return err
}

func (f *Farm) ensureStream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream,
	error) {
	s, err := f.js.CreateStream(ctx, c)
	if err == nil {
		return s, nil
	}
	if s, there := f.js.Stream(ctx, c.Name); there == nil {
		return s, nil
	}
	return nil, fmt.Errorf("farm: stream %s: %w", c.Name, err)
}

func (f *Farm) ensureKV(ctx context.Context, c jetstream.KeyValueConfig) (jetstream.KeyValue,
	error) {
	kv, err := f.js.CreateKeyValue(ctx, c)
	if err == nil {
		return kv, nil
	}
	if kv, there := f.js.KeyValue(ctx, c.Bucket); there == nil {
		return kv, nil
	}
	return nil, fmt.Errorf("farm: bucket %s: %w", c.Bucket, err)
}

// Put stores a content and returns its Ref, to be given to [Input.With]. It reads r once: so if the
// server does not take it, that is the error, and who has the content calls Put again.
func (f *Farm) Put(ctx context.Context, r io.Reader) (Ref, error) {
	w, err := f.store.create(ctx)
	if err != nil {
		return Ref{}, err
	}
	if _, err = io.Copy(w, r); err != nil {
		w.abort()
		return Ref{}, err
	}
	return w.commit()
}

// OpenRef returns a stored content as a stream, which fails if it is not what its hash says. If
// there is no such content the error wraps [ErrMissing]. If the server does not answer, it is asked
// again until ctx ends, and so it is while the stream is read, until it is closed.
func (f *Farm) OpenRef(ctx context.Context, r Ref) (io.ReadCloser, error) {
	return open(ctx, f.store, r)
}

// Close ends the farm: what workers run is cancelled, calls that are open fail with [ErrClosed],
// and a server of its own is shut down. No goroutine is left.
func (f *Farm) Close() error {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil
	}
	f.closed = true
	var open []*flight
	for _, fl := range f.flights {
		open = append(open, fl)
	}
	f.mu.Unlock()
	f.cancel(ErrClosed)
	for _, fl := range open {
		f.settle(fl, nil, ErrClosed)
	}
	f.ops.close()
	f.wg.Wait()
	f.working.Wait()
	if f.nc != nil {
		_ = f.nc.FlushTimeout(2 * time.Second)
		f.nc.Close()
	}
	if f.srv != nil {
		f.srv.close()
	}
	if f.files != nil {
		return f.files.close()
	}
	return nil
}

func (f *Farm) isLocal() bool { return f.nc == nil }

func (f *Farm) note(n Note) {
	if f.opts.Observe != nil {
		n.At = time.Now()
		f.opts.Observe(n)
	}
}

// An opQueue holds what the submitters do, in order of arrival. It never blocks who adds.
type opQueue struct {
	mu     sync.Mutex
	more   sync.Cond
	list   []func()
	closed bool
}

func (q *opQueue) init() { q.more.L = &q.mu }

func (q *opQueue) add(op func()) {
	q.mu.Lock()
	q.list = append(q.list, op)
	q.mu.Unlock()
	q.more.Signal()
}

func (q *opQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.more.Broadcast()
}

// run does what is queued until the queue is closed and empty.
func (q *opQueue) run() {
	for {
		q.mu.Lock()
		for len(q.list) == 0 && !q.closed {
			q.more.Wait()
		}
		if len(q.list) == 0 {
			q.mu.Unlock()
			return
		}
		op := q.list[0]
		q.list[0] = nil
		q.list = q.list[1:]
		q.mu.Unlock()
		op()
	}
}
