package farm

import (
	"context"
	"errors"
	"io"
	"time"
)

// metered is a store whose transfers are measured: the time that it takes, and not that of who
// reads or writes.
type metered struct {
	blobs
	costs *costs
}

func (m metered) open(ctx context.Context, r Ref) (io.ReadCloser, error) {
	began := time.Now()
	rc, err := m.blobs.open(ctx, r)
	if err != nil {
		return nil, err
	}
	return &meteredReader{ReadCloser: rc, costs: m.costs, took: time.Since(began)}, nil
}

func (m metered) create(ctx context.Context) (blobWriter, error) {
	w, err := m.blobs.create(ctx)
	return &meteredWriter{blobWriter: w, costs: m.costs}, err
}

type meteredReader struct {
	io.ReadCloser
	costs *costs
	n     int64
	took  time.Duration
	over  bool
}

func (r *meteredReader) Read(b []byte) (int, error) {
	began := time.Now()
	n, err := r.ReadCloser.Read(b)
	r.took += time.Since(began)
	r.n += int64(n)
	if errors.Is(err, io.EOF) && !r.over {
		r.over = true
		r.costs.moved(&r.costs.out, r.n, r.took)
	}
	return n, err
}

type meteredWriter struct {
	blobWriter
	costs *costs
	n     int64
	took  time.Duration
}

func (w *meteredWriter) Write(b []byte) (int, error) {
	began := time.Now()
	n, err := w.blobWriter.Write(b)
	w.took += time.Since(began)
	w.n += int64(n)
	return n, err
}

func (w *meteredWriter) commit() (Ref, error) {
	began := time.Now()
	r, err := w.blobWriter.commit()
	if err == nil {
		w.costs.moved(&w.costs.in, w.n, w.took+time.Since(began))
	}
	return r, err
}
