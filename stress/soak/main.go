// Soak mixes every primitive, and random graphs of tasks with every fault, for as long as one
// likes, and checks what they do.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// options are what the command line asks for.
type options struct {
	long   time.Duration
	ops    int64
	rounds uint64
	seed   uint64
	procs  []int
	chaos  []string
	only   *regexp.Regexp
	hang   time.Duration
	list   bool
	json   bool
}

// defaultProcs are the values of GOMAXPROCS, unless told otherwise.
var defaultProcs = []int{1, 2, 3, 4, 8, 64}

// The statuses with which the command ends.
const (
	exitOK     = 0
	exitFailed = 1 // a value out of range, a failure, a hang, or an interruption
	exitUsage  = 2 // unknown flag, unparsable value or stray argument
)

func main() {
	if os.Getenv(childMark) != "" {
		os.Exit(child(os.Stdin, os.Stdout))
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

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
		fmt.Fprintln(stderr, "soak:", err)
		return exitFailed
	}
	if o.list {
		for _, w := range o.workloads() {
			fmt.Fprintf(stdout, "%-14s %s\n", w.name, w.counts)
		}
		return exitOK
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return newMaster(o, stdout, stderr).soak(ctx)
}

// parseArgs reads the command line; it has reported its error.
func parseArgs(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("soak", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run ./stress/soak [flags]\n\nMixes every primitive and random graphs with every fault, checks what they do, and ends with\nsoak ops=N failures=F seed=S. README.md beside the code says what counts and what replays.")
		f.PrintDefaults()
	}
	o.procs = defaultProcs
	o.only = regexp.MustCompile("")
	f.DurationVar(&o.long, "for", 0, "end after this time (default 1m, if neither -ops nor -rounds is given)")
	f.Int64Var(&o.ops, "ops", 0, "end after this many operations")
	f.Uint64Var(&o.rounds, "rounds", 0, "end after this many rounds")
	f.Uint64Var(&o.seed, "seed", 0, "what the first round is drawn from; the next ones use the next numbers (default: drawn)")
	f.DurationVar(&o.hang, "hang", time.Minute, "how long a round may take before it counts as a hang")
	f.BoolVar(&o.list, "list", false, "list the workloads and what they count, and run none")
	f.BoolVar(&o.json, "json", false, "write one JSON object to standard output, and all else to standard error")
	f.Func("cpu", "the values of GOMAXPROCS, of which each round draws one (default 1,2,3,4,8,64)", func(text string) error {
		o.procs = nil
		for _, part := range strings.Split(text, ",") {
			n, err := strconv.Atoi(part)
			if err != nil {
				return errors.New("want numbers with commas between them")
			}
			o.procs = append(o.procs, n)
		}
		return nil
	})
	f.Func("chaos", "switches with commas between them: "+strings.Join(switches, ", ")+", or all that this build has", func(text string) error {
		o.chaos = strings.Split(text, ",")
		return nil
	})
	f.Func("run", "run only the workloads whose name matches this `regexp`", func(text string) (err error) {
		o.only, err = regexp.Compile(text)
		return err
	})
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		err := fmt.Errorf("stray argument %q", f.Arg(0))
		fmt.Fprintln(stderr, "soak:", err)
		f.Usage()
		return o, err
	}
	if o.long == 0 && o.ops == 0 && o.rounds == 0 {
		o.long = time.Minute
	}
	if o.seed == 0 {
		o.seed = 1 + uint64(time.Now().UnixNano())%1e9
	}
	return o, nil
}

// check looks for values out of range, and completes what has a short form.
func (o *options) check() error {
	delays := atomics.Chaos(0, 0) // whether this build has them
	if slices.Equal(o.chaos, []string{"all"}) {
		o.chaos = slices.DeleteFunc(slices.Clone(switches), func(s string) bool { return s == chaosDelays && !delays })
	}
	for _, s := range o.chaos {
		if !slices.Contains(switches, s) {
			return fmt.Errorf("-chaos %q is none of %s", s, strings.Join(switches, ", "))
		}
		if s == chaosDelays && !delays {
			return errors.New("-chaos delays needs the instrumented words: go run -tags modelcheck ./stress/soak")
		}
	}
	for _, n := range o.procs {
		if n < 1 || n > 1024 {
			return fmt.Errorf("-cpu %d is not from 1 to 1024", n)
		}
	}
	switch {
	case o.long < 0 || o.ops < 0:
		return errors.New("-for and -ops must not be negative")
	case o.hang < time.Millisecond:
		return errors.New("-hang must be at least 1ms")
	case o.seed > 1<<62:
		return errors.New("-seed must not be above 2^62")
	case len(o.workloads()) == 0:
		return fmt.Errorf("-run %q matches no workload; -list shows them", o.only)
	}
	return nil
}

// workloads are those that -run asks for.
func (o *options) workloads() (all []workload) {
	for _, w := range workloads {
		if o.only.MatchString(w.name) {
			all = append(all, w)
		}
	}
	return all
}
