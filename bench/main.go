// Command bench measures Heddle beside its peers, all in one run and by turns. README.md says
// how, and how to read what it prints.
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
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // a value out of range, nothing to run, or a row that failed
	exitUsage  = 2 // a command line that cannot be understood
)

// Limits of the flags.
const (
	maxRounds = 1000
	maxTurn   = 10 * time.Second
)

// options are the flags.
type options struct {
	run    *regexp.Regexp
	rounds int
	turn   time.Duration
	native bool
	json   bool
	list   bool
}

// run is the command without its process, and returns the exit status. When ctx ends it
// reports what was measured by then.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	rep := report{Rounds: o.rounds, TurnMS: float64(o.turn) / float64(time.Millisecond), Tables: []tableReport{}}
	status := exitOK
	if err != nil {
		err = fmt.Errorf("%w (-h lists the flags)", err)
		status = exitUsage
	} else if err = o.measure(ctx, &rep, stderr); err != nil || rep.failed() {
		status = exitFailed
	}
	if err != nil {
		rep.Error = err.Error()
		fmt.Fprintf(stderr, "bench: %v\n", err)
	}
	switch {
	case o.json:
		err = json.NewEncoder(stdout).Encode(rep)
	case o.list && err == nil:
		err = rep.printNames(stdout)
	case len(rep.Tables) > 0:
		err = rep.print(stdout)
	default:
		return status
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		status = max(status, exitFailed)
	}
	return status
}

// parseFlags reads the command line. An error other than flag.ErrHelp is one line, and the
// options then hold what was understood.
func parseFlags(args []string, stderr io.Writer) (options, error) {
	o := options{run: regexp.MustCompile("")}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.Func("run", "measure only the rows whose TABLE/ROW matches `REGEXP`, and beside them the references of their tables", func(s string) (err error) {
		o.run, err = regexp.Compile(s)
		if err != nil {
			o.run = regexp.MustCompile("")
		}
		return err
	})
	fs.IntVar(&o.rounds, "rounds", 7, "number of rounds, 1 to "+strconv.Itoa(maxRounds)+"; quote none of fewer than 5")
	fs.DurationVar(&o.turn, "turn", 100*time.Millisecond, "about how long a turn of a row lasts, up to "+maxTurn.String()+"; those of the wake tables last longer")
	fs.BoolVar(&o.native, "native", true, "measure the C++ peers too, if there is a compiler")
	fs.BoolVar(&o.json, "json", false, "print one JSON object instead of tables")
	fs.BoolVar(&o.list, "list", false, "list the names and measure nothing")
	fs.SetOutput(io.Discard) // the caller reports errors, in one line
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(stderr, "usage: bench [flags]")
		fs.SetOutput(stderr)
		fs.PrintDefaults()
	case err != nil:
		// Parsing stopped at the error, but whoever asked for JSON parses the output.
		o.json = o.json || asksForJSON(args)
	case fs.NArg() > 0:
		err = fmt.Errorf("stray argument %q", fs.Arg(0))
		o.json = o.json || asksForJSON(args)
	}
	return o, err
}

// asksForJSON tells whether -json is anywhere in a command line that did not parse.
func asksForJSON(args []string) bool {
	for _, arg := range args {
		name, value, given := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if name == "json" || name == "-json" {
			on, err := strconv.ParseBool(value)
			return !given || err == nil && on
		}
	}
	return false
}

// validate reports a value out of range.
func (o *options) validate() error {
	switch {
	case o.rounds < 1 || o.rounds > maxRounds:
		return fmt.Errorf("-rounds %d: want 1 to %d", o.rounds, maxRounds)
	case o.turn <= 0 || o.turn > maxTurn:
		return fmt.Errorf("-turn %v: want more than 0 and at most %v", o.turn, maxTurn)
	}
	return nil
}

// measure does what the options ask and fills the report.
func (o *options) measure(ctx context.Context, rep *report, stderr io.Writer) (err error) {
	if err := o.validate(); err != nil {
		return err
	}
	chosen := choose(tables(), o.run)
	if len(chosen) == 0 {
		return fmt.Errorf("-run %v: no row has such a name; -list lists them", o.run)
	}
	s := &session{length: o.turn, native: newNative(!o.native)}
	rep.Machine = thisMachine(s.native)
	if o.list {
		rep.list(chosen)
		return nil
	}
	defer func() { err = errors.Join(err, s.native.close()) }()
	p := newProgress(stderr, len(chosen))
	defer p.clear()
	for _, t := range chosen {
		result, err := race(ctx, t, s, o.rounds, p)
		rep.add(result)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		p.finished()
	}
	return nil
}

// list enters the names of what would run.
func (r *report) list(chosen []*table) {
	for _, t := range chosen {
		listed := tableReport{Name: t.name, Title: t.title, Reference: t.reference, Rows: []rowReport{}}
		for _, row := range t.rows {
			listed.Rows = append(listed.Rows, rowReport{Name: row.name})
		}
		r.Tables = append(r.Tables, listed)
	}
}

// printNames prints a list, a line a row.
func (r *report) printNames(w io.Writer) error {
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			if _, err := fmt.Fprintf(w, "%s/%s\n", t.Name, row.Name); err != nil {
				return err
			}
		}
	}
	return nil
}
