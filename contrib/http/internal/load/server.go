package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	heddlehttp "github.com/heddle-go/heddle/contrib/http"
	"github.com/heddle-go/heddle/contrib/http/internal/work"
)

// Serve is the server as a process of its own: it serves in the given way on loopback, writes its
// address as a line to out, and ends when in does.
func Serve(name string, workers int, in io.Reader, out io.Writer) error {
	for _, w := range ways {
		if w.name == name {
			return w.serve(workers, in, out)
		}
	}
	return fmt.Errorf("no way %q", name)
}

func (w way) serve(workers int, in io.Reader, out io.Writer) error {
	click, batch, err := handlers()
	if err != nil {
		return err
	}
	click, batch, end, err := w.build(workers, click, batch)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/click", click)
	mux.Handle("/batch", batch)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, end())
	}
	server := &http.Server{Handler: mux}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	_, err = fmt.Fprintln(out, listener.Addr())
	if err == nil {
		_, err = io.Copy(io.Discard, in)
	}
	err = errors.Join(err, server.Shutdown(context.Background()))
	if stopped := <-served; !errors.Is(stopped, http.ErrServerClosed) {
		err = errors.Join(err, stopped)
	}
	return errors.Join(err, end())
}

// handlers returns what the server computes: a signature for a click, a picture made smaller as
// batch work. The latter offers its worker to others after each row, which does nothing outside of
// a class.
func handlers() (click, batch http.Handler, err error) {
	signer, err := work.NewSigner()
	if err != nil {
		return nil, nil, err
	}
	picture := work.Picture(2000, 1600)
	click = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		signature, err := signer.Sign([]byte(r.URL.String()))
		answer(w, signature, err)
	})
	batch = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		small, err := work.Resize(picture, func() error { return heddlehttp.Yield(r.Context()) })
		if err != nil {
			return // nobody is there any more
		}
		text, err := work.Encode(small.SubImage(small.Bounds()))
		answer(w, text, err)
	})
	return click, batch, nil
}

func answer(w http.ResponseWriter, text []byte, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(text) // a client that has gone is not this test's concern
}
