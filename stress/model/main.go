// Model runs the model tests of every package, a budget of executions for each structure,
// and says in one line what was explored.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/heddle-go/heddle/stress/internal/terminal"
)

// options are what the command line asks for.
type options struct {
	executions, programs int
	seed                 uint64
	race                 bool
	long                 time.Duration // 0: one round
	only                 *regexp.Regexp
	p                    int
	list, json           bool
	timeout              time.Duration
	minima
}

// The statuses with which the command ends.
const (
	exitOK     = 0
	exitFailed = 1 // a value out of range, a test that fails, too little explored, or an interruption
	exitUsage  = 2 // unknown flag, unparsable value or stray argument
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the command; what it returns is the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parseArgs(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	}
	if err := o.check(); err != nil {
		fmt.Fprintln(stderr, "model:", err)
		return exitFailed
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	status, err := explore(ctx, o, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "model:", err)
		return exitFailed
	}
	return status
}

// parseArgs reads the command line; it has reported its error.
func parseArgs(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("model", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run ./stress/model [flags]\n\nRuns the model tests of every package and says how much they explored.")
		f.PrintDefaults()
	}
	f.IntVar(&o.executions, "executions", 1_000_000, "executions of each structure at most, roughly; one whose programs have no more has fewer")
	f.IntVar(&o.programs, "programs", 240, "generated programs of each structure")
	f.Uint64Var(&o.seed, "seed", 1, "what programs and random schedules are drawn from")
	f.BoolVar(&o.race, "race", false, "let the race detector judge each execution (needs a C compiler)")
	f.DurationVar(&o.long, "for", 0, "repeat with the next seeds until this time is over")
	f.IntVar(&o.p, "p", runtime.GOMAXPROCS(0), "processes at a time; each keeps one processor busy")
	f.BoolVar(&o.list, "list", false, "list the tests and run none")
	f.BoolVar(&o.json, "json", false, "write one JSON object to standard output, and all else to standard error")
	f.DurationVar(&o.timeout, "timeout", time.Hour, "time limit of one process")
	f.Int64Var(&o.all, "min-executions", 0, "fail with fewer executions in all")
	f.Int64Var(&o.each, "min-each", 0, "fail with fewer executions of a structure; where programs have few, more are made with the next seeds")
	f.Int64Var(&o.programsEach, "min-programs", 0, "fail with fewer programs of a structure")
	f.Func("also", "hold tests to the minima too whose package/name matches this `regexp`, though no structure is named there", func(text string) (err error) {
		o.also, err = regexp.Compile(text)
		return err
	})
	f.Func("run", "run only the tests whose package/name matches this `regexp`", func(text string) (err error) {
		o.only, err = regexp.Compile(text)
		return err
	})
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		err := fmt.Errorf("stray argument %q", f.Arg(0))
		fmt.Fprintln(stderr, "model:", err)
		f.Usage()
		return o, err
	}
	return o, nil
}

// check looks for values out of range.
func (o options) check() error {
	switch {
	case o.executions < 1 || o.p < 1 || o.timeout <= 0:
		return errors.New("-executions, -p and -timeout must be positive")
	case o.programs < 2:
		return errors.New("-programs must be 2 or more")
	case o.seed == 0 || o.seed > 1<<30:
		return errors.New("-seed must be from 1 to 2^30")
	case o.long < 0 || o.all < 0 || o.each < 0 || o.programsEach < 0:
		return errors.New("-for and the minima must not be negative")
	}
	return nil
}

// explore builds the tests, runs them and reports.
func explore(ctx context.Context, o options, stdout, stderr io.Writer) (status int, err error) {
	root, err := moduleRoot()
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	show := terminal.Progress(stderr)
	show("building")
	tests, err := discover(ctx, root, dir, o)
	show("")
	if err != nil {
		return 0, err
	}
	text := stdout
	if o.json {
		text = stderr
	}
	if o.list {
		for _, t := range tests {
			fmt.Fprintln(text, t.id())
		}
		return exitOK, nil
	}
	begin := time.Now()
	var deadline time.Time
	if o.long > 0 {
		deadline = begin.Add(o.long)
	}
	m := &master{options: o, dir: dir, report: text, show: show, sum: newSum(), start: begin}
	for round := 1; ; round++ {
		m.round(ctx, tests, deadline)
		if o.long == 0 || ctx.Err() != nil {
			m.fill(ctx, tests)
			break
		}
		fmt.Fprintf(text, "round %d, -seed %d, %s: so far %s\n", round, m.seed, time.Since(begin).Round(time.Second), m.sum.line())
		if m.seed++; !time.Now().Before(deadline) {
			break
		}
	}
	missing := m.sum.missing(o.minima)
	m.sum.table(text)
	for _, text := range missing {
		fmt.Fprintln(stderr, "model: too little:", text)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "model: interrupted")
	}
	fmt.Fprintln(text, m.sum.line())
	if m.sum.Failures > 0 || len(missing) > 0 || ctx.Err() != nil {
		status = exitFailed
	}
	if o.json {
		m.sum.Missing = missing
		m.sum.Seconds = time.Since(begin).Seconds()
		m.sum.Race = o.race
		m.sum.Suites = m.sum.sorted()
		err = json.NewEncoder(stdout).Encode(m.sum)
	}
	return status, err
}

// moduleRoot returns the folder of the go.mod above the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if first, _, _ := strings.Cut(string(text), "\n"); err == nil && strings.TrimSpace(first) == "module github.com/heddle-go/heddle" {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("run this inside the checkout: no go.mod of heddle above the working directory")
		}
		dir = parent
	}
}
