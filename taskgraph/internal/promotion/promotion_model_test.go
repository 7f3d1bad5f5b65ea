//go:build modelcheck

package promotion_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/promotion"
)

// A program is what threads do about tasks of low level. There is one that waits for a gate and, if
// it says so, one that is queued already. m opens the gate; 0, 1 and 2 raise the first task to that
// level, and a, b and c the second one; r takes what is queued at the highest level, and runs it; x
// does so, and builds another task on the node, of level 3, with the same level for nobody's
// asking.
type program struct {
	queued  bool
	threads []string
}

func (p program) String() string {
	return fmt.Sprintf("%v, %s", p.queued, strings.Join(p.threads, " | "))
}

// A job is a task of a program.
type job struct {
	event graphevent.Event
	level kernel.Level // the highest that was asked for
	ran   int
}

// A play is one execution: the real store, ranks and numbers, and queues that only keep order. What
// a thread does between two steps of the checker is not interleaved with anything, so the lock is
// never waited for; it is for the race detector.
type play struct {
	mu      sync.Mutex
	m       *modelcheck.Model
	store   *graphevent.Store
	ranks   [64]promotion.Rank // by node
	seconds promotion.Seconds
	queues  [kernel.Levels][]entry.Entry
	jobs    []*job

	first, second *job
}

func (p *play) Ready(n graphevent.Node) {
	p.queue(entry.OfTask(n), p.ranks[n].Level(p.store.Event(n))) // PR3
}

func (p *play) Completed(graphevent.Node) {}
func (p *play) Finished(int)              {}

func (p *play) queue(e entry.Entry, l kernel.Level) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queues[l] = append(p.queues[l], e)
}

func (p *play) pop() (e entry.Entry, l kernel.Level, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.queues {
		if q := p.queues[l]; len(q) > 0 {
			p.queues[l] = q[1:]
			return q[0], kernel.Level(l), true
		}
	}
	return 0, 0, false
}

// build makes a task of level l that waits for a gate, or for nothing.
func (p *play) build(gate graphevent.Event, l kernel.Level) *job {
	n := p.store.Acquire(nil)
	e := p.store.Hold(n, 0)
	p.ranks[n].Set(e, l)
	j := &job{event: e, level: l}
	p.mu.Lock()
	p.jobs = append(p.jobs, j)
	p.mu.Unlock()
	edges := uint32(0)
	if gate != (graphevent.Event{}) && p.store.After(n, 0, gate) {
		edges = 1
	}
	if p.store.Launch(e, edges, nil, p) == graphevent.LaunchReady {
		p.Ready(n)
	}
	return j
}

// raise is what a promotion does.
func (p *play) raise(j *job, l kernel.Level) {
	_, ready := p.ranks[j.event.Node()].Raise(j.event, l)
	if ready {
		number, ok := p.seconds.Add(j.event)
		p.m.Assert(ok, "there is no room")
		p.queue(entry.Of(entry.Promotion, number), l)
	}
	p.mu.Lock()
	j.level = min(j.level, l)
	p.mu.Unlock()
}

// take runs what is queued at the highest level, and reports the task that it was, and the level.
func (p *play) take() (ran *job, l kernel.Level, more bool) {
	e, l, ok := p.pop()
	if !ok {
		return nil, 0, false
	}
	var n graphevent.Node
	if e.Kind() == entry.Promotion {
		ev := p.seconds.Take(e.Index())
		if !p.store.TryClaim(ev) {
			return nil, 0, true
		}
		n = ev.Node()
	} else if n = e.Node(); !p.store.Claim(n, nil) {
		return nil, 0, true
	}
	of := p.store.Event(n)
	p.mu.Lock()
	for _, j := range p.jobs {
		if j.event == of {
			ran = j
		}
	}
	p.m.Assert(ran != nil, "what runs is no task")
	ran.ran++
	p.m.Assert(ran.ran == 1, "a task runs twice")
	p.mu.Unlock()
	p.store.EndBody(n, nil, nil, p)
	return ran, l, true
}

func (p *play) run(script string, gate graphevent.Event) {
	for _, op := range script {
		switch op {
		case 'm':
			gate.Trigger()
		case '0', '1', '2':
			p.raise(p.first, kernel.Level(op-'0'))
		case 'a', 'b', 'c':
			p.raise(p.second, kernel.Level(op-'a'))
		case 'r':
			p.take()
		case 'x':
			if ran, _, _ := p.take(); ran != nil {
				p.build(graphevent.Event{}, kernel.BackgroundNormal)
			}
		}
	}
}

func (pr program) model(m *modelcheck.Model) {
	p := &play{m: m}
	p.store = graphevent.NewStore(graphevent.Options{Scheduler: p})
	gate := p.store.NewEvent()
	p.first = p.build(gate, kernel.BackgroundLow)
	if pr.queued {
		p.second = p.build(graphevent.Event{}, kernel.BackgroundLow)
	}
	for _, script := range pr.threads {
		m.Thread(func() { p.run(script, gate) })
	}
	m.After(func() {
		gate.Trigger()
		for more := true; more; {
			var ran *job
			var l kernel.Level
			ran, l, more = p.take()
			if ran != nil {
				m.Assert(l == ran.level, "a task is found at %d that was raised to %d", l,
					ran.level)
			}
		}
		for i, j := range p.jobs {
			m.Assert(j.ran == 1, "task %d ran %d times", i, j.ran)
		}
	})
}

// TestModelPromotion: a task that is raised while it becomes ready, is queued, is begun or is over
// runs once, is found at its level at the latest, has the highest level that was asked for, and
// leaves the next task of its node as it is.
func TestModelPromotion(t *testing.T) {
	for bound, programs := range map[int][]program{
		3: {
			{false, []string{"m", "0"}},
			{false, []string{"m", "10"}},
			{false, []string{"0", "1"}},
			{false, []string{"mr", "0"}},
			{false, []string{"mx", "01"}},
			{true, []string{"r", "b"}},
			{true, []string{"xr", "ba"}},
		},
		2: {
			{false, []string{"m", "0", "1"}},
			{false, []string{"m", "0", "r"}},
			{false, []string{"mx", "0", "r"}},
			{false, []string{"0", "1", "2"}},
			{true, []string{"m", "0b", "r"}},
			{true, []string{"x", "a", "b"}},
			{true, []string{"xr", "a", "mr"}},
		},
	} {
		for _, p := range programs {
			t.Run(p.String(), func(t *testing.T) {
				explore(t, bound, modelcheck.Scaled(60_000)/16, p)
			})
		}
	}
	t.Run("drawn", func(t *testing.T) {
		const programs = 40
		for i := range programs {
			rnd := rand.New(rand.NewPCG(11, uint64(i)))
			p := program{queued: rnd.IntN(2) == 0}
			ops := "m0012rrx"
			if p.queued {
				ops += "abc"
			}
			for thread := range 2 + i%2 {
				var b strings.Builder
				if thread == 0 {
					b.WriteByte('m') // so that there is a step
				}
				for range 1 + rnd.IntN(3) {
					b.WriteByte(ops[rnd.IntN(len(ops))])
				}
				p.threads = append(p.threads, b.String())
			}
			t.Run(p.String(), func(t *testing.T) {
				explore(t, 1, modelcheck.Scaled(60_000)/programs, p)
			})
		}
	})
}

// TestModelSeconds: a number that was taken, and is given out again at once, leads to its new
// event.
func TestModelSeconds(t *testing.T) {
	n := modelcheck.Scaled(60_000) / 16
	explorers := append(modelcheck.DepthFirstUpTo(2, n), modelcheck.Beyond(n)...)
	modelcheck.Check(t, modelcheck.Options{Steps: 20_000, Explorers: explorers},
		func(m *modelcheck.Model) {
			var seconds promotion.Seconds
			store := graphevent.NewStore(graphevent.Options{})
			first, second := store.NewEvent(), store.NewEvent()
			number, _ := seconds.Add(first)
			m.Thread(func() {
				m.Assert(seconds.Take(number) == first, "another event")
			})
			m.Thread(func() {
				other, ok := seconds.Add(second)
				m.Assert(ok, "there is no room")
				m.Assert(seconds.Of(other) == second, "the new event is lost")
				m.Assert(seconds.Take(other) == second, "the new event is lost")
			})
		})
}

// explore runs all executions of p with at most so many preemptions, or n of each number of them,
// and others at random.
func explore(t *testing.T, bound, n int, p program) {
	t.Helper()
	explorers := modelcheck.DepthFirstUpTo(bound, n+1)
	tally := modelcheck.Check(t,
		modelcheck.Options{Explorers: append(explorers, modelcheck.Portfolio(n+1)...)}, p.model)
	require.Positive(t, tally.Executions)
}
