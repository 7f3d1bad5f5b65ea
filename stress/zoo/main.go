package main

import (
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
	"time"

	"github.com/heddle-go/heddle/stress/internal/terminal"
)

// options are what the command line asks for.
type options struct {
	native  bool
	count   int
	only    *regexp.Regexp
	p       int
	list    bool
	table   string
	timeout time.Duration
	short   bool
	tests   string
}

// The statuses with which the command ends.
const (
	exitOK     = 0
	exitFailed = 1 // bad input, a value out of range, or a specimen that fails
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
	case o.count < 1 || o.p < 1 || o.timeout <= 0:
		fmt.Fprintln(stderr, "zoo: -count, -p and -timeout must be positive")
		return exitFailed
	}
	root, err := moduleRoot()
	if err != nil {
		fmt.Fprintln(stderr, "zoo:", err)
		return exitFailed
	}
	all, err := load(os.DirFS(filepath.Join(root, "stress", "zoo", "specimens")))
	if err != nil {
		fmt.Fprintln(stderr, "zoo:", err)
		return exitFailed
	}
	var chosen []*specimen
	for _, s := range all {
		if o.only == nil || o.only.MatchString(s.id()) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		fmt.Fprintln(stderr, "zoo: no specimen has a name that -only matches; -list shows all")
		return exitFailed
	}
	if o.list {
		for _, s := range chosen {
			fmt.Fprintf(stdout, "%-42s %s\n", s.id(), s.what)
		}
		return exitOK
	}
	return visit(root, chosen, o, stdout, stderr)
}

// parseArgs reads the command line; it has reported its error.
func parseArgs(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("zoo", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run ./stress/zoo [flags]\n\nBuilds each specimen of the bug zoo and shows that the model checker finds it.")
		f.PrintDefaults()
	}
	f.BoolVar(&o.native, "native", false, "run the ordinary tests instead, which each specimen must pass")
	f.IntVar(&o.count, "count", 20, "with -native: how often each specimen must pass")
	f.BoolVar(&o.short, "short", false, "with -native: run the tests in short mode")
	f.StringVar(&o.tests, "run", "", "with -native: run the tests that match this `pattern` as go test -run does (default those that can see the structure; . for all)")
	f.IntVar(&o.p, "p", runtime.GOMAXPROCS(0), "specimens at a time")
	f.BoolVar(&o.list, "list", false, "list the specimens and do nothing")
	f.StringVar(&o.table, "table", "", "write the table of findings to this `file`, as markdown")
	f.DurationVar(&o.timeout, "timeout", 0, "time limit for the tests of one specimen (default 10m; with -native 1m for each of -count)")
	f.Func("only", "take only the specimens whose structure/name matches this `regexp`", func(text string) (err error) {
		o.only, err = regexp.Compile(text)
		return err
	})
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		err := fmt.Errorf("stray argument %q", f.Arg(0))
		fmt.Fprintln(stderr, "zoo:", err)
		f.Usage()
		return o, err
	}
	given := false
	f.Visit(func(f *flag.Flag) { given = given || f.Name == "timeout" })
	if !given {
		o.timeout = 10 * time.Minute
		if o.native {
			o.timeout = time.Duration(max(o.count, 1)) * time.Minute
		}
	}
	return o, nil
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

// visit judges the chosen specimens and reports.
func visit(root string, chosen []*specimen, o options, stdout, stderr io.Writer) int {
	dir, err := os.MkdirTemp("", "zoo")
	if err != nil {
		fmt.Fprintln(stderr, "zoo:", err)
		return exitFailed
	}
	defer os.RemoveAll(dir)
	k := &keeper{root: root, dir: dir, options: o, stop: make(chan struct{})}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	go func() {
		<-interrupted
		close(k.stop)
	}()
	if err := k.warm(chosen); err != nil {
		fmt.Fprintln(stderr, "zoo: the unedited tests do not build:", err)
		return exitFailed
	}
	show := terminal.Progress(stderr)
	verdicts := k.judgeAll(chosen, func(done int, v verdict) {
		show("")
		fmt.Fprintln(stdout, v.line())
		show(fmt.Sprintf("%d of %d", done, len(chosen)))
	})
	show("")
	good := 0
	for _, v := range verdicts {
		if v.good {
			good++
		}
	}
	status := exitOK
	if good != len(chosen) {
		status = exitFailed
	}
	if o.table != "" {
		if err := os.WriteFile(o.table, []byte(table(verdicts)), 0o666); err != nil {
			fmt.Fprintln(stderr, "zoo:", err)
			status = exitFailed
		}
	}
	if o.native {
		fmt.Fprintf(stdout, "zoo native passed=%d of=%d\n", good, len(chosen))
	} else {
		fmt.Fprintf(stdout, "zoo found=%d of=%d\n", good, len(chosen))
	}
	return status
}
