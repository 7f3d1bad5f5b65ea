package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/examples/internal/traces"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/export"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

func main() { slow().Main() }

// maxWorkers bounds -workers: more than that a task system does not take.
const maxWorkers = 1024

// A report is what -json prints. Times are in milliseconds.
type report struct {
	Case    string  `json:"case"`
	Mended  bool    `json:"mended"`
	Workers int     `json:"workers"`
	TookMS  float64 `json:"took_ms"`
	WorkMS  float64 `json:"work_ms"`
	SpanMS  float64 `json:"span_ms"`
}

type options struct {
	name                string
	mended              bool
	workers             int
	trace, lanes, graph string
	c                   *scene // of that name
}

// slow is the command without its process.
func slow() *cli.Command {
	var o options
	var rep report
	return &cli.Command{
		Name: "slow", Unit: "step", Flags: o.flags,
		About: "Runs a small program that is slow for one reason, and prints its profile.",
		Help: func(w io.Writer) {
			fmt.Fprintln(w, "cases:")
			for i := range scenes {
				fmt.Fprintf(w, "  %-18s %s\n", scenes[i].name, scenes[i].about)
			}
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			return show(ctx, o, &rep, call.Text)
		},
		JSON: func() any {
			rep.Case, rep.Mended, rep.Workers = o.name, o.mended, o.workers
			return &rep
		},
	}
}

func (o *options) flags(fs *flag.FlagSet) {
	var names []string
	for i := range scenes {
		names = append(names, scenes[i].name)
	}
	fs.StringVar(&o.name, "case", names[0], "the `NAME` of the case: "+strings.Join(names, ", "))
	fs.BoolVar(&o.mended, "mended", false, "run the form that is not slow any more")
	fs.IntVar(&o.workers, "workers", max(2, runtime.GOMAXPROCS(0)),
		"number of workers, 1 to "+strconv.Itoa(maxWorkers))
	fs.StringVar(&o.trace, "trace", "", traces.Usage)
	fs.StringVar(&o.lanes, "lanes", "", "write to `FILE` in the SVG format who did what when")
	fs.StringVar(&o.graph, "graph", "",
		"write to `FILE` in the SVG format what had to wait for what, with the critical path")
}

func (o *options) validate() error {
	for i := range scenes {
		if scenes[i].name == o.name {
			o.c = &scenes[i]
		}
	}
	switch {
	case o.c == nil:
		return fmt.Errorf("-case %s: want one of those that -h lists", o.name)
	case o.workers < 1 || o.workers > maxWorkers:
		return fmt.Errorf("-workers %d: want 1 to %d", o.workers, maxWorkers)
	}
	if o.trace != "" {
		if _, err := traces.Format("trace", o.trace); err != nil {
			return err
		}
	}
	return cli.Distinct(cli.Path{Flag: "-trace", Name: o.trace},
		cli.Path{Flag: "-lanes", Name: o.lanes}, cli.Path{Flag: "-graph", Name: o.graph})
}

// show runs a case and writes what was recorded.
func show(ctx context.Context, o options, rep *report, w io.Writer) (err error) {
	if err := o.validate(); err != nil {
		return err
	}
	var files [3]*cli.File
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.Close())
		}
	}()
	for i, f := range []cli.Path{{Flag: "trace", Name: o.trace}, {Flag: "lanes", Name: o.lanes},
		{Flag: "graph", Name: o.graph}} {
		if files[i], err = cli.Create(f.Flag, f.Name); err != nil {
			return err
		}
	}
	rec := trace.New(trace.Options{Records: 1 << 18, Exact: true})
	form := "slow"
	if o.mended {
		form = "mended"
	}
	sys := taskgraph.Start(taskgraph.Options{Workers: o.workers, Trace: rec, Foreground: -1})
	x := &stage{sys: sys, mended: o.mended, work: spin, beat: beat}
	began := time.Now()
	err = o.c.run(ctx, x)
	took := time.Since(began)
	if err := errors.Join(err, sys.Shutdown(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	s := rec.Snapshot()
	r := profile.Of(s, profile.Options{})
	rep.TookMS, rep.WorkMS, rep.SpanMS = figures.MS(took), figures.MS(r.Work), figures.MS(r.Span)
	fmt.Fprintf(w, "%s, %s: %v on %d workers\n\n", o.name, form, took.Round(10*time.Microsecond),
		o.workers)
	return errors.Join(export.Text(w, r),
		files[0].Write(func(w io.Writer) error {
			write, err := traces.Format("trace", o.trace)
			if err != nil {
				return err
			}
			return write(w, s)
		}),
		files[1].Write(func(w io.Writer) error { return export.Lanes(w, s, r) }),
		files[2].Write(func(w io.Writer) error { return export.SVG(w, s, r) }),
	)
}
