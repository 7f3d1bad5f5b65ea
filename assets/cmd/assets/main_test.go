package main

import (
	"archive/zip"
	"bytes"
	"context"
	"image"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/clitest"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	stresswatch "github.com/heddle-go/heddle/stress/watch"
)

// asCommand is the variable that makes of this test's program the command.
const asCommand = "ASSETS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	stresswatch.Main(m)
}

// call calls the command in this process.
func call[R any](t *testing.T, args ...string) clitest.Outcome[R] {
	t.Helper()
	return clitest.Call[R](t, program(), args...)
}

// box is a model with a buffer and a picture.
const box = `{"asset":{"version":"2.0"},"images":[{"uri":"../tex/wood.png"}],
"buffers":[{"byteLength":4,"uri":"box.bin"}],"bufferViews":[{"buffer":0,"byteLength":4}]}`

func picture(t *testing.T, w int) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, w, 2))))
	return b.String()
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
}

// sound writes a tree in which nothing is wrong.
func sound(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "models/box.gltf", box)
	write(t, dir, "models/box.bin", "abcd")
	write(t, dir, "tex/wood.png", picture(t, 9))
	write(t, dir, "tex/wood@low.png", picture(t, 1))
	write(t, dir, "level.json", `{"depends":["models/box.gltf","notes.txt"]}`)
	write(t, dir, "notes.txt", "a text")
	write(t, dir, ".hidden/x.png", "no picture")
	return dir
}

func TestIndex(t *testing.T) {
	dir := sound(t)
	r := call[indexReport](t, "index", "-json", dir)
	require.Equal(t, cli.OK, r.Status, r.Stderr)
	require.Equal(t, 5, r.Report.Resources)
	require.Equal(t, 5, r.Report.Added)
	require.Contains(t, r.Report.Types, typeSum{"texture", 1,
		int64(len(picture(t, 9)) + len(picture(t, 1)))})

	write(t, dir, "notes.txt", "another text")
	write(t, dir, "more.txt", "new")
	require.NoError(t, os.Remove(filepath.Join(dir, "level.json")))
	o := call[indexReport](t, "index", dir)
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Contains(t, o.Stdout, "1 added, 1 changed, 1 removed\n")
	require.Contains(t, call[indexReport](t, "index", dir).Stdout,
		"0 added, 0 changed, 0 removed\n")
}

func TestLoad(t *testing.T) {
	dir := sound(t)
	bytesOf := func(o clitest.Outcome[loadReport], typ string) int64 {
		for _, r := range o.Report.Types {
			if r.Type == typ {
				return r.Bytes
			}
		}
		return -1
	}
	o := call[loadReport](t, "load", dir, "-json", "-workers", "2", "-serial")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Empty(t, o.Stderr)
	require.Equal(t, 5, o.Report.Resources)
	require.EqualValues(t, 5, o.Report.Loads, "each once")
	require.False(t, o.Report.Indexed)
	require.Positive(t, o.Report.SerialMS)
	require.Zero(t, o.Report.SerialFailed)
	require.EqualValues(t, len(picture(t, 9)), bytesOf(o, "texture"))
	lanes := map[string]bool{}
	for _, l := range o.Report.Lanes {
		lanes[l.Lane] = l.Runs > 0
	}
	require.Equal(t, map[string]bool{"cpu": true, "disk": true}, lanes)

	o = call[loadReport](t, "load", "-json", "-platform", "low", dir)
	require.EqualValues(t, len(picture(t, 1)), bytesOf(o, "texture"), "the variant")

	require.Equal(t, cli.OK, call[indexReport](t, "index", dir).Status)
	cache := t.TempDir()
	for _, first := range []bool{true, false} {
		o = call[loadReport](t, "load", "-json", "-kept", "0", "-cache", cache, dir)
		require.Equal(t, cli.OK, o.Status, o.Stderr)
		require.True(t, o.Report.Indexed)
		require.Equal(t, first, bytesOf(o, "texture") > 0, "the picture was built before")
	}

	// A file that is not what was indexed fails, and what depends on it.
	write(t, dir, "tex/wood.png", picture(t, 8))
	o = call[loadReport](t, "load", "-progress", dir)
	require.Equal(t, cli.Failed, o.Status)
	require.Contains(t, o.Stderr, "load")
	// Whoever asked first is told of as well.
	require.Regexp(t, `assets load: tex/wood\.png: verify( \(for [^)]*\))?: `, o.Stderr)
	require.Contains(t, o.Stderr, "assets load: level.json: dependencies: ")
	require.Regexp(t, `(?m)^ *texture +1 +1 `, o.Stdout)
}

func TestLoadArchive(t *testing.T) {
	file := filepath.Join(t.TempDir(), "all.zip")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	require.NoError(t, z.AddFS(os.DirFS(sound(t))))
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o666))
	o := call[loadReport](t, "load", "-json", file)
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Equal(t, 5, o.Report.Resources)

	o = call[loadReport](t, "load", filepath.Join(sound(t), "notes.txt"))
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, "notes.txt: pipes: ")
}

// The test models of Debian's package assimp-testmodels, where that is installed. Some of them are
// damaged on purpose.
func TestLoadPublicModels(t *testing.T) {
	const dir = "/usr/share/assimp/models/glTF2"
	if _, err := os.Stat(dir); err != nil {
		t.Skip(err)
	}
	o := call[loadReport](t, "load", "-json", dir)
	require.Greater(t, o.Report.Resources, 50)
	require.Less(t, 4*o.Report.Failed, o.Report.Resources)
	require.Equal(t, o.Report.Failed > 0, o.Status == cli.Failed)
	require.Equal(t, o.Report.Failed, strings.Count(o.Stderr, "\n"), "a line each")
}

func TestGraph(t *testing.T) {
	dir := sound(t)
	write(t, dir, "a.json", `{"depends":["b.json","none \"here\".png"]}`)
	write(t, dir, "b.json", `{"depends":["a.json"]}`)
	o := call[graphReport](t, "graph", dir)
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Regexp(t, `^digraph assets \{\n(\t.*;\n)+\}\n$`, o.Stdout)
	require.Contains(t, o.Stdout, "\t\"models/box.gltf\" -> \"tex/wood.png\";\n")
	require.Contains(t, o.Stdout, `"none \"here\".png" [tooltip="texture", style=dashed`)
	r := call[graphReport](t, "graph", "-json", dir).Report
	require.Len(t, r.Nodes, 8)
	require.Contains(t, r.Edges, edge{"level.json", "models/box.gltf", false})
	require.Contains(t, r.Edges, edge{"a.json", "b.json", false})
	require.Contains(t, r.Edges, edge{"b.json", "a.json", true})

	svg := filepath.Join(t.TempDir(), "graph.svg")
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	o = call[graphReport](t, "graph", "-svg", svg, dir)
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, "assets graph: -svg: there is no program dot here")
	require.NoFileExists(t, svg)
	script := "#!/bin/sh\nread -r line\n[ \"$*\" = -Tsvg ] && echo \"<svg>$line</svg>\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "dot"), []byte(script), 0o777))
	if o = call[graphReport](t, "graph", "-svg", svg, dir); o.Status != cli.OK {
		t.Skip("no shell: ", o.Stderr)
	}
	text, err := os.ReadFile(svg)
	require.NoError(t, err)
	require.Equal(t, "<svg>digraph assets {</svg>\n", string(text))

	write(t, dir, "bad.gltf", "{")
	o = call[graphReport](t, "graph", dir)
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, "assets graph: bad.gltf: decode: ")
}

func TestVerify(t *testing.T) {
	dir := sound(t)
	o := call[verifyReport](t, "verify", dir)
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, ".assets.db is not there: index comes first")

	require.Equal(t, cli.OK, call[indexReport](t, "index", dir).Status)
	o = call[verifyReport](t, "verify", "-roots", "^level", dir)
	require.Equal(t, cli.OK, o.Status, o.Stdout)
	require.Equal(t, "5 resources in 6 files, 0 findings\n", o.Stdout)

	write(t, dir, "a.json", `{"depends":["b.json","none.png"]}`)
	write(t, dir, "b.json", `{"depends":["a.json"]}`)
	write(t, dir, "bad.toml", "=")
	write(t, dir, "gone.txt", "soon")
	require.Equal(t, cli.OK, call[indexReport](t, "index", dir).Status)
	write(t, dir, "tex/wood@low.png", picture(t, 3))
	write(t, dir, "new.txt", "new")
	require.NoError(t, os.Remove(filepath.Join(dir, "gone.txt")))
	r := call[verifyReport](t, "verify", "-json", "-roots", "^(level|bad|gone)", dir)
	require.Equal(t, cli.Failed, r.Status)
	var got []string
	for _, f := range r.Report.Findings {
		got = append(got, f.Kind+" "+f.ID)
	}
	require.Equal(t, []string{"orphan a.json", "ref a.json", "cycle b.json", "orphan b.json",
		"damaged bad.toml", "missing gone.txt", "new new.txt", "hash tex/wood.png#low"}, got)
	require.Contains(t, call[verifyReport](t, "verify", dir).Stdout,
		"ref      a.json: refers to none.png, which is not indexed\n")
}

// A session is a command that goes on until it is interrupted.
type session struct {
	t      *testing.T
	stop   context.CancelFunc
	status chan int
	errs   bytes.Buffer

	late <-chan time.Time // it has gone on for longest

	mu   sync.Mutex
	text string
	more chan struct{}
}

// longest is how long a session may go on: what a test waits for in vain is told long before the
// limit of all tests.
const longest = time.Minute

// Write implements io.Writer.
func (s *session) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text += string(p)
	select {
	case s.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

func begin(t *testing.T, args ...string) *session {
	ctx, stop := context.WithCancel(context.Background())
	s := &session{t: t, stop: stop, status: make(chan int, 1), more: make(chan struct{}, 1),
		late: time.After(longest)}
	go func() { s.status <- program().Run(ctx, args, s, &s.errs) }()
	t.Cleanup(func() { s.stop() })
	return s
}

// until waits until something was printed, and returns all that was up to its end, and forgets
// that.
func (s *session) until(want string) string {
	s.t.Helper()
	for {
		s.mu.Lock()
		before, after, ok := strings.Cut(s.text, want)
		if ok {
			s.text = after
		}
		s.mu.Unlock()
		if ok {
			return before + want
		}
		select {
		case <-s.more:
		case <-s.late:
			s.mu.Lock()
			text := s.text
			s.mu.Unlock()
			require.Failf(s.t, "it does not come", "%q, after %q", want, text)
		case status := <-s.status:
			require.Failf(s.t, "it has ended", "%d: %s", status, s.errs.String())
		}
	}
}

// interrupt ends the command.
func (s *session) interrupt() (stderr string) {
	s.stop()
	require.Equal(s.t, cli.Failed, <-s.status)
	return s.errs.String()
}

func TestServe(t *testing.T) {
	dir := sound(t)
	outside := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o666))
	links := os.Symlink(outside, filepath.Join(dir, "link.txt")) == nil
	s := begin(t, "serve", dir)
	url := strings.TrimSpace(s.until("/\n"))
	require.True(t, strings.HasPrefix(url, "http://127.0.0.1:"), url)
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	ask := func(method, name, etag string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		require.NoError(t, err)
		req.URL.Opaque = strings.TrimSuffix(strings.TrimPrefix(url, "http:"), "/") + "/" + name
		if etag != "" {
			req.Header.Set("If-None-Match", etag)
		}
		resp, err := client.Do(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp, string(body)
	}
	resp, body := ask("GET", "notes.txt", "")
	require.Equal(t, "a text", body)
	etag := resp.Header.Get("ETag")
	require.Regexp(t, `^"[0-9a-f]{64}"$`, etag)
	resp, body = ask("GET", "notes.txt", etag)
	require.Equal(t, http.StatusNotModified, resp.StatusCode)
	require.Empty(t, body)
	write(t, dir, "notes.txt", "A text")
	resp, body = ask("GET", "notes.txt", etag)
	require.Equal(t, "A text", body, "of the same size")
	require.NotEqual(t, etag, resp.Header.Get("ETag"))
	resp, body = ask("HEAD", "notes.txt", "")
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Empty(t, body)
	require.EqualValues(t, 6, resp.ContentLength)
	for _, name := range []string{"none", "../secret", "%2e%2e/secret", "tex", ".hidden/x.png",
		"tex/../notes.txt", `..%5csecret`, "link.txt", "/etc/passwd", "notes.txt%00"} {
		if name == "link.txt" && !links {
			continue
		}
		resp, body = ask("GET", name, "")
		require.Equal(t, http.StatusNotFound, resp.StatusCode, "%s: %s", name, body)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		resp, _ = ask(method, "notes.txt", "")
		require.Equal(t, http.StatusMethodNotAllowed, resp.StatusCode, method)
	}

	// All of it, and one resource with what it needs.
	o := call[loadReport](t, "load", "-json", url)
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Equal(t, 5, o.Report.Resources)
	o = call[loadReport](t, "load", "-json", url+"models/box.gltf")
	require.Equal(t, cli.Failed, o.Status, "its picture is not below its folder")
	write(t, dir, "box.gltf", strings.Replace(box, "../tex", "tex", 1))
	write(t, dir, "box.bin", "abcd")
	o = call[loadReport](t, "load", "-json", url+"box.gltf")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Equal(t, 3, o.Report.Resources)
	transport.CloseIdleConnections()
	require.Equal(t, "assets serve: interrupted\n", s.interrupt())

	r := call[serveReport](t, "serve", "-json", "-for", "1ms", dir)
	require.Equal(t, cli.OK, r.Status, r.Stderr)
	require.Contains(t, r.Stderr, r.Report.URL)
}

// A file that changes is reloaded, and what depends on it told, child before parent.
func TestWatch(t *testing.T) {
	dir := sound(t)
	s := begin(t, "watch", dir)
	s.until("watching 5 resources\n")
	write(t, dir, "tex/wood.png", picture(t, 5))
	told := s.until("affected level.json: depends on tex/wood.png\n")
	require.Contains(t, told, "reloaded tex/wood.png\n"+
		"affected models/box.gltf: depends on tex/wood.png\n"+
		"affected level.json: depends on tex/wood.png\n")

	write(t, dir, "tex/wood.png", "no picture")
	s.until("failed   tex/wood.png: decode: ")

	write(t, dir, "new.json", `{"depends":["later.txt"]}`)
	s.until("failed   new.json: dependencies: ")
	write(t, dir, "later.txt", "here")
	s.until("reloaded new.json\n")
	require.NoError(t, os.Remove(filepath.Join(dir, "later.txt")))
	s.until("removed  later.txt\n")
	require.Equal(t, "assets watch: interrupted\n", s.interrupt())

	r := call[watchReport](t, "watch", "-json", "-for", "1ms", sound(t))
	require.Equal(t, cli.OK, r.Status, r.Stderr)
}

// compare runs each way in processes of their own, which load the same.
func TestCompare(t *testing.T) {
	t.Setenv(asCommand, "1")
	dir := sound(t)
	write(t, dir, "a.json", `{"depends":["b.json"]}`)
	write(t, dir, "b.json", `{"depends":["a.json","tex/wood.png"]}`)
	write(t, dir, "lost.json", `{"depends":["none.txt"]}`)
	write(t, dir, "parent.json", `{"depends":["lost.json"]}`)
	args := []string{"compare", "-json", "-rounds", "2", "-workers", "2", dir}
	caches := []string{"warm"}
	if runtime.GOOS == "linux" {
		args, caches = append(args, "-cold"), append(caches, "cold")
	}
	o := call[compareReport](t, args...)
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Equal(t, 9, o.Report.Resources)
	require.Equal(t, [3]int{2, 8, 2}, [3]int{o.Report.Workers, o.Report.Limit, o.Report.Rounds})
	i := 0
	for _, cache := range caches {
		for _, way := range ways {
			r := o.Report.Rows[i]
			i++
			require.Equal(t, [2]string{cache, way}, [2]string{r.Cache, r.Way})
			failed := 2
			if way == wayRead {
				failed = 0
			} else {
				require.Positive(t, r.Speedup)
			}
			require.Equal(t, failed, r.Failed, way)
			require.Positive(t, r.P50MS)
			require.LessOrEqual(t, r.P50MS, r.P99MS)
			require.LessOrEqual(t, r.LeastMS, r.MS)
			require.LessOrEqual(t, r.MS, r.MostMS)
		}
	}
	require.Len(t, o.Report.Rows, i)
	text := call[compareReport](t, "compare", "-rounds", "1", dir)
	require.Equal(t, cli.OK, text.Status, text.Stderr)
	require.Contains(t, text.Stdout, "errgroup")
}

// A tree that was generated has the graph that it says, and each way finds all of it.
func TestGenerate(t *testing.T) {
	files := 3000
	if testing.Short() {
		files = 600
	}
	dir := filepath.Join(t.TempDir(), "tree")
	args := []string{"generate", "-json", "-files", strconv.Itoa(files), "-seed", "7"}
	o := call[generateReport](t, append(args, dir)...)
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Equal(t, files, o.Report.Files)
	require.Positive(t, o.Report.Back)
	again := call[generateReport](t, append(args, filepath.Join(t.TempDir(), "tree"))...)
	require.Equal(t, o.Report, again.Report)
	require.Equal(t, cli.Failed, call[generateReport](t, "generate", dir).Status, "it is not empty")

	f := newForest(files, 7)
	g := call[graphReport](t, "graph", "-json", dir)
	require.Equal(t, cli.OK, g.Status, g.Stderr)
	want := map[[2]string]bool{}
	for i := range files {
		for _, c := range f.children(i) {
			want[[2]string{string(f.name(i)), string(c)}] = true
		}
	}
	got := map[[2]string]bool{}
	for _, e := range g.Report.Edges {
		got[[2]string{e.From, e.To}] = true
	}
	require.Equal(t, want, got)
	for _, way := range ways {
		r := call[wayReport](t, "compare", "-json", "-way", way, dir)
		require.Equal(t, cli.OK, r.Status, r.Stderr)
		require.Equal(t, files, r.Report.Resources)
		require.Zero(t, r.Report.Failed, way)
	}
}

func TestValueOutOfRange(t *testing.T) {
	dir := sound(t)
	refused := func(name string, lines ...string) {
		t.Helper()
		run := func(t *testing.T, args ...string) clitest.Outcome[any] {
			return call[any](t, append(append([]string{name}, args...), dir)...)
		}
		clitest.OutOfRange(t, "assets "+name, run, lines...)
	}
	refused("index", "-workers 0", "-workers 2000")
	refused("load", "-workers=-1", "-kept=-1", "-serial -cache x")
	refused("compare", "-workers 0", "-limit 0", "-rounds 0", "-way none", "-way read -rounds 1")
	refused("generate", "-files 0")
	refused("graph", "-workers 0")
	refused("verify", "-workers 0")
	refused("serve", "-for 0s")
	refused("watch", "-workers 0", "-for=-1s")
}

func TestBadArguments(t *testing.T) {
	file := filepath.Join(sound(t), "notes.txt")
	for _, name := range []string{"index", "load", "compare", "graph", "verify", "serve", "watch"} {
		o := call[any](t, name)
		require.Equal(t, cli.Failed, o.Status)
		clitest.Line(t, o.Stderr, "assets "+name+": want a directory")
		o = call[any](t, name, file+"x")
		require.Equal(t, cli.Failed, o.Status)
		clitest.Line(t, o.Stderr, "notes.txtx: no such file or directory")
		if name != "load" {
			clitest.Line(t, call[any](t, name, file).Stderr, "notes.txt: not a directory")
		}
		o = call[any](t, name, "-h")
		require.Equal(t, cli.OK, o.Status)
		require.Contains(t, o.Stderr, "usage: assets "+name+" ")
		o = call[any](t, name, file, "more")
		require.Equal(t, cli.Usage, o.Status)
		clitest.Line(t, o.Stderr, `stray argument "more"`)
	}
	require.Equal(t, cli.Usage, call[any](t).Status)
	require.Equal(t, cli.Usage, call[any](t, "bogus").Status)
}
