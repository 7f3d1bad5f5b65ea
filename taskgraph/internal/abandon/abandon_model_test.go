//go:build modelcheck

package abandon_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/abandon"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// A program is what bodies do that run when the system gives up, one on each thread, and how often
// that forces. w waits for a task whose body has returned and that waits in a circle; o waits for
// another body's task, the next one's; n makes an event that nobody triggers, and waits for it; l
// launches a task; h, at the end, is held open by the circle; a, at the end, asks to run again
// after the circle, and u after an event that nobody triggers.
type program struct {
	bodies []string
	forces int
}

func (p program) String() string {
	return fmt.Sprintf("%s, %d forces", strings.Join(p.bodies, " | "), p.forces)
}

// A body runs on a thread, without a slot.
type body struct {
	event  graphevent.Event
	parker *park.Parker
	fresh  graphevent.Node // for a launch
}

// A play is one execution: the real store, kernel and waits. Nobody takes what is queued. What a
// thread does between two steps of the checker is not interleaved with anything, so the lock is
// never waited for; it is for the race detector.
type play struct {
	mu    sync.Mutex
	m     *modelcheck.Model
	store *graphevent.Store
	kern  *kernel.Kernel

	abandoned, stopped abandon.Flag
	ending             abandon.Ending

	circle graphevent.Event
	never  graphevent.Event
	bodies []*body
	lists  [64]waits.List // by node
	ended  [64]int        // tasks of a node that have completed
}

func (p *play) Ready(n graphevent.Node) { p.ending.Late(n) }

func (p *play) Completed(n graphevent.Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended[n]++
}

func (p *play) Finished(int) {}

func (p *play) end(n graphevent.Node, err error) {
	if p.store.EndBody(n, err, nil, p) {
		p.Completed(n)
	}
}

// begin returns a task whose body goes on.
func (p *play) begin() graphevent.Event {
	n := p.store.Acquire(nil)
	e := p.store.Start(n, 0)
	p.m.Assert(p.store.Claim(n, nil), "it is not ready")
	return e
}

func newPlay(m *modelcheck.Model, bodies int) *play {
	p := &play{m: m}
	p.store = graphevent.NewStore(graphevent.Options{Scheduler: p})
	p.kern = kernel.New(kernel.Config{
		Workers: 1, OnQuiet: func() {}, OnIdle: func(*kernel.Slot) {}, Watch: func() {},
		Own: func(*kernel.Slot) any { return nil },
	})
	p.kern.Leave() // its worker is idle
	p.ending = abandon.Ending{
		Abandoned: &p.abandoned, Stopped: &p.stopped, Store: p.store, By: p,
		Waits:  func(n graphevent.Node) *waits.List { return &p.lists[n] },
		Spares: func(graphevent.Event) bool { return false },
		Still:  func() bool { still, _ := p.kern.Still(); return still },
		Refuse: func(n graphevent.Node) { p.end(n, graphevent.ErrClosed) },
		Forces: func(graphevent.Event) (after func()) { return nil },
	}
	p.never = p.store.NewEvent()
	one, other := p.begin(), p.begin()
	p.store.HoldOpen(one.Node(), 0, other)
	p.store.HoldOpen(other.Node(), 0, one)
	p.end(one.Node(), nil)
	p.end(other.Node(), nil)
	p.circle = one
	for range bodies {
		p.bodies = append(p.bodies,
			&body{event: p.begin(), parker: park.New(park.OS), fresh: p.store.Acquire(nil)})
		p.kern.Enter()
	}
	return p
}

// wait is a wait of b for e.
func (p *play) wait(b *body, e graphevent.Event) {
	end := func() { b.parker.Unpark() }
	if !p.store.Notify(nil, end, e) {
		return
	}
	w := &waits.Wait{Events: []graphevent.Event{e}, End: end}
	list := &p.lists[b.event.Node()]
	list.Set(w) // AB3
	p.kern.StandAside()
	for !e.IsComplete() && !p.abandoned.Load() {
		b.parker.Park()
	}
	p.kern.GoOn()
	list.End(w)
}

func (p *play) run(i int, script string) {
	b := p.bodies[i]
	n := b.event.Node()
	defer p.kern.Leave()
	for _, op := range script {
		switch op {
		case 'w':
			p.wait(b, p.circle)
		case 'o':
			p.wait(b, p.bodies[(i+1)%len(p.bodies)].event)
		case 'n':
			e := p.store.NewEvent()
			if p.abandoned.Load() { // AB3
				e.Fail(graphevent.ErrClosed)
			}
			p.wait(b, e)
		case 'l':
			p.store.Start(b.fresh, 0)
			p.Ready(b.fresh)
		case 'h':
			p.store.HoldOpen(n, 0, p.circle)
		case 'a', 'u':
			after := p.circle
			if op == 'u' {
				after = p.never
			}
			p.store.HoldOpen(n, 0, after)
			p.m.Assert(!b.event.IsComplete(), "the event of body %d is complete, and it goes on", i)
			if p.store.Again(n, nil, p) {
				p.Ready(n)
			} else if p.abandoned.Load() { // AB4
				p.ending.Disown(b.event)
			}
			return
		}
	}
	p.m.Assert(!b.event.IsComplete(), "the event of body %d is complete, and it goes on", i)
	p.end(n, nil)
}

func (pr program) model(m *modelcheck.Model) {
	p := newPlay(m, len(pr.bodies))
	for i, script := range pr.bodies {
		m.Thread(func() { p.run(i, script) })
	}
	m.Thread(func() {
		p.ending.Abandon()
		p.ending.EndSources()
		for range pr.forces {
			p.ending.Force()
		}
		p.ending.Stop()
		p.ending.RefuseReady()
	})
	m.After(func() {
		m.Assert(p.ending.Still(), "all bodies have returned, and it is not still")
		for e := range p.store.Incomplete {
			state := e.State()
			m.Assert(state == graphevent.StateExecuting || state == graphevent.StateWaiting,
				"an event is %v, and nobody sees to it", state)
		}
		p.ending.Force()
		for e := range p.store.Incomplete {
			m.Assert(false, "an event is %v for ever", e.State())
		}
		for i, b := range p.bodies {
			m.Assert(p.ended[b.event.Node()] == 1, "task %d has completed %d times", i,
				p.ended[b.event.Node()])
			err := b.event.Err()
			m.Assert(err == nil || errors.Is(err, graphevent.ErrClosed), "task %d fails with %v", i,
				err)
		}
	})
}

// TestModelAbandon: bodies that go on while a system gives up return from each wait, their events
// complete after that and once, and so does all that they leave behind.
func TestModelAbandon(t *testing.T) {
	for bound, programs := range map[int][]program{
		3: {
			{[]string{"w"}, 1},
			{[]string{"w"}, 2},
			{[]string{"ww"}, 1},
			{[]string{"n"}, 1},
			{[]string{"a"}, 1},
			{[]string{"u"}, 0},
			{[]string{"u"}, 1},
			{[]string{"l"}, 0},
			{[]string{"lh"}, 1},
			{[]string{"wh"}, 2},
		},
		2: {
			{[]string{"o", "o"}, 1},
			{[]string{"o", "nl"}, 1},
			{[]string{"o", "a"}, 1},
			{[]string{"wl", "u"}, 1},
			{[]string{"ow", "w"}, 2},
			{[]string{"h", "l"}, 1},
		},
	} {
		for _, p := range programs {
			t.Run(p.String(), func(t *testing.T) {
				n := modelcheck.Scaled(60_000) / 32
				explorers := modelcheck.DepthFirstUpTo(bound, n+1)
				tally := modelcheck.Check(t,
					modelcheck.Options{Explorers: append(explorers, modelcheck.Portfolio(n+1)...)},
					p.model)
				require.Positive(t, tally.Executions)
			})
		}
	}
}
