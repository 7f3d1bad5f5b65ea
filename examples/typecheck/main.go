package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

func main() { typechecker().Main() }

// gcPercent lets the heap grow to five times what is live before a collection.
const gcPercent = 400

// maxWorkers bounds -workers: more than that a task system does not take.
const maxWorkers = 1024

// options are the flags.
type options struct {
	dir     string
	workers int
	runs    int
	dot     string
}

// typechecker is the command without its process.
func typechecker() *cli.Command {
	var o options
	var rep report
	return &cli.Command{
		Name: "typecheck", Unit: "pass", Flags: o.flags,
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := typecheck(ctx, o, &rep, call.Progress, call.Stderr); err != nil {
				return err
			}
			if rep.Workers = o.workers; !call.JSON {
				rep.table(call.Text)
			}
			if rep.bad() {
				return cli.ErrFailed
			}
			return nil
		},
		JSON: func() any {
			rep.Workers = o.workers
			return &rep
		},
	}
}

func (o *options) flags(fs *flag.FlagSet) {
	fs.StringVar(&o.dir, "dir", "",
		"check the Go module in `MODULE` and its dependencies instead of std")
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0),
		"number of workers, 1 to "+strconv.Itoa(maxWorkers))
	fs.IntVar(&o.runs, "runs", 5, "number of rounds, at least 1; the figures are medians over them")
	fs.StringVar(&o.dot, "dot", "", "write the graph to `FILE` in the DOT language")
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
func typecheck(ctx context.Context, o options, rep *report, show *cli.Progress,
	stderr io.Writer) (err error) {
	if err := o.validate(); err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	g, err := load(ctx, o.dir)
	if err != nil {
		return err
	}
	rep.graph(g)

	dot, err := cli.Create("dot", o.dot)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dot.Close()) }()
	m, err := measure(ctx, g, o, show)
	if err != nil {
		return err
	}
	rep.measured(g, m)
	m.tell(g, stderr)
	return dot.Write(func(w io.Writer) error { return writeDOT(w, g, m) })
}
