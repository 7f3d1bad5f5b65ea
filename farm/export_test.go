package farm

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// LoseAcks makes workers of f lose the acknowledgements for which lose returns true.
func (f *Farm) LoseAcks(lose func() bool) { f.hooks.dropAck = lose }

// Mute makes workers of f not say that a job goes on, as if they were stopped.
func (f *Farm) Mute() { f.hooks.mute = func() bool { return true } }

// FailStore makes the store of f not take what it is given, each time that fail returns an error.
func (f *Farm) FailStore(fail func() error) { f.store = failingStore{f.store, fail} }

type failingStore struct {
	blobs
	fail func() error
}

func (s failingStore) create(ctx context.Context) (blobWriter, error) {
	w, err := s.blobs.create(ctx)
	if err != nil {
		return nil, err
	}
	return failingWriter{w, s.fail}, nil
}

type failingWriter struct {
	blobWriter
	fail func() error
}

func (w failingWriter) Write(b []byte) (int, error) {
	if err := w.fail(); err != nil {
		return 0, err
	}
	return w.blobWriter.Write(b)
}

// FailRecords makes the server not put results on record, each time that fail returns an error.
func (f *Farm) FailRecords(fail func() error) { f.results = failingResults{f.results, fail} }

type failingResults struct {
	jetstream.KeyValue
	fail func() error
}

func (r failingResults) Create(ctx context.Context, key string, value []byte,
	o ...jetstream.KVCreateOpt) (uint64, error) {
	if err := r.fail(); err != nil {
		return 0, err
	}
	return r.KeyValue.Create(ctx, key, value, o...)
}

// Beat calls a function each time that a worker of f is about to say that a job goes on.
func (f *Farm) Beat(beat func()) { f.hooks.mute = func() bool { beat(); return false } }

// Hear makes f believe that a worker with so many slots has a job.
func (f *Farm) Hear(job, version string, slots int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := jobID{job, version}
	f.workers["test"] = presence{WorkerStatus{ID: "test", Slots: slots,
		Jobs: []string{id.String()}}, time.Now().Add(time.Hour)}
}

// Measure makes f believe that a job runs so long, and that nothing else takes time.
func (f *Farm) Measure(job, version string, run time.Duration) {
	f.costs.mu.Lock()
	defer f.costs.mu.Unlock()
	f.costs.of(jobID{job, version}).run = run
	f.costs.over = 0
}

// Occupy makes f believe that so many jobs run in this process for calls, and so many are queued.
func (f *Farm) Occupy(here, queued int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.local, f.waiting = here, queued
}

// Transfer is what f reckons for so many bytes.
func (f *Farm) Transfer(n int64) time.Duration { return f.costs.transfer(n) }

// Move makes f believe that it has moved bytes into its store in that time.
func (f *Farm) Move(n int64, took time.Duration) { f.costs.moved(&f.costs.in, n, took) }

// Callers returns how many calls wait for work.
func (f *Farm) Callers() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fl := range f.flights {
		n += len(fl.waiters)
	}
	return n
}
