package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/debug"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// hang bounds each step of a test: a page that does not do what it should.
const hang = time.Minute

// A site is a system, its page, and a browser that has it open.
type site struct {
	*taskgraph.System
	rec *trace.Recorder
	url string
	tab context.Context

	mu       sync.Mutex
	problems []string // what the browser's console said
}

// open starts a system and opens its page. Without a browser the test is skipped, unless
// BROWSER_NEEDED is set.
func open(t *testing.T) *site {
	t.Helper()
	path := browser(t)
	s := &site{rec: trace.New(trace.Options{})}
	s.System = taskgraph.Start(taskgraph.Options{Workers: 2, Trace: s.rec})
	t.Cleanup(func() { require.NoError(t, s.Shutdown(context.Background())) })
	mux := http.NewServeMux()
	mux.Handle("/debug/heddle/", &debug.Handler{System: s.System, Trace: s.rec, Name: "browsed"})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL + "/debug/heddle/"

	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(hang))
	browser, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	tab, end := chromedp.NewContext(browser)
	t.Cleanup(end)
	s.tab = tab
	require.NoError(t, chromedp.Do(tab)) // the browser lives as long as this context
	require.NoError(t, chromedp.Listen(tab, func(event any) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			s.problems = append(s.problems, e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			s.problems = append(s.problems, fmt.Sprint("console: ", e.Type))
		case *log.EventEntryAdded:
			s.problems = append(s.problems, e.Entry.Text)
		}
	}))
	_, err := chromedp.Call(tab, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	s.do(t, chromedp.Navigate(s.url))
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		require.Empty(t, s.problems, "the console is not empty")
	})
	return s
}

func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("BROWSER_NEEDED") != "" {
		t.Fatal("there is no browser: install chromium")
	}
	t.Skip("there is no browser: install chromium")
	return ""
}

func (s *site) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, end := context.WithTimeout(s.tab, hang)
	defer end()
	require.NoError(t, chromedp.Do(ctx, actions...))
}

// value returns what an expression of JavaScript yields in the page.
func value[T any](t *testing.T, s *site, expression string) T {
	t.Helper()
	ctx, end := context.WithTimeout(s.tab, hang)
	defer end()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	require.NoError(t, err, expression)
	return v
}

// until waits until an expression is true in the page, or in the one that comes after it.
func (s *site) until(t *testing.T, expression string) {
	t.Helper()
	ctx, end := context.WithTimeout(s.tab, hang)
	defer end()
	for {
		// Between two pages there is none: that is no error.
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if err == nil && is {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			require.NoError(t, err, expression)
			t.Fatal("never true: ", expression)
		}
	}
}

// click clicks what a selector finds, in one step: the page may be replaced at any time.
func (s *site) click(t *testing.T, selector string) {
	t.Helper()
	s.until(t, fmt.Sprintf("document.querySelector(%q) !== null", selector))
	value[chromedp.Void](t, s, fmt.Sprintf("document.querySelector(%q).click()", selector))
}

// graph returns a graph of so many tasks, with names from name.
func graph(t *testing.T, tasks int, name string, body func()) *taskgraph.Graph {
	t.Helper()
	var b taskgraph.GraphBuilder
	root := b.Task(taskgraph.Do(body)).Name(name)
	for range tasks - 1 {
		b.Task(taskgraph.Do(body)).Name(name).After(root)
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

const now = `document.querySelector("#live [data-now]").dataset.now`

// TestRunningFrame looks at a program that plays frames, without touching the page.
func TestRunningFrame(t *testing.T) {
	t.Parallel()
	s := open(t)
	over, played := make(chan struct{}), make(chan struct{})
	frame := graph(t, 20, "a piece of the frame", func() { time.Sleep(time.Millisecond) })
	go func() {
		defer close(played)
		for {
			select {
			case <-over:
				return
			default:
				if err := s.RunGraph(t.Context(), frame); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	first := value[string](t, s, now)
	s.until(t, now+` !== "`+first+`"`)
	s.until(t, `document.querySelectorAll("#lanes tbody tr").length >= 2`)
	s.until(t, `document.querySelector("#lanes").textContent.includes("a piece of the frame")`)
	s.until(t, `Number(document.querySelector("[data-counter=completed] + td").textContent) > 0`)
	close(over)
	<-played
}

// TestBoxes opens one run of a graph: its lanes have a box for each task.
func TestBoxes(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, tasks := range []int{1, 17, 10_000} {
		require.NoError(t, s.RunGraph(t.Context(), graph(t, tasks, "box", func() {})))
		s.do(t, chromedp.Navigate(s.url))
		s.click(t, `a[href^="?run="]`)
		s.until(t, `location.search.startsWith("?run=") && document.readyState === "complete"`)
		require.Equal(t, tasks,
			value[int](t, s, `document.querySelectorAll("#picture .body").length`))
	}
}

// TestRunStays keeps the page of a run open while the recorder overwrites the run.
func TestRunStays(t *testing.T) {
	t.Parallel()
	s := open(t)
	require.NoError(t, s.RunGraph(t.Context(), graph(t, 7, "box", func() {})))
	s.do(t, chromedp.Navigate(s.url))
	s.click(t, `a[href^="?run="]`)
	const boxes = `document.querySelectorAll("#picture .body").length`
	s.until(t, boxes+` === 7`)
	other := graph(t, 1000, "other", func() {})
	for range 40 {
		require.NoError(t, s.RunGraph(t.Context(), other))
	}
	s.until(t, `performance.now() > 2500`) // two and a half times as long as a page stands still
	require.Equal(t, 7, value[int](t, s, boxes))
	require.False(t, value[bool](t, s, `document.body.classList.contains("lost")`))
}

// TestNothing opens the page of a system that has done nothing.
func TestNothing(t *testing.T) {
	t.Parallel()
	s := open(t)
	require.Equal(t, "0", value[string](t, s, `document.querySelector("#incomplete").textContent`))
	first := value[string](t, s, now)
	s.until(t, now+` !== "`+first+`"`)
}

// TestKeyboard pauses the page and goes on with it, by keys alone.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s := open(t)
	const focused = `document.activeElement.id`
	for range 20 {
		s.do(t, chromedp.KeyEvent(kb.Tab))
		if value[string](t, s, focused) == "pause" {
			break
		}
	}
	require.Equal(t, "pause", value[string](t, s, focused))
	s.do(t, chromedp.KeyEvent(" "))
	s.until(t, `document.querySelector("#pause").getAttribute("aria-pressed") === "true"`)
	s.do(t, chromedp.KeyEvent(" "))
	s.until(t, `document.querySelector("#pause").getAttribute("aria-pressed") === "false"`)
	first := value[string](t, s, now)
	s.until(t, now+` !== "`+first+`"`)
	require.Equal(t, "pause", value[string](t, s, focused), "the focus is lost")
}

// TestFocusStays has what the reader looks at replaced beneath it.
func TestFocusStays(t *testing.T) {
	t.Parallel()
	s := open(t)
	value[chromedp.Void](t, s, `document.querySelector("#d-bodies").open = true`)
	require.NoError(t, s.RunGraph(t.Context(), graph(t, 3, "x", func() {})))
	s.until(t, `document.querySelector("[id^=run-]") !== null`)
	value[chromedp.Void](t, s, `document.querySelector("[id^=run-]").focus()`)
	first := value[string](t, s, now)
	s.until(t, now+` !== "`+first+`"`)
	require.True(t, value[bool](t, s, `document.activeElement.id.startsWith("run-")`))
	require.True(t, value[bool](t, s, `document.querySelector("#d-bodies").open`))
}

func TestStopRecording(t *testing.T) {
	t.Parallel()
	s := open(t)
	require.True(t, s.rec.Recording())
	s.click(t, `button[name=on][value="0"]`)
	s.until(t, `document.querySelector("#state").textContent.includes("Not recording")`)
	require.False(t, s.rec.Recording())
	s.click(t, `button[name=on][value="1"]`)
	s.until(t, `!document.querySelector("#state").textContent.includes("Not recording")`)
	require.True(t, s.rec.Recording())
}

// TestOtherSite opens a page elsewhere that posts to the recorder as soon as it is open.
func TestOtherSite(t *testing.T) {
	t.Parallel()
	s := open(t)
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<form method="post" action="%srecord"><input name="on" value="0"></form>
			<script>document.forms[0].submit()</script>`, s.url)
	}))
	defer evil.Close()
	s.do(t, chromedp.Navigate(strings.Replace(evil.URL, "127.0.0.1", "localhost", 1)))
	s.until(t, `document.body.textContent.includes("cross-origin")`)
	require.True(t, s.rec.Recording(), "another site has stopped the recorder")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = nil // the browser says that the request was turned away
}

// TestMarkup has names that would be code.
func TestMarkup(t *testing.T) {
	t.Parallel()
	s := open(t)
	const name = `<img src=x onerror="document.title='taken'"><script>document.title="taken"</script>`
	require.NoError(t, s.RunGraph(t.Context(), graph(t, 3, name, func() {})))
	gate := s.Name(s.NewEvent(), name)
	s.until(t, `document.querySelector("#tasks") !== null`)
	s.click(t, `a[href^="?run="]`)
	s.until(t, `document.querySelectorAll("#picture .body").length === 3`)
	require.Zero(t, value[int](t, s, `document.querySelectorAll("#live img, #live script").length`))
	require.NotEqual(t, "taken", value[string](t, s, `document.title`))
	s.until(t, `document.querySelector("#tasks").textContent.includes("<img")`)
	s.TriggerEventWhenTasksComplete(gate)
}

func TestLightAndDark(t *testing.T) {
	t.Parallel()
	s := open(t)
	colours := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(s.tab, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}}})
		require.NoError(t, err)
		colours[scheme] = value[string](t, s, `(() => { const c = getComputedStyle(document.body);
			return c.color + " on " + c.backgroundColor })()`)
	}
	require.NotEqual(t, colours["light"], colours["dark"])
}
