package farm

import (
	"context"

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
