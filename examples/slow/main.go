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

// maxWorkers bounds -workers: it is the limit of taskgraph.Options.Workers.
const maxWorkers = 1024

// A report is what -json prints: one run with -case, and otherwise the medians of both forms of all
// cases. Times are in milliseconds.
type report struct {
	Workers int         `json:"workers"`
	Runs    []runReport `json:"runs"`
}

// A runReport is one form of a case.
type runReport struct {
	Case   string  `json:"case"`
	Mended bool    `json:"mended"`
	TookMS float64 `json:"took_ms"`
	WorkMS float64 `json:"work_ms"`
	SpanMS float64 `json:"span_ms"`
	LateMS float64 `json:"late_ms_p99"` // from ready to begin
}

type options struct {
	name                string
	mended              bool
	workers             int
	trace, lanes, graph string
	c                   *scene // of that name; nil: all cases
}

// slow is the command without its process.
func slow() *cli.Command {
	var o options
	var rep report
	return &cli.Command{
		Name: "slow", Unit: "round", Flags: o.flags,
		About: "Runs small programs that are slow for one reason each, and the same mended. With " +
			"-case,\nruns one of them and prints its profile.",
		Help: func(w io.Writer) {
			fmt.Fprintln(w, "cases:")
			for i := range scenes {
				fmt.Fprintf(w, "  %-18s %s\n", scenes[i].name, scenes[i].about)
			}
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := o.validate(); err != nil {
				return err
			}
			if o.c == nil {
				return compare(ctx, o.workers, &rep, call.Text, call.Progress)
			}
			return show(ctx, o, &rep, call.Text)
		},
		JSON: func() any {
			rep.Workers = o.workers
			if rep.Runs == nil {
				rep.Runs = []runReport{}
			}
			return &rep
		},
	}
}

func (o *options) flags(fs *flag.FlagSet) {
	var names []string
	for i := range scenes {
		names = append(names, scenes[i].name)
	}
	fs.StringVar(&o.name, "case", "", "run only the case `NAME`, and print its profile: "+
		strings.Join(names, ", "))
	fs.BoolVar(&o.mended, "mended", false, "with -case, run the form that is not slow")
	fs.IntVar(&o.workers, "workers", max(2, runtime.GOMAXPROCS(0)),
		"number of workers, 1 to "+strconv.Itoa(maxWorkers))
	fs.StringVar(&o.trace, "trace", "", "with -case, "+traces.Usage)
	fs.StringVar(&o.lanes, "lanes", "",
		"with -case, write to `FILE`, as SVG, what each worker did and when")
	fs.StringVar(&o.graph, "graph", "",
		"with -case, write to `FILE`, as SVG, what each task waited for, with the critical path")
}

func (o *options) validate() error {
	for i := range scenes {
		if scenes[i].name == o.name {
			o.c = &scenes[i]
		}
	}
	switch {
	case o.c == nil && o.name != "":
		return fmt.Errorf("-case %s: want one of those that -h lists", o.name)
	case o.workers < 1 || o.workers > maxWorkers:
		return fmt.Errorf("-workers %d: want 1 to %d", o.workers, maxWorkers)
	}
	if o.trace != "" {
		if _, err := traces.Format("trace", o.trace); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		name  string
		given bool
	}{{"mended", o.mended}, {"trace", o.trace != ""}, {"lanes", o.lanes != ""},
		{"graph", o.graph != ""}} {
		if f.given && o.c == nil {
			return fmt.Errorf("-%s is for one case: want -case NAME too", f.name)
		}
	}
	return cli.Distinct(cli.Path{Flag: "-trace", Name: o.trace},
		cli.Path{Flag: "-lanes", Name: o.lanes}, cli.Path{Flag: "-graph", Name: o.graph})
}

// An outcome is what a run of a form of a case left.
type outcome struct {
	took time.Duration
	snap *trace.Snapshot
	prof *profile.Report
}

// play runs a form of a case on a system that is recorded.
func play(ctx context.Context, c *scene, mended bool, workers int) (p outcome, err error) {
	rec := trace.New(trace.Options{Records: 1 << 18, Exact: true})
	sys := taskgraph.Start(taskgraph.Options{Workers: workers, Trace: rec, Foreground: -1})
	x := &stage{sys: sys, mended: mended, work: spin, beat: beat}
	began := time.Now()
	err = c.run(ctx, x)
	p.took = time.Since(began)
	if err := errors.Join(err, sys.Shutdown(context.WithoutCancel(ctx))); err != nil {
		return p, err
	}
	p.snap = rec.Snapshot()
	p.prof = profile.Of(p.snap, profile.Options{})
	return p, nil
}

// show runs a case and writes what was recorded.
func show(ctx context.Context, o options, rep *report, w io.Writer) (err error) {
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
	p, err := play(ctx, o.c, o.mended, o.workers)
	if err != nil {
		return err
	}
	s, r := p.snap, p.prof
	rep.Runs = []runReport{{o.name, o.mended, figures.MS(p.took), figures.MS(r.Work),
		figures.MS(r.Span), figures.MS(late(r).P99)}}
	form, other := "slow", "Add -mended to run the mended form."
	if o.mended {
		form, other = "mended", "Leave out -mended to run the slow form."
	}
	fmt.Fprintf(w, "%s, the %s form: %v with %d workers\n\n", o.name, form,
		p.took.Round(10*time.Microsecond), o.workers)
	if err := export.Text(w, r); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nThe case: %s.\n%s\n%s\n", o.c.about,
		o.c.says(r, o.mended), other)
	return errors.Join(
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
