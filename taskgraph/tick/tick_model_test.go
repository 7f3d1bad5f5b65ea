//go:build modelcheck

package tick_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/tick"
)

// A program is what another goroutine does while two frames of two groups go on: 0 and 1 add a
// function that starts in that group, 2 one that starts in the first and ends by the second, a adds
// one in the second after the one that was added last, p makes the one that was added last a
// prerequisite of one that is there from the beginning, and r removes the one that was added first.
// If a body does it, that is one of the first group in the first frame.
type program struct {
	workers int
	script  string
	body    bool
}

func (p program) String() string {
	by := "another"
	if p.body {
		by = "a body"
	}
	return fmt.Sprintf("%d workers, %s: %s", p.workers, by, p.script)
}

// A function is one that ticks. Its fields are plain: what a body writes is read after an event.
type function struct {
	*tick.Tick
	start   int
	ran     [3]int       // by frame
	added   atomics.Bool // its Add has returned
	removed atomics.Bool // its Remove has returned
}

// A play is one execution.
type play struct {
	program
	m     *modelcheck.Model
	set   *tick.Set
	frame int           // that goes on
	least atomics.Int32 // groups that have been released
	first *function     // is there from the beginning
	all   [8]*function  // in the order of Add
	n     atomics.Int32 // that are there
	later []*function   // of the one who adds
}

func (p *play) add(group, end int, after *function, first func()) *function {
	f := &function{start: group}
	declared := tick.Function{Group: group, End: end}
	if after != nil {
		declared.After = []*tick.Tick{after.Tick}
	}
	declared.Run = func(*taskgraph.Context, time.Duration) error {
		p.m.Assert(!f.removed.Load(), "a function ticks after its Remove")
		p.m.Assert(int(p.least.Load()) > f.start, "a function ticks before its group is released")
		if f.ran[p.frame]++; first != nil && p.frame == 1 {
			first()
		}
		if after != nil && !after.removed.Load() {
			p.m.Assert(after.ran[p.frame] == 1, "a function ticks before what it comes after")
		}
		return nil
	}
	f.Tick = p.set.Add(declared)
	at := p.n.Load()
	p.all[at] = f
	p.n.Add(1)
	f.added.Store(true)
	return f
}

// act does what the script says.
func (p *play) act() {
	for _, op := range p.script {
		switch op {
		case '0', '1':
			p.later = append(p.later, p.add(int(op-'0'), 0, nil, nil))
		case '2':
			p.later = append(p.later, p.add(0, 1, nil, nil))
		case 'a':
			after := p.first
			if len(p.later) > 0 {
				after = p.later[len(p.later)-1]
			}
			p.later = append(p.later, p.add(1, 0, after, nil))
		case 'p':
			if len(p.later) > 0 {
				p.first.After(p.later[len(p.later)-1].Tick)
			}
		case 'r':
			if len(p.later) > 0 {
				p.later[0].Remove()
				p.later[0].removed.Store(true)
				p.later = p.later[1:]
			}
		}
	}
}

// run runs the frames.
func (p *play) run(sys *taskgraph.System) {
	for p.frame = 1; p.frame <= 2; p.frame++ {
		p.least.Store(0)
		before := p.present()
		p.must(p.set.StartFrame(1))
		for group := range 2 {
			p.least.Add(1)
			p.must(p.set.Run(context.Background(), group))
			for _, f := range before {
				if _, end := f.Groups(); end <= group && !f.removed.Load() {
					p.m.Assert(f.ran[p.frame] == 1,
						"a wait for group %d is over, and what ends by it has run %d times",
						group, f.ran[p.frame])
				}
			}
		}
		during := p.present()
		p.must(p.set.EndFrame(context.Background()))
		for _, f := range during {
			p.m.Assert(f.removed.Load() || f.ran[p.frame] == 1,
				"a function that was added has run %d times in its frame", f.ran[p.frame])
		}
	}
	p.must(sys.Shutdown(context.Background()))
}

// present returns the functions whose Add has returned and that nobody has removed.
func (p *play) present() (there []*function) {
	for _, f := range p.all[:p.n.Load()] {
		if f.added.Load() && !f.removed.Load() {
			there = append(there, f)
		}
	}
	return there
}

func (p *play) must(err error) { p.m.Assert(err == nil, "%v", err) }

func (b program) program(m *modelcheck.Model) {
	p := &play{program: b, m: m}
	var sys *taskgraph.System
	m.SetUp(func() {
		sys = taskgraph.Start(taskgraph.Options{Workers: b.workers, Idle: taskgraph.IdleSleep})
		p.set = tick.New(sys, tick.Options{Groups: make([]tick.Group, 2)})
		var first func()
		if b.body {
			first = p.act
		}
		p.first = p.add(0, 0, nil, first)
	})
	m.Thread(func() { p.run(sys) })
	if !b.body {
		m.Thread(p.act)
	}
	m.After(func() {
		for _, f := range p.all[:p.n.Load()] {
			for frame, n := range f.ran {
				m.Assert(n <= 1, "a function has run %d times in frame %d", n, frame)
			}
		}
	})
}

// TestModelTick: a function ticks once in each frame that goes on or begins after its Add, after
// the release of its group and what it comes after, and has ended when a wait for its end group
// returns; and not after its Remove.
func TestModelTick(t *testing.T) {
	programs := []program{
		{1, "0", false}, {1, "1r", false}, {1, "2a", true}, {2, "0a", false}, {2, "0p", false},
		{2, "01r", true},
	}
	source := rand.New(rand.NewPCG(7, 0))
	for len(programs) < 12 {
		var script strings.Builder
		for range 2 + source.IntN(2) {
			script.WriteByte("012arp"[source.IntN(6)])
		}
		p := program{1 + source.IntN(2), script.String(), source.IntN(3) == 0}
		if !slices.Contains(programs, p) {
			programs = append(programs, p)
		}
	}
	n := modelcheck.Scaled(60_000) / len(programs) / 4
	if race.Enabled { // each execution takes several times as long
		n /= 4
	}
	for _, p := range programs {
		t.Run(p.String(), func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{Steps: 50_000,
				Explorers: slices.Concat(modelcheck.DepthFirstUpTo(1, n+1),
					modelcheck.Beyond(n+1))}, p.program)
		})
	}
}
