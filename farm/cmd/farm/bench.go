package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/taskgraph"
)

// bench is the command that measures a job.
func bench() *cli.Command {
	var connect func() farm.Options
	var n, size int
	return &cli.Command{
		Name: "farm bench",
		About: "Measures what a job costs that does nothing but return its argument. Without -nats, a\n" +
			"server and a worker run in this process.",
		Flags: func(fs *flag.FlagSet) {
			connect = farm.ConnectFlags(fs)
			fs.IntVar(&n, "n", 2000, "call this `number` of jobs at once, 1 to 1000000")
			fs.IntVar(&size, "size", 100,
				"`BYTES` of an argument and of its result, 16 to 67108864")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			switch {
			case n < 1 || n > 1_000_000:
				return fmt.Errorf("-n %d: want 1 to 1000000", n)
			case size < 16 || size > 64<<20:
				return fmt.Errorf("-size %d: want 16 to %d", size, 64<<20)
			}
			c := costs{all: n}
			err := c.measure(ctx, call, connect(), size)
			if err == nil {
				fmt.Fprint(call.Text, c.text())
			}
			return err
		},
	}
}

// singles is how many jobs are called one after the other, at most.
const singles = 500

// costs are what jobs that do nothing took.
type costs struct {
	took   []time.Duration // of jobs that were called one after the other
	all    int             // jobs that were called at once,
	passed time.Duration   // and how long they took together
}

func (c *costs) measure(ctx context.Context, call *cli.Call, o farm.Options, size int) (err error) {
	f, err := farm.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if o.URL == "" {
		fmt.Fprintln(call.Text, "No -nats is given: a server and a worker run in this process.")
		ctx, cancel := context.WithCancel(ctx)
		end := make(chan error, 1)
		go func() { end <- f.Work(ctx, trialJobs(), farm.WorkOptions{}) }()
		defer func() { cancel(); err = errors.Join(err, <-end) }()
	}
	sys := taskgraph.Start(taskgraph.Options{})
	defer func() { err = errors.Join(err, sys.Shutdown(ctx)) }()
	salt := time.Now().UnixNano() // so that no result was kept
	do := func(i int) *farm.Result {
		arg := make([]byte, size)
		copy(arg, fmt.Sprintf("%x-%x", salt&0xffffffff, i))
		return farm.Call(sys, f, "echo", farm.Bytes(arg),
			farm.CallOptions{Version: "1", Where: farm.Remote, Context: ctx})
	}
	one := min(c.all, singles)
	call.Progress.Show(fmt.Sprintf("calling %d jobs, one after the other", one))
	c.took = make([]time.Duration, one)
	for i := range c.took {
		began := time.Now()
		if _, err := do(i).Get(ctx); err != nil {
			return err
		}
		c.took[i] = time.Since(began)
	}
	call.Progress.Show(fmt.Sprintf("calling %d jobs at once", c.all))
	began := time.Now()
	all := make([]*farm.Result, c.all)
	for i := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		all[i] = do(one + i)
	}
	for i, r := range all {
		if _, err := r.Get(ctx); err != nil {
			return err
		}
		if i%100 == 0 {
			call.Progress.Show(fmt.Sprintf("%d of %d jobs are done", i, c.all))
		}
	}
	c.passed = time.Since(began)
	call.Progress.Clear()
	return nil
}

// text is the figures, and what they mean for a program.
func (c *costs) text() string {
	slices.Sort(c.took)
	n := len(c.took)
	each := c.passed / time.Duration(c.all)
	return fmt.Sprintf("one at a time: p50 %v, p99 %v\n%d at once: %.0f jobs/s, %v each\n\n"+
		"A job that does nothing takes %v from the call to its result; with many on their way, one\n"+
		"ends every %v. "+
		"A job that computes for %v spends a tenth of its time on the farm; a\n"+
		"much shorter one is better run in the process that needs it.\n",
		short(c.took[n/2]), short(c.took[n*99/100]), c.all, float64(c.all)/c.passed.Seconds(),
		short(each), short(c.took[n/2]), short(each), short(10*c.took[n/2]))
}

// short rounds to three digits or so.
func short(d time.Duration) time.Duration {
	for unit := time.Nanosecond; ; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit)
		}
	}
}
