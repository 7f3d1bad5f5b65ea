package pipes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/store"
	"github.com/heddle-go/heddle/taskgraph"
)

// openFiles returns what the descriptors of the process lead to, those of the runtime left out.
func openFiles(t *testing.T) (open []string) {
	dir, err := os.Open("/proc/self/fd")
	require.NoError(t, err)
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	require.NoError(t, err)
	for _, n := range names {
		to, err := os.Readlink("/proc/self/fd/" + n)
		if err == nil && !strings.HasPrefix(to, "anon_inode:") && !strings.HasSuffix(to, "/fd") {
			open = append(open, to)
		}
	}
	return open
}

// connections returns how many sockets of the process lead to a port of this machine.
func connections(t *testing.T, port int) (n int) {
	open := map[string]bool{}
	for _, to := range openFiles(t) {
		open[to] = true
	}
	table, err := os.ReadFile("/proc/self/net/tcp")
	require.NoError(t, err)
	for _, line := range strings.Split(string(table), "\n") {
		// number, local and remote address, state, four more, uid, timeout, inode
		f := strings.Fields(line)
		if len(f) > 9 && strings.HasSuffix(f[2], fmt.Sprintf(":%04X", port)) &&
			open["socket:["+f[9]+"]"] {
			n++
		}
	}
	return n
}

// A tired context ends when it has been asked so many times whether it has.
type tired struct {
	context.Context
	asks atomic.Int64
}

func (c *tired) Err() error {
	if c.asks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func tiredAfter(asks int64) *tired {
	c := &tired{Context: bg}
	c.asks.Store(asks)
	return c
}

// A leaky is a source of files, and what its Close should leave nothing of.
type leaky struct {
	from  Fetcher
	name  func(file string) string // under which it has a file
	close func() error
	left  func() int // of connections, after close
}

// TestNothingOpen fetches and decodes from each source in every way to fail: fetches that end in
// the middle, loads that are let go of or cut off by Close in the middle, decoders and later pipes
// that panic while they have a file open, references that lead nowhere. When the manager is closed
// and the source too, no file, no connection and no handle is left.
func TestNothingOpen(t *testing.T) {
	const long = "long"
	files := map[string]string{long: strings.Repeat("0123456789abcdef", 3<<16)}
	for i := range 40 {
		files[fmt.Sprintf("file%d", i)] = fmt.Sprintf("content %d", i)
	}
	var members []member
	dir := t.TempDir()
	for name, text := range files {
		members = append(members, member{name: name, text: text})
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	same := func(file string) string { return file }
	archive := func(data []byte) func(t *testing.T) leaky {
		return func(t *testing.T) leaky {
			file := filepath.Join(t.TempDir(), "archive")
			require.NoError(t, os.WriteFile(file, data, 0o666))
			_, err := OpenArchive(file, Limits{Entries: 3}) // which is refused
			require.ErrorIs(t, err, ErrLimit)
			a, err := OpenArchive(file, Limits{})
			require.NoError(t, err)
			return leaky{from: a, name: same, close: a.Close}
		}
	}
	server := func(second bool) func(t *testing.T) leaky {
		return func(t *testing.T) leaky {
			gone := make(chan struct{})
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				name := strings.TrimPrefix(r.URL.Path, "/")
				text, ok := files[name]
				switch {
				case !ok:
					http.NotFound(w, r)
				case strings.HasSuffix(name, "7"): // it never answers
					select {
					case <-r.Context().Done():
					case <-gone:
					}
				case strings.HasSuffix(name, "8"): // nor does this, to the end
					w.Header().Set("Content-Length", "1000")
					_, _ = w.Write([]byte(text))
					_ = http.NewResponseController(w).Flush()
					select {
					case <-r.Context().Done():
					case <-gone:
					}
				case strings.HasSuffix(name, "9"): // and this one breaks off
					w.Header().Set("Content-Length", "1000")
					_, _ = w.Write([]byte(text))
					panic(http.ErrAbortHandler)
				default:
					http.ServeContent(w, r, name, time.Time{}, strings.NewReader(text))
				}
			}))
			o := HTTPOptions{Stall: 20 * time.Millisecond}
			if s.EnableHTTP2 = second; second {
				s.StartTLS()
				o.TLS = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
			} else {
				s.Start()
			}
			t.Cleanup(func() { close(gone); s.Close() })
			h := NewHTTP(o)
			port := s.Listener.Addr().(*net.TCPAddr).Port
			return leaky{from: h, name: func(file string) string { return s.URL + "/" + file },
				close: h.Close, left: func() int { return connections(t, port) }}
		}
	}
	for _, c := range []struct {
		name string
		open func(t *testing.T) leaky
	}{
		{"directory", func(t *testing.T) leaky {
			d, err := OpenDir(dir)
			require.NoError(t, err)
			return leaky{from: d, name: same, close: d.Close}
		}},
		{"zip", archive(zipOf(t, members...))},
		{"tar", archive(tarOf(t, members...))},
		{"tar.gz", archive(gzipOf(t, tarOf(t, members...)))},
		{"tar.zst", archive(zstdOf(t, tarOf(t, members...)))},
		{"http", server(false)},
		{"https", server(true)},
		{"store", func(t *testing.T) leaky {
			c, err := store.OpenCache(t.TempDir(), store.CacheOptions{Unsynced: true})
			require.NoError(t, err)
			for _, text := range files {
				_, err := c.Put([]byte(text))
				require.NoError(t, err)
			}
			return leaky{from: Stored(c), close: c.Close, name: func(file string) string {
				return assets.HashOf([]byte(files[file])).String()
			}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := c.open(t)
			before := openFiles(t)
			for i := range int64(40) {
				if source.left != nil { // it makes a context of its own of what it gets
					ctx, cancel := context.WithTimeout(bg, time.Duration(i)*200*time.Microsecond)
					_, _ = source.from.Fetch(ctx, source.name(fmt.Sprint("file", i)), 1<<30)
					cancel()
					continue
				}
				_, err := source.from.Fetch(tiredAfter(i%4), source.name(long), 1<<30)
				if c.name != "store" { // which looks at no context
					require.Error(t, err)
				}
			}
			_, err := source.from.Fetch(bg, source.name(long), 100)
			for errors.Is(err, errStalled) { // a busy machine
				_, err = source.from.Fetch(bg, source.name(long), 100)
			}
			require.ErrorIs(t, err, ErrLimit)
			if source.left == nil {
				require.ElementsMatch(t, before, openFiles(t))
			}
			loadAndLeave(t, source, files, dir)
			if source.left == nil {
				require.ElementsMatch(t, before, openFiles(t))
			}
			require.NoError(t, source.close())
			if source.left != nil {
				require.Zero(t, source.left(), "connections")
				return
			}
			require.Len(t, openFiles(t), len(before)-1)
			_, err = source.from.Fetch(bg, source.name(long), 1<<30)
			if !strings.HasPrefix(c.name, "tar.") { // which is in memory
				require.ErrorIs(t, err, fs.ErrClosed)
			}
		})
	}
}

// loadAndLeave has a manager load files from a source, and looks at what it leaves.
func loadAndLeave(t *testing.T, source leaky, files map[string]string, dir string) {
	var open atomic.Int64 // values, each of which has a file open
	value := func() any {
		f, err := os.Open(dir)
		if err != nil {
			panic(err)
		}
		open.Add(1)
		return closer(func() error { open.Add(-1); return f.Close() })
	}
	good := func([]byte, Limits) (Decoded, error) { return Decoded{Value: value()}, nil }
	by := map[string]Decoder{
		"good":  {Decode: good},
		"panic": {Decode: func([]byte, Limits) (Decoded, error) { panic("a decoder") }},
		"lost": {Decode: func([]byte, Limits) (Decoded, error) {
			return Decoded{Value: value(), Refs: []string{"../../out"}}, nil
		}},
		"child": {Decode: func([]byte, Limits) (Decoded, error) {
			return Decoded{Value: value(), Refs: []string{"file0", "file4", "none"}}, nil
		}},
		"late": {Decode: good},
	}
	formats := []string{"good", "panic", "lost", "child", "late"}
	registry, err := assets.NewMemory()
	require.NoError(t, err)
	var ids []assets.ID
	for i := range len(files) - 1 {
		id := fmt.Sprintf("file%d", i)
		ids = append(ids, assets.ID(id))
		require.NoError(t, registry.Put(assets.Info{ID: assets.ID(id), Path: "x:" + source.name(id),
			Format: formats[i%len(formats)]}))
	}
	plan := Standard(StandardOptions{By: by, Network: map[string]Fetcher{"x": source.from}})
	plan = append(plan, assets.Pipe{Name: "late", Run: func(_ context.Context,
		it *assets.Item) error {
		if it.Variant.Format == "late" {
			panic("a later pipe")
		}
		return nil
	}})
	sys := taskgraph.Start(taskgraph.Options{Workers: 4})
	load, err := assets.NewPipeline(sys, assets.PipelineOptions{Plan: plan, Retries: 1,
		Backoff: time.Microsecond, Timeout: 10 * time.Millisecond})
	require.NoError(t, err)
	m := assets.New(sys, assets.Options{Registry: registry, Loader: load, FailureFor: -1})
	r := rand.New(rand.NewPCG(1, 2))
	var held []*assets.Handle
	for range 6 {
		for _, id := range ids {
			h := m.Acquire(id)
			switch r.IntN(4) {
			case 0:
				m.Release(h) // at once
			case 1:
				_ = h.Wait(tiredAfter(0))
				m.ReleaseTree(h)
			case 2:
				_ = h.Wait(bg)
				m.Release(h)
			default:
				held = append(held, h)
			}
		}
	}
	for _, id := range ids {
		m.Unload(id)
		held = append(held, m.Acquire(id))
	}
	require.NoError(t, m.Close(bg)) // in the middle of some
	require.Zero(t, open.Load(), "values")
	for _, h := range held {
		require.True(t, m.Release(h))
	}
	s := m.Stats()
	require.Zero(t, s.Handles)
	require.Zero(t, s.Resources)
	require.Zero(t, s.Bytes)
	require.NoError(t, sys.Shutdown(bg))
}

// A closer is a value.
type closer func() error

func (c closer) Close() error { return c() }
