//go:build modelcheck

package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// A line is a Pipeline: how many workers, tokens and values there are, its stages, each p for
// parallel, s for serial or o for in order, and what happens to the value 1 in the first of them.
type line struct {
	workers, tokens, values int
	stages                  string
	end                     string // "", error or panic; a model's threads know no Goexit
	body                    bool   // it is called by a body
}

var errLine = errors.New("fails")

// A stage counts what its function is called with. The fields are plain where one call happens
// before the next.
type stage struct {
	kind   rune
	inside atomics.Int32
	called int // if not parallel
	got    []atomics.Int32
}

func (l line) program(m *modelcheck.Model) {
	var sys *taskgraph.System
	m.SetUp(func() {
		sys = taskgraph.Start(taskgraph.Options{Workers: l.workers, Idle: taskgraph.IdleSleep})
	})
	stages := make([]stage, len(l.stages))
	var last []atomics.Int32 // values that came through all stages
	var over atomics.Bool
	drawn, sources := 0, atomics.Int32{}
	var all []parallel.Stage[int]
	for i, kind := range l.stages {
		s := &stages[i]
		s.kind, s.got = kind, make([]atomics.Int32, l.values)
		last = s.got
		call := func(v int) (int, error) {
			n := s.inside.Add(1)
			m.Assert(!over.Load(), "a stage is called after the return")
			m.Assert(kind == 'p' || n == 1, "%d are in stage %d", n, i)
			m.Assert(s.got[v].Add(1) == 1, "stage %d gets a value twice", i)
			m.Assert(i == 0 || stages[i-1].got[v].Load() == 1, "a value leaves out a stage")
			if kind == 'o' && l.end == "" {
				m.Assert(s.called == v, "stage %d gets %d before %d", i, v, s.called)
			}
			if kind != 'p' {
				s.called++
			}
			s.inside.Add(-1)
			if i == 0 && v == 1 {
				switch l.end {
				case "error":
					return v, errLine
				case "panic":
					panic(errLine)
				}
			}
			return v, nil
		}
		all = append(all, map[rune]parallel.Stage[int]{'p': parallel.Parallel(call),
			's': parallel.Serial(call), 'o': parallel.InOrder(call)}[kind])
	}
	source := func() (int, bool) {
		m.Assert(sources.Add(1) == 1, "two are at the source")
		defer sources.Add(-1)
		if drawn == l.values {
			return 0, false
		}
		drawn++
		return drawn - 1, true
	}
	run := func(on parallel.Launcher) {
		err := parallel.Pipeline(context.Background(), on, l.tokens, source, all...)
		over.Store(true)
		is := map[string]bool{"": err == nil, "error": errors.Is(err, errLine),
			"panic": errors.As(err, new(*graphevent.PanicError))}
		m.Assert(is[l.end], "the pipeline returns %v", err)
		m.Assert(l.end != "" || drawn == l.values, "%d values are drawn of %d", drawn, l.values)
		for v := range drawn {
			m.Assert(last[v].Load() == 1 || l.end != "" && v == 1, "value %d is lost", v)
		}
	}
	m.Thread(func() {
		if l.body {
			sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				run(c)
				return nil
			})).Launch()
		} else {
			run(sys)
		}
		err := sys.Shutdown(context.Background())
		m.Assert(err == nil, "Shutdown: %v", err)
	})
	m.After(func() { m.Assert(over.Load(), "the pipeline has not returned") })
}

// TestModelPipeline: each value goes through all stages, once and, in order, in its turn; a serial
// stage has one at a time, and so has the source; one that fails keeps nobody else; and the call
// returns when all that has ended, and not before.
func TestModelPipeline(t *testing.T) {
	lines := []line{
		{1, 1, 2, "s", "", false}, {1, 2, 2, "po", "", true}, {2, 2, 2, "p", "", false},
		{2, 2, 3, "ps", "", false}, {2, 2, 3, "po", "", false}, {2, 3, 3, "pso", "", false},
		{2, 2, 3, "so", "error", false}, {2, 2, 3, "po", "panic", false},
		{2, 2, 2, "so", "panic", true}, {2, 2, 4, "sp", "", true},
	}
	n := modelcheck.Scaled(60_000) / len(lines) / 4
	if race.Enabled { // each execution takes several times as long
		n /= 4
	}
	for _, l := range lines {
		t.Run(fmt.Sprint(l), func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{Steps: 50_000,
				Explorers: slices.Concat(modelcheck.DepthFirstUpTo(1, n+1),
					modelcheck.Beyond(n+1))}, l.program)
		})
	}
}
