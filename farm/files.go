package farm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"sync"
)

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
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: %s", ErrMissing, r.Hash)
	}
	return file, err
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
