package farm

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// An objectWriter writes an object as the client's own store does: chunks under a random name, and
// when all are there, what the object is, under its name. Put of that store needs the name at the
// beginning, keeps thousands of chunks under way, and can leave a goroutine behind (nats.go 1.55).
type objectWriter struct {
	objects
	ctx    context.Context
	nuid   string
	buf    []byte
	hash   hash.Hash
	size   int64
	chunks uint32
	last   uint64                   // sequence of the last one that is
	sent   []jetstream.PubAckFuture // not acknowledged yet, at most window
}

const (
	window  = 8                // how many chunks are under way
	chunkIn = 30 * time.Second // from when on one that is not acknowledged is lost
)

func (w *objectWriter) chunkSubject() string { return "$O." + w.bucket + ".C." + w.nuid }

func (w *objectWriter) Write(b []byte) (n int, err error) {
	w.hash.Write(b)
	w.size += int64(len(b))
	for len(b) > 0 {
		k := min(len(b), cap(w.buf)-len(w.buf))
		w.buf = append(w.buf, b[:k]...)
		b, n = b[k:], n+k
		if len(w.buf) == cap(w.buf) {
			if err = w.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

func (w *objectWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	if len(w.sent) == window {
		if err := w.await(); err != nil {
			return err
		}
	}
	ack, err := w.js.PublishAsync(w.chunkSubject(), w.buf)
	if err != nil {
		return err
	}
	w.sent = append(w.sent, ack)
	w.buf = make([]byte, 0, chunk) // the other one may be sent again
	w.chunks++
	return nil
}

// await waits for the oldest chunk under way.
func (w *objectWriter) await() error {
	ack := w.sent[0]
	w.sent = append(w.sent[:0], w.sent[1:]...)
	select {
	case stored := <-ack.Ok():
		// A chunk that reached a cluster while it had no leader was sent again, perhaps after the
		// next one: then the content would be another.
		if stored.Sequence <= w.last {
			return fmt.Errorf("farm: chunk %d was stored after later ones", w.chunks)
		}
		w.last = stored.Sequence
		return nil
	case err := <-ack.Err():
		return err
	case <-w.ctx.Done():
		return context.Cause(w.ctx)
	}
}

func (w *objectWriter) commit() (r Ref, err error) {
	err = w.flush()
	for err == nil && len(w.sent) > 0 {
		err = w.await()
	}
	if err != nil {
		w.abort()
		return Ref{}, err
	}
	sum := w.hash.Sum(nil)
	r = Ref{Hash(sum), w.size}
	there, err := w.has(w.ctx, r)
	if there || err != nil {
		w.abort() // if there is no error, somebody has stored the same
		return r, err
	}
	name := r.Hash.String()
	info, err := json.Marshal(jetstream.ObjectInfo{
		ObjectMeta: jetstream.ObjectMeta{Name: name, Opts: &jetstream.ObjectMetaOptions{
			ChunkSize: chunk}},
		Bucket: w.bucket, NUID: w.nuid, Size: uint64(w.size), Chunks: w.chunks,
		ModTime: time.Now().UTC(),
		Digest:  "SHA-256=" + base64.URLEncoding.EncodeToString(sum),
	})
	if err == nil {
		m := nats.NewMsg("$O." + w.bucket + ".M." + base64.URLEncoding.EncodeToString([]byte(name)))
		m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
		m.Data = info
		err = w.ask(w.ctx, func(ctx context.Context) error { // a second one takes the first away
			_, err := w.js.PublishMsg(ctx, m)
			return err
		})
	}
	if err != nil {
		w.abort()
	}
	return r, err
}

// abort removes the chunks that were sent.
func (w *objectWriter) abort() {
	if w.chunks == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), 5*time.Second)
	defer cancel()
	for len(w.sent) > 0 && w.await() == nil {
	}
	_ = w.stream.Purge(ctx, jetstream.WithPurgeSubject(w.chunkSubject()))
}
