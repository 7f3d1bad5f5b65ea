package farm

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
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

// objects keeps contents in an object store of JetStream.
type objects struct{ store jetstream.ObjectStore }

func (o objects) open(ctx context.Context, r Ref) (io.ReadCloser, error) {
	rc, err := o.store.Get(ctx, r.Hash.String())
	if err != nil {
		return nil, fmt.Errorf("farm: content %s: %w", r.Hash, err)
	}
	return rc, nil
}

func (o objects) has(ctx context.Context, r Ref) (bool, error) {
	info, err := o.store.GetInfo(ctx, r.Hash.String())
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return false, nil
	}
	return err == nil && info.Size == uint64(r.Size), err
}

func (o objects) create(ctx context.Context) (blobWriter, error) {
	pr, pw := io.Pipe()
	w := &objectWriter{objects: o, ctx: ctx, name: "tmp-" + nats.NewInbox()[7:], pipe: pw,
		hash: sha256.New(), end: make(chan error, 1)}
	w.buf = bufio.NewWriterSize(pw, chunk)
	go func() {
		_, err := o.store.Put(ctx, jetstream.ObjectMeta{Name: w.name}, full{pr})
		pr.CloseWithError(errors.Join(err, io.ErrClosedPipe))
		w.end <- err
	}()
	return w, nil
}

// full fills each buffer, so that each chunk but the last is whole.
type full struct{ r io.Reader }

func (f full) Read(b []byte) (int, error) {
	n, err := io.ReadFull(f.r, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

type objectWriter struct {
	objects
	ctx  context.Context
	name string // until its hash is known
	pipe *io.PipeWriter
	buf  *bufio.Writer
	hash hash.Hash
	size int64
	end  chan error
}

func (w *objectWriter) Write(b []byte) (int, error) {
	n, err := w.buf.Write(b)
	w.hash.Write(b[:n])
	w.size += int64(n)
	return n, err
}

func (w *objectWriter) commit() (Ref, error) {
	err := w.buf.Flush()
	w.pipe.CloseWithError(err) // nil is the end
	if err = errors.Join(err, <-w.end); err != nil {
		return Ref{}, err
	}
	r := Ref{Hash(w.hash.Sum(nil)), w.size}
	if there, _ := w.has(w.ctx, r); !there {
		err = w.store.UpdateMeta(w.ctx, w.name, jetstream.ObjectMeta{Name: r.Hash.String()})
		if err == nil {
			return r, nil
		}
		if there, _ := w.has(w.ctx, r); !there {
			return Ref{}, err
		}
	}
	_ = w.store.Delete(w.ctx, w.name) // somebody has stored the same
	return r, nil
}

func (w *objectWriter) abort() {
	w.pipe.CloseWithError(errors.New("farm: given up"))
	<-w.end // Put removes what it has stored
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
