package frame

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/verdict"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/debug"
)

const (
	pagePath    = "/debug/heddle/" // of the page
	servedFPS   = 60               // where -fps does not say otherwise
	liveRecords = 1 << 14          // of a lane: a page that is made each second is to be made fast
)

// address returns where the page is served: on loopback only, unless a host is named.
func address(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// playServed plays frames in the order that the options name, and meanwhile serves the page of the
// system that plays. It returns how many frames it has played.
func playServed(ctx context.Context, o options, show *cli.Progress, tell func(string),
	text io.Writer) (frames int, err error) {
	addr, err := address(o.http)
	if err != nil {
		return 0, fmt.Errorf("-http: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return 0, fmt.Errorf("-http: %w", err)
	}
	crew, err := newCrew()
	if err != nil {
		return 0, errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, crew.close()) }()
	last := o.frames
	o.frames = sliceFrames // whose times are kept
	film, failures := newFilm(liveRecords, false), &debug.Failures{}
	c, err := newSolo(o, crew, film, taskgraph.Options{OnFailure: failures.Add})
	if err != nil {
		return 0, errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, c.play.close()) }()

	mux := http.NewServeMux()
	mux.Handle(pagePath, &debug.Handler{System: c.graph.sys, Name: "frameloop, " + c.name,
		Trace: film.Recorder, Failures: failures})
	mux.Handle("/{$}", http.RedirectHandler(pagePath, http.StatusFound))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer func() {
		err = errors.Join(err, server.Close())
		if e := <-served; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
	}()
	fmt.Fprintf(text, "http://%s%s shows the system while it plays %d frames a second of the scene "+
		"%v (%s, %s on %s); Ctrl-C ends it\n", listener.Addr(), pagePath, o.fps, o.setting, c.name,
		verdict.Count(o.workers, "worker"), verdict.Count(runtime.GOMAXPROCS(0), "processor"))

	defer show.Clear()
	for frames < last || last == 0 {
		to := frames + sliceFrames
		if last > 0 {
			to = min(to, last)
		}
		show.At(c.name, frames, max(last, to))
		if err := c.slice(ctx, frames, to, o.keepGoing); err != nil {
			return frames, fmt.Errorf("%s: %w", c.name, err)
		}
		frames, c.times = to, c.times[:0]
	}
	if c.failed > 0 {
		tell(fmt.Sprintf("%s: %d frames failed, the first with: %v", c.name, c.failed, c.failure))
	}
	if err := c.play.finish(); err != nil {
		return frames, err
	}
	fmt.Fprintf(text, "%s, of which %d ended after their deadline\n",
		verdict.Count(frames, "frame"), c.pace.missed)
	if c.failed > 0 {
		return frames, cli.ErrFailed
	}
	return frames, nil
}
