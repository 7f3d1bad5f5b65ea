package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // bad input, a value out of range, or a failure in what was asked
	exitUsage  = 2 // a command line that cannot be understood
)

// gcPercent lets the heap grow to five times what is live before a collection.
const gcPercent = 400

// maxWorkers bounds -workers: more than that a task system does not take.
const maxWorkers = 1024

// options are the flags.
type options struct {
	dir      string
	workers  int
	runs     int
	dot      string
	json     bool
	progress bool
}

// run is the command without its process, and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	rep := report{Workers: o.workers}
	status := exitOK
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "typecheck: %v (-h lists the flags)\n", err)
		status = exitUsage
	default:
		if err = typecheck(o, &rep, stderr); err != nil {
			fmt.Fprintf(stderr, "typecheck: %v\n", err)
		}
		if err != nil || rep.bad() {
			status = exitFailed
		}
	}
	switch {
	case o.json:
		err = json.NewEncoder(stdout).Encode(rep)
	case err == nil:
		err = rep.table(stdout)
	default:
		return status
	}
	if err != nil {
		fmt.Fprintf(stderr, "typecheck: %v\n", err)
		status = max(status, exitFailed)
	}
	return status
}

// parseFlags reads the command line. An error other than flag.ErrHelp is one line, and
// the options then hold what was understood.
func parseFlags(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("typecheck", flag.ContinueOnError)
	fs.StringVar(&o.dir, "dir", "", "check the Go module in `MODULE` and its dependencies instead of std")
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "number of workers, 1 to "+strconv.Itoa(maxWorkers))
	fs.IntVar(&o.runs, "runs", 5, "number of rounds, at least 1; the figures are medians over them")
	fs.StringVar(&o.dot, "dot", "", "write the graph to `FILE` in the DOT language")
	fs.BoolVar(&o.json, "json", false, "print one JSON object instead of the table")
	fs.BoolVar(&o.progress, "progress", true, "show progress, if standard error is a terminal")
	fs.SetOutput(io.Discard) // the caller reports errors, in one line
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(stderr, "usage: typecheck [flags]")
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
	case o.workers < 1 || o.workers > maxWorkers:
		return fmt.Errorf("-workers %d: want 1 to %d", o.workers, maxWorkers)
	case o.runs < 1:
		return fmt.Errorf("-runs %d: want at least 1", o.runs)
	}
	return nil
}

// typecheck does what the options ask and fills the report. What is wrong with the
// packages goes to stderr, a line each; the error tells why there are no results.
func typecheck(o options, rep *report, stderr io.Writer) (err error) {
	if err := o.validate(); err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	g, err := load(o.dir)
	if err != nil {
		return err
	}
	rep.graph(g)

	var dot *os.File
	if o.dot != "" { // opened before the work, so that a wrong path is told at once
		if dot, err = os.Create(o.dot); err != nil {
			return fmt.Errorf("-dot: %w", err)
		}
		defer func() { err = errors.Join(err, dot.Close()) }()
	}

	m, err := measure(g, o, newProgress(o, stderr))
	if err != nil {
		return err
	}
	rep.measured(g, m)
	m.tell(g, stderr)
	if dot != nil {
		if err := writeDOT(dot, g, m); err != nil {
			return fmt.Errorf("-dot: %w", err)
		}
	}
	return nil
}
