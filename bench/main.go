// Command bench measures Heddle beside its peers, all in one run and by turns. README.md says
// how, and how to read what it prints.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

func main() { everything.command(os.Args[1:]).Main() }

// A bench is what the command can measure.
type bench struct {
	full, quick sizes
	workloads   func(sizes) []*workload
	costs       func() []costRow
}

// everything is what it does measure.
var everything = bench{fullSizes, quickSizes, workloads, costRows}

// command is the command without its process, for the report with the arguments that it is called
// with. When it is interrupted it reports what was measured by then.
func (b bench) command(args []string) *cli.Command {
	var o options
	rep := report{command: strings.Join(append([]string{"go -C bench run ."}, args...), " ")}
	return &cli.Command{
		Name: "bench",
		About: "Measures Heddle and its peers in Go and C++ by turns, prints a table for each workload,\n" +
			"and says in words where Heddle is ahead, level and behind.",
		Flags: func(fs *flag.FlagSet) { o.flags(fs) },
		Help: func(w io.Writer) {
			fmt.Fprintf(w, "workloads: %s\n", strings.Join(b.workloadNames(), ", "))
			fmt.Fprintf(w, "runtimes: %s\n", strings.Join(b.runtimeNames(), ", "))
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			if o.fill != "" {
				return fillPage(o.fill)
			}
			o.complete(call.Given)
			rep.pairs, rep.quick, rep.workers = o.pairs, o.quick, o.workers
			err := b.measure(ctx, &o, &rep, call.Progress)
			call.Progress.Clear()
			if err == nil && rep.heddleFailed() {
				err = cli.ErrFailed
			}
			return errors.Join(err, o.show(&rep, call))
		},
		JSON: func() any { return rep.records() },
	}
}

// show prints the report, and writes it where the flags say.
func (o *options) show(rep *report, call *cli.Call) error {
	if len(rep.sections)+len(rep.costs) == 0 {
		return nil
	}
	if !call.JSON {
		rep.print(call.Text)
	}
	var err error
	if o.keep != "" {
		err = rep.keep(o.keep)
	}
	if o.out != "" {
		err = errors.Join(err, rep.write(o.out))
	}
	return err
}

// measure does what the options ask and fills the report.
func (b bench) measure(ctx context.Context, o *options, rep *report,
	show *cli.Progress) (err error) {
	if err := o.validate(b); err != nil {
		return err
	}
	z := b.full
	if o.quick {
		z = b.quick
	}
	chosen := o.choose(b.workloads(z))
	var costs []costRow
	if o.only == "" && matches(o.workloads, costsName) {
		costs = o.chooseCosts(b.costs())
	}
	if len(chosen)+len(costs) == 0 {
		return errors.New("nothing to measure: none of these workloads has one of these runtimes " +
			"that is not switched off")
	}
	s, err := newSession(z, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	s.show, s.total = show, len(chosen)
	rep.machine = thisMachine(s.cpp)
	s.show.Show("building the C++ peers")
	if err := s.cpp.buildAll(ctx); err != nil {
		return err
	}
	for _, w := range chosen {
		entries, err := s.race(ctx, w)
		rep.sections = append(rep.sections, sectionOf(w, entries))
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		s.done++
	}
	rep.costs, err = s.weigh(ctx, costs)
	return err
}

// newSession makes what a run needs.
func newSession(z sizes, o *options) (*session, error) {
	files, err := newShapeFiles()
	if err != nil {
		return nil, err
	}
	return &session{sizes: z, pairs: o.pairs, workers: o.workers, patience: patience,
		cpp: newCPP(o.cpp), files: files}, nil
}

// close removes what the run has left.
func (s *session) close() error { return errors.Join(s.cpp.close(), s.files.close()) }

// workloadNames are all names that -workload knows.
func (b bench) workloadNames() []string {
	var all []string
	for _, w := range b.workloads(b.quick) {
		all = append(all, w.name)
	}
	return append(all, costsName)
}

// runtimeNames are all names that -runtime knows, in the order of their first use.
func (b bench) runtimeNames() []string {
	var all []string
	add := func(name string) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, w := range b.workloads(b.quick) {
		for _, r := range w.rows {
			add(r.runtime)
		}
	}
	for _, c := range b.costs() {
		add(c.runtime)
	}
	return all
}
