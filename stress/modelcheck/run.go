package modelcheck

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/heddle-go/heddle/internal/modelcheck"
)

// A Tally says how much was explored.
type Tally struct {
	// Programs is how many programs there were, and Complete how many of them were explored
	// in all their executions, or in one of each class of those that do not differ.
	Programs, Complete int

	// Executions is the number of distinct executions, as far as their schedules tell.
	Executions int

	// Bound is the largest number of preemptions such that all executions of every program
	// with at most so many were explored; -1 if there is none, math.MaxInt if all programs
	// are complete.
	Bound int

	// Failures is 1 if the last program failed, which ends the exploration.
	Failures int
}

// A Failure is an execution that failed. As an error it is a whole report.
type Failure struct {
	// Name is what was checked.
	Name string
	// Kind is assertion, panic, deadlock, livelock, blocking, linearizability,
	// nondeterminism or unseen.
	Kind string
	// Explorer is how the execution was found, and Execution its number, counted over all
	// explorers of the program.
	Explorer  string
	Execution int
	// Program is the number of the generated program, and Source its text, if it was generated.
	Program int
	Source  string
	// Schedule replays the execution. It is a list of threads, each with its number of steps:
	// A2B9 is two of the first and nine of the second. #1 is a Choose that returned 1, and !
	// says that the thread that moved last is suspended from there on.
	Schedule string
	// Preemptions is how often a thread that could go on had to stop.
	Preemptions int
	// Text says what is wrong, and Trace what the threads did, step by step.
	Text, Trace string
	// Drawing is the file with the drawing, if Options.Draw asked for one.
	Drawing string

	drawn *modelcheck.Failure
}

// Error returns the report.
func (f *Failure) Error() string {
	var b strings.Builder
	b.WriteString(f.title() + "\n")
	if f.Source != "" {
		fmt.Fprintf(&b, "program %d:\n%s", f.Program, f.Source)
	}
	b.WriteString(strings.TrimRight(f.Text, "\n"))
	if f.Schedule == "" {
		return b.String() // nothing was done, or nothing is to be done again
	}
	fmt.Fprintf(&b, "\n%s\nschedule %s, %d preemptions; to replay it set MODELCHECK_SCHEDULE='%s'",
		f.Trace, f.Schedule, f.Preemptions, f.Schedule)
	if f.Source != "" {
		fmt.Fprintf(&b, " MODELCHECK_PROGRAM=%d", f.Program)
	}
	if f.Drawing != "" {
		b.WriteString("\ndrawn in " + f.Drawing)
	}
	return b.String()
}

func (f *Failure) title() string {
	return fmt.Sprintf("%s: %s in execution %d, found by %s", f.Name, f.Kind, f.Execution,
		f.Explorer)
}

// draw writes the drawing into a folder, under a name that is fit for a file.
func (f *Failure) draw(folder, name string) error {
	if folder == "" || f.drawn == nil {
		return nil
	}
	svg := f.drawn.Drawing(f.title())
	if svg == nil {
		return nil // the execution could not be run again
	}
	file := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, name)
	path := filepath.Join(folder, cmp.Or(file, "model")+".svg")
	err := os.MkdirAll(folder, 0o777)
	if err == nil {
		err = os.WriteFile(path, svg, 0o666)
	}
	if err != nil {
		return fmt.Errorf("modelcheck: the drawing: %w", err)
	}
	f.Drawing = path
	return nil
}

// A run is one call of Check or Programs.
type run struct {
	o     Options
	name  string
	tally Tally
	total int // executions so far of the program, repeated ones included
	share int // executions at each place of a suspended thread

	threads, steps int // the most in one execution
}

func newRun(o Options, name string) *run {
	return &run{o: o, name: name, tally: Tally{Bound: math.MaxInt}, share: 100}
}

func (r *run) config() modelcheck.Config {
	return modelcheck.Config{Timers: r.o.Timers, Tick: r.o.Tick, Steps: r.o.Steps}
}

// program explores one program: body returns what to run on an engine.
func (r *run) program(number int, source string, body func(e *modelcheck.Engine) func()) error {
	r.tally.Programs++
	r.total = 0
	e := modelcheck.NewEngine(r.config())
	defer e.Close()
	explore := func(x modelcheck.Explorer, limit int, seen *modelcheck.Set, e *modelcheck.Engine,
		how string) (modelcheck.Result, error) {
		res := e.Explore(x, limit, seen, body(e))
		before := r.total
		r.total += res.Executions
		r.tally.Executions += res.Distinct
		r.threads, r.steps = max(r.threads, res.Threads), max(r.steps, res.Steps)
		if f := res.Failure; f != nil {
			return res, &Failure{
				Name: r.name, Kind: string(f.Kind), Explorer: how + res.Explorer,
				Execution: before + f.Execution, Program: number, Source: source,
				Schedule: f.Schedule, Preemptions: f.Preemptions, Text: f.Text, Trace: f.Trace,
				drawn: f,
			}
		}
		return res, nil
	}
	if r.o.Schedule != "" {
		x, err := modelcheck.NewReplay(r.o.Schedule)
		if err == nil {
			_, err = explore(x, 1, nil, e, "")
		}
		return err
	}
	var seen modelcheck.Set
	complete, bound := false, -1
	for i, x := range r.o.Explorers {
		res, err := explore(x.make(r.o.Seed+uint64(1000*number+i), x.limit), x.limit, &seen, e, "")
		if err != nil {
			return err
		}
		if res.Complete {
			complete = complete || x.exhaustive
			bound = max(bound, x.bound)
		}
	}
	if complete {
		r.tally.Complete++
		bound = math.MaxInt
	}
	r.tally.Bound = min(r.tally.Bound, bound)
	if !r.o.LockFree {
		return nil
	}
	for thread := range MaxThreads {
		for step := 1; ; step++ {
			cfg := r.config()
			cfg.FreezeThread, cfg.FreezeStep = thread, step
			e := modelcheck.NewEngine(cfg)
			res, err := explore(modelcheck.NewDepthFirst(1), r.share, new(modelcheck.Set), e,
				fmt.Sprintf("suspending %c after step %d, ", 'A'+thread, step))
			e.Close()
			if err != nil {
				return err
			}
			if !res.Reached {
				break
			}
		}
	}
	return nil
}

// nothing is the failure of a model of which the checker has seen no step: whatever it does, no
// order of it was tried.
func (r *run) nothing() error {
	text := "no thread makes a step: the words must be those of stress/modelcheck/atomic, not of " +
		"sync/atomic"
	switch {
	case r.tally.Programs == 0 || r.steps > 0:
		return nil
	case r.threads == 0:
		text = "there is no thread: the body adds them with Thread, and starts no goroutines of " +
			"its own"
	}
	return &Failure{Name: r.name, Kind: string(modelcheck.KindUnseen), Explorer: "all explorers",
		Execution: r.total, Text: text}
}

// finish writes down what was explored, and what failed.
func (r *run) finish(err error) (Tally, error) {
	if err == nil {
		err = r.nothing()
	}
	if r.tally.Programs == 0 {
		r.tally.Bound = -1
	}
	if f, ok := err.(*Failure); ok {
		r.tally.Failures++
		r.tally.Bound = -1
		if e := note("MODELCHECK_FIND", map[string]any{
			"suite": r.name, "engine": f.Explorer, "execution": f.Execution, "program": f.Program,
			"preemptions": f.Preemptions, "kind": f.Kind, "schedule": f.Schedule,
		}); e != nil {
			return r.tally, e
		}
		if e := f.draw(r.o.Draw, r.o.Name); e != nil {
			err = errors.Join(f, e)
		}
	}
	if e := note("MODELCHECK_TALLY", map[string]any{
		"suite": r.name, "executions": r.tally.Executions, "programs": r.tally.Programs,
		"complete": r.tally.Complete, "failures": r.tally.Failures,
		"bound": r.tally.Bound,
	}); e != nil && err == nil {
		err = e
	}
	return r.tally, err
}

// String returns the tally in one line.
func (t Tally) String() string {
	return fmt.Sprintf("executions=%d programs=%d complete=%d failures=%d", t.Executions,
		t.Programs, t.Complete, t.Failures)
}

// note adds a line of JSON to the file that the environment names, if it does.
func note(key string, v any) error {
	path := os.Getenv(key)
	if path == "" {
		return nil
	}
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("modelcheck: %s: %w", key, err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
		if e := f.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		return fmt.Errorf("modelcheck: %s: %w", key, err)
	}
	return nil
}
