//go:build modelcheck

package graphevent_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

var (
	errAbandoned = errors.New("abandoned")
	errDisowned  = errors.New("disowned")
)

// lives is one execution of events that follow each other in the nodes of a small store that
// remembers one failure, under everything that can be done to an event. The lock is never waited
// for: nobody takes a step inside.
type lives struct {
	mu    sync.Mutex
	store *graphevent.Store
	nodes int
	wrong string

	all       []*life
	at        [16]*life // of each node, the task that it is, or was last
	manual    [2]*life  // events to do something with; the first may wait for the second
	task      *life     // a task to do something with
	queue     []*life   // an entry for each call of Ready
	calls     []*notice
	abandoned int
}

// A life is one event from its making on.
type life struct {
	e     graphevent.Event
	again bool // a task that waits to run again, or has run twice
	task  bool

	decided bool    // a Trigger or Fail has counted
	own     []error // failures of its own, of which it has one
	waits   []wait
	heard   []*notice

	readied, ran   int
	told, finished int  // calls of Completed, and of EndBody that returned true
	abandoned      bool // Abandon has said so
	disowned       bool // likewise
	abandoning     int  // calls of Abandon
	inside         int  // what must not meet them: bodies, claims, calls of Inspect
	asked          []error
}

// A wait is what a life waits for. It is surely told of a failure if the other was incomplete.
type wait struct {
	on   *life
	sure bool
}

// A notice is a function or a token that was registered.
type notice struct {
	on       []*life
	accepted bool
	calls    int
	err      error
}

func newLives() *lives {
	g := &lives{nodes: 12}
	g.store = graphevent.NewSmallStore(graphevent.Options{Releaser: g, Scheduler: g,
		MaxFailures: 1}, g.nodes)
	g.manual = [2]*life{g.newManual(), g.newManual()}
	return g
}

func (g *lives) locked(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f()
}

// check notes the first thing that is wrong. The caller holds the lock.
func (g *lives) check(ok bool, format string, args ...any) {
	if !ok && g.wrong == "" {
		g.wrong = fmt.Sprintf(format, args...)
	}
}

// pick returns what a slot holds.
func (g *lives) pick(slot **life) (l *life) {
	g.locked(func() { l = *slot })
	return l
}

func (g *lives) Ready(n graphevent.Node) {
	g.locked(func() {
		l := g.at[n]
		l.readied++
		g.queue = append(g.queue, l)
	})
}

func (g *lives) Completed(n graphevent.Node) { g.locked(func() { g.at[n].told++ }) }
func (g *lives) Finished(int)                {}

func (g *lives) Release(token uint32, err error) {
	g.locked(func() { g.calls[token].called(err) })
}

func (x *notice) called(err error) { x.calls, x.err = x.calls+1, err }

func (g *lives) newManual() *life {
	l := &life{e: g.store.NewEvent()}
	g.locked(func() { g.all = append(g.all, l) })
	return l
}

// newTask returns a node and the life that it will be.
func (g *lives) newTask(again bool) (graphevent.Node, *life) {
	n := g.store.Acquire(nil)
	l := &life{e: g.store.Event(n), task: true, again: again}
	g.locked(func() { g.all, g.at[n] = append(g.all, l), l })
	return n, l
}

func (g *lives) end(l *life, err error) {
	ok := false
	if err == nil {
		ok = l.e.Trigger()
	} else {
		ok = l.e.Fail(err)
	}
	g.locked(func() {
		g.check(!ok || !l.decided, "%v is triggered twice", l.e)
		if l.decided = l.decided || ok; ok && err != nil {
			l.own = append(l.own, err)
		}
	})
}

// renew ends an event, and makes another, in the same node if that is free.
func (g *lives) renew(slot int, err error) {
	g.end(g.pick(&g.manual[slot]), err)
	l := g.newManual()
	g.locked(func() { g.manual[slot] = l })
}

func (g *lives) hold() {
	l, other := g.pick(&g.manual[0]), g.pick(&g.manual[1])
	over := other.e.IsComplete()
	if l.e.DontCompleteUntil(other.e) {
		g.locked(func() { l.waits = append(l.waits, wait{other, !over}) })
	}
}

// wait makes a task that waits for both events.
func (g *lives) wait() {
	n, l := g.newTask(false)
	g.store.Hold(n, 0)
	edges := uint32(0)
	for i := range g.manual {
		other := g.pick(&g.manual[i])
		ok := g.store.After(n, uint32(i), other.e)
		if ok {
			edges++
		}
		g.locked(func() { l.waits = append(l.waits, wait{other, ok}) })
	}
	g.locked(func() { g.task = l })
	if g.store.Launch(l.e, edges, nil, g) == graphevent.LaunchReady {
		g.Ready(n)
	}
}

// again makes a task that was run and waits for an event to run again. If early, its first entry is
// queued still.
func (g *lives) again(early bool) {
	n, l := g.newTask(true)
	l.inside++
	g.store.Start(n, 0)
	ok := false
	if early {
		ok = g.store.TryClaim(l.e)
		g.Ready(n)
	} else {
		ok = g.store.Claim(n, nil)
	}
	g.locked(func() { g.check(ok, "%v is not ready", l.e); l.ran++ })
	other := g.pick(&g.manual[1])
	g.store.HoldOpen(n, 0, other.e)
	g.locked(func() { l.waits = append(l.waits, wait{other, false}) })
	if g.store.Again(n, nil, g) {
		g.Ready(n)
	}
	g.locked(func() { l.inside--; g.task = l })
}

// run runs the task whose entry is the oldest that may be popped now, and reports whether there is
// one.
func (g *lives) run(err error) bool {
	var l *life
	g.locked(func() {
		for i, x := range g.queue {
			if x.abandoning == 0 {
				l, g.queue = x, slices.Delete(g.queue, i, i+1)
				l.inside++
				return
			}
		}
	})
	if l != nil {
		g.body(l, g.store.Claim(l.e.Node(), nil), err)
	}
	return l != nil
}

// early runs the task before its entry is popped.
func (g *lives) early(err error) {
	if l := g.enter(); l != nil {
		g.body(l, g.store.TryClaim(l.e), err)
	}
}

// enter returns the task, which is not abandoned before it is left, or nil.
func (g *lives) enter() (l *life) {
	g.locked(func() {
		if l = g.task; l != nil && l.abandoning > 0 {
			l = nil
		}
		if l != nil {
			l.inside++
		}
	})
	return l
}

// body is that of l, if it was claimed.
func (g *lives) body(l *life, claimed bool, err error) {
	defer g.locked(func() { l.inside-- })
	if !claimed {
		return
	}
	n := l.e.Node()
	is := g.store.Event(n) == l.e
	g.locked(func() {
		g.check(is, "%v runs as another", l.e)
		l.ran++
		if err != nil {
			l.own = append(l.own, err)
		}
	})
	if l.again {
		other, spare := g.pick(&g.manual[0]), uint32(0)
		g.locked(func() { l.waits = append(l.waits, wait{other, false}) })
		g.store.HoldAgain(n, 0, other.e, &spare)
	}
	if g.store.EndBody(n, err, nil, g) {
		g.locked(func() { l.finished++ })
	}
}

func (g *lives) abandon(slot **life) {
	var l *life
	g.locked(func() {
		if l = *slot; l != nil && l.inside > 0 {
			l = nil
		}
		if l != nil {
			l.abandoning++
		}
	})
	if l == nil {
		return
	}
	ok := g.store.Abandon(l.e, errAbandoned, g)
	g.locked(func() {
		l.abandoning--
		if g.check(!ok || !l.abandoned, "%v is abandoned twice", l.e); ok {
			l.abandoned = true
			l.own = append(l.own, errAbandoned)
			g.abandoned++
		}
	})
}

func (g *lives) disown() {
	l := g.pick(&g.task)
	if l == nil || !g.store.Disown(l.e, errDisowned, g) {
		return
	}
	g.locked(func() {
		g.check(l.again && !l.disowned, "%v, which waits to run again: %v, is disowned", l.e,
			l.again)
		l.disowned = true
		l.own = append(l.own, errDisowned)
	})
}

func (g *lives) inspect() {
	l := g.enter()
	if l == nil {
		return
	}
	defer g.locked(func() { l.inside-- })
	g.store.Inspect(l.e, func() {
		before := l.e.IsComplete()
		g.locked(func() {
			g.check(!before && l.ran == 0 && l.readied == 0,
				"%v is looked at: ready %d times, ran %d times", l.e, l.readied, l.ran)
		})
	})
}

func (g *lives) notify() {
	x := &notice{on: []*life{g.pick(&g.manual[0]), g.pick(&g.manual[1])}}
	g.locked(func() { g.calls = append(g.calls, x) })
	ok := g.store.Notify(nil, func() {
		over := x.on[0].e.IsComplete() && x.on[1].e.IsComplete()
		g.locked(func() { g.check(over, "called too early"); x.called(nil) })
	}, x.on[0].e, x.on[1].e)
	g.locked(func() { x.accepted = ok })
}

// hear registers a function or a token on what a slot holds.
func (g *lives) hear(slot **life, token bool) {
	x := &notice{}
	var l *life
	i := 0
	g.locked(func() {
		if l = *slot; l != nil {
			i, g.calls, l.heard = len(g.calls), append(g.calls, x), append(l.heard, x)
			x.on = []*life{l}
		}
	})
	switch {
	case l == nil:
		return
	case token:
		x.accepted = l.e.AddSubsequent(uint32(i))
	default:
		x.accepted = l.e.OnComplete(func(err error) { g.locked(func() { x.called(err) }) })
	}
}

func (g *lives) ask(slot **life) {
	l := g.pick(slot)
	if l == nil || !l.e.IsComplete() {
		return
	}
	err := l.e.Err()
	g.locked(func() { l.asked = append(l.asked, err) })
}

func (g *lives) failures() {
	g.store.Failures(func(e graphevent.Event, err error) bool {
		over := e.IsComplete()
		g.locked(func() { g.check(over && err != nil, "%v failed with %v", e, err) })
		return true
	})
}

// errs returns what l may have failed with, and whether it may have succeeded.
func (l *life) errs() (errs []error, success bool) {
	if len(l.own) > 0 {
		return l.own, false
	}
	success = true
	for _, w := range l.waits {
		if of, ok := w.on.errs(); len(of) > 0 {
			errs = append(append(errs, of...), graphevent.ErrForgotten)
			success = success && (ok || !w.sure)
		}
	}
	return errs, success
}

// over ends everything that is left, and holds what happened against what was said.
func (g *lives) over() string {
	for _, l := range g.all {
		if !l.task {
			g.end(l, nil)
		}
	}
	for g.run(nil) {
	}
	failed := 0
	for _, l := range g.all {
		if errs, _ := l.errs(); len(errs) > 0 {
			failed++
		}
	}
	for _, l := range g.all {
		g.ended(l, failed)
	}
	for _, x := range g.calls {
		g.check(x.accepted && x.calls == 1 || !x.accepted && x.calls == 0,
			"called %d times, accepted: %v", x.calls, x.accepted)
	}
	// One failure more makes good for what Failures held.
	last := g.store.NewEvent()
	last.Fail(errBoom)
	kept := 0
	g.store.Failures(func(e graphevent.Event, _ error) bool {
		kept++
		g.check(e == last, "%v is remembered, not the last", e)
		return true
	})
	g.check(kept == 1 && g.store.Remembered() == 1, "%d are remembered, and %d counted", kept,
		g.store.Remembered())
	g.check(g.store.Free() == g.nodes-1-g.abandoned,
		"%d nodes are free of %d, with one failure and %d abandoned", g.store.Free(), g.nodes,
		g.abandoned)
	if made, free := g.store.SlabEdges(); g.abandoned == 0 {
		g.check(made == free, "%d slab edges are free, of %d", free, made)
	}
	return g.wrong
}

func (g *lives) ended(l *life, failed int) {
	g.check(l.e.IsComplete(), "%v is %v", l.e, l.e.State())
	errs, success := l.errs()
	may := func(err error) bool {
		if err == nil {
			return success
		}
		return slices.ContainsFunc(errs, func(want error) bool { return errors.Is(err, want) })
	}
	for _, x := range l.heard {
		g.check(x.calls == 0 || may(x.err), "%v is released with %v, of %v", l.e, x.err, errs)
	}
	for _, err := range append(l.asked, l.e.Err()) {
		// Forgotten by another failure; and its node forgets that with a third one.
		g.check(may(err) || failed > 1 && len(errs) > 0 &&
			(err == graphevent.ErrForgotten || failed > 2 && err == nil),
			"%v failed with one of %v, and reads as %v", l.e, errs, err)
	}
	if !l.task {
		return
	}
	g.check(l.told+l.finished == 1, "%v ended %d times, and was ended %d times", l.e, l.finished,
		l.told)
	g.check(l.ran <= 1 || l.again && l.ran == 2, "%v ran %d times", l.e, l.ran)
	if errs == nil {
		g.check(l.ran == 1 && !l.again || l.ran == 2, "%v ran %d times", l.e, l.ran)
	}
	if !l.again && !success && len(l.own) == 0 {
		g.check(l.readied == 0, "%v, which is skipped, was ready %d times", l.e, l.readied)
	}
}

// anything is a judge who leaves it to the check at the end.
type anything struct{}

func (anything) Linearizable([]history.Call) bool { return true }
func (anything) Explain([]history.Call) string    { return "" }

// TestModelLives: in nodes that are used again and again by events that fail, are forgotten,
// abandoned, disowned, looked at, held open again and noticed, each event ends once and as it was
// told, whoever waits for it is let go once, and every node comes back.
func TestModelLives(t *testing.T) {
	type op = modelcheck.Op[*lives]
	does := func(name string, weight int, f func(g *lives, v int64)) op {
		return op{Name: name, Weight: weight, Do: func(g *lives, _ *modelcheck.Log, v int64) {
			f(g, v)
		}}
	}
	failure := func(v int64) error {
		if v%3 == 0 {
			return errCrash
		}
		return nil
	}
	slot := func(g *lives, v int64) **life {
		if v%3 == 2 {
			return &g.task
		}
		return &g.manual[v%3]
	}
	modelcheck.Programs(t, modelcheck.Structure[*lives]{
		Name: "Lives",
		New:  newLives,
		Ops: []op{
			does("renew", 3, func(g *lives, v int64) { g.renew(int(v%2), nil) }),
			does("fail", 4, func(g *lives, v int64) { g.renew(int(v%2), errBoom) }),
			does("hold", 1, func(g *lives, _ int64) { g.hold() }),
			does("wait", 3, func(g *lives, _ int64) { g.wait() }),
			does("again", 3, func(g *lives, v int64) { g.again(v%2 == 0) }),
			does("run", 2, func(g *lives, v int64) { g.run(failure(v)) }),
			does("early", 1, func(g *lives, v int64) { g.early(failure(v)) }),
			does("abandon", 2, func(g *lives, v int64) { g.abandon(slot(g, v)) }),
			does("disown", 2, func(g *lives, _ int64) { g.disown() }),
			does("inspect", 2, func(g *lives, _ int64) { g.inspect() }),
			does("notify", 2, func(g *lives, _ int64) { g.notify() }),
			does("hear", 2, func(g *lives, v int64) { g.hear(slot(g, v), v%2 == 0) }),
			does("ask", 1, func(g *lives, v int64) { g.ask(slot(g, v)) }),
			does("failures", 2, func(g *lives, _ int64) { g.failures() }),
		},
		Judge: func() modelcheck.Judge { return anything{} },
		Check: func(g *lives, _ []history.Call) string { return g.over() },
	}, modelcheck.Budget{Executions: modelcheck.Scaled(20_000)}, modelcheck.Options{})
}
