package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// The rounds are made by child processes of this very program, so that a crash, too, is a failure
// with a seed, and so that what one round leaves in the heap is gone after a while.

// childMark is the environment variable that makes a process such a child.
const childMark = "HEDDLE_SOAK_CHILD"

// An order is what a child is told to do, as JSON on its standard input.
type order struct {
	Seed   uint64 // of the first round
	Rounds uint64 // at most; 0: as many as there is time for
	Ops    int64  // end when there are so many; 0: no matter how many
	Nanos  int64  // begin no round after this time; 0: no matter how long it takes
	Procs  []int
	Chaos  []string
	Only   string
	Hang   int64
}

// A line is what a child says, as JSON on its standard output: twice for each round.
type line struct {
	Seed  uint64
	What  string           // as it begins
	Done  bool             // it has ended
	Ops   map[string]int64 // by workload
	Wrong string
}

// child makes rounds; what it returns is the exit status.
func child(in io.Reader, out io.Writer) int {
	signal.Ignore(os.Interrupt, syscall.SIGTERM) // the parent hears them as well, and ends this
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		fmt.Fprintln(os.Stderr, "soak: a child without an order:", err)
		return cli.Failed
	}
	opts := &options{procs: o.Procs, chaos: o.Chaos, only: regexp.MustCompile(o.Only)}
	say := json.NewEncoder(out)
	begin := time.Now()
	ops := int64(0)
	for n := uint64(0); ; n++ {
		if o.Rounds > 0 && n == o.Rounds || o.Ops > 0 && ops >= o.Ops ||
			o.Nanos > 0 && n > 0 && int64(time.Since(begin)) >= o.Nanos {
			return cli.OK
		}
		r := newRound(opts, o.Seed+n)
		if say.Encode(line{Seed: r.seed, What: r.String()}) != nil {
			return cli.Failed // nobody listens
		}
		hang := time.AfterFunc(time.Duration(o.Hang), func() {
			fmt.Fprintln(os.Stderr, r.dump())
			_ = say.Encode(line{Seed: r.seed, Done: true,
				Wrong: fmt.Sprintf("hangs: not over after %v; the stacks are above",
					time.Duration(o.Hang))})
			os.Exit(cli.Failed)
		})
		err := r.do()
		if !hang.Stop() {
			select {} // the other one ends the process
		}
		l := line{Seed: r.seed, Done: true, Ops: map[string]int64{}}
		for _, j := range r.jobs {
			l.Ops[j.name] += j.ops.Load()
			ops += j.ops.Load()
		}
		if err != nil {
			l.Wrong = err.Error()
		}
		if say.Encode(l) != nil || err != nil {
			return cli.Failed
		}
	}
}
