package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A serveReport is what serve prints at its end.
type serveReport struct {
	URL      string `json:"url"`
	Requests int    `json:"requests"`
	NotFound int    `json:"not_found"`
	Same     int    `json:"not_modified"` // what the client had by its ETag
}

// server is the command serve.
func server() *cli.Command {
	var addr string
	var long time.Duration
	var rep serveReport
	return &cli.Command{
		Name: "assets serve", Arg: "DIR",
		About: "Serves the files of a directory by HTTP, with ETags, until it is interrupted. The root\n" +
			"lists them. What begins with a dot is not served, nor what a link outside leads to.",
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&addr, "addr", "127.0.0.1:0", "listen at `HOST:PORT`; port 0: any")
			durationFlag(fs, &long)
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			ctx, cancel, err := within(ctx, call, long)
			if err != nil {
				return err
			}
			defer cancel()
			return serve(ctx, call, addr, &rep)
		},
		JSON: func() any { return &rep },
	}
}

// durationFlag adds the flag of commands that go on until they are interrupted.
func durationFlag(fs *flag.FlagSet, to *time.Duration) {
	fs.DurationVar(to, "for", 0, "end after `DURATION`; default: when it is interrupted")
}

// within returns the context in which such a command works.
func within(ctx context.Context, call *cli.Call, long time.Duration) (context.Context,
	context.CancelFunc, error) {
	if !call.Given["for"] {
		return ctx, func() {}, nil
	}
	if long <= 0 {
		return nil, nil, fmt.Errorf("-for %v: want more than 0", long)
	}
	ctx, cancel := context.WithTimeout(ctx, long)
	return ctx, cancel, nil
}

// What a client may take.
const (
	headerTime  = 10 * time.Second
	headerBytes = 16 << 10
	idleTime    = time.Minute
	endTime     = 3 * time.Second // to finish what it is being sent, at the end
)

// serve serves a directory until ctx ends.
func serve(ctx context.Context, call *cli.Call, addr string, rep *serveReport) (err error) {
	t, err := openTree(call.Arg, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("-addr %s: %w", addr, err)
	}
	h := &site{tree: t.files.FS(), tags: map[string]tag{}}
	s := &http.Server{Handler: h, ReadHeaderTimeout: headerTime, MaxHeaderBytes: headerBytes,
		IdleTimeout: idleTime}
	rep.URL = "http://" + l.Addr().String() + "/"
	fmt.Fprintln(call.Text, rep.URL)
	if call.Progress != nil {
		call.Progress.Show("serving " + call.Arg)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		last, cancel := context.WithTimeout(context.Background(), endTime)
		if s.Shutdown(last) != nil {
			err = s.Close()
		}
		cancel()
		<-ended // that it was shut down
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	rep.Requests, rep.NotFound, rep.Same = h.requests, h.missing, h.same
	return err
}

// A site answers requests for the files of a tree that nothing leads out of.
type site struct {
	tree fs.FS

	mu                      sync.Mutex
	tags                    map[string]tag
	requests, missing, same int
}

// A tag is the ETag of a file as it was.
type tag struct {
	size int64
	time time.Time
	etag string
}

// settled is how old a file must be for its size and time to tell that it is the same: clocks of
// file systems may be as coarse.
const settled = 2 * time.Second

// ServeHTTP implements http.Handler.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status := &statusWriter{ResponseWriter: w}
	s.answer(status, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	switch status.code {
	case http.StatusNotFound:
		s.missing++
	case http.StatusNotModified:
		s.same++
	}
}

// A statusWriter remembers the status.
type statusWriter struct {
	http.ResponseWriter
	code int
}

func (w *statusWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

func (s *site) answer(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "GET and HEAD only", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		s.list(w, r)
		return
	}
	f, info, err := s.open(name)
	if err != nil { // nobody is told why
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	etag, err := s.etag(name, f, info)
	if err != nil {
		http.Error(w, "cannot be read", http.StatusInternalServerError)
		return
	}
	w.Header().Set("ETag", etag)
	http.ServeContent(w, r, name, info.ModTime(), f)
}

// An opened file can be read from anywhere.
type opened interface {
	fs.File
	io.Seeker
}

// open opens a file of the tree. What is no file is not opened: that may take for ever.
func (s *site) open(name string) (opened, fs.FileInfo, error) {
	if !fs.ValidPath(name) || name == "." || hidden(name) || strings.ContainsAny(name, "\\\x00") {
		return nil, nil, fs.ErrNotExist
	}
	info, err := fs.Stat(s.tree, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil, fs.ErrNotExist
	}
	f, err := s.tree.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	file, ok := f.(opened)
	if err != nil || !ok || !info.Mode().IsRegular() {
		return nil, nil, errors.Join(fs.ErrNotExist, f.Close())
	}
	return file, info, nil
}

// etag returns the ETag of a file, which is the hash of its bytes.
func (s *site) etag(name string, f opened, info fs.FileInfo) (string, error) {
	s.mu.Lock()
	t, known := s.tags[name]
	s.mu.Unlock()
	if known && t.size == info.Size() && t.time.Equal(info.ModTime()) {
		return t.etag, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	t = tag{info.Size(), info.ModTime(), `"` + hex.EncodeToString(h.Sum(nil)) + `"`}
	if time.Since(t.time) > settled {
		s.mu.Lock()
		s.tags[name] = t
		s.mu.Unlock()
	}
	return t.etag, nil
}

// list answers with the listing.
func (s *site) list(w http.ResponseWriter, r *http.Request) {
	files, err := scan(s.tree)
	if err != nil {
		http.Error(w, "cannot be read", http.StatusInternalServerError)
		return
	}
	l := listing{Files: make([]listed, len(files))}
	for i, f := range files {
		l.Files[i] = listed{f.Path, f.Size}
	}
	data, err := json.Marshal(l)
	if err != nil {
		http.Error(w, "cannot be written", http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(data)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(data)))
}
