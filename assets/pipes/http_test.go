package pipes

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/store"
)

// serve starts a server on this machine, and returns its URL.
func serve(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func newHTTP(t *testing.T, o HTTPOptions) *HTTP {
	h := NewHTTP(o)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	return h
}

func TestHTTP(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789"), 1<<18)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/long":
			w.Write(long)
		case "/empty":
		case "/forbidden":
			w.WriteHeader(http.StatusForbidden)
		case "/again":
			http.Redirect(w, r, "/long", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	})
	h := newHTTP(t, HTTPOptions{})
	for _, path := range []string{"/long", "/again"} {
		data, err := h.Fetch(bg, url+path, int64(len(long)))
		require.NoError(t, err)
		require.True(t, bytes.Equal(long, data))
	}
	data, err := h.Fetch(bg, url+"/empty", 0)
	require.NoError(t, err)
	require.NotNil(t, data)
	_, err = h.Fetch(bg, url+"/none", 10)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = h.Fetch(bg, url+"/forbidden", 10)
	require.ErrorContains(t, err, "403")
	var retry *assets.RetryError
	require.False(t, errors.As(err, &retry))
	_, err = h.Fetch(bg, url+"/long", 10)
	require.ErrorIs(t, err, ErrLimit)
	for _, bad := range []string{"file:///etc/passwd", "ftp://h/x", "x", "http:x", "http://", ":"} {
		_, err = h.Fetch(bg, bad, 10)
		require.ErrorIs(t, err, ErrPath, bad)
	}
}

// What is the same is not sent again, also to another client with the same cache.
func TestHTTPAsksByETag(t *testing.T) {
	var etag atomic.Pointer[string]
	one, two := `"one"`, `W/"two"`
	etag.Store(&one)
	var whole, same atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		now := *etag.Load()
		w.Header().Set("ETag", now)
		if r.Header.Get("If-None-Match") == now {
			same.Add(1)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		whole.Add(1)
		fmt.Fprint(w, "body of ", now)
	})
	c, err := store.OpenCache(t.TempDir(), store.CacheOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	get := func(want string) {
		data, err := newHTTP(t, HTTPOptions{Cache: c}).Fetch(bg, url, 100)
		require.NoError(t, err)
		require.Equal(t, want, string(data))
	}
	get(`body of "one"`)
	get(`body of "one"`)
	etag.Store(&two)
	get(`body of W/"two"`)
	get(`body of W/"two"`)
	require.EqualValues(t, 2, whole.Load())
	require.EqualValues(t, 2, same.Load())
}

// breaking serves text and breaks the connection off after so many bytes of each answer.
func breaking(text string, after int, etag func() string, ranges *atomic.Int32) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from := 0
		if r.Header.Get("Range") != "" {
			ranges.Add(1)
			if r.Header.Get("If-Range") == etag() {
				fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
			}
		}
		w.Header().Set("ETag", etag())
		w.Header().Set("Content-Length", fmt.Sprint(len(text)-from))
		if from > 0 {
			w.Header().Set("Content-Range",
				fmt.Sprintf("bytes %d-%d/%d", from, len(text)-1, len(text)))
			w.WriteHeader(http.StatusPartialContent)
		}
		part := text[from:]
		io.WriteString(w, part[:min(len(part), after)])
	}
}

func TestHTTPGoesOnWhereItBrokeOff(t *testing.T) {
	text := strings.Repeat("0123456789", 10)
	for name, c := range map[string]struct {
		etag    func() string
		resumes int
		ranges  int32
		whole   bool
	}{
		"strong":     {func() string { return `"a"` }, 3, 3, true},
		"too often":  {func() string { return `"a"` }, 2, 2, false},
		"weak":       {func() string { return `W/"a"` }, 3, 0, false},
		"not at all": {func() string { return `"a"` }, -1, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			var ranges atomic.Int32
			url := serve(t, breaking(text, 30, c.etag, &ranges))
			data, err := newHTTP(t, HTTPOptions{Resumes: c.resumes}).Fetch(bg, url, 100)
			require.Equal(t, c.ranges, ranges.Load())
			if c.whole {
				require.NoError(t, err)
				require.Equal(t, text, string(data))
				return
			}
			var retry *assets.RetryError
			require.ErrorAs(t, err, &retry)
		})
	}
}

// Parts of two versions are not put together.
func TestHTTPOfWhatChangesMeanwhile(t *testing.T) {
	n := new(atomic.Int32)
	texts := []string{strings.Repeat("a", 100), strings.Repeat("b", 100)}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		i := min(n.Add(1)-1, 1)
		after := []int{30, 100}[i]
		etag := func() string { return fmt.Sprintf(`"%d"`, i) }
		breaking(texts[i], after, etag, new(atomic.Int32))(w, r)
	})
	data, err := newHTTP(t, HTTPOptions{}).Fetch(bg, url, 100)
	require.NoError(t, err)
	require.Equal(t, texts[1], string(data))
}

func TestHTTPRetryHints(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", r.URL.Query().Get("after"))
		var status int
		fmt.Sscan(r.URL.Path[1:], &status)
		w.WriteHeader(status)
	})
	h := newHTTP(t, HTTPOptions{})
	for path, want := range map[string]time.Duration{
		"/503?after=7": 7 * time.Second, "/429?after=999999999999999999": time.Minute, "/500": 0,
		"/503?after=soon": 0,
	} {
		_, err := h.Fetch(bg, url+path, 10)
		var retry *assets.RetryError
		require.ErrorAs(t, err, &retry, path)
		require.Equal(t, want, retry.After, path)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	require.Equal(t, 10*time.Second, retryAfter("Fri, 02 Jan 2026 03:04:15 GMT", now))
	require.Zero(t, retryAfter("Fri, 02 Jan 2026 03:04:04 GMT", now))

	// Nobody is there.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	_, err = h.Fetch(bg, "http://"+l.Addr().String(), 10)
	var retry *assets.RetryError
	require.ErrorAs(t, err, &retry)
}

func TestHTTPRedirectsThatAreNotFollowed(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		to := r.URL.Query().Get("to")
		if to == "" {
			to = r.URL.Path
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	})
	h := newHTTP(t, HTTPOptions{})
	for _, to := range []string{"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/"} {
		_, err := h.Fetch(bg, url+"/?to="+to, 100)
		require.ErrorIs(t, err, ErrPath, to)
	}
	_, err := h.Fetch(bg, url+"/round", 100)
	require.ErrorIs(t, err, ErrLimit, "a redirect to itself")
	_, err = newHTTP(t, HTTPOptions{Redirects: -1}).Fetch(bg, url+"/round", 100)
	require.ErrorIs(t, err, ErrLimit)

	secure := httptest.NewTLSServer(http.RedirectHandler(url, http.StatusFound))
	defer secure.Close()
	trust := x509.NewCertPool()
	trust.AddCert(secure.Certificate())
	_, err = newHTTP(t, HTTPOptions{TLS: &tls.Config{RootCAs: trust}}).Fetch(bg, secure.URL, 100)
	require.ErrorIs(t, err, ErrPath, "from https to http")
}

func TestHTTPFloods(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/header":
			for i := range 2000 {
				w.Header().Set(fmt.Sprint("Flood-", i), strings.Repeat("x", 100))
			}
		case "/body":
			for range 1 << 12 { // of no stated length
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(gzipOf(t, make([]byte, 1<<20)))
		case "/length":
			w.Header().Set("Content-Length", "9223372036854775807")
		case "/part":
			w.Header().Set("Content-Range", "bytes 5-9/10")
			w.WriteHeader(http.StatusPartialContent)
		case "/same":
			w.WriteHeader(http.StatusNotModified)
		}
	})
	h := newHTTP(t, HTTPOptions{})
	for path, want := range map[string]error{
		"/header": ErrLimit, "/body": ErrLimit, "/gzip": ErrFormat, "/length": ErrLimit,
		"/same": errStatus,
	} {
		_, err := h.Fetch(bg, url+path, 1<<20)
		require.ErrorIs(t, err, want, path)
	}
	_, err := h.Fetch(bg, url+"/part", 1<<20)
	require.ErrorContains(t, err, "a part that nobody asked for")
}

// A server that says nothing more is given up, and may be asked again. The error says so.
func TestHTTPStall(t *testing.T) {
	for _, second := range []bool{false, true} {
		hold := make(chan struct{})
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
			r *http.Request) {
			if r.URL.Path == "/body" {
				io.WriteString(w, "begun")
				w.(http.Flusher).Flush()
			}
			<-hold
		}))
		t.Cleanup(func() { close(hold); s.Close() })
		o := HTTPOptions{Stall: 20 * time.Millisecond}
		if s.EnableHTTP2 = second; second {
			s.StartTLS()
			o.TLS = s.Client().Transport.(*http.Transport).TLSClientConfig
		} else {
			s.Start()
		}
		h := newHTTP(t, o)
		for _, path := range []string{"/header", "/body"} {
			_, err := h.Fetch(bg, s.URL+path, 100)
			var retry *assets.RetryError
			require.ErrorAs(t, err, &retry, path)
			require.ErrorIs(t, err, errStalled, path)
		}
	}
}

func FuzzHTTPHeaders(f *testing.F) {
	for _, s := range []string{"bytes 200-999/1000", "bytes */5", "120", "-1",
		"Fri, 02 Jan 2026 03:04:15 GMT", "bytes 99999999999999999999-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, ok := rangeStart(s)
		require.True(t, !ok || at >= 0)
		require.GreaterOrEqual(t, retryAfter(s, time.Unix(1e9, 0)), time.Duration(0))
		scheme, rest := splitScheme(s)
		require.True(t, strings.HasSuffix(s, rest))
		require.NotContains(t, scheme, "/")
		if id, err := beside("models/a.glb", s); err == nil {
			require.NoError(t, checkPath(string(id)))
		}
	})
}
