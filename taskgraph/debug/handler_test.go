package debug_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/debug"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A site is a system with its page.
type site struct {
	*taskgraph.System
	failures debug.Failures
	rec      *trace.Recorder
	mux      *http.ServeMux
}

func newSite(t *testing.T, rec *trace.Recorder) *site {
	t.Helper()
	s := &site{rec: rec, mux: http.NewServeMux()}
	s.System = taskgraph.Start(taskgraph.Options{
		Workers: 2, Trace: rec, OnFailure: s.failures.Add, Sites: true,
	})
	t.Cleanup(func() {
		if err := s.Shutdown(context.Background()); !errors.Is(err, errBody) {
			require.NoError(t, err)
		}
	})
	s.mux.Handle("/at/", &debug.Handler{
		System: s.System, Trace: rec, Failures: &s.failures, Name: "the <site>",
	})
	return s
}

var errBody = errors.New(`<script>alert("x")</script>`)

func (s *site) get(t *testing.T, target string) *http.Response {
	t.Helper()
	return s.do(httptest.NewRequestWithContext(t.Context(), "GET", target, http.NoBody))
}

func (s *site) do(r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	s.mux.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	var b strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := r.Body.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			require.NoError(t, r.Body.Close())
			return b.String()
		}
	}
}

// run runs a graph of so many tasks named name.
func (s *site) run(t *testing.T, name string, tasks int) {
	t.Helper()
	var b taskgraph.GraphBuilder
	for range tasks {
		b.Task(taskgraph.Do(func() {})).Name(name)
	}
	g, err := b.Build()
	require.NoError(t, err)
	require.NoError(t, s.RunGraph(t.Context(), g))
}

func TestPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, trace.New(trace.Options{}))
	for _, tasks := range []int{0, 1, 10_000} {
		if tasks > 0 {
			s.run(t, `<b>"bold"</b>`, tasks)
		}
		for _, target := range []string{"/at/", "/at/live"} {
			r := s.get(t, target)
			page := body(t, r)
			require.Equal(t, http.StatusOK, r.StatusCode, page)
			require.Equal(t, "text/html; charset=utf-8", r.Header.Get("Content-Type"))
			require.Contains(t, r.Header.Get("Content-Security-Policy"), "default-src 'none'")
			require.NotContains(t, page, "<b>\"bold", "a name is not escaped")
			require.NotContains(t, page, "<site>")
			require.NotContains(t, page, "style=", "the policy forbids it")
			require.NotContains(t, page, "<no value>")
			require.Contains(t, page, "Nothing is stuck.")
		}
	}
}

func TestPageWithoutRecorder(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	page := body(t, s.get(t, "/at/"))
	require.Contains(t, page, "Without a recorder")
	require.NotContains(t, page, `id="lanes"`)
	for _, target := range []string{"/at/trace.json", "/at/trace.pb", "/at/?run=1"} {
		require.Equal(t, http.StatusNotFound, s.get(t, target).StatusCode, target)
	}
}

func TestWhatWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t, trace.New(trace.Options{}))
	gate := s.Name(s.NewEvent(), "the <gate>")
	waits := s.Task(taskgraph.Do(func() {})).Name("late & slow").After(gate).Launch()
	page := body(t, s.get(t, "/at/live"))
	require.Contains(t, page, "late &amp; slow")
	require.Contains(t, page, "the &lt;gate&gt;")
	require.Contains(t, page, "handler_test.go:", "where it was made")
	s.TriggerEventWhenTasksComplete(gate)
	require.NoError(t, s.WaitUntilTasksComplete(t.Context(), waits))
}

func TestFailuresAreShown(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	e := s.Task(taskgraph.Try(func() error { return errBody })).Name("bad").Launch()
	require.ErrorIs(t, s.WaitUntilTasksComplete(t.Context(), e), errBody)
	require.Eventually(t, func() bool { _, n := s.failures.Last(); return n == 1 }, hang, tick)
	page := body(t, s.get(t, "/at/live"))
	require.Contains(t, page, "1 in all")
	require.Contains(t, page, "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;")
	require.NotContains(t, page, "<script>alert")
}

func TestRunOfAGraph(t *testing.T) {
	t.Parallel()
	s := newSite(t, trace.New(trace.Options{}))
	s.run(t, "once", 5)
	page := body(t, s.get(t, "/at/"))
	link := regexp.MustCompile(`href="\?run=(\d+)"`).FindStringSubmatch(page)
	require.NotEmpty(t, link, page)
	r := s.get(t, "/at/?run="+link[1])
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.Contains(t, body(t, r), "the critical path")
	for _, bad := range []string{"x", "0", "-1", "99999999999", "18446744073709551616", "%3Cb%3E"} {
		r := s.get(t, "/at/?run="+bad)
		require.Equal(t, http.StatusNotFound, r.StatusCode, bad)
		require.Equal(t, "text/plain; charset=utf-8", r.Header.Get("Content-Type"))
	}
}

func TestRecording(t *testing.T) {
	t.Parallel()
	rec := trace.New(trace.Options{Stopped: true})
	s := newSite(t, rec)
	post := func(on, origin, site string) int {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "http://here.example/at/record",
			strings.NewReader("on="+on))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		if site != "" {
			r.Header.Set("Sec-Fetch-Site", site)
		}
		return s.do(r).StatusCode
	}
	require.Contains(t, body(t, s.get(t, "/at/live")), "Not recording")
	require.Equal(t, http.StatusForbidden, post("1", "http://evil.example", ""))
	require.Equal(t, http.StatusForbidden, post("1", "", "cross-site"))
	require.Equal(t, http.StatusForbidden, post("1", "http://evil.example", "same-site"))
	require.False(t, rec.Recording(), "a page of another site has started the recorder")
	require.Equal(t, http.StatusBadRequest, post("2", "", ""))
	require.Equal(t, http.StatusSeeOther, post("1", "http://here.example", "same-origin"))
	require.True(t, rec.Recording())
	require.Equal(t, http.StatusForbidden, post("0", "http://evil.example", ""))
	require.True(t, rec.Recording())
	require.Equal(t, http.StatusSeeOther, post("0", "", ""))
	require.False(t, rec.Recording())
	require.Equal(t, http.StatusMethodNotAllowed, s.get(t, "/at/record").StatusCode)
	require.Equal(t, http.StatusNotFound, newSite(t, nil).do(httptest.NewRequestWithContext(
		t.Context(), "POST", "/at/record", strings.NewReader("on=1"))).StatusCode)
}

func TestDownloads(t *testing.T) {
	t.Parallel()
	s := newSite(t, trace.New(trace.Options{}))
	s.run(t, "x", 100)
	r := s.get(t, "/at/trace.json")
	require.Contains(t, r.Header.Get("Content-Disposition"), "trace.json")
	require.True(t, json.Valid([]byte(body(t, r))))
	require.NotEmpty(t, body(t, s.get(t, "/at/trace.pb")))
}

func TestOtherRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	require.Equal(t, http.StatusNotFound, s.get(t, "/at/secret").StatusCode)
	require.Equal(t, http.StatusNotFound, s.get(t, "/at/handler.go").StatusCode)
	require.Equal(t, http.StatusNotFound, s.get(t, "/at/page.html").StatusCode)
	require.Equal(t, http.StatusOK, s.get(t, "/at/page.css").StatusCode)
	require.Equal(t, http.StatusOK, s.get(t, "/at/page.js").StatusCode)
	r := s.do(httptest.NewRequestWithContext(t.Context(), "DELETE", "/at/", http.NoBody))
	require.Equal(t, http.StatusMethodNotAllowed, r.StatusCode)
	w := httptest.NewRecorder()
	new(debug.Handler).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/",
		http.NoBody))
	require.Equal(t, http.StatusInternalServerError, w.Code)
}

// TestManyLook has several readers look at a system that works.
func TestManyLook(t *testing.T) {
	t.Parallel()
	s := newSite(t, trace.New(trace.Options{}))
	over := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				if r := s.get(t, "/at/live"); r.StatusCode != http.StatusOK {
					t.Errorf("status %d", r.StatusCode)
					return
				}
			}
		})
	}
	for range 20 {
		s.run(t, "busy", 200)
	}
	close(over)
	wg.Wait()
}
