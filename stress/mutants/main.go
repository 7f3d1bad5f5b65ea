package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// options are what the command line asks for.
type options struct {
	pkgs       []string
	seed       uint64
	long       time.Duration // 0: until all are judged
	most       int           // edits of a package; negative: all
	state      string
	again      bool
	only       *regexp.Regexp
	p          int
	list       bool
	table      string
	accepted   string
	timeout    time.Duration
	memory     int64 // MiB
	programs   int
	executions int
	race       bool
}

// The statuses with which the command ends.
const (
	exitOK     = 0
	exitFailed = 1 // a value out of range, an edit that survives, tests that fail as they are, or an interruption
	exitUsage  = 2 // unknown flag, unparsable value or stray argument
)

// usual are the packages whose edits are judged if none is named.
const usual = "./lockfree,./sleepevent,./internal/park,./namedthread,./graphevent"

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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	survivors, err := mutate(ctx, o, stdout, stderr)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "mutants: interrupted; with the same -state it goes on from here")
		return exitFailed
	case err != nil:
		fmt.Fprintln(stderr, "mutants:", err)
		return exitFailed
	case survivors > 0:
		return exitFailed
	}
	return exitOK
}

// parseArgs reads the command line; it has reported its error.
func parseArgs(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("mutants", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run ./stress/mutants [flags]\n\nMakes small wrong edits of shipped files, and says which of them no test and no model finds.")
		f.PrintDefaults()
	}
	pkgs := f.String("pkg", usual, "edit these `packages`, with commas between them")
	f.Uint64Var(&o.seed, "seed", 1, "what the order of the edits is drawn from")
	f.DurationVar(&o.long, "for", 0, "begin no edit after this time; each package has an even share of it (default: until all are judged)")
	f.IntVar(&o.most, "n", -1, "judge this many edits of a package at most, those that are known from -state included (default all)")
	f.StringVar(&o.state, "state", "", "keep what is known in this `file`, and go on from it")
	f.BoolVar(&o.again, "again", false, "judge those again that survived, and no others")
	f.IntVar(&o.p, "p", 1, "edits at a time")
	f.BoolVar(&o.list, "list", false, "list the edits and judge none")
	f.StringVar(&o.table, "table", "", "write the table of what is known to this `file`, as markdown")
	f.StringVar(&o.accepted, "accepted", filepath.FromSlash("stress/mutants/accepted.txt"), "the `file` of edits that need not be found, with the reasons")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "time limit for tests, unless ten times what they take without an edit is more; models have five times as long")
	f.Int64Var(&o.memory, "memory", 3072, "MiB of memory that tests may take")
	f.IntVar(&o.programs, "programs", 40, "generated programs of each model")
	f.IntVar(&o.executions, "executions", 20_000, "executions of each model, roughly")
	f.BoolVar(&o.race, "race", false, "let the race detector judge the models too (needs a C compiler)")
	f.Func("only", "take only the edits whose line in -list matches this `regexp`", func(text string) (err error) {
		o.only, err = regexp.Compile(text)
		return err
	})
	if err := f.Parse(args); err != nil {
		return o, err
	}
	err = nil
	switch {
	case f.NArg() > 0:
		err = fmt.Errorf("stray argument %q", f.Arg(0))
	case o.long < 0, o.p < 1, o.timeout <= 0, o.memory < 1, o.executions < 1:
		err = errors.New("-p, -timeout, -memory and -executions must be positive, -for not negative")
	case o.programs < 2:
		err = errors.New("-programs must be 2 or more")
	case o.again && o.state == "":
		err = errors.New("-again needs -state")
	}
	o.pkgs = strings.Split(*pkgs, ",")
	if err != nil {
		fmt.Fprintln(stderr, "mutants:", err)
		f.Usage()
	}
	return o, err
}

// moduleRoot returns the folder of the nearest go.mod above the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = parent
	}
}
