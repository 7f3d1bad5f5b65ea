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
	"os/signal"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := everything.run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // a bad value, a row of Heddle that failed, or an interruption
	exitUsage  = 2 // a command line that cannot be understood
)

// A bench is what the command can measure.
type bench struct {
	full, quick sizes
	workloads   func(sizes) []*workload
	costs       func() []costRow
}

// everything is what it does measure.
var everything = bench{fullSizes, quickSizes, workloads, costRows}

// run is the command without its process, and returns the exit status. When ctx ends it
// reports what was measured by then.
func (b bench) run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := b.parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	rep := report{command: strings.Join(append([]string{"go run ."}, args...), " "), pairs: o.pairs}
	status := exitOK
	if err != nil {
		err = fmt.Errorf("%w (-h lists the flags)", err)
		status = exitUsage
	} else if err = b.measure(ctx, &o, &rep, stderr); err != nil || rep.heddleFailed() {
		status = exitFailed
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
	}
	if err := o.show(&rep, stdout); err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		status = max(status, exitFailed)
	}
	return status
}

// show prints the report, and writes it where the flags say.
func (o *options) show(rep *report, stdout io.Writer) error {
	var printed error
	measured := len(rep.sections)+len(rep.costs) > 0
	if o.json {
		text, err := rep.json()
		if err == nil {
			_, err = stdout.Write(text)
		}
		printed = err
	} else if measured {
		printed = rep.print(stdout)
	}
	if o.out == "" || !measured {
		return printed
	}
	return errors.Join(printed, rep.write(o.out))
}

// measure does what the options ask and fills the report.
func (b bench) measure(ctx context.Context, o *options, rep *report, stderr io.Writer) (err error) {
	if err := o.validate(b); err != nil {
		return err
	}
	z := b.full
	if o.quick {
		z = b.quick
	}
	chosen := o.choose(b.workloads(z))
	var costs []costRow
	if matches(o.workloads, costsName) {
		costs = o.chooseCosts(b.costs())
	}
	if len(chosen)+len(costs) == 0 {
		return errors.New("nothing to measure: none of these workloads has one of these runtimes")
	}
	s, err := newSession(z, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	s.progress = newProgress(stderr, len(chosen))
	defer s.progress.clear()
	rep.machine = thisMachine(s.cpp)
	s.progress.say("building the C++ peers")
	if err := s.cpp.buildAll(); err != nil {
		return err
	}
	for _, w := range chosen {
		entries, err := s.race(ctx, w)
		rep.sections = append(rep.sections, sectionOf(w, entries))
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		s.progress.finished()
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
	return &session{sizes: z, pairs: o.pairs, workers: o.workers, patience: patience, cpp: newCPP(o.cpp), files: files}, nil
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
