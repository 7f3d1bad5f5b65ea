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

	"github.com/heddle-go/heddle/examples/internal/traces"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/taskgraph/trace/export"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
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
	trace   string
	lanes   string
	profile bool
}

// typechecker is the command without its process.
func typechecker() *cli.Command {
	var o options
	var rep report
	return &cli.Command{
		Name: "typecheck", Unit: "pass", Flags: o.flags,
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := o.validate(); err != nil {
				return err
			}
			if !call.JSON {
				o.begin(call.Text)
			}
			p, err := typecheck(ctx, o, &rep, call.Progress, call.Stderr)
			if err != nil {
				return err
			}
			if rep.Workers = o.workers; !call.JSON {
				rep.print(call.Text, o)
			}
			if o.profile {
				fmt.Fprintln(call.Text)
				if err := export.Text(call.Text, p); err != nil {
					return err
				}
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
	fs.StringVar(&o.dot, "dot", "",
		"write the graph to `FILE` in the DOT language, with times, slack and the critical path")
	fs.StringVar(&o.trace, "trace", "", traces.Usage)
	fs.StringVar(&o.lanes, "lanes", "",
		"draw to `FILE`, as SVG, which worker checked which package when")
	fs.BoolVar(&o.profile, "profile", false, "print where the time went, and what other numbers "+
		"of workers would bring")
}

// validate reports a value out of range.
func (o *options) validate() error {
	switch {
	case o.workers < 1 || o.workers > maxWorkers:
		return fmt.Errorf("-workers %d: want 1 to %d", o.workers, maxWorkers)
	case o.runs < 1:
		return fmt.Errorf("-runs %d: want at least 1", o.runs)
	}
	if o.trace != "" {
		if _, err := traces.Format("trace", o.trace); err != nil {
			return err
		}
	}
	if o.dir != "" {
		if err := checkModule(o.dir); err != nil {
			return err
		}
	}
	return cli.Distinct(cli.Path{Flag: "-dot", Name: o.dot},
		cli.Path{Flag: "-trace", Name: o.trace}, cli.Path{Flag: "-lanes", Name: o.lanes})
}

// typecheck does what the options ask, fills the report, and returns the profile of the median
// parallel pass. It writes a line to stderr for each fault of a package; the error says why there
// are no results.
func typecheck(ctx context.Context, o options, rep *report, show *cli.Progress,
	stderr io.Writer) (r *profile.Report, err error) {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	show.Show("listing the packages")
	g, err := load(ctx, o.dir)
	if err != nil {
		return nil, err
	}
	rep.graph(g)

	dot, err := cli.Create("dot", o.dot)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dot.Close()) }()
	file, err := cli.Create("trace", o.trace)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lanes, err := cli.Create("lanes", o.lanes)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lanes.Close()) }()
	m, err := measure(ctx, g, o, show)
	if err != nil {
		return nil, err
	}
	recorded := m.middle()
	r = profile.Of(recorded, profile.Options{})
	rep.measured(g, m, r)
	m.tell(g, stderr)
	return r, errors.Join(
		dot.Write(func(w io.Writer) error { return export.DOT(w, recorded, r) }),
		lanes.Write(func(w io.Writer) error { return export.Lanes(w, recorded, r) }),
		file.Write(func(w io.Writer) error {
			write, err := traces.Format("trace", o.trace)
			if err != nil {
				return err
			}
			return write(w, recorded)
		}),
	)
}
