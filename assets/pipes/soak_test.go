package pipes_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/internal/dev/seed"
	"github.com/heddle-go/heddle/taskgraph"
)

var errWeather = errors.New("bad weather")

// weather is what goes wrong with fetchers and decoders while it is on.
type weather struct {
	on     atomic.Bool
	chance [7]atomic.Int64 // how often a fault could happen, by its kind, from a drawn number on
	struck [7]atomic.Int64 // how often it did
}

// The kinds of faults.
const (
	slow = iota
	failing
	passing // what may pass, and is tried again
	truncated
	hanging
	panicking
	exploding // a decoder
)

// strikes reports whether a fault happens, as it does every oneIn calls, and counts it.
func (w *weather) strikes(kind, oneIn int) bool {
	if !w.on.Load() || w.chance[kind].Add(1)%int64(oneIn) != 0 {
		return false
	}
	w.struck[kind].Add(1)
	return true
}

// A faulty fetcher has what another has, if the weather allows.
type faulty struct {
	*weather
	from pipes.Fetcher
}

func (f faulty) Fetch(ctx context.Context, name string, most int64) ([]byte, error) {
	switch {
	case f.strikes(slow, 50):
		time.Sleep(time.Duration(f.struck[slow].Load()%10) * 50 * time.Microsecond)
	case f.strikes(failing, 50):
		return nil, errWeather
	case f.strikes(passing, 50):
		return nil, assets.Retry(errWeather, 0)
	case f.strikes(hanging, 500):
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case f.strikes(panicking, 100):
		panic(errWeather)
	}
	data, err := f.from.Fetch(ctx, name, most)
	if err == nil && f.strikes(truncated, 50) {
		data = data[:len(data)/2]
	}
	return data, err
}

// An owned value must be closed.
type owned struct {
	value any
	open  *atomic.Int64
	once  atomic.Bool
}

func (o *owned) Close() error {
	if o.once.Swap(true) {
		panic("closed twice")
	}
	o.open.Add(-1)
	return nil
}

// A climate is a tree of files with a manager that loads them in whatever weather.
type climate struct {
	weather
	m    *assets.Manager
	load *assets.Pipeline
	ids  []assets.ID
	open atomic.Int64 // values
}

// write makes the files of a climate: manifests that depend on each other, some of them in circles,
// pictures and plain bytes, half of which come as if from another machine.
func (c *climate) write(t *testing.T, dir string, n int) assets.Registry {
	var infos []assets.Info
	name := func(i int) string {
		return fmt.Sprintf("%03d.%s", i, []string{"json", "png", "bin", "json"}[i%4])
	}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		var b bytes.Buffer
		format := filepath.Ext(name(i))[1:]
		switch format {
		case "json":
			var refs []string
			for range r.IntN(5) {
				refs = append(refs, `"`+name(r.IntN(n))+`"`)
			}
			fmt.Fprintf(&b, `{"depends":[%s],"i":%d}`, strings.Join(refs, ","), i)
		case "png":
			require.NoError(t, png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 4, 4+i))))
		default:
			fmt.Fprintf(&b, "bytes of number %d", i)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name(i)), b.Bytes(), 0o666))
		info := assets.Info{ID: assets.ID(name(i)), Path: name(i), Type: format, Format: format,
			Size: int64(b.Len()), Hash: assets.HashOf(b.Bytes())}
		if i%2 == 0 {
			info.Path = "far:" + info.Path
		}
		infos = append(infos, info)
		c.ids = append(c.ids, info.ID)
	}
	registry, err := assets.NewMemory(infos...)
	require.NoError(t, err)
	return registry
}

// plan returns the standard plan with the faults.
func (c *climate) plan(files *pipes.Dir) []assets.Pipe {
	by := pipes.Decoders()
	for format, d := range by {
		decode := d.Decode
		d.Decode = func(data []byte, l pipes.Limits) (pipes.Decoded, error) {
			if c.strikes(exploding, 100) {
				panic("the decoder explodes")
			}
			return decode(data, l)
		}
		by[format] = d
	}
	fetcher := faulty{&c.weather, files}
	own := assets.Pipe{Name: "own", Run: func(_ context.Context, it *assets.Item) error {
		c.open.Add(1)
		it.Value = &owned{value: it.Value, open: &c.open}
		return nil
	}}
	return append(pipes.Standard(pipes.StandardOptions{By: by,
		Disk:    map[string]pipes.Fetcher{"": fetcher},
		Network: map[string]pipes.Fetcher{"far": fetcher}}), own)
}

// expected reports whether an error is one that the weather explains.
func expected(err error) bool {
	for _, e := range []error{errWeather, pipes.ErrFormat, pipes.ErrHash,
		context.DeadlineExceeded} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// visit is the nth goroutine that takes resources and releases them, in every way, until this
// number of loads have begun.
func (c *climate) visit(t *testing.T, n int, loads int64) {
	var held []*assets.Handle
	r := seed.Rand(t, n)
	letGo := func(i int) {
		h := held[i]
		held[i] = held[len(held)-1]
		held = held[:len(held)-1]
		if r.IntN(3) == 0 {
			c.m.Release(h)
		} else {
			c.m.ReleaseTree(h)
		}
	}
	for c.m.Stats().Started < loads {
		h := c.m.AcquireAt(c.ids[r.IntN(len(c.ids))], taskgraph.Priority(r.IntN(3)))
		held = append(held, h)
		ctx, cancel := context.Background(), context.CancelFunc(func() {})
		switch r.IntN(4) {
		case 0:
			ctx, cancel = context.WithCancel(ctx)
			cancel() // before it has begun to wait
		case 1:
			ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(1000))*time.Microsecond)
		}
		err := h.Wait(ctx)
		if state := h.State(); err == nil && state != assets.Ready ||
			err != nil && !expected(err) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s is %v: %v", h.ID(), state, err)
		}
		cancel()
		if r.IntN(8) == 0 {
			c.m.Unload(h.ID())
		}
		for len(held) > r.IntN(4) {
			letGo(r.IntN(len(held)))
		}
	}
	for len(held) > 0 {
		letGo(0)
	}
}

// descriptors counts the open files of the process, where the system says so.
func descriptors() int {
	names, _ := os.ReadDir("/proc/self/fd")
	return len(names)
}

// TestSoak loads in bad weather: fetchers that are slow, fail, fail at first, return half, hang or
// panic, decoders that panic, and callers who give up. Everybody is told what became of what he
// asked for, and when all have let go nothing is left: no resource, no value, no byte of the
// budget, no file and, as the end of the tests looks for, no goroutine. Then the weather is fine,
// and everything can be loaded. The long form has 100,000 loads.
func TestSoak(t *testing.T) {
	loads, n := int64(100_000), 200
	if testing.Short() {
		loads = 3000
	}
	files := descriptors()
	dir := t.TempDir()
	c := new(climate)
	registry := c.write(t, dir, n)
	from, err := pipes.OpenDir(dir)
	require.NoError(t, err)
	sys := taskgraph.Start(taskgraph.Options{Workers: 4})
	c.load, err = assets.NewPipeline(sys, assets.PipelineOptions{Plan: c.plan(from),
		Budget: 64 << 10, Timeout: 50 * time.Millisecond, Backoff: 50 * time.Microsecond,
		MaxBackoff: time.Millisecond})
	require.NoError(t, err)
	c.m = assets.New(sys, assets.Options{Registry: registry, Loader: c.load, FailureFor: -1,
		Keeper: assets.NewKeeper(1 << 10)})
	chance := seed.Rand(t, 16)
	for kind := range c.chance {
		c.chance[kind].Store(chance.Int64N(500))
	}
	c.on.Store(true)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() { c.visit(t, i, loads) })
	}
	wg.Wait()
	ctx := context.Background()
	rest := func() bool {
		// What lies idle goes, and what the last loads leave idle with the next switch.
		err := c.m.Switch(ctx, assets.Scene{Name: "none"})
		s := c.m.Stats()
		return err == nil && s.Resources == 0 && s.Started == s.Ready+s.Failed+s.Abandoned
	}
	until(t, rest) // nothing is left
	s := c.m.Stats()
	require.GreaterOrEqual(t, s.Started, loads)
	require.Zero(t, s.Handles)
	require.Zero(t, s.Bytes)
	require.Equal(t, s.Ready+s.Failed, s.Unloaded)
	require.Zero(t, c.open.Load(), "values that were not closed")
	now, most := c.load.InFlight()
	require.Zero(t, now)
	require.LessOrEqual(t, most, int64(64<<10))
	for kind := range c.struck {
		require.Positive(t, c.struck[kind].Load(), "fault %d did not happen", kind)
	}
	t.Logf("%d loads: %d ready, %d failed, %d abandoned", s.Started, s.Ready, s.Failed, s.Abandoned)

	c.on.Store(false)
	for _, id := range c.ids {
		h, err := c.m.Load(ctx, id)
		require.NoError(t, err)
		require.IsType(t, &owned{}, h.Value())
	}
	require.NoError(t, c.m.Close(ctx)) // with all of them held
	require.Zero(t, c.open.Load())
	require.NoError(t, sys.Shutdown(ctx))
	require.NoError(t, from.Close())
	_, err = from.Fetch(ctx, string(c.ids[1]), 1<<20)
	require.ErrorIs(t, err, fs.ErrClosed)
	require.LessOrEqual(t, descriptors(), files, "files that were not closed")
}

// until waits for something that takes place elsewhere. It counts how often it looks, not the time:
// that goes on while the process is stopped.
func until(t testing.TB, cond func() bool) {
	t.Helper()
	for looks := 0; !cond(); looks++ {
		require.Less(t, looks, 60_000, "it does not take place")
		time.Sleep(time.Millisecond)
	}
}
