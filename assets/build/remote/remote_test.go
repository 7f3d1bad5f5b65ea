package remote_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/build"
	"github.com/heddle-go/heddle/assets/build/encode"
	"github.com/heddle-go/heddle/assets/build/remote"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/assets/store"
	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

// asWorker is the variable that makes of this test's program a worker, and whose is the farm.
const asWorker, farmURL = "REMOTE_TEST_WORKER", "REMOTE_TEST_URL"

func TestMain(m *testing.M) {
	if _, worker := os.LookupEnv(asWorker); worker {
		if err := work(os.Getenv(farmURL)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	watch.Main(m)
}

// work runs jobs until standard input ends, which it does when the test ends, and prints a line for
// each that it runs.
func work(url string) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	var mu sync.Mutex
	f, err := farm.Open(ctx, farm.Options{URL: url, Observe: func(n farm.Note) {
		if n.What == farm.NoteRun {
			mu.Lock()
			defer mu.Unlock()
			fmt.Println("run", n.Job)
		}
	}})
	if err != nil {
		return err
	}
	defer f.Close()
	jobs := farm.NewJobs()
	remote.Register(jobs, pipes.Limits{})
	fmt.Println("ready")
	return f.Work(ctx, jobs, farm.WorkOptions{Slots: 1})
}

// A fleet is worker processes, each of which says when it runs a job.
type fleet struct {
	mu   sync.Mutex
	runs int
	ends []func()
}

func (f *fleet) ran() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.runs
}

// end ends the processes, and returns once all is heard that they have said.
func (f *fleet) end() {
	for _, end := range f.ends {
		end()
	}
	f.ends = nil
}

// start starts so many worker processes, which end with the test.
func start(t *testing.T, url string, n int) *fleet {
	t.Helper()
	require.NotEmpty(t, url)
	self, err := os.Executable()
	require.NoError(t, err)
	f := &fleet{}
	t.Cleanup(f.end)
	for range n {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), asWorker+"=1", farmURL+"="+url)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		require.True(t, lines.Scan(), "the worker did not begin")
		require.Equal(t, "ready", lines.Text())
		read := make(chan struct{})
		go func() {
			defer close(read)
			for lines.Scan() {
				f.mu.Lock()
				f.runs++
				f.mu.Unlock()
			}
		}()
		f.ends = append(f.ends, func() {
			require.NoError(t, in.Close())
			<-read
			require.NoError(t, cmd.Wait())
		})
	}
	return f
}

// forest writes a tree of so many pictures, no two alike, and one that cannot be decoded.
func forest(t *testing.T, n int) (string, []assets.Info) {
	t.Helper()
	dir := t.TempDir()
	var infos []assets.Info
	for i := range n {
		m := image.NewNRGBA(image.Rect(0, 0, 40, 40+i))
		for k := range m.Pix {
			m.Pix[k] = byte(k*k>>5*(i+1) | 1)
		}
		var b bytes.Buffer
		require.NoError(t, png.Encode(&b, m))
		if i == n-1 {
			b.Truncate(b.Len() / 2)
		}
		name := fmt.Sprintf("%d.png", i)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666))
		infos = append(infos, assets.Info{ID: assets.ID(name), Path: name, Type: "texture",
			Format: "png"})
	}
	return dir, infos
}

// files returns what is in a directory.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry,
		err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = os.ReadFile(filepath.Join(dir, name))
			all[name] = string(data)
		}
		return err
	}))
	return all
}

// TestFarm builds a tree on three worker processes: the bytes are those of the serial build. A
// second machine, with an empty directory and an empty cache, then takes all from the farm, and no
// worker runs a job for it.
func TestFarm(t *testing.T) {
	ctx := context.Background()
	const n = 20
	dir, infos := forest(t, n)
	serial := t.TempDir()
	one, err := build.Tree(ctx, os.DirFS(dir), infos, serial, build.Options{Rules: build.Desktop()})
	require.NoError(t, err)
	require.Len(t, one.Failures, 1)
	want := files(t, serial)
	require.Len(t, want, n-1+1)

	server, err := farm.Open(ctx, farm.Options{Listen: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	workers := start(t, server.URL(), 3)
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	t.Cleanup(func() { require.NoError(t, sys.Shutdown(ctx)) })
	machine := func() (*build.Report, map[string]string) {
		f, err := farm.Open(ctx, farm.Options{URL: server.URL()})
		require.NoError(t, err)
		defer f.Close()
		cache, err := store.OpenCache(t.TempDir(), store.CacheOptions{Unsynced: true})
		require.NoError(t, err)
		defer cache.Close()
		to := t.TempDir()
		r, err := build.Tree(ctx, os.DirFS(dir), infos, to, build.Options{Rules: build.Desktop(),
			System: sys, Cache: cache, Runner: remote.New(f, farm.Remote)})
		require.NoError(t, err)
		require.Len(t, r.Failures, 1)
		require.Equal(t, assets.ID(fmt.Sprintf("%d.png", n-1)), r.Failures[0].ID)
		require.ErrorIs(t, r.Failures[0].Err, farm.ErrDead)
		require.ErrorContains(t, r.Failures[0].Err, "damaged, or not of this format")
		return r, files(t, to)
	}
	first, got := machine()
	require.Equal(t, want, got)
	require.Equal(t, n-1, first.Encoded)
	// What a worker has said may not be heard yet.
	require.Eventually(t, func() bool { return workers.ran() >= n }, time.Minute, time.Millisecond)
	require.Equal(t, n, workers.ran(), "each once, the damaged one too")
	second, got := machine()
	require.Equal(t, want, got)
	require.Equal(t, 0, second.Encoded)
	require.Equal(t, n-1, second.Shared)
	workers.end()
	require.LessOrEqual(t, workers.ran(), n+1, "the damaged one alone is tried again")
}

// TestHostile gives jobs what no build gives them.
func TestHostile(t *testing.T) {
	ctx := context.Background()
	jobs := farm.NewJobs()
	remote.Register(jobs, pipes.Limits{Pixels: 100})
	require.Equal(t, []string{"assets-flac 1", "assets-mesh 1", "assets-texture 1"}, jobs.Names())
	f, err := farm.Local(farm.Options{Jobs: jobs})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	t.Cleanup(func() { require.NoError(t, sys.Shutdown(ctx)) })
	var small, large bytes.Buffer
	require.NoError(t, png.Encode(&small, image.NewNRGBA(image.Rect(0, 0, 10, 10))))
	require.NoError(t, png.Encode(&large, image.NewNRGBA(image.Rect(0, 0, 10, 11))))
	params := encode.Texture(encode.TextureOptions{}).Params()
	frame := func(params, source string) string {
		return string(byte(len(params))) + params + source
	}
	good, err := farm.Call(sys, f, "assets-texture", farm.Bytes([]byte(frame(params,
		small.String()))), farm.CallOptions{}).Get(ctx)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(good), "DDS "))
	for name, in := range map[string]string{
		"nothing":       "",
		"half a length": "\xff",
		"no parameters": "\x00" + small.String(),
		"too short":     "\x30blocks",
		"too long":      "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x",
		"no such":       frame("blocks=bc7 quality=99 side=0", small.String()),
		"no picture":    frame(params, "x"),
		"too large":     frame(params, large.String()),
	} {
		_, err := farm.Call(sys, f, "assets-texture", farm.Bytes([]byte(in)),
			farm.CallOptions{}).Get(ctx)
		require.ErrorIs(t, err, farm.ErrDead, name)
		var failed *farm.JobError
		require.ErrorAs(t, err, &failed, name)
		require.Equal(t, 1, failed.Attempts, name)
	}
}
