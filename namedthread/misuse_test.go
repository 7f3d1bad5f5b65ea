package namedthread_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
)

// TestUnknownPark: it is refused like any other field, and neither the registry nor the goroutine
// keeps anything of it.
func TestUnknownPark(t *testing.T) {
	var r namedthread.Registry
	for _, park := range []sleepevent.Park{sleepevent.ParkGo + 1, 9, 255} {
		_, err := r.Attach("A", namedthread.Options{Park: park})
		require.ErrorContains(t, err, "namedthread: Options.Park: no such constant")
		_, err = r.Start("A", namedthread.Options{Park: park})
		require.ErrorContains(t, err, "namedthread: Options.Park: no such constant")
	}
	require.Empty(t, r.Threads())
}

// TestMisusePanics: each misuse speaks in the name of the package, at the call that it is in, and
// the thread works on as if nothing had been.
func TestMisusePanics(t *testing.T) {
	th := attach(t)
	other := start(t, namedthread.Options{})
	var none context.Context
	for message, f := range map[string]func(){
		"Post of a nil Runnable": func() { th.Post(mainQ, normal, nil, 0) },
		"Post of a nil Func": func() {
			th.Post(mainQ, normal, namedthread.Func(nil), 0)
		},
		"no such queue: Queue(2)": func() {
			th.Post(2, normal, namedthread.Func(func() {}), 0)
		},
		"no such priority: Priority(255)": func() {
			th.Post(mainQ, 255, namedthread.Func(func() {}), 0)
		},
		"Wait for a nil condition": func() { th.Wait(mainQ, nil) },
		"no such queue: Queue(9)": func() {
			th.Wait(9, func() bool { return true })
		},
		"PumpUntil for a nil condition": func() { th.PumpUntil(mainQ, nil) },
		"no such queue: Queue(6)": func() {
			th.PumpUntil(6, func() bool { return true })
		},
		"RunFirst with a nil function": func() { th.RunFirst(mainQ, nil) },
		"no such queue: Queue(8)": func() {
			th.RunFirst(8, func(namedthread.Runnable, uint64) bool { return true })
		},
		"no such queue: Queue(3)": func() { th.PumpUntilIdle(3) },
		"no such queue: Queue(4)": func() { th.PumpFor(4, 1<<62) },
		"no such queue: Queue(5)": func() {
			th.PumpUntilReturn(5, th.NewToken())
		},
		"token of another thread": func() {
			th.RequestReturn(namedthread.Token{})
		},
		"Run with a nil Context": func() { th.Run(none) },
		"Post to ID(0xfe)": func() {
			new(namedthread.Registry).Post(0xfe, namedthread.Func(nil), 0)
		},
		"no such thread priority: ThreadPriority(4)": func() {
			namedthread.MakeID(0, mainQ, normal, 4)
		},
	} {
		require.PanicsWithValue(t, "namedthread: "+message, f)
	}
	require.PanicsWithValue(t, "namedthread: token of another thread", func() {
		th.PumpUntilReturn(mainQ, other.NewToken())
	})

	ran := 0
	for q := range namedthread.Queue(2) {
		require.NoError(t, th.Post(q, normal, namedthread.Func(func() { ran++ }), 0))
		n, err := th.PumpUntilIdle(q)
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}
	k := th.NewToken()
	th.RequestReturn(k)
	_, err := th.PumpUntilReturn(mainQ, k)
	require.NoError(t, err)
	require.Equal(t, 2, ran)
	require.NoError(t, th.Err())
}

// TestNoThread: a Thread that no Registry has made says so, whatever is asked of it.
func TestNoThread(t *testing.T) {
	for _, th := range []*namedthread.Thread{nil, new(namedthread.Thread)} {
		for call, f := range map[string]func(){
			"Name":            func() { th.Name() },
			"Index":           func() { th.Index() },
			"Registry":        func() { th.Registry() },
			"ID":              func() { th.ID() },
			"Refused":         func() { th.Refused() },
			"Dropped":         func() { th.Dropped() },
			"Err":             func() { th.Err() },
			"Done":            func() { th.Done() },
			"Post":            func() { th.Post(mainQ, normal, namedthread.Func(func() {}), 0) },
			"Wake":            th.Wake,
			"Quit":            th.Quit,
			"NewToken":        func() { th.NewToken() },
			"RequestReturn":   func() { th.RequestReturn(namedthread.Token{}) },
			"Detach":          func() { th.Detach() },
			"Wait":            func() { th.Wait(mainQ, func() bool { return true }) },
			"RunFirst":        func() { th.RunFirst(mainQ, nil) },
			"Run":             func() { th.Run(context.Background()) },
			"PumpUntilIdle":   func() { th.PumpUntilIdle(mainQ) },
			"PumpUntilReturn": func() { th.PumpUntilReturn(mainQ, namedthread.Token{}) },
			"PumpUntilQuit":   func() { th.PumpUntilQuit(mainQ) },
			"PumpFor":         func() { th.PumpFor(mainQ, 0) },
			"PumpUntil":       func() { th.PumpUntil(mainQ, func() bool { return true }) },
			"MustBeCurrent":   th.MustBeCurrent,
		} {
			if call == "MustBeCurrent" && !namedthread.Assertions {
				continue
			}
			require.PanicsWithValue(t,
				"namedthread: "+call+" of a Thread that no Registry has made", f)
		}
		require.NotPanics(t, func() { _ = th.String() })
	}
}

// TestRunEndedContext: a context that has ended begins no work, however much there is.
func TestRunEndedContext(t *testing.T) {
	th := attach(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ran := 0
	for range 1000 {
		post(t, th, namedthread.Func(func() { ran++ }))
		require.ErrorIs(t, th.Run(ctx), context.Canceled)
	}
	require.Zero(t, ran)
	n, err := th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, 1000, n)
}

// TestAffinityIsCopied: the thread goes on with the processors that were asked for, whatever
// becomes of the slice.
func TestAffinityIsCopied(t *testing.T) {
	if !osthread.HasAffinity {
		return
	}
	free, err := osthread.Affinity()
	if err != nil {
		return // it can be set only
	}
	cpus := free[:1:1]
	want := free[0]
	th := start(t, namedthread.Options{Affinity: cpus})
	cpus[0] = 1 << 20
	post(t, th, namedthread.Func(runtime.Goexit))
	ask(t, th, func() {
		now, err := osthread.Affinity()
		require.NoError(t, err)
		require.Equal(t, []int{want}, now)
	})
}
