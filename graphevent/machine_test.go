package graphevent_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
)

// A fault is the failure of an event in the reference.
type fault struct {
	text string
	root *fault
	seen bool
	lost bool // forgotten before anybody had seen it, or since
}

func newFault(text string, root *fault) *fault {
	f := &fault{text: text, root: root}
	if root == nil {
		f.root = f
	}
	return f
}

func skipped(root *fault) *fault {
	return newFault(graphevent.ErrSkipped.Error()+": "+root.text, root)
}

// A subsequent of an event of the reference: an event, a token or a function.
type subsequent struct {
	to    *model
	token uint32
	call  *waiting
}

// waiting is a function that was given to Notify.
type waiting struct{ id, left int }

// A model is an event of the reference. It has no words, bits or lists that are shared: it
// says what must happen, one step after the other.
type model struct {
	e         graphevent.Event
	task      bool
	always    bool
	state     graphevent.State
	untouched bool // a manual event that was not triggered
	held      bool
	left      int      // incomplete prerequisites, or reasons to stay open
	waitsFor  []*model // edges that were registered, also those that are complete
	subs      []subsequent
	cause     *fault // of the first edge that failed
	own       *fault
	failure   *fault
	forgotten bool
	entry     bool // is in the queue
	edges     uint32
	pending   uint32
}

// A machine runs a store and its reference side by side.
type machine struct {
	s    *sched
	c    graphevent.Cache
	got  []string // what the store released, readied, completed, called
	want []string

	all       []*model
	executing []*model
	queue     []*model
	failures  []*model
	limit     int
	unseen    int
	calls     int
	tokens    uint32
	abandoned bool
}

func newMachine(limit int, gen uint64) *machine {
	m := &machine{s: &sched{}, limit: limit}
	m.s.store = graphevent.NewStoreAt(graphevent.Options{
		Scheduler:   m,
		Releaser:    m,
		MaxFailures: limit,
		Grow:        func(n graphevent.Node) { m.s.colds.Grow(uint32(n) - 1) },
	}, gen)
	return m
}

func (m *machine) Ready(n graphevent.Node) {
	m.got = append(m.got, fmt.Sprint("ready ", m.s.store.Event(n)))
	m.s.queue.Push(n)
}

func (m *machine) Finished(count int) { m.got = append(m.got, fmt.Sprint("finished ", count)) }

func (m *machine) Completed(n graphevent.Node) {
	m.got = append(m.got, fmt.Sprint("completed ", m.s.store.Event(n)))
}

func (m *machine) Release(token uint32, err error) {
	m.got = append(m.got, fmt.Sprint("token ", token, " ", err))
}

// The reference.

func (m *machine) ready(x *model) {
	m.want = append(m.want, fmt.Sprint("ready ", x.e))
	m.queue = append(m.queue, x)
	x.entry = true
	x.state = graphevent.StateReady
}

// complete completes x and all that follows; announce says whether the scheduler hears of x.
func (m *machine) complete(x *model, announce bool) {
	told := 0
	defer func() {
		if told > 0 {
			m.want = append(m.want, fmt.Sprint("finished ", told))
		}
	}()
	for todo := []*model{x}; len(todo) > 0; announce = true {
		x := todo[0]
		todo = todo[1:]
		if announce && x.task {
			m.want = append(m.want, fmt.Sprint("completed ", x.e))
			told++
		}
		switch {
		case x.own != nil:
			x.failure = x.own
		case x.cause != nil && x.task && x.state != graphevent.StateExecuting:
			x.failure = skipped(x.cause.root)
		case x.cause != nil:
			x.failure = newFault(x.cause.text, x.cause.root)
		}
		x.state, x.untouched = graphevent.StateCompleted, false
		for _, sub := range x.subs {
			switch {
			case sub.call != nil:
				if sub.call.left--; sub.call.left == 0 {
					m.want = append(m.want, fmt.Sprint("call ", sub.call.id))
				}
			case sub.to != nil:
				if m.release(sub.to, x.failure) {
					todo = append(todo, sub.to)
				}
			default:
				var err any
				if x.failure != nil {
					err = x.failure.text
				}
				m.want = append(m.want, fmt.Sprint("token ", sub.token, " ", err))
			}
		}
		x.subs = nil
		if x.failure == nil {
			continue
		}
		m.failures = append(m.failures, x)
		if len(m.failures) > m.limit {
			old := m.failures[0]
			m.failures = m.failures[1:]
			old.forgotten = true
			if old.failure.root == old.failure && !old.failure.seen {
				m.unseen++
				old.failure.lost = true
			}
		}
	}
}

// release takes one edge off x, and reports whether x completes by that.
func (m *machine) release(x *model, cause *fault) bool {
	if x.state == graphevent.StateCompleted {
		return false // abandoned
	}
	if x.cause == nil {
		x.cause = cause
	}
	x.left--
	switch {
	case x.left > 0 || x.held:
		return false
	case x.state == graphevent.StateExecuting || !x.task:
		return true
	case x.cause != nil && !x.always:
		return true
	default:
		m.ready(x)
		return false
	}
}

// edge registers x on p, as After, HoldOpen and DontCompleteUntil do, and reports whether p
// was incomplete.
func (m *machine) edge(x, p *model) bool {
	if p.state != graphevent.StateCompleted {
		p.subs = append(p.subs, subsequent{to: x})
		x.waitsFor = append(x.waitsFor, p)
		x.left++
		return true
	}
	if f := m.failureOf(p); f != nil && x.cause == nil {
		x.cause = f
	}
	return false
}

// failureOf returns the failure that somebody sees who looks at p now. A failure that was
// forgotten may be forgotten altogether, which depends on the node: ask.
func (m *machine) failureOf(p *model) *fault {
	if p.forgotten {
		err := p.e.Err()
		m.seeForgotten(p, err)
		if err == nil {
			return nil
		}
		return newFault(graphevent.ErrForgotten.Error(), nil)
	}
	return p.failure
}

// see notes that somebody looked at a failure, or at one that follows from it.
func (m *machine) see(f *fault) {
	f.root.seen = true
	if f.root.lost {
		f.root.lost = false
		m.unseen--
	}
}

// seeForgotten notes that somebody looked at an event whose failure was forgotten, and what he got.
func (m *machine) seeForgotten(x *model, err error) {
	if err != nil && x.failure.root == x.failure {
		m.see(x.failure)
	}
}

func (x *model) claim() {
	x.state, x.left = graphevent.StateExecuting, 1
	if x.always {
		x.cause = nil
	}
}

// Drawing.

func (m *machine) draw(t *rapid.T, what string, ok func(*model) bool) *model {
	var of []*model
	for _, x := range m.all {
		if ok(x) {
			of = append(of, x)
		}
	}
	if len(of) == 0 {
		t.Skip("there is no " + what)
	}
	// Mostly the youngest: the old ones are complete.
	i := rapid.IntRange(0, min(len(of), 12)-1).Draw(t, what)
	return of[len(of)-1-i]
}

func any_(*model) bool { return true }

func (m *machine) actions() map[string]func(*rapid.T) {
	st := m.s.store
	add := func(x *model) { m.all = append(m.all, x) }
	return map[string]func(*rapid.T){
		"NewEvent": func(*rapid.T) {
			add(&model{e: st.NewEvent(), state: graphevent.StateUntriggered, untouched: true,
				left: 1})
		},
		"Hold": func(t *rapid.T) {
			x := &model{task: true, held: true, state: graphevent.StateHeld}
			n := st.Acquire(&m.c)
			x.e = st.Hold(n, 0)
			if x.always = rapid.Bool().Draw(t, "always"); x.always {
				st.SetFlags(n, graphevent.RunAlways)
			}
			add(x)
		},
		"Start": func(*rapid.T) {
			x := &model{task: true}
			n := st.Acquire(&m.c)
			x.e = st.Start(n, 0)
			m.s.queue.Push(n)
			m.ready(x)
			m.got = append(m.got, "ready "+x.e.String())
			add(x)
		},
		"After": func(t *rapid.T) {
			x := m.draw(t, "held task", func(x *model) bool { return x.held })
			for range rapid.IntRange(1, 3).Draw(t, "edges") {
				p := m.draw(t, "prerequisite", func(p *model) bool { return p != x })
				want := m.edge(x, p)
				require.Equal(t, want, st.After(x.e.Node(), x.edges, p.e))
				x.edges++
				if want {
					x.pending++
				}
			}
		},
		"Launch": func(t *rapid.T) {
			x := m.draw(t, "task", func(x *model) bool { return x.task })
			got := st.Launch(x.e, x.pending, &m.c, m)
			if !x.held {
				require.Equal(t, graphevent.LaunchNotHeld, got)
				return
			}
			x.held, x.state = false, graphevent.StateWaiting
			if x.left > 0 {
				require.Equal(t, graphevent.LaunchWaiting, got)
				return
			}
			if x.cause != nil && !x.always {
				require.Equal(t, graphevent.LaunchWaiting, got)
				m.complete(x, true)
				return
			}
			require.Equal(t, graphevent.LaunchReady, got)
			m.Ready(x.e.Node())
			m.ready(x)
		},
		"Pop": func(t *rapid.T) {
			n, ok := m.s.queue.Pop()
			require.Equal(t, len(m.queue) > 0, ok)
			if !ok {
				return
			}
			x := m.queue[0]
			m.queue = m.queue[1:]
			x.entry = false
			require.Equal(t, x.e.Node(), n)
			tombstone := x.state != graphevent.StateReady
			require.True(t, x.state == graphevent.StateCompleted || !st.IsTombstone(n))
			require.Equal(t, !tombstone, st.Claim(n, &m.c))
			if !tombstone {
				x.claim()
				m.executing = append(m.executing, x)
			}
		},
		"TryClaim": func(t *rapid.T) {
			x := m.draw(t, "event", any_)
			want := x.state == graphevent.StateReady
			require.Equal(t, want, st.TryClaim(x.e))
			if want {
				x.claim()
				m.executing = append(m.executing, x)
			}
		},
		"HoldOpen": func(t *rapid.T) {
			if len(m.executing) == 0 {
				t.Skip("no body runs")
			}
			x := rapid.SampledFrom(m.executing).Draw(t, "body")
			p := m.draw(t, "event", func(p *model) bool { return p != x })
			st.HoldOpen(x.e.Node(), x.edges, p.e)
			x.edges++
			m.edge(x, p)
		},
		"EndBody": func(t *rapid.T) {
			if len(m.executing) == 0 {
				t.Skip("no body runs")
			}
			i := rapid.IntRange(0, len(m.executing)-1).Draw(t, "body")
			m.endBody(t, i, rapid.IntRange(0, 3).Draw(t, "fails") == 0)
		},
		"Trigger": func(t *rapid.T) {
			x := m.draw(t, "manual event", func(x *model) bool { return !x.task })
			m.trigger(t, x, rapid.IntRange(0, 3).Draw(t, "fails") == 0)
		},
		"DontCompleteUntil": func(t *rapid.T) {
			x := m.draw(t, "manual event", func(x *model) bool { return !x.task })
			p := m.draw(t, "other", func(p *model) bool { return p != x })
			open := x.state != graphevent.StateCompleted
			if open {
				x.left++ // whatever p is: counted first
				if m.edge(x, p) {
					x.left--
				}
			}
			require.Equal(t, open, x.e.DontCompleteUntil(p.e))
			if open && p.state == graphevent.StateCompleted && m.release(x, nil) {
				m.complete(x, true)
			}
		},
		"AddSubsequent": func(t *rapid.T) {
			x := m.draw(t, "event", any_)
			m.tokens++
			open := x.state != graphevent.StateCompleted
			require.Equal(t, open, x.e.AddSubsequent(m.tokens))
			if open {
				x.subs = append(x.subs, subsequent{token: m.tokens})
			}
		},
		"Notify": func(t *rapid.T) {
			m.calls++
			w := &waiting{id: m.calls}
			var events []graphevent.Event
			for range rapid.IntRange(0, 7).Draw(t, "events") {
				x := m.draw(t, "event", any_)
				events = append(events, x.e)
				if x.state != graphevent.StateCompleted {
					w.left++
					x.subs = append(x.subs, subsequent{call: w})
				}
			}
			require.Equal(t, w.left > 0, st.Notify(&m.c, func() {
				m.got = append(m.got, fmt.Sprint("call ", w.id))
			}, events...))
		},
		"Abandon": func(t *rapid.T) {
			if rapid.IntRange(0, 3).Draw(t, "rarely") != 0 {
				t.Skip("not this time")
			}
			m.abandon(t, m.draw(t, "event", func(x *model) bool {
				return !slices.Contains(m.executing, x)
			}))
		},
		"Err": func(t *rapid.T) {
			x := m.draw(t, "event", any_)
			err := x.e.Err()
			switch {
			case x.failure == nil:
				require.NoError(t, err)
			case x.forgotten:
				require.True(t, err == nil || err == graphevent.ErrForgotten)
				m.seeForgotten(x, err)
			default:
				require.EqualError(t, err, x.failure.text)
				m.see(x.failure)
			}
		},
		"Failures": func(t *rapid.T) {
			var want, got []string
			for _, x := range m.failures {
				if x.failure.root == x.failure && !x.failure.seen {
					want = append(want, x.e.String()+x.failure.text)
				}
			}
			forgotten := st.Failures(func(e graphevent.Event, err error) bool {
				got = append(got, e.String()+err.Error())
				return true
			})
			require.Equal(t, want, got)
			require.Equal(t, m.unseen, forgotten)
		},
		"Discard": func(*rapid.T) { st.Discard(st.Acquire(&m.c), nil) },
		"Flush":   func(*rapid.T) { st.Flush(&m.c) },
		"":        m.check,
	}
}

func (m *machine) endBody(t *rapid.T, i int, fail bool) {
	x := m.executing[i]
	m.executing = slices.Delete(m.executing, i, i+1)
	var err error
	if fail {
		err = errors.New("of " + x.e.String())
		x.own = newFault(err.Error(), nil)
	}
	got := m.s.store.EndBody(x.e.Node(), err, &m.c, m)
	x.left--
	require.Equal(t, x.left == 0, got)
	if got {
		m.complete(x, false)
	}
}

func (m *machine) trigger(t *rapid.T, x *model, fail bool) {
	first := x.untouched
	if fail {
		err := errors.New("of " + x.e.String())
		if first {
			x.own = newFault(err.Error(), nil)
		}
		require.Equal(t, first, x.e.Fail(err))
	} else {
		require.Equal(t, first, x.e.Trigger())
	}
	if !first {
		return
	}
	x.untouched, x.state = false, graphevent.StateExecuting
	if m.release(x, nil) {
		m.complete(x, true)
	}
}

func (m *machine) abandon(t *rapid.T, x *model) {
	want := x.state != graphevent.StateCompleted && x.state != graphevent.StateReady
	require.Equal(t, want, m.s.store.Abandon(x.e, errGaveUp, m))
	if !want {
		return
	}
	m.abandoned = true
	if x.own == nil {
		x.own = newFault(errGaveUp.Error(), nil)
		x.own.seen = true
		if x.task && x.state != graphevent.StateExecuting {
			x.own = skipped(x.own)
		}
	}
	x.held = false
	m.complete(x, true)
}

// check compares what can be seen from outside.
func (m *machine) check(t *rapid.T) {
	require.Equal(t, m.want, m.got)
	var incomplete []graphevent.Event
	for _, x := range m.all {
		done := x.state == graphevent.StateCompleted
		require.Equal(t, done, x.e.IsComplete(), "%v", x.e)
		require.Equal(t, x.state, x.e.State(), "%v", x.e)
		require.Equal(t, x.held, m.s.store.Held(x.e), "%v", x.e)
		if done {
			continue
		}
		incomplete = append(incomplete, x.e)
		require.NoError(t, x.e.Err())
		var left []graphevent.Event
		for _, p := range x.waitsFor {
			if p.state != graphevent.StateCompleted {
				left = append(left, p.e)
			}
		}
		require.ElementsMatch(t, left, m.s.store.Prerequisites(x.e, nil), "%v", x.e)
	}
	require.ElementsMatch(t, incomplete, slices.Collect(m.s.store.Incomplete))
	require.Equal(t, len(m.failures), m.s.store.Remembered())
}

// finish completes everything, by force only what waits in a circle.
func (m *machine) finish(t *rapid.T) {
	acts := m.actions()
	for i := 0; i < len(m.all); i++ {
		x := m.all[i]
		if x.held {
			x.held, x.state = false, graphevent.StateWaiting
			switch m.s.store.Launch(x.e, x.pending, nil, m) {
			case graphevent.LaunchReady:
				m.Ready(x.e.Node())
				m.ready(x)
			case graphevent.LaunchWaiting:
				if x.left == 0 {
					m.complete(x, true)
				}
			case graphevent.LaunchNotHeld:
				t.Fatalf("%v is not held", x.e)
			}
		}
		if !x.task {
			m.trigger(t, x, false)
		}
	}
	for {
		for len(m.queue) > 0 || len(m.executing) > 0 {
			acts["Pop"](t)
			for len(m.executing) > 0 {
				m.endBody(t, 0, false)
			}
		}
		m.check(t)
		var stuck *model
		for _, x := range m.all {
			if x.state != graphevent.StateCompleted {
				stuck = x
			}
		}
		if stuck == nil {
			break
		}
		m.abandon(t, stuck)
	}
	m.s.store.Flush(&m.c)
}

// TestMachine runs random programs on a store and on a sequential reference, and compares
// every release, in order, and every event after each step.
func TestMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.SampledFrom([]uint64{1, 1, graphevent.LastGen - 4}).Draw(t, "first generation")
		m := newMachine(rapid.IntRange(1, 5).Draw(t, "MaxFailures"), gen)
		t.Repeat(m.actions())
		m.finish(t)
		if !m.abandoned && gen == 1 { // neither retires a node
			made, free := m.s.store.Nodes()
			require.Equal(t, made, free+m.s.store.Remembered())
			if m.s.store.Remembered() == 0 {
				made, free = m.s.store.SlabEdges()
				require.Equal(t, made, free)
			}
		}
	})
}
