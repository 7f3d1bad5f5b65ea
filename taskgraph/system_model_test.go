//go:build modelcheck

package taskgraph_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
)

// A show is one execution of a small program. Its fields are plain: what is written before a
// completion is read after it, which the race detector judges.
type show struct {
	small
	fail   func(format string, args ...any)
	sys    *taskgraph.System
	th     *namedthread.Thread
	events []taskgraph.Event
	graphs []*taskgraph.Graph
	ran    []int // bodies, by part: of a loop elements, of a graph tasks
	done   []bool
	spawn  []int
	called [][2]int         // calls of a group, by part
	group  *taskgraph.Group // for calls of the caller and of the other
	pipe   *taskgraph.Pipe
	sem    *taskgraph.Semaphore // with one unit
	inside map[string]*int      // how many are in the pipe, and have the unit
	said   []string             // what the caller's waits returned
	other  string               // what the other's did
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
			s.must(s.isDone(x.Waits) || err != nil, "the wait of %d for %d is over too early", i,
				x.Waits)
		}
		if x.Gate == "asks" {
			if err := c.Acquire(bg, s.sem); err != nil {
				s.must(s.GivesUp, "%d gets no unit: %v", i, err)
				return err
			}
		}
		if x.Gate != "" {
			defer s.enter(i)()
		}
		if x.Spawns {
			c.DontCompleteUntil(c.Go(func() { s.spawn[i]++ }))
		}
		if x.Calls {
			g := s.sys.NewGroup()
			s.calls(i, g, c)
			s.sleep(i, c)
			err := g.Wait(c)
			s.must(s.called[i] == [2]int{1, 1} && err == nil || s.GivesUp,
				"%d waits for its calls: %v, %v", i, s.called[i], err)
		}
		if !x.Calls {
			s.sleep(i, c)
		}
		if x.Kind == "loop" {
			var seen [3]int
			err := c.RunLoop(taskgraph.Loop{N: 3, Grain: 1, Unbalanced: true,
				Body: func(_ *taskgraph.Participant, lo, hi int) error {
					seen[lo] += hi - lo
					return nil
				}})
			s.must(err == nil && seen == [3]int{1, 1, 1} || s.GivesUp, "a loop of %d: %v, %v", i,
				seen, err)
		}
		s.ran[i]++
		s.done[i] = !x.Fails
		if x.Fails {
			return errPart
		}
		return nil
	})
}

// sleep lets part i sleep until its beat, which comes only when nobody can go on: what it has
// launched and called before that has run by then.
func (s *show) sleep(i int, c *taskgraph.Context) {
	x := s.Parts[i]
	if !x.Sleeps {
		return
	}
	err := s.sys.SleepUntil(c, s.beat(10+i)) // after those of the caller
	s.must(err == nil, "the sleep of %d: %v", i, err)
	s.must(!x.Spawns || s.spawn[i] == 1, "%d slept, and what it had launched waited for it", i)
	s.must(!x.Calls || s.called[i] == [2]int{1, 1}, "%d slept, and its calls waited for it",
		i)
}

// beat returns the beat number i from now on. They are so far apart that the looks at the clock of
// a model, and the real time that passes, make no difference to their order.
func (s *show) beat(i int) time.Time {
	return s.sys.Now().Add(time.Duration(i+1) * time.Minute)
}

// isDone reports whether what part i has to do has been done.
func (s *show) isDone(i int) bool {
	if s.Parts[i].Kind == "calls" {
		return s.called[i] == [2]int{1, 1} || s.GivesUp
	}
	return s.done[i]
}

// enter says that part i is in its gate, and returns what says that it leaves that.
func (s *show) enter(i int) (leave func()) {
	gate := s.Parts[i].Gate
	n := s.inside[gate]
	*n++
	s.must(*n == 1, "%d are in %s", *n, gate)
	return func() {
		*n--
		if gate != "pipe" {
			s.sem.Release()
		}
	}
}

// calls makes two calls of g for part i.
func (s *show) calls(i int, g *taskgraph.Group, l taskgraph.Launcher) {
	for j := range s.called[i] {
		g.Go(l, func() { s.called[i][j]++ })
	}
}

// ranked makes the graph of part i with kind ranked: two tasks, of which the first has the longer
// way behind it, and three more; the last one may fail.
func (s *show) ranked(i int) *taskgraph.Graph {
	var b taskgraph.GraphBuilder
	var n [5]int
	after := [...][]int{{}, {}, {0}, {0, 1}, {2, 3}}
	var all [5]taskgraph.GraphTask
	for j := range all {
		all[j] = b.Task(taskgraph.Try(func() error {
			for _, k := range after[j] {
				s.must(n[k] == n[j]+1, "task %d of graph %d begins before task %d", j, i, k)
			}
			if n[j]++; j == 4 {
				if s.done[i] = !s.Parts[i].Fails; !s.done[i] {
					return errPart
				}
			}
			return nil
		}))
		for _, k := range after[j] {
			all[j].After(all[k])
		}
	}
	g, err := b.Build()
	s.must(err == nil, "%v", err)
	return g
}

// graph makes the graph of part i: two tasks after one, and the last may fail.
func (s *show) graph(i int) *taskgraph.Graph {
	if s.Parts[i].Kind == "ranked" {
		return s.ranked(i)
	}
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
func (s *show) launch(i int, elsewhere func(s *show, f func())) taskgraph.Event {
	x := s.Parts[i]
	var after []taskgraph.Event
	for _, j := range x.After {
		after = append(after, s.events[j])
	}
	switch x.Kind {
	case "graph", "twice", "ranked":
		g := s.graph(i)
		s.graphs[i] = g
		if x.Kind == "ranked" {
			taskgraph.SetByRank(g)
		}
		e := s.sys.LaunchGraph(g, after...)
		if x.Kind == "twice" || x.Kind == "ranked" && x.How != "launch" {
			s.said = append(s.said, fmt.Sprint(s.sys.WaitUntilTasksComplete(bg, e)))
			if x.Kind == "ranked" {
				taskgraph.SetByRank(g)
			}
			e = s.sys.LaunchGraph(g)
		}
		return e
	case "calls":
		s.calls(i, s.group, s.sys)
		e := s.group.Idle()
		if x.How != "launch" {
			s.said = append(s.said, fmt.Sprint(s.group.Wait(bg)))
			s.must(s.isDone(i), "the wait for %d is over too early", i)
		}
		return e
	case "timer", "every":
		s.done[i] = true
		var e taskgraph.Event
		if x.Kind == "timer" {
			e = s.sys.AfterDelay(time.Hour)
		} else {
			e = s.sys.Every(bg, time.Hour, taskgraph.Try(func() error {
				s.must(s.ran[i] == 0, "%d has a tick after the only one", i)
				if s.ran[i]++; x.Fails {
					return errPart
				}
				return nil
			}))
		}
		switch s.Timer {
		case "early":
			s.sys.FireDelays()
		case "late":
			elsewhere(s, s.sys.FireDelays)
		}
		return e
	case "held":
		after = append(after, s.sys.NewEvent())
	}
	t := s.sys.Task(s.body(i)).Name(fmt.Sprint("part ", i)).After(after...)
	if x.Thread {
		t = t.On(s.th)
	}
	if x.Always {
		t = t.Always()
	}
	switch x.Gate {
	case "pipe":
		t = t.In(s.pipe)
	case "unit":
		t = t.Acquire(s.sem)
	}
	return t.Launch()
}

// play runs the program on a system with these options; elsewhere runs a function on a goroutine
// that may use it.
func (s *show) play(o taskgraph.Options, elsewhere func(s *show, f func())) {
	reg := namedthread.NewRegistry()
	o.Workers, o.Threads = 2, reg
	if !s.Awake {
		o.Idle = taskgraph.IdleSleep
	}
	if !s.GivesUp && !s.Awake { // then nothing is bound to it
		var err error
		s.th, err = reg.Start("named", namedthread.Options{})
		s.must(err == nil, "%v", err)
	}
	s.sys = taskgraph.Start(o)
	if o.Deterministic == nil {
		taskgraph.AllowByRank(s.sys)
	}
	n := len(s.Parts)
	s.graphs = make([]*taskgraph.Graph, n)
	s.ran, s.spawn, s.done = make([]int, n), make([]int, n), make([]bool, n)
	s.events, s.called = make([]taskgraph.Event, n), make([][2]int, n)
	s.group, s.pipe, s.sem = s.sys.NewGroup(), s.sys.NewPipe(), s.sys.NewSemaphore(1)
	has := new(int)
	s.inside = map[string]*int{"pipe": new(int), "unit": has, "asks": has}
	switch s.Late {
	case "calls":
		elsewhere(s, func() {
			s.group.Go(s.sys, func() { s.ranIt = true })
			err := s.group.Wait(bg)
			s.other = fmt.Sprint(err)
			s.must(err != nil || s.ranIt, "a wait for a call is over, and it has not run")
		})
	case "go", "wait":
		elsewhere(s, func() {
			s.late = s.sys.Go(func() {
				s.must(s.GivesUp || !s.over, "a task runs after the end of Shutdown")
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
		if x.Named {
			s.sys.ExpectWork(s.beat(i))
		}
		if x.Beat {
			err := s.sys.SleepUntil(bg, s.beat(i))
			s.must(err == nil, "the sleep before %d: %v", i, err)
			// A beat comes only when nobody can go on.
			for j, y := range s.Parts[:i] {
				s.must(s.events[j].IsComplete() || s.isEndless(y) || s.isLate(y),
					"%d waited for the beat of %d", j, i)
			}
		}
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
		s.events[i] = s.launch(i, elsewhere)
		if x.How != "launch" {
			s.said = append(s.said, fmt.Sprint(s.sys.WaitUntilTasksComplete(bg, s.events[i])))
		}
	}
	ctx := newEnding()
	if s.GivesUp {
		ctx.end()
	}
	err := s.sys.Shutdown(ctx)
	s.end = fmt.Sprint(err)
	s.over = !s.GivesUp // else bodies may go on
	if s.GivesUp && err != nil {
		// What it gives up on, and whether there is anything, is of a moment that nobody chooses.
		s.must(errors.As(err, new(*taskgraph.StuckError)) || errors.Is(err, errPart),
			"Shutdown: %v", err)
	} else {
		for i, e := range s.events {
			s.must(e.IsComplete(), "the system is shut down, and %d is not complete", i)
		}
	}
	if s.GivesUp {
		s.end = "gives up or not"
	}
	if s.th != nil {
		s.th.Quit()
	}
}

// ended looks at what is left when nobody runs any more.
func (s *show) ended() {
	s.must(!s.Awake || s.GivesUp || s.sys.Stats().Spares == 0, "the monitor has added a worker")
	s.must(s.late.IsComplete(), "the other's task is not complete")
	for i, e := range s.events {
		s.must(e.IsComplete(), "%d is not complete", i)
	}
	s.must(s.sys.PendingDelays() == 0, "%d delays are pending", s.sys.PendingDelays())
	s.must(*s.inside["pipe"] == 0 && *s.inside["unit"] == 0, "somebody is in a gate")
	s.must(s.sem.TryAcquire() && !s.sem.TryAcquire(), "there is not one unit")
}

// aNode is what an error calls an event without a name: which node that has depends on what went
// back to which cache.
var aNode = regexp.MustCompile(`event \d+\.\d+`)

// outcomes is what a user can see of an execution that has ended: of the caller, and of the other.
// They are not combined: that the other begins only when all is over is an order that deterministic
// mode hardly ever draws. Nor is anything if Shutdown gives up on it, each at its own moment.
func (s *show) outcomes() (all []string) {
	var b strings.Builder
	tell := func(format string, args ...any) {
		fmt.Fprintf(&b, format+"; ", args...)
		if s.GivesUp {
			all = append(all, b.String())
			b.Reset()
		}
	}
	for i, e := range s.events {
		tell("%d: %v, ran %d", i, e.Err(), s.ran[i])
		tell("%d: spawned %d", i, s.spawn[i])
		for j, n := range s.called[i] {
			tell("%d: call %d ran %d", i, j, n)
		}
	}
	end := strings.Split(aNode.ReplaceAllString(s.end, "event"), "\n")
	slices.Sort(end)
	if s.Late == "calls" {
		// Whether the other has looked by now is open.
		end = slices.DeleteFunc(end, func(line string) bool { return line == refusedCall })
		if len(end) == 0 {
			end = []string{"<nil>"}
		}
	}
	tell("said %q, shutdown %q", s.said, end)
	if !s.GivesUp {
		all = append(all, b.String())
		b.Reset()
	}
	if s.Late != "none" {
		tell("other: %q, %v", s.other, s.late.Err())
		tell("other: ran %v", s.ranIt)
		if !s.GivesUp {
			all = append(all, b.String())
		}
	}
	for i := range all {
		all[i] = aNode.ReplaceAllString(all[i], "event")
	}
	return all
}

// refusedCall is what Shutdown says of a call of a group that came too late.
var refusedCall = fmt.Sprint("taskgraph: event failed and nobody looked: ", graphevent.ErrClosed)

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
	if s.th != nil {
		<-s.th.Done()
	}
	s.ended()
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
			s.ended()
			for i, g := range s.graphs {
				m.Assert(s.Parts[i].Kind != "ranked" || !s.done[i] || taskgraph.IsByRank(g),
					"the run of %d does not go by rank", i)
			}
			tell(m, s.outcomes())
		})
	}
}

// TestModelSystem: whatever a small system does on real threads, in an order of their atomic steps
// that the checker chooses, is what deterministic mode can do. No time limit comes, so that the
// monitor adds nobody and no wake-up that was lost is made good; but a shutdown that gives up has
// some, which come when nobody else can move. Delays end when somebody says so, in both modes.
func TestModelSystem(t *testing.T) {
	for i, p := range least {
		t.Run(fmt.Sprint("least ", i), func(t *testing.T) {
			p.check(t, modelcheck.Scaled(60_000)/40)
		})
	}
	modelcheck.Drawn(func(i int, source *rand.Rand, executions int) {
		if i%4 != 1 {
			return // an execution of a whole system takes as long as a hundred of a structure's
		}
		p := drawSmall(1 + i/4%4).Example(source.Int())
		t.Run(fmt.Sprint(i), func(t *testing.T) { p.check(t, executions) })
	})
}

// check explores the program, and then looks for each outcome in deterministic mode.
func (p small) check(t *testing.T, executions int) {
	t.Log(p)
	reached := map[string]bool{}
	p.reaches(t, reached, 0, fewSeeds)
	seen := map[string]bool{}
	o := modelcheck.Options{Steps: 50_000, Explorers: append([]modelcheck.Explorer{
		modelcheck.DepthFirst(0, executions/8+1), modelcheck.DepthFirst(1, executions/4+1)},
		modelcheck.Beyond(executions/2)...)}
	if p.GivesUp { // it looks again and again
		o.Timers = modelcheck.TimersOnTime
	}
	if p.Awake { // nobody spins, or is awake before a beat, for longer than to a second look
		o.Timers, o.Tick = modelcheck.TimersOnTime, 100_000
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // with one nobody would spin
	}
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
			m.Assert(!slices.Contains(now, outcome), "deterministic mode does not do this: %s",
				outcome)
		}))
	}
}
