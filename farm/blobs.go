package farm

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// blobs keeps contents by their hash.
type blobs interface {
	open(ctx context.Context, r Ref) (io.ReadCloser, error)
	has(ctx context.Context, r Ref) (bool, error)
	create(ctx context.Context) (blobWriter, error)
}

// A blobWriter takes a content whose hash is not known yet. One of commit and abort is called.
type blobWriter interface {
	io.Writer
	commit() (Ref, error)
	abort()
}

// chunk is how much of a content is sent at a time.
const chunk = 128 << 10

// objects keeps contents in an object store of JetStream, each under its hash.
type objects struct {
	js     jetstream.JetStream
	bucket string
	store  jetstream.ObjectStore
}

func (o objects) open(ctx context.Context, r Ref) (io.ReadCloser, error) {
	info, err := o.find(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("farm: content %s: %w", r.Hash, err)
	}
	stream, err := o.js.Stream(ctx, "OBJ_"+o.bucket)
	if err != nil {
		return nil, fmt.Errorf("farm: content %s: %w", r.Hash, err)
	}
	return &objectReader{ctx: ctx, stream: stream, subject: "$O." + o.bucket + ".C." + info.NUID,
		left: info.Chunks}, nil
}

// find returns what the store says of a content. In a cluster any node may answer, also one that
// has not heard yet of what the others have stored; so it is asked again for a while.
func (o objects) find(ctx context.Context, r Ref) (info *jetstream.ObjectInfo, err error) {
	for pause := 20 * time.Millisecond; pause < 2*time.Second; pause *= 2 {
		if info, err = o.store.GetInfo(ctx, r.Hash.String()); err == nil || ctx.Err() != nil {
			return info, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil, err
}

// An objectReader asks for one chunk after the other. Get of the client's own store has the server
// send them all, as fast as it can, and ends after some seconds.
type objectReader struct {
	ctx     context.Context
	stream  jetstream.Stream
	subject string
	next    uint64 // in the stream
	left    uint32 // chunks
	rest    []byte
}

func (r *objectReader) Read(b []byte) (int, error) {
	for tries := 0; len(r.rest) == 0; tries++ {
		if r.left == 0 {
			return 0, io.EOF
		}
		m, err := r.stream.GetMsg(r.ctx, r.next+1, jetstream.WithGetMsgSubject(r.subject))
		switch {
		case err == nil:
			r.rest, r.next = m.Data, m.Sequence
			r.left--
		case r.ctx.Err() != nil:
			return 0, context.Cause(r.ctx)
		case tries == 5:
			return 0, fmt.Errorf("farm: a content ends early: %w", err)
		default: // perhaps the connection is being made anew, or a node is behind the others
			select {
			case <-r.ctx.Done():
			case <-time.After(50 * time.Millisecond << tries):
			}
		}
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *objectReader) Close() error {
	r.left, r.rest = 0, nil
	return nil
}

func (o objects) has(ctx context.Context, r Ref) (bool, error) {
	info, err := o.store.GetInfo(ctx, r.Hash.String())
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return false, nil
	}
	return err == nil && info.Size == uint64(r.Size), err
}

func (o objects) create(ctx context.Context) (blobWriter, error) {
	return &objectWriter{objects: o, ctx: ctx, nuid: nuid.Next(), hash: sha256.New(),
		buf: make([]byte, 0, chunk)}, nil
}

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

// window is how many chunks are under way.
const window = 8

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
	if there, _ := w.has(w.ctx, r); there {
		w.abort() // somebody has stored the same
		return r, nil
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
		_, err = w.js.PublishMsg(w.ctx, m)
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
	if s, err := w.js.Stream(ctx, "OBJ_"+w.bucket); err == nil {
		_ = s.Purge(ctx, jetstream.WithPurgeSubject(w.chunkSubject()))
	}
}

// files keeps contents in a directory of this process, which is made when the first one comes.
type files struct {
	mu  sync.Mutex
	dir string
}

func (s *files) path(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "heddle-farm-")
		if err != nil {
			return "", err
		}
		s.dir = dir
	}
	return filepath.Join(s.dir, name), nil
}

func (s *files) open(_ context.Context, r Ref) (io.ReadCloser, error) {
	path, err := s.path(r.Hash.String())
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

func (s *files) has(_ context.Context, r Ref) (bool, error) {
	path, err := s.path(r.Hash.String())
	if err != nil {
		return false, err
	}
	_, err = os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (s *files) create(context.Context) (blobWriter, error) {
	path, err := s.path("")
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(path, "tmp-")
	return &fileWriter{files: s, File: file, hash: sha256.New()}, err
}

func (s *files) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

type fileWriter struct {
	*os.File
	files *files
	hash  hash.Hash
	size  int64
}

func (w *fileWriter) Write(b []byte) (int, error) {
	n, err := w.File.Write(b)
	w.hash.Write(b[:n])
	w.size += int64(n)
	return n, err
}

func (w *fileWriter) commit() (Ref, error) {
	r := Ref{Hash(w.hash.Sum(nil)), w.size}
	path, err := w.files.path(r.Hash.String())
	if err = errors.Join(err, w.Close()); err == nil {
		err = os.Rename(w.Name(), path)
	}
	return r, err
}

func (w *fileWriter) abort() {
	_ = w.Close()
	_ = os.Remove(w.Name())
}

// A sink takes the result of a job: in memory up to a limit, beyond it to a store.
type sink struct {
	ctx   context.Context
	store blobs
	limit int
	buf   []byte
	blob  blobWriter
	err   error
}

func (s *sink) Write(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.blob == nil && len(s.buf)+len(b) <= s.limit {
		s.buf = append(s.buf, b...)
		return len(b), nil
	}
	if s.blob == nil {
		if s.blob, s.err = s.store.create(s.ctx); s.err != nil {
			s.blob = nil
			return 0, s.err
		}
		if _, s.err = s.blob.Write(s.buf); s.err != nil {
			return 0, s.err
		}
		s.buf = nil
	}
	n, err := s.blob.Write(b)
	s.err = err
	return n, err
}

// finish returns what was written as a record that has succeeded.
func (s *sink) finish() (*record, error) {
	if s.blob == nil {
		return &record{kind: recordInline, ref: RefOf(s.buf), payload: s.buf}, s.err
	}
	blob := s.blob
	s.blob = nil
	if s.err != nil {
		blob.abort()
		return nil, s.err
	}
	r, err := blob.commit()
	return &record{kind: recordObject, ref: r}, err
}

func (s *sink) abort() {
	if s.blob != nil {
		s.blob.abort()
		s.blob = nil
	}
}
