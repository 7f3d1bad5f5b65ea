package heddlehttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	heddlehttp "github.com/heddle-go/heddle/contrib/http"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph"
)

// A logbook is what a server logs.
type logbook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serve has h served on loopback, and returns the server, a client of it, and its log.
func serve(t *testing.T, h http.Handler) (*httptest.Server, *http.Client, *logbook) {
	t.Helper()
	book := &logbook{}
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(book, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	return server, server.Client(), book
}

func get(t *testing.T, client *http.Client, url string) (code int, body string, err error) {
	t.Helper()
	response, err := client.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

func explode(http.ResponseWriter, *http.Request) { panic(errors.New("boom")) }

// TestPanics lets handlers end in each way that is none of theirs: the client sees a connection
// that is closed, net/http logs what it logs as well without a class, and the next one is served.
func TestPanics(t *testing.T) {
	_, pool := start(t, 1)
	for _, buffered := range []bool{false, true} {
		class := pool.NewClass(heddlehttp.Options{BufferResponse: buffered})
		mux := http.NewServeMux()
		add := func(path string, f http.HandlerFunc) { mux.Handle(path, class.Handler(f)) }
		add("/panic", explode)
		add("/abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		add("/exit", func(http.ResponseWriter, *http.Request) { runtime.Goexit() })
		add("/fine", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "fine") })
		server, client, book := serve(t, mux)
		client.Transport.(*http.Transport).DisableKeepAlives = true // else it tries again

		for _, path := range []string{"/abort", "/exit", "/panic"} {
			if path == "/panic" {
				require.Empty(t, book.all())
			}
			_, _, err := get(t, client, server.URL+path)
			require.Error(t, err, path)
			code, body, err := get(t, client, server.URL+"/fine")
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, code)
			require.Equal(t, "fine", body)
		}
		server.Close()
		require.Contains(t, book.all(), "boom [on a worker]")
		require.Contains(t, book.all(), "http_test.explode")
		require.Equal(t, heddlehttp.Stats{Served: 3, Failed: 3}, class.Stats())
	}
}

// TestPanicError is for those who recover around a class.
func TestPanicError(t *testing.T) {
	_, pool := start(t, 1)
	h := pool.NewClass(heddlehttp.Options{}).Handler(http.HandlerFunc(explode))
	defer func() {
		p, ok := recover().(*heddlehttp.PanicError)
		require.True(t, ok)
		require.EqualError(t, errors.Unwrap(p), "boom")
	}()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", http.NoBody))
	t.Error("it has returned")
}

// TestFlushAndHijack uses what a ResponseWriter can do besides.
func TestFlushAndHijack(t *testing.T) {
	_, pool := start(t, 1)
	plain := pool.NewClass(heddlehttp.Options{})
	buffered := pool.NewClass(heddlehttp.Options{BufferResponse: true})
	seen := make(chan struct{})
	mux := http.NewServeMux()
	mux.Handle("/flush", plain.Handler(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "half")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			<-seen
			fmt.Fprint(w, "way")
		})))
	hijack := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			http.Error(w, fmt.Sprint(errors.Is(err, http.ErrNotSupported)), http.StatusTeapot)
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	})
	mux.Handle("/hijack", plain.Handler(hijack))
	mux.Handle("/buffered", buffered.Handler(hijack))
	server, client, _ := serve(t, mux)

	response, err := client.Get(server.URL + "/flush")
	require.NoError(t, err)
	half := make([]byte, 4)
	_, err = io.ReadFull(response.Body, half)
	require.NoError(t, err)
	close(seen)
	rest, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, "halfway", string(half)+string(rest))

	code, body, err := get(t, client, server.URL+"/hijack")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, "ok", body)
	code, body, err = get(t, client, server.URL+"/buffered")
	require.NoError(t, err)
	require.Equal(t, http.StatusTeapot, code)
	require.Equal(t, "true\n", body)
}

// TestBufferResponse compares answers with those of net/http alone.
func TestBufferResponse(t *testing.T) {
	_, pool := start(t, 1)
	class := pool.NewClass(heddlehttp.Options{BufferResponse: true})
	for name, f := range map[string]http.HandlerFunc{
		"nothing": func(http.ResponseWriter, *http.Request) {},
		"body":    func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "body") },
		"code":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) },
		"twice": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusGone)
			w.WriteHeader(http.StatusOK)
			fmt.Fprint(w, "gone")
		},
		"header": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("A", "a")
			w.WriteHeader(http.StatusCreated)
			w.Header().Set("A", "late")
			w.Header().Set("B", "late")
		},
		"hints": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			fmt.Fprint(w, "done")
		},
	} {
		var got [2]string
		for i, h := range []http.Handler{f, class.Handler(f)} {
			server, client, _ := serve(t, h)
			response, err := client.Get(server.URL)
			require.NoError(t, err, name)
			response.Header.Del("Date")
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err, name)
			require.NoError(t, response.Body.Close())
			got[i] = fmt.Sprint(response.Status, response.Header, string(body))
		}
		require.Equal(t, got[0], got[1], name)
	}
}

// TestNothingIsLost sends requests of three classes from many clients, some of which go away: each
// request is counted once, as what its client was told.
func TestNothingIsLost(t *testing.T) {
	_, pool := start(t, 2)
	names := []string{"/high", "/normal", "/background"}
	classes := []*heddlehttp.Class{
		pool.NewClass(heddlehttp.Options{Priority: taskgraph.PriorityHigh, MaxWaiting: 4}),
		pool.NewClass(heddlehttp.Options{MaxWaiting: 2, MaxRunning: 1}),
		pool.NewClass(heddlehttp.Options{Priority: taskgraph.PriorityBackgroundLow, MaxWaiting: 3,
			BufferResponse: true}),
	}
	mux := http.NewServeMux()
	for i, c := range classes {
		mux.Handle(names[i], c.Handler(http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				for range 5 {
					runtime.Gosched()
					_ = heddlehttp.Yield(r.Context())
				}
				fmt.Fprint(w, r.URL.Path)
			})))
	}
	server, client, _ := serve(t, mux)

	const clients = 12
	each := short.Scaled(1000)
	var served, refused [3]atomics.Uint64
	var wg sync.WaitGroup
	for k := range clients {
		wg.Go(func() {
			for i := range each {
				of := (i + k) % 3
				ctx, cancel := context.WithCancel(t.Context())
				if i%5 == 0 {
					go cancel()
				}
				r, _ := http.NewRequestWithContext(ctx, "GET", server.URL+names[of], http.NoBody)
				response, err := client.Do(r)
				if err == nil {
					body, err := io.ReadAll(response.Body)
					switch {
					case err != nil:
					case response.StatusCode == http.StatusOK && string(body) == names[of]:
						served[of].Add(1)
					case response.StatusCode == http.StatusServiceUnavailable:
						refused[of].Add(1)
					default:
						t.Errorf("%s: %s %q", names[of], response.Status, body)
					}
					response.Body.Close()
				} else if i%5 != 0 {
					t.Errorf("%s: %v", names[of], err)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	server.Close() // waits for handlers whose clients have gone
	asked, come := uint64(clients*each), uint64(0)
	for i, c := range classes {
		s := c.Stats()
		require.Zero(t, s.Waiting+s.Running, names[i])
		require.Zero(t, s.Failed+s.Expired+s.TooLong, names[i])
		require.GreaterOrEqual(t, s.Served, served[i].Load(), names[i])
		require.GreaterOrEqual(t, s.Refused, refused[i].Load(), names[i])
		require.NotZero(t, served[i].Load(), names[i])
		come += s.Served + s.Refused + s.Gone
	}
	require.LessOrEqual(t, come, asked)
	require.GreaterOrEqual(t, come, asked-asked/5) // those that go away may not even come
}

// TestShutdownUnderLoad shuts a server down while requests of two classes come, run and wait: each
// that was accepted is answered as a whole, and nothing is left.
func TestShutdownUnderLoad(t *testing.T) {
	for range short.Scaled(50) {
		sys := taskgraph.Start(taskgraph.Options{Workers: 2})
		pool := heddlehttp.NewPool(sys)
		high := pool.NewClass(heddlehttp.Options{Priority: taskgraph.PriorityHigh})
		low := pool.NewClass(heddlehttp.Options{Priority: taskgraph.PriorityBackgroundNormal})
		answer := strings.Repeat("all of it ", 1000)
		var begun, ended, got atomics.Int64
		half := make(chan struct{})
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if begun.Add(1) == 50 {
				close(half)
			}
			_ = heddlehttp.Yield(r.Context())
			fmt.Fprint(w, answer)
			ended.Add(1)
		})
		mux := http.NewServeMux()
		mux.Handle("/high", high.Handler(h))
		mux.Handle("/low", low.Handler(h))
		server, client, _ := serve(t, mux)
		var wg sync.WaitGroup
		for k := range 8 {
			wg.Go(func() {
				for {
					code, body, err := get(t, client, server.URL+[]string{"/high", "/low"}[k%2])
					if err != nil {
						return // the server takes no connection, or has closed one that was idle
					}
					if code != http.StatusOK || body != answer {
						t.Errorf("%d, %d bytes", code, len(body))
					}
					got.Add(1)
				}
			})
		}
		<-half
		require.NoError(t, server.Config.Shutdown(t.Context()))
		require.Equal(t, begun.Load(), ended.Load())
		require.NoError(t, sys.Shutdown(t.Context()))
		wg.Wait()
		require.Equal(t, ended.Load(), got.Load())
		require.Equal(t, uint64(ended.Load()), high.Stats().Served+low.Stats().Served)
	}
}
