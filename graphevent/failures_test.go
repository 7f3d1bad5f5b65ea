package graphevent_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

func unseen(s *graphevent.Store) (es []graphevent.Event, forgotten int) {
	forgotten = s.Failures(func(e graphevent.Event, err error) bool {
		if err == nil {
			panic("nil failure")
		}
		es = append(es, e)
		return true
	})
	return es, forgotten
}

func TestFailuresSeen(t *testing.T) {
	for name, look := range map[string]func(t *testing.T, a, b graphevent.Event){
		"Err":               func(t *testing.T, a, b graphevent.Event) { _ = a.Err() },
		"Wait":              func(t *testing.T, a, b graphevent.Event) { _ = a.Wait(t.Context()) },
		"Err of dependent":  func(t *testing.T, a, b graphevent.Event) { _ = b.Err() },
		"Wait of dependent": func(t *testing.T, a, b graphevent.Event) { _ = b.Wait(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSched()
			a, other := s.store.NewEvent(), s.store.NewEvent()
			b := s.task(nil, s.task(nil, a))
			_ = a.Err() // incomplete: nothing to see
			a.Fail(errBoom)
			other.Fail(errCrash)
			got, forgotten := unseen(s.store)
			require.Zero(t, forgotten)
			require.Equal(t, []graphevent.Event{a, other}, got,
				"each root once, in the order of failure")
			look(t, a, b)
			got, _ = unseen(s.store)
			require.Equal(t, []graphevent.Event{other}, got)
			s.requireNothingLeft(t)
		})
	}
}

// Whoever is let go by a failure finds it on record: a token, a task that becomes ready, and what
// follows from a dependent that is skipped.
func TestFailureIsOnRecordBeforeWhatFollows(t *testing.T) {
	s := newSched()
	e := s.store.NewEvent()
	var got []string
	look := func(who string) {
		if es, _ := unseen(s.store); slices.Equal(es, []graphevent.Event{e}) {
			got = append(got, who)
		}
	}
	s.onReady = func(graphevent.Node) { look("ready") }
	s.tokens = func(token uint32, _ error) { look(fmt.Sprint("token ", token)) }
	require.True(t, e.AddSubsequent(1))
	after := s.hold(graphevent.RunAlways, nil)
	s.after(after, e)
	s.launch(after)
	require.True(t, s.task(nil, e).AddSubsequent(2))
	e.Fail(errBoom)
	require.Equal(t, []string{"token 1", "ready", "token 2"}, got)
	s.drain()
	s.requireNothingLeft(t)
}

// Somebody who looks at a failure after it was forgotten, because it skipped more dependents than
// are remembered, has seen it: in the event itself, or in what follows from it; and only once.
func TestForgottenFailureIsSeen(t *testing.T) {
	for name, look := range map[string]func(root, last graphevent.Event){
		"the event":   func(root, _ graphevent.Event) { _ = root.Err() },
		"a dependent": func(_, last graphevent.Event) { _ = last.Err() },
		"the dependent, then both": func(root, last graphevent.Event) {
			_, _, _ = last.Err(), root.Err(), last.Err()
		},
		"the event, then dependent": func(root, last graphevent.Event) {
			_, _ = root.Err(), last.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := graphevent.NewStore(graphevent.Options{MaxFailures: 3, Scheduler: newSched()})
			root, other := s.NewEvent(), s.NewEvent()
			var last graphevent.Event
			for range 8 {
				last = s.NewEvent()
				last.DontCompleteUntil(root)
				last.Trigger()
			}
			root.Fail(errBoom)
			other.Fail(errCrash)
			got, forgotten := unseen(s)
			require.Equal(t, []graphevent.Event{other}, got)
			require.Equal(t, 1, forgotten, "the root")
			look(root, last)
			_, forgotten = unseen(s)
			require.Zero(t, forgotten)
		})
	}
}

func TestFailuresStops(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	for _, e := range manual(s, 10) {
		e.Fail(errBoom)
	}
	calls := 0
	s.Failures(func(graphevent.Event, error) bool { calls++; return calls < 3 })
	require.Equal(t, 3, calls)
	got, _ := unseen(s)
	require.Len(t, got, 10)
}

func TestMaxFailures(t *testing.T) {
	const limit = 5
	s := graphevent.NewStore(graphevent.Options{MaxFailures: limit})
	es := manual(s, 20)
	for i, e := range es {
		e.Fail(fmt.Errorf("failure %d", i))
		if i == 2 {
			_ = e.Err()
		}
	}
	require.Equal(t, limit, s.Remembered())
	got, forgotten := unseen(s)
	require.Equal(t, es[15:], got)
	require.Equal(t, 14, forgotten, "one of them was seen")
	for i, e := range es {
		require.True(t, e.IsComplete())
		if i < 15 {
			require.Equal(t, graphevent.ErrForgotten, e.Err())
		} else {
			require.EqualError(t, e.Err(), fmt.Sprint("failure ", i))
		}
	}
	// The node of a forgotten failure is used again, and remembers the youngest only.
	var first graphevent.Event
	for e := again(s, es[0]); ; e = again(s, es[0]) {
		require.Equal(t, graphevent.ErrForgotten, es[0].Err(), "a later success changes nothing")
		if first == (graphevent.Event{}) {
			first = e
			e.Trigger()
			continue
		}
		e.Fail(errBoom)
		for range limit {
			s.NewEvent().Fail(errCrash)
		}
		require.Equal(t, graphevent.ErrForgotten, e.Err())
		break
	}
	require.NoError(t, first.Err())
	require.NoError(t, es[0].Err(), "the node has forgotten that it forgot")
}

// TestFailuresRace lets events fail, be read and be forgotten at the same time: nobody reads
// the error of another event, and the bound holds in the end.
func TestFailuresRace(t *testing.T) {
	const limit, failers = 3, 3
	s := graphevent.NewStore(graphevent.Options{MaxFailures: limit})
	var last [failers]atomics.Pointer[pair]
	var over, wrong atomics.Bool
	var wg, readers sync.WaitGroup
	for f := range failers {
		wg.Go(func() {
			for i := range scaled(20_000) {
				p := &pair{s.NewEvent(), fmt.Errorf("failure %d of %d", i, f)}
				last[f].Store(p)
				p.e.Fail(p.err)
				if !p.ok() {
					wrong.Store(true)
				}
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			for !over.Load() {
				for f := range failers {
					if p := last[f].Load(); p != nil && !p.ok() {
						wrong.Store(true)
					}
				}
				s.Failures(func(graphevent.Event, error) bool { return true })
				atomics.Gosched()
			}
		})
	}
	wg.Wait()
	over.Store(true)
	readers.Wait()
	s.NewEvent().Fail(errBoom)
	require.False(t, wrong.Load())
	require.Equal(t, limit, s.Remembered())
	requireNothingLeft(t, s)
}

type pair struct {
	e   graphevent.Event
	err error
}

func (p *pair) ok() bool {
	err := p.e.Err()
	return err == nil || err == p.err || errors.Is(err, graphevent.ErrForgotten)
}

// TestForgottenErrorsAreDropped: what MaxFailures says is not kept is left to the collector,
// and so are the causes of skipped tasks.
func TestForgottenErrorsAreDropped(t *testing.T) {
	s := newSched(func(o *graphevent.Options) { o.MaxFailures = 2 })
	refs := func() (refs []weak.Pointer[graphevent.PanicError]) {
		for range 10 {
			p := &graphevent.PanicError{Value: "boom", Stack: make([]byte, 1<<10)}
			refs = append(refs, weak.Make(p))
			e := s.store.NewEvent()
			s.task(nil, e)
			a := s.hold(graphevent.RunAlways, nil)
			s.after(a, e)
			s.launch(a)
			s.store.Notify(nil, func() {}, e)
			e.Fail(p)
			s.drain()
		}
		return refs
	}()
	runtime.GC()
	for i, ref := range refs[:9] {
		require.Nil(t, ref.Value(), "error %d is kept", i)
	}
	require.NotNil(t, refs[9].Value())
	runtime.KeepAlive(s)
}
