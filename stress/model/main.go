// Model runs the model tests of every package, a budget of executions for each structure,
// and says in one line what was explored.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// options are what the command line asks for.
type options struct {
	executions, programs int
	seed                 uint64
	race                 bool
	long                 time.Duration // 0: one round
	only                 *regexp.Regexp
	p                    int
	list                 bool
	timeout              time.Duration
	state                string
	piece                time.Duration // 0: no end but that of long
	minima
}

func main() { command().Main() }

// command is the command without its process.
func command() *cli.Command {
	var o options
	sum := newSum()
	return &cli.Command{
		Name: "model", Usage: "go run ./stress/model [flags]",
		About: "Runs the model tests of every package and says how much they explored.",
		Flags: o.flags,
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := o.check(call.Given); err != nil {
				return err
			}
			sum.Race = o.race
			return explore(ctx, o, sum, call)
		},
		JSON: func() any {
			sum.Suites = sum.sorted()
			return sum
		},
	}
}

// flags adds the flags.
func (o *options) flags(f *flag.FlagSet) {
	f.IntVar(&o.executions, "executions", 1_000_000,
		"executions of each structure at most, roughly; one whose programs have no more has fewer")
	f.IntVar(&o.programs, "programs", 240, "generated programs of each structure")
	f.Uint64Var(&o.seed, "seed", 1, "what programs and random schedules are drawn from")
	f.BoolVar(&o.race, "race", false,
		"let the race detector judge each execution (needs a C compiler)")
	f.DurationVar(&o.long, "for", 0, "repeat with the next seeds until this time is over")
	f.StringVar(&o.state, "state", "",
		"with -for: keep what was explored in this `file`, and go on from it; its time counts")
	f.DurationVar(&o.piece, "piece", 0,
		"with -state: end after this time, though that of -for is not over")
	f.IntVar(&o.p, "p", runtime.GOMAXPROCS(0), "processes at a time; each keeps one processor busy")
	f.BoolVar(&o.list, "list", false, "list the tests and run none")
	f.DurationVar(&o.timeout, "timeout", time.Hour, "time limit of one process")
	f.Int64Var(&o.all, "min-executions", 0, "fail with fewer executions in all")
	f.Int64Var(&o.each, "min-each", 0,
		"fail with fewer executions of a structure; where programs have few, more are made with "+
			"the next seeds")
	f.Int64Var(&o.programsEach, "min-programs", 0, "fail with fewer programs of a structure")
	cli.RegexpVar(f, &o.also, "also",
		"hold tests to the minima too whose package/name matches this `regexp`, though no structure is named there")
	cli.RegexpVar(f, &o.only, "run",
		"run only the tests whose package/name matches this `regexp`")
}

// check looks for values out of range.
func (o *options) check(given map[string]bool) error {
	switch {
	case o.executions < 1 || o.p < 1 || o.timeout <= 0:
		return errors.New("-executions, -p and -timeout must be positive")
	case o.programs < 2:
		return errors.New("-programs must be 2 or more")
	case o.seed == 0 || o.seed > 1<<30:
		return errors.New("-seed must be from 1 to 2^30")
	case given["for"] && o.long <= 0:
		return fmt.Errorf("-for %v: want more than 0s", o.long)
	case given["piece"] && o.piece <= 0:
		return fmt.Errorf("-piece %v: want more than 0s", o.piece)
	case o.state != "" && o.long == 0:
		return errors.New("-state needs -for")
	case o.piece > 0 && o.state == "":
		return errors.New("-piece needs -state")
	case o.all < 0 || o.each < 0 || o.programsEach < 0:
		return errors.New("the minima must not be negative")
	}
	return nil
}

// explore builds the tests, runs them and reports.
func explore(ctx context.Context, o options, sum *sum, call *cli.Call) error {
	root, err := cli.ModuleRoot("github.com/heddle-go/heddle")
	if err != nil {
		return err
	}
	call.Progress.Show("looking for tests")
	tests, err := discover(ctx, root, o.only)
	if err != nil {
		return err
	}
	if o.list {
		call.Progress.Clear()
		for _, t := range tests {
			fmt.Fprintln(call.Text, t.id())
		}
		return nil
	}
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	call.Progress.Show("building")
	if err := build(ctx, dir, tests, o.race); err != nil {
		return err
	}
	call.Progress.Clear()
	begin := time.Now()
	m := &master{options: o, dir: dir, report: call.Text, show: call.Progress, sum: sum,
		start: begin}
	if m.kept, err = openState(o, sum, tests); err != nil {
		return err
	}
	if m.kept != nil {
		m.seed = sum.Last
	}
	sum.First, sum.Last = cmp.Or(sum.First, m.seed), m.seed
	before := sum.Seconds
	var deadline time.Time
	if o.long > 0 {
		left := o.long - time.Duration(before*float64(time.Second))
		if o.piece > 0 {
			left = min(left, o.piece)
		}
		deadline = begin.Add(left)
	}
	over := func() bool { return o.long > 0 && !time.Now().Before(deadline) }
	for round := 1; o.long == 0 || !over(); round++ {
		m.round(ctx, tests, deadline)
		if o.long == 0 || ctx.Err() != nil {
			m.fill(ctx, tests)
			break
		}
		fmt.Fprintf(call.Text, "round %d, -seed %d, %s: so far %s\n", round, m.seed,
			time.Since(begin).Round(time.Second), m.sum.line())
		if m.kept != nil && over() {
			break // this round may not be complete: the next piece goes on with it
		}
		m.seed++
		if !over() {
			sum.Last = m.seed
			m.kept.nextRound()
		}
	}
	sum.Missing, sum.Seconds = m.sum.missing(o.minima), before+time.Since(begin).Seconds()
	if err := m.kept.save(); err != nil {
		return err
	}
	sum.table(call.Text)
	for _, text := range sum.Missing {
		fmt.Fprintln(call.Stderr, "model: too little:", text)
	}
	fmt.Fprintln(call.Text, m.sum.line())
	if sum.Failures > 0 || len(sum.Missing) > 0 {
		return cli.ErrFailed
	}
	return nil
}
