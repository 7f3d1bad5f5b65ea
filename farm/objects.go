package farm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// objects keeps contents in an object store of JetStream, each under its hash.
type objects struct {
	js     jetstream.JetStream
	bucket string
	store  jetstream.ObjectStore
	stream jetstream.Stream // of the store
	log    *slog.Logger     // or nil
}

const (
	// answerIn is how long one question waits for its answer. A server that ends in the middle
	// gives none.
	answerIn = 5 * time.Second

	// missingFor is how often a cluster may say that it does not have something: of its nodes any
	// may answer, also one that has not heard yet of what the others have stored. The pauses
	// between are doubled, so that they come to five seconds.
	missingFor = 8
)

// ask asks until there is an answer (R1), with pauses, or until ctx has ended, whose cause is then
// the error. That there is no such thing is an answer (R2), which wraps ErrMissing.
func (o objects) ask(ctx context.Context, question func(context.Context) error) error {
	missing := 0
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 2500*time.Millisecond) {
		one, cancel := context.WithTimeout(ctx, answerIn)
		err := question(one)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, jetstream.ErrBadObjectMeta):
			return err
		case isMissing(err):
			if missing++; missing == missingFor || o.stream.CachedInfo().Config.Replicas <= 1 {
				return fmt.Errorf("%w: %w", ErrMissing, err)
			}
		case o.log != nil:
			o.log.Warn("farm: the store does not answer", "err", err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// isMissing tells the answer that there is no such thing from there being no answer.
func isMissing(err error) bool {
	for _, answer := range []error{jetstream.ErrObjectNotFound, jetstream.ErrMsgNotFound,
		jetstream.ErrBucketNotFound, jetstream.ErrStreamNotFound} {
		if errors.Is(err, answer) {
			return true
		}
	}
	return false
}

func (o objects) open(ctx context.Context, r Ref) (io.ReadCloser, error) {
	var info *jetstream.ObjectInfo
	err := o.ask(ctx, func(ctx context.Context) (err error) {
		info, err = o.store.GetInfo(ctx, r.Hash.String())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("farm: content %s: %w", r.Hash, err)
	}
	return &objectReader{objects: o, ctx: ctx, subject: "$O." + o.bucket + ".C." + info.NUID,
		left: info.Chunks}, nil
}

// An objectReader asks for one chunk after the other. Get of the client's own store has the server
// send them all, as fast as it can, and ends after some seconds.
type objectReader struct {
	objects
	ctx     context.Context
	subject string
	next    uint64 // in the stream
	left    uint32 // chunks
	rest    []byte
}

func (r *objectReader) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		var m *jetstream.RawStreamMsg
		err := r.ask(r.ctx, func(ctx context.Context) (err error) {
			m, err = r.stream.GetMsg(ctx, r.next+1, jetstream.WithGetMsgSubject(r.subject))
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("farm: a content ends early: %w", err)
		}
		r.rest, r.next = m.Data, m.Sequence
		r.left--
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *objectReader) Close() error {
	r.left, r.rest = 0, nil
	return nil
}

func (o objects) has(ctx context.Context, r Ref) (there bool, err error) {
	err = o.ask(ctx, func(ctx context.Context) error {
		info, err := o.store.GetInfo(ctx, r.Hash.String())
		if isMissing(err) {
			return nil // if it is there all the same, it is stored once more
		}
		there = err == nil && info.Size == uint64(r.Size)
		return err
	})
	return there, err
}

func (o objects) create(ctx context.Context) (blobWriter, error) {
	return &objectWriter{objects: o, ctx: ctx, nuid: nuid.Next(), hash: sha256.New(),
		buf: make([]byte, 0, chunk)}, nil
}
