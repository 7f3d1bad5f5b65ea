// Soak mixes every primitive, and random graphs of tasks with every fault, for as long as one
// likes, and checks what they do.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/cli"
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
	state  string
	piece  time.Duration // 0: no end but the others
}

// defaultProcs are the values of GOMAXPROCS, unless told otherwise.
var defaultProcs = []int{1, 2, 3, 4, 8, 64}

func main() {
	if os.Getenv(childMark) != "" {
		os.Exit(child(os.Stdin, os.Stdout))
	}
	command().Main()
}

// command is the command without its process.
func command() *cli.Command {
	var o options
	m := newMaster()
	return &cli.Command{
		Name: "soak", Usage: "go run ./stress/soak [flags]",
		About: "Mixes every primitive and random graphs with every fault, checks what they do, and ends with\nsoak ops=N failures=F seed=S. README.md beside the code says what counts and what replays.",
		Flags: o.flags,
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := o.check(call.Given); err != nil {
				return err
			}
			if o.list {
				for _, w := range o.workloads() {
					fmt.Fprintf(call.Text, "%-14s %s\n", w.name, w.counts)
				}
				return nil
			}
			if err := m.begins(o, call); err != nil {
				return err
			}
			return m.soak(ctx)
		},
		JSON: func() any { return m.sum },
	}
}

// flags adds the flags.
func (o *options) flags(f *flag.FlagSet) {
	o.procs = defaultProcs
	o.only = regexp.MustCompile("")
	f.DurationVar(&o.long, "for", 0,
		"end after this time (default 1m, if neither -ops nor -rounds is given)")
	f.Int64Var(&o.ops, "ops", 0, "end after this many operations")
	f.Uint64Var(&o.rounds, "rounds", 0, "end after this many rounds")
	f.Uint64Var(&o.seed, "seed", 0,
		"what the first round is drawn from; the next ones use the next numbers (default: drawn)")
	f.StringVar(&o.state, "state", "",
		"keep what was done in this `file`, and go on from it: its time, operations and rounds count")
	f.DurationVar(&o.piece, "piece", 0,
		"with -state: end after this time, though more was asked for")
	f.DurationVar(&o.hang, "hang", time.Minute,
		"how long a round may take before it counts as a hang")
	f.BoolVar(&o.list, "list", false, "list the workloads and what they count, and run none")
	f.Func("cpu", "the values of GOMAXPROCS, of which each round draws one (default 1,2,3,4,8,64)",
		func(text string) error {
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
	f.Func("chaos", "switches with commas between them: "+strings.Join(switches,
		", ")+", or all that this build has", func(text string) error {
		o.chaos = strings.Split(text, ",")
		return nil
	})
	cli.RegexpVar(f, &o.only, "run",
		"run only the workloads whose name matches this `regexp`")
}

// check looks for values out of range, and completes what has a short form or was not given.
func (o *options) check(given map[string]bool) error {
	switch {
	case given["for"] && o.long <= 0:
		return fmt.Errorf("-for %v: want more than 0s", o.long)
	case given["ops"] && o.ops < 1:
		return fmt.Errorf("-ops %d: want 1 or more", o.ops)
	case given["rounds"] && o.rounds < 1:
		return errors.New("-rounds 0: want 1 or more")
	case given["piece"] && o.piece <= 0:
		return fmt.Errorf("-piece %v: want more than 0s", o.piece)
	case given["piece"] && o.state == "":
		return errors.New("-piece needs -state")
	case !given["for"] && !given["ops"] && !given["rounds"]:
		o.long = time.Minute
	}
	if o.seed == 0 {
		o.seed = 1 + uint64(time.Now().UnixNano())%1e9
	}
	delays := atomics.Chaos(0, 0) // whether this build has them
	if slices.Equal(o.chaos, []string{"all"}) {
		o.chaos = slices.DeleteFunc(slices.Clone(switches), func(s string) bool {
			return s == chaosDelays && !delays
		})
	}
	for _, s := range o.chaos {
		if !slices.Contains(switches, s) {
			return fmt.Errorf("-chaos %q is none of %s", s, strings.Join(switches, ", "))
		}
		if s == chaosDelays && !delays {
			return errors.New("-chaos delays needs the instrumented words: go run -tags " +
				"modelcheck ./stress/soak")
		}
	}
	for _, n := range o.procs {
		if n < 1 || n > 1024 {
			return fmt.Errorf("-cpu %d is not from 1 to 1024", n)
		}
	}
	switch {
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
