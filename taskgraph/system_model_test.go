//go:build modelcheck

package taskgraph_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
)

// A part is one thing that a small program launches.
type part struct {
	Kind   string // task, loop, graph, twice
	After  []int  // earlier parts
	Waits  int    // an earlier part that its body waits for, or -1
	Thread bool   // on the named thread
	Always bool   // runs though one of After failed
	Fails  bool
	Spawns bool   // its body launches a task, which it is held open by
	How    string // launch, wait (launch and wait), run (the caller takes part)
}

// A small program is what one caller does, before it shuts the system down, and what somebody else
// launches meanwhile.
type small struct {
	Parts []part
	Late  string // what the other does: none, go, wait
}

func (p small) String() string {
	var b strings.Builder
	for i, x := range p.Parts {
		fmt.Fprintf(&b, "%d: %s %s", i, x.How, x.Kind)
		if len(x.After) > 0 {
			fmt.Fprintf(&b, " after %v", x.After)
		}
		if x.Waits >= 0 {
			fmt.Fprintf(&b, ", waits for %d", x.Waits)
		}
		for _, f := range []struct {
			is   bool
			what string
		}{{x.Thread, "on the thread"}, {x.Always, "always"}, {x.Fails, "fails"},
			{x.Spawns, "spawns"}} {
			if f.is {
				b.WriteString(", " + f.what)
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "another: %s\n", p.Late)
	return b.String()
}

// drawSmall draws a program of at most so many parts.
func drawSmall(most int) *rapid.Generator[small] {
	return rapid.Custom(func(t *rapid.T) (p small) {
		waits := false
		for i := range rapid.IntRange(1, most).Draw(t, "parts") {
			x := part{Waits: -1}
			x.Kind = rapid.SampledFrom([]string{"task", "task", "task", "loop", "graph",
				"twice"}).Draw(t, "kind")
			if i > 0 {
				if rapid.Bool().Draw(t, "after") {
					x.After = []int{rapid.IntRange(0, i-1).Draw(t, "which")}
				}
				// One wait at most: each may take a runner of its own, and the checker has eight
				// threads.
				if !waits && rapid.Bool().Draw(t, "waits") {
					waits = true
					x.Waits = rapid.IntRange(0, i-1).Draw(t, "for")
				}
			}
			x.Thread = rapid.IntRange(0, 3).Draw(t, "where") == 3
			x.Fails = rapid.IntRange(0, 3).Draw(t, "fails") == 3
			x.Always = rapid.Bool().Draw(t, "always")
			x.Spawns = rapid.IntRange(0, 2).Draw(t, "spawns") == 2
			x.How = rapid.SampledFrom([]string{"launch", "launch", "wait", "run"}).Draw(t, "how")
			if x.Kind == "graph" || x.Kind == "twice" {
				if x.Waits >= 0 {
					waits = false
				}
				x.Waits, x.Thread, x.Always, x.Spawns = -1, false, false, false
			}
			if x.How == "run" && x.Thread {
				x.How = "wait" // a body that Run runs is the caller's
			}
			p.Parts = append(p.Parts, x)
		}
		p.Late = rapid.SampledFrom([]string{"none", "go", "wait"}).Draw(t, "late")
		return p
	})
}

// A show is one execution of a small program. Its fields are plain: what is written before a
// completion is read after it, which the race detector judges.
type show struct {
	small
	fail   func(format string, args ...any)
	sys    *taskgraph.System
	th     *namedthread.Thread
	events []taskgraph.Event
	ran    []int // bodies, by part: of a loop elements, of a graph tasks
	done   []bool
	spawn  []int
	said   []string // what the caller's waits returned
	other  string   // what the other's did
	late   taskgraph.Event
	ranIt  bool   // the other's task has run
	over   bool   // Shutdown has returned
	end    string // what it returned
}

var errPart = errors.New("fails")

func (s *show) must(ok bool, format string, args ...any) {
	if !ok {
		s.fail(format, args...)
	}
}

// body is the body of part i.
func (s *show) body(i int) taskgraph.Body {
	x := s.Parts[i]
	return taskgraph.Run(func(c *taskgraph.Context) error {
		for _, j := range x.After {
			s.must(s.events[j].IsComplete(), "%d begins before the end of %d", i, j)
		}
		s.must(!x.Thread || c.Thread() == s.th, "%d is not on its thread", i)
		if x.Waits >= 0 {
			err := c.Wait(s.events[x.Waits])
			s.must(s.done[x.Waits] || err != nil, "the wait of %d for %d is over too early", i,
				x.Waits)
		}
		if x.Spawns {
			c.DontCompleteUntil(c.Go(func() { s.spawn[i]++ }))
		}
		if x.Kind == "loop" {
			var seen [3]int
			err := c.RunLoop(taskgraph.Loop{N: 3, Grain: 1, Unbalanced: true,
				Body: func(_ *taskgraph.Participant, lo, hi int) error {
					seen[lo] += hi - lo
					return nil
				}})
			s.must(err == nil && seen == [3]int{1, 1, 1}, "a loop of %d: %v, %v", i, seen, err)
		}
		s.ran[i]++
		s.done[i] = !x.Fails
		if x.Fails {
			return errPart
		}
		return nil
	})
}

// graph makes the graph of part i: two tasks after one, and the last may fail.
func (s *show) graph(i int) *taskgraph.Graph {
	var b taskgraph.GraphBuilder
	var n [3]int
	task := func(j int) taskgraph.Body {
		return taskgraph.Try(func() error {
			s.must(j == 0 || n[j] < n[0], "task %d of graph %d begins before the first", j, i)
			if n[j]++; j == 2 {
				if s.done[i] = !s.Parts[i].Fails; !s.done[i] {
					return errPart
				}
			}
			return nil
		})
	}
	first := b.Task(task(0))
	second := b.Task(task(1)).After(first)
	b.Task(task(2)).After(first, second)
	g, err := b.Build()
	s.must(err == nil, "%v", err)
	return g
}

// launch launches part i, and returns its event.
func (s *show) launch(i int) taskgraph.Event {
	x := s.Parts[i]
	var after []taskgraph.Event
	for _, j := range x.After {
		after = append(after, s.events[j])
	}
	switch x.Kind {
	case "graph", "twice":
		g := s.graph(i)
		e := s.sys.LaunchGraph(g, after...)
		if x.Kind == "twice" {
			s.said = append(s.said, fmt.Sprint(s.sys.WaitUntilTasksComplete(bg, e)))
			e = s.sys.LaunchGraph(g)
		}
		return e
	}
	t := s.sys.Task(s.body(i)).Name(fmt.Sprint("part ", i)).After(after...)
	if x.Thread {
		t = t.On(s.th)
	}
	if x.Always {
		t = t.Always()
	}
	return t.Launch()
}

// play runs the program on a system with these options; elsewhere runs a function on a goroutine
// that may use it.
func (s *show) play(o taskgraph.Options, elsewhere func(s *show, f func())) {
	reg := namedthread.NewRegistry()
	o.Workers, o.Threads, o.Idle = 2, reg, taskgraph.IdleSleep
	th, err := reg.Start("named", namedthread.Options{})
	s.must(err == nil, "%v", err)
	s.th = th
	s.sys = taskgraph.Start(o)
	n := len(s.Parts)
	s.ran, s.spawn, s.done = make([]int, n), make([]int, n), make([]bool, n)
	s.events = make([]taskgraph.Event, n)
	if s.Late != "none" {
		elsewhere(s, func() {
			s.late = s.sys.Go(func() {
				s.must(!s.over, "a task runs after the end of Shutdown")
				s.ranIt = true
			})
			if s.Late == "wait" {
				err := s.sys.WaitUntilTasksComplete(bg, s.late)
				s.other = fmt.Sprint(err)
				s.must(err != nil || s.ranIt, "a wait for a task is over, and it has not run")
			}
		})
	}
	for i, x := range s.Parts {
		if x.How == "run" && x.Kind == "task" && len(x.After) == 0 {
			// The event of what Run runs is that of an empty task after it.
			err := s.sys.Run(bg, s.body(i))
			s.said = append(s.said, fmt.Sprint(err))
			s.events[i] = s.sys.NewEvent()
			if err != nil {
				s.events[i].Fail(err)
			} else {
				s.events[i].Trigger()
			}
			continue
		}
		s.events[i] = s.launch(i)
		if x.How != "launch" {
			s.said = append(s.said, fmt.Sprint(s.sys.WaitUntilTasksComplete(bg, s.events[i])))
		}
	}
	s.end = fmt.Sprint(s.sys.Shutdown(bg))
	s.over = true
	for i, e := range s.events {
		s.must(e.IsComplete(), "the system is shut down, and %d is not complete", i)
	}
	th.Quit()
}

// aNode is what an error calls an event without a name: which node that has depends on what went
// back to which cache.
var aNode = regexp.MustCompile(`event \d+\.\d+`)

// outcomes is what a user can see of an execution that has ended: of the caller, and of the other.
// They are not combined: that the other begins only when all is over is an order that deterministic
// mode hardly ever draws.
func (s *show) outcomes() []string {
	var b strings.Builder
	for i, e := range s.events {
		fmt.Fprintf(&b, "%d: %v, ran %d, spawned %d; ", i, e.Err(), s.ran[i], s.spawn[i])
	}
	end := strings.Split(aNode.ReplaceAllString(s.end, "event"), "\n")
	slices.Sort(end)
	fmt.Fprintf(&b, "said %q; shutdown %q", s.said, end)
	if s.Late == "none" {
		return []string{b.String()}
	}
	return []string{b.String(), fmt.Sprintf("other: %q, %v, ran %v", s.other, s.late.Err(),
		s.ranIt)}
}

// deterministic runs the program once in deterministic mode. If last, the other begins when all is
// over, which seeds hardly draw.
func (p small) deterministic(t testing.TB, seed uint64, last bool) []string {
	s := &show{small: p, fail: t.Fatalf}
	over := make(chan struct{})
	other := func() {}
	s.play(taskgraph.Options{Deterministic: &taskgraph.Deterministic{Seed: seed}},
		func(s *show, f func()) {
			if other = f; last {
				return
			}
			other = func() { <-over }
			s.sys.Outside(func() {
				defer close(over)
				f()
			})
		})
	other()
	<-s.th.Done()
	s.must(p.Late == "none" || s.late.IsComplete(), "the other's task is not complete")
	return s.outcomes()
}

// reaches adds what deterministic mode does with seeds from first to last to a set, until that has
// everything that is wanted.
func (p small) reaches(t testing.TB, set map[string]bool, first, last uint64, want ...string) {
	for seed := first; seed < last; seed++ {
		if len(want) > 0 && !slices.ContainsFunc(want, func(o string) bool { return !set[o] }) {
			return
		}
		for _, o := range p.deterministic(t, seed, seed == first) {
			set[o] = true
		}
	}
}

// The seeds that are tried, and tried if an outcome is not among what those reach.
const fewSeeds, manySeeds = 50, 4_000

// model returns the program for the checker, which tells each outcome.
func (p small) model(tell func(m *modelcheck.Model, outcomes []string)) func(m *modelcheck.Model) {
	return func(m *modelcheck.Model) {
		s := &show{small: p, fail: func(format string, args ...any) {
			m.Assert(false, format, args...)
		}}
		m.Thread(func() {
			s.play(taskgraph.Options{}, func(_ *show, f func()) { atomics.Go(f) })
		})
		m.After(func() {
			s.must(p.Late == "none" || s.late.IsComplete(), "the other's task is not complete")
			tell(m, s.outcomes())
		})
	}
}

// TestModelSystem: whatever a small system does on real threads, in an order of their atomic steps
// that the checker chooses, is what deterministic mode can do. No time limit comes, so that the
// monitor adds nobody and no wake-up that was lost is made good.
func TestModelSystem(t *testing.T) {
	modelcheck.Drawn(func(i int, source *rand.Rand, executions int) {
		if i%4 != 1 {
			return // an execution of a whole system takes as long as a hundred of a structure's
		}
		p := drawSmall(1 + i/4%4).Example(source.Int())
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Log(p)
			reached := map[string]bool{}
			p.reaches(t, reached, 0, fewSeeds)
			seen := map[string]bool{}
			o := modelcheck.Options{Steps: 50_000, Explorers: append([]modelcheck.Explorer{
				modelcheck.DepthFirst(0, executions/8+1), modelcheck.DepthFirst(1, executions/4+1)},
				modelcheck.Beyond(executions/2)...)}
			modelcheck.Check(t, o, p.model(func(_ *modelcheck.Model, outcomes []string) {
				for _, o := range outcomes {
					seen[o] = true
				}
			}))
			p.reaches(t, reached, fewSeeds, manySeeds, slices.Collect(maps.Keys(seen))...)
			for outcome := range seen {
				if reached[outcome] {
					continue
				}
				// Once more, for the report.
				o.Name = t.Name()
				modelcheck.Check(t, o, p.model(func(m *modelcheck.Model, now []string) {
					m.Assert(!slices.Contains(now, outcome),
						"deterministic mode does not do this: %s",
						outcome)
				}))
			}
		})
	})
}
