//go:build modelcheck

package counts_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/counts"
)

// An idleProgram says for each goroutine how many calls it makes, one after the other. It asks for
// the event before each of them ends, and goes on at once. One with -1 calls asks for an event
// without a call of its own.
type idleProgram []int

type idlePlay struct {
	m         *modelcheck.Model
	count     counts.IdleCount
	made      atomics.Uint64
	triggered [16]atomics.Bool // by event
	events    [4][4]uint64     // by goroutine and call; 0: none
}

func (p *idlePlay) fresh() uint64 { return p.made.Add(1) }

func (p *idlePlay) trigger(e uint64) {
	p.m.Assert(!p.triggered[e].Swap(true), "an event is triggered twice")
}

func (p *idlePlay) run(at, calls int) {
	if calls < 0 {
		p.events[at][0], _ = p.count.Event(p.fresh, p.trigger)
	}
	for i := range calls {
		p.count.Add(1)
		e, ok := p.count.Event(p.fresh, p.trigger)
		p.m.Assert(ok, "the count is zero before the call has ended")
		p.m.Assert(!p.triggered[e].Load(),
			"the event of call %d of %d is triggered before it has ended", i, at)
		p.events[at][i] = e
		p.count.Done(1, p.trigger)
	}
}

func (b idleProgram) program(m *modelcheck.Model) {
	p := &idlePlay{m: m}
	for at, calls := range b {
		m.Thread(func() { p.run(at, calls) })
	}
	m.After(func() {
		m.Assert(p.count.Load() == 0, "%d are left", p.count.Load())
		for at := range b {
			for i, e := range p.events[at] {
				m.Assert(e == 0 || p.triggered[e].Load(),
					"the event of call %d of %d is not triggered", i, at)
			}
		}
	})
}

// TestModelIdleCount: an event is triggered once, after the end of all that was counted before
// somebody got it.
func TestModelIdleCount(t *testing.T) {
	for _, p := range []idleProgram{{1}, {2}, {1, 1}} {
		t.Run(fmt.Sprint(p), func(t *testing.T) { modelcheck.CheckAll(t, p.program) })
	}
	for _, p := range []idleProgram{{1, 2}, {2, 2}, {1, 1, 1}, {1, 1, 2}, {2, -1}, {1, 1, -1},
		{2, 1, -1}} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			modelcheck.CheckUpTo(t, 3, race.Enabled, p.program)
		})
	}
}
