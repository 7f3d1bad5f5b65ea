package cli

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Exit statuses.
const (
	OK     = 0 // done
	Failed = 1 // bad input, a value out of range, or a failure in what was asked
	Usage  = 2 // a command line that cannot be understood
)

// A Report is what a command has found. As JSON it is printed as it is.
type Report interface {
	// Table prints it for a person.
	Table(w io.Writer) error
	// Bad tells whether something that was checked is not as it should be.
	Bad() bool
}

// A Command is a program with flags that ends with a report. Beside its own flags it has -json and -progress.
type Command struct {
	Name string
	Arg  string // what the one argument behind the flags is called; empty: there is none
	Unit string // what progress counts

	// Flags adds the flags.
	Flags func(fs *flag.FlagSet)
	// Work does what was asked. arg is empty if it was not given. An error says why there are no results.
	Work func(arg string, show *Progress, stderr io.Writer) error
	// Report returns the report: after an error, what was understood and found until then.
	Report func() Report
}

// Main runs the command and returns its exit status. An error is one line on stderr.
func (c *Command) Main(args []string, stdout, stderr io.Writer) int {
	l, err := c.parse(args, stderr)
	status := OK
	switch {
	case errors.Is(err, flag.ErrHelp):
		return OK
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v (-h lists the flags)\n", c.Name, err)
		status = Usage
	default:
		if err = c.Work(l.arg, newProgress(l.progress, c.Unit, stderr), stderr); err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", c.Name, err)
		}
		if err != nil || c.Report().Bad() {
			status = Failed
		}
	}
	switch {
	case l.json:
		err = json.NewEncoder(stdout).Encode(c.Report())
	case err == nil:
		err = c.Report().Table(stdout)
	default:
		return status
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", c.Name, err)
		status = max(status, Failed)
	}
	return status
}

// A line is what every command line may ask for.
type line struct {
	arg            string
	json, progress bool
}

// parse reads the command line. An error other than flag.ErrHelp is one line, and the flags then hold what was understood.
func (c *Command) parse(args []string, stderr io.Writer) (l line, err error) {
	fs := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	c.Flags(fs)
	fs.BoolVar(&l.json, "json", false, "print one JSON object instead of the table")
	fs.BoolVar(&l.progress, "progress", true, "show progress, if standard error is a terminal")
	fs.SetOutput(io.Discard) // the caller reports errors, in one line
	err = fs.Parse(args)
	rest := fs.Args()
	if c.Arg != "" && len(rest) > 0 {
		l.arg, rest = rest[0], rest[1:]
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(stderr, strings.TrimRight("usage: "+c.Name+" [flags] "+c.Arg, " "))
		fs.SetOutput(stderr)
		fs.PrintDefaults()
	case err == nil && len(rest) > 0:
		err = fmt.Errorf("stray argument %q", rest[0])
	}
	if err != nil {
		// Parsing stopped at the error, but whoever asked for JSON parses the output.
		l.json = l.json || AsksForJSON(args)
	}
	return l, err
}

// AsksForJSON tells whether -json is anywhere in a command line, one that does not parse included.
func AsksForJSON(args []string) bool {
	for _, arg := range args {
		name, value, given := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if name == "json" || name == "-json" {
			on, err := strconv.ParseBool(value)
			return !given || err == nil && on
		}
	}
	return false
}
