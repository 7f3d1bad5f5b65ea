package farm_test

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
)

// Each reason to run a job here or there, as it is said, and what a program is told of it.
func TestWhy(t *testing.T) {
	jobs := upper()
	sys := start(t)
	call := func(f *farm.Farm, arg string, o farm.CallOptions) *farm.Result {
		r := farm.Call(sys, f, "upper", farm.Bytes([]byte(arg)), o)
		got, err := r.Get(bg)
		require.NoError(t, err)
		require.Equal(t, strings.ToUpper(arg), string(got))
		return r
	}
	why := func(f *farm.Farm, arg string, o farm.CallOptions) string {
		r := call(f, arg, o)
		require.False(t, r.Kept())
		require.False(t, r.Shared())
		text, _, _ := strings.Cut(r.Why(), " by ")
		return text
	}
	auto := farm.CallOptions{}
	alone, err := farm.Local(farm.Options{Jobs: jobs})
	require.NoError(t, err)
	require.Equal(t, "here: there is no farm", why(alone, "a", auto))
	require.NoError(t, alone.Close())

	f := open(t, farm.Options{Jobs: jobs, Listen: true})
	require.Equal(t, "here: no worker has it", why(f, "a", auto))
	f.Measure("upper", "1", time.Nanosecond) // in less time than it took to ask
	require.Equal(t, "here: shorter than a question to the farm", why(f, "b", auto))
	again := call(f, "a", remote)
	require.Equal(t, "kept: there is a result", again.Why())
	require.True(t, again.Kept())
	require.False(t, again.Shared())

	work(t, f, jobs, farm.WorkOptions{Slots: 1}) // which may be heard of, or not yet
	f.Hear("upper", "1", 2)
	g := open(t, farm.Options{URL: f.URL()})
	require.Equal(t, "elsewhere: not registered here", why(g, "c", farm.CallOptions{Version: "1"}))
	require.Equal(t, "forced: the call says where", why(f, "d", remote))
	require.Equal(t, "forced: the call says where", why(f, "e", farm.CallOptions{Where: farm.Here}))
	f.Measure("upper", "1", 0)
	require.Equal(t, "here: not measured yet", why(f, "f", auto))
	f.Measure("upper", "1", time.Hour)
	require.Equal(t, "here: done sooner", why(f, "g", auto))
	width := runtime.GOMAXPROCS(0)
	f.Measure("upper", "1", time.Hour)
	f.Occupy(width, 0) // two hours here, and one elsewhere
	require.Equal(t, "elsewhere: done sooner", why(f, "h", auto))
	f.Measure("upper", "1", time.Hour)
	f.Occupy(width, 6) // and three or four with what is queued for three slots or two
	require.Equal(t, "here: done sooner", why(f, "i", auto))
}

// Of two calls for the same work at a time the second waits for what the first has begun.
func TestWhyShared(t *testing.T) {
	h := newHistory()
	sys := start(t)
	release := make(chan struct{})
	o := quick(h)
	o.Jobs = farm.NewJobs()
	o.Jobs.RegisterBytes("hold", "1", func(_ context.Context, in []byte) ([]byte, error) {
		<-release
		return in, nil
	})
	f := open(t, o)
	work(t, f, o.Jobs, farm.WorkOptions{Slots: 1})
	first := farm.Call(sys, f, "hold", farm.Bytes(nil), remote)
	h.await(farm.NoteRun, 1)
	second := farm.Call(sys, f, "hold", farm.Bytes(nil), remote)
	entered(t, f, 2)
	close(release)
	_, err := second.Get(bg)
	require.NoError(t, err)
	require.Equal(t, "shared: another call does it", second.Why())
	require.True(t, second.Shared())
	require.False(t, second.Kept())
	_, err = first.Get(bg)
	require.NoError(t, err)
	require.False(t, first.Shared())
}

// What it takes to move bytes is reckoned as 200 MB a second until some have been moved, and then
// more and more as that was.
func TestTransfer(t *testing.T) {
	near := func(want, got time.Duration) {
		t.Helper()
		require.InEpsilon(t, want.Seconds(), got.Seconds(), 0.01)
	}
	f := open(t, farm.Options{InlineLimit: 10, Jobs: upper()})
	near(500*time.Millisecond, f.Transfer(100e6))
	f.Move(8<<20, (8<<20)*2500*time.Nanosecond) // a thousand times as long
	near(250*time.Millisecond+250*time.Millisecond*1001/2, f.Transfer(100e6))
	for range 100 {
		f.Move(8<<20, (8<<20)*2500*time.Nanosecond)
	}
	near(250*time.Millisecond+250*time.Second, f.Transfer(100e6))
	for range 100 {
		f.Move(8<<20, 0)
	}
	near(250*time.Millisecond, f.Transfer(100e6))

	// And so what goes into the store and comes out of it: what the prior says is not so any more.
	g := open(t, farm.Options{InlineLimit: 10})
	ref, err := g.Put(bg, bytes.NewReader(make([]byte, 1<<20)))
	require.NoError(t, err)
	put := g.Transfer(1 << 30)
	require.NotEqual(t, f.Transfer(1<<30), put)
	rc, err := g.OpenRef(bg, ref)
	require.NoError(t, err)
	b := make([]byte, 2<<20)
	for n := 1; err == nil && n > 0; {
		n, err = rc.Read(b)
	}
	require.NoError(t, rc.Close())
	require.NotEqual(t, put, g.Transfer(1<<30))

	// Where it is slow a job with a large input runs here, though elsewhere is a slot.
	sys := start(t)
	f.Hear("upper", "1", 1)
	f.Measure("upper", "1", time.Hour)
	f.Occupy(runtime.GOMAXPROCS(0), 0)
	f.Move(8<<20, 100*24*time.Hour)
	in := bytes.Repeat([]byte("x"), 1<<20)
	r := farm.Call(sys, f, "upper", farm.Bytes(in), farm.CallOptions{})
	_, err = r.Get(bg)
	require.NoError(t, err)
	require.Contains(t, r.Why(), "here: done sooner")
}
