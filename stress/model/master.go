package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A job is one process: a share of one test.
type job struct {
	*test
	part, of int
	estimate float64 // seconds; infinite if nothing is known
}

// shares returns among how many processes a test is shared. It is odd, because programs of
// the same shape come at even distances, and so low that each share has some programs, also
// of a test that divides them among variants of its structure.
func shares(programs, p int) int {
	n := min(2*p+1, programs/10)
	return max(n-1+n%2, 1)
}

// A queue holds the jobs of one round. The first share of a test that has not run before
// comes alone: it tells whether there are others, and how long they will take.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	ready   []*job
	asking  int // running jobs that may add others
	of      int
	stopped func() bool
}

func newQueue(tests []*test, of int, stopped func() bool) *queue {
	q := &queue{of: of, stopped: stopped}
	q.changed = sync.NewCond(&q.mu)
	for _, t := range tests {
		switch {
		case !t.known:
			q.ready = append(q.ready, &job{t, 0, of, math.Inf(1)})
		case t.generated:
			for i := range of {
				q.ready = append(q.ready, &job{t, i, of, t.seconds})
			}
		default:
			q.ready = append(q.ready, &job{t, 0, of, t.seconds})
		}
	}
	return q
}

// leaveOut drops jobs that wait.
func (q *queue) leaveOut(drop func(j *job) bool) { q.ready = slices.DeleteFunc(q.ready, drop) }

// next returns the longest job, or nil when there will be no more.
func (q *queue) next() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stopped() {
		if len(q.ready) > 0 {
			at := 0
			for i, j := range q.ready {
				if j.estimate > q.ready[at].estimate {
					at = i
				}
			}
			j := q.ready[at]
			q.ready = slices.Delete(q.ready, at, at+1)
			if !j.known {
				q.asking++
			}
			return j
		}
		if q.asking == 0 {
			return nil
		}
		q.changed.Wait()
	}
	return nil
}

// done takes note of what a job came to.
func (q *queue) done(j *job, tallies []tally, failed bool, seconds float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.changed.Broadcast()
	first := !j.known
	j.known, j.seconds = true, seconds
	if first {
		q.asking--
		j.learn(tallies)
	}
	switch {
	case failed: // one report is enough
		q.ready = slices.DeleteFunc(q.ready, func(other *job) bool { return other.test == j.test })
	case first && j.generated:
		for i := 1; i < j.of; i++ {
			q.ready = append(q.ready, &job{j.test, i, j.of, seconds})
		}
	}
}

// learn notes what a test does.
func (t *test) learn(tallies []tally) {
	for _, l := range tallies {
		switch {
		case l.generated():
			t.generated = true
			t.suites = append(t.suites, l.Suite)
		case strings.HasPrefix(l.Suite, t.name+"/"):
			t.byHand = append(t.byHand, l.Suite)
		}
	}
}

// skip is the pattern of the subtests that only the first share runs.
func (j *job) skip() string {
	if j.part == 0 {
		return ""
	}
	var patterns []string
	for _, name := range j.byHand {
		levels := strings.Split(name, "/")
		for i, level := range levels {
			levels[i] = "^" + regexp.QuoteMeta(level) + "$"
		}
		patterns = append(patterns, strings.Join(levels, "/"))
	}
	return strings.Join(patterns, "|")
}

// wake makes those who wait look whether they should stop.
func (q *queue) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changed.Broadcast()
}

// left estimates the seconds of work that wait.
func (q *queue) left() (seconds float64, certain bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.ready {
		seconds += j.estimate
	}
	return seconds, q.asking == 0 && !math.IsInf(seconds, 1)
}

// A master runs rounds of jobs and adds up what they did.
type master struct {
	options
	dir    string
	report io.Writer // failures
	show   *cli.Progress
	start  time.Time
	kept   *state // nil: nothing is kept

	mu   sync.Mutex
	sum  *sum
	jobs int
}

// round runs all tests once with the present seed. No process starts after the deadline, if
// there is one.
func (m *master) round(ctx context.Context, tests []*test, deadline time.Time) {
	q := newQueue(tests, shares(m.programs, m.p), func() bool {
		return ctx.Err() != nil || !deadline.IsZero() && !time.Now().Before(deadline)
	})
	q.leaveOut(m.kept.has)
	defer context.AfterFunc(ctx, q.wake)()
	if !deadline.IsZero() {
		defer time.AfterFunc(time.Until(deadline), q.wake).Stop()
	}
	var wg sync.WaitGroup
	for range m.p {
		wg.Go(func() {
			for j := q.next(); j != nil; j = q.next() {
				m.do(ctx, q, j)
				m.tell(q, deadline)
			}
		})
	}
	wg.Wait()
	m.show.Clear()
}

// fill makes more programs of the structures that are below the minima, with the next seeds, as
// long as that leads anywhere: a program of few executions is soon explored in all of them.
func (m *master) fill(ctx context.Context, tests []*test) {
	for before := int64(-1); m.sum.Executions > before && m.sum.Failures == 0 && ctx.Err() == nil; {
		before = m.sum.Executions
		var more []*test
		for _, t := range tests {
			if slices.ContainsFunc(t.suites,
				func(suite string) bool { return m.sum.scarce(t.pkg, suite, m.minima) }) {
				more = append(more, t)
			}
		}
		if len(more) == 0 {
			return
		}
		m.seed++
		m.round(ctx, more, time.Time{})
	}
}

// do runs one job.
func (m *master) do(ctx context.Context, q *queue, j *job) {
	m.mu.Lock()
	m.jobs++
	file := filepath.Join(m.dir, fmt.Sprintf("tally%d", m.jobs))
	m.mu.Unlock()
	defer os.Remove(file)
	settings := m.settings(j)
	args := []string{"-test.run=^" + j.name + "$", "-test.timeout=" + m.timeout.String()}
	if skip := j.skip(); skip != "" {
		args = append(args, "-test.skip="+skip)
	}
	cmd := exec.CommandContext(ctx, j.binary, args...)
	cmd.Dir = j.dir
	cmd.Env = append(environment(os.Environ()), append(settings, "MODELCHECK_TALLY="+file)...)
	out, err := cmd.CombinedOutput()
	seconds := processorSeconds(cmd.ProcessState)

	tallies, bad := talliesOf(file)
	interrupted := cli.Interrupted(ctx, err)
	if interrupted {
		err, bad = nil, nil // : what it wrote down counts, that it ended does not
	}
	err = errors.Join(err, bad)
	q.done(j, tallies, err != nil, seconds)

	m.mu.Lock()
	defer m.mu.Unlock()
	if interrupted && m.kept != nil {
		return // the next piece makes all of it again
	}
	m.sum.add(j.pkg, j.name, tallies, j.part == 0, seconds)
	if err != nil {
		m.sum.Failures++
		m.show.Clear()
		fmt.Fprintf(m.report, "FAIL %s: %v\n%s\nto run it again: %s\n\n", j.id(), err,
			strings.TrimRight(string(out), "\n"), m.again(j, settings))
	}
	if err := m.kept.add(j, seconds, time.Since(m.start)); err != nil {
		m.show.Clear()
		fmt.Fprintln(m.report, "model: -state:", err) // the next ones may succeed, or the last
	}
}

// processorSeconds returns how long a process kept a processor busy. As no process of a model has
// more than one, it is also how long the process takes on a machine that does nothing else.
func processorSeconds(p *os.ProcessState) float64 {
	if p == nil {
		return 0 // it did not start
	}
	return (p.UserTime() + p.SystemTime()).Seconds()
}

// settings are the part of the environment that says what a job is.
func (m *master) settings(j *job) []string {
	s := []string{
		fmt.Sprintf("MODELCHECK_SEED=%d", m.seed),
		fmt.Sprintf("MODELCHECK_EXECUTIONS=%d", m.executions),
		fmt.Sprintf("MODELCHECK_PROGRAMS=%d", m.programs),
	}
	if j.of > 1 {
		s = append(s, fmt.Sprintf("MODELCHECK_SHARD=%d/%d", j.part, j.of))
	}
	return s
}

// again is the command that repeats a job.
func (m *master) again(j *job, settings []string) string {
	race := ""
	if m.race {
		race = " -race"
	}
	return fmt.Sprintf("%s go -C %s test -tags modelcheck%s -timeout %v -run '^%s$' .",
		strings.Join(settings, " "), j.pkg, race, m.timeout, j.name)
}

// environment leaves out what would change the tests, and gives a process one processor: a
// model runs one thread at a time. With the race detector a process sleeps for a second before it
// exits unless it is told not to, in case that another goroutine still has a race; those of a model
// have ended or stand still by then.
func environment(all []string) (env []string) {
	detector := "GORACE=atexit_sleep_ms=0"
	for _, v := range all {
		if text, ok := strings.CutPrefix(v, "GORACE="); ok {
			detector += " " + text
		} else if !strings.HasPrefix(v, "MODELCHECK_") {
			env = append(env, v)
		}
	}
	return append(env, "GOMAXPROCS=1", "GOGC=400", detector)
}

// talliesOf reads a file that need not exist: a test may fail before it writes.
func talliesOf(file string) ([]tally, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return readTallies(bytes.NewReader(text))
}

// tell shows how far it is.
func (m *master) tell(q *queue, deadline time.Time) {
	seconds, certain := q.left()
	m.mu.Lock()
	defer m.mu.Unlock()
	text := fmt.Sprintf("seed %d: %.3g million executions, %d failures", m.seed,
		float64(m.sum.Executions)/1e6, m.sum.Failures)
	switch {
	case !deadline.IsZero():
		text += fmt.Sprintf(", %v left", time.Until(deadline).Round(time.Second))
	case certain:
		text += fmt.Sprintf(", about %v left",
			time.Duration(seconds/float64(m.p)*1e9).Round(time.Second))
	default:
		text += fmt.Sprintf(", %v", time.Since(m.start).Round(time.Second))
	}
	m.show.Show(text)
}
