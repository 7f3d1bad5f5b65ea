package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A runner is one way to check all packages of a pass in an order that the imports allow.
type runner struct {
	name string
	run  func(*pass) error
}

// measurement is what the rounds gave.
type measurement struct {
	serial, parallel, goroutines []time.Duration // of the whole pass, a value a round

	traces   []*trace.Snapshot // of the parallel passes, a value a round
	outcomes []result          // of each package, without its types
	digest   string            // of the first pass
	equal    bool              // all passes gave that digest
}

// measure lets every runner do the work o.runs times. They take turns, to and fro, so that
// whatever else the machine does meanwhile meets them all alike.
func measure(ctx context.Context, g *graph, o options, show *cli.Progress) (*measurement, error) {
	m := &measurement{equal: true}
	ranks := g.ranks()
	var rec *trace.Recorder // of the pass under way, since each has a system of its own
	turns := []struct {
		runner
		times *[]time.Duration
	}{
		{runner{"serial", runSerial}, &m.serial},
		{runner{"parallel", func(p *pass) error { return runGraph(p, o.workers, ranks, rec) }},
			&m.parallel},
		{runner{"goroutines", runGoroutines}, &m.goroutines},
	}
	defer show.Clear()
	for round := range o.runs {
		for turn := range turns {
			// Each round goes the other way than the one before: what a pass finds of
			// memory depends on what the pass before it took.
			which := turn
			if round%2 == 1 {
				which = len(turns) - 1 - turn
			}
			t := turns[which]
			show.At(t.name, round*len(turns)+turn, o.runs*len(turns))
			p := newPass(ctx, g)
			runtime.GC() // or this pass would pay for the garbage of the one before
			rec = trace.New(trace.Options{Records: recordsFor(g), Exact: true})
			start := time.Now()
			if err := t.run(p); err != nil {
				return nil, fmt.Errorf("%s run: %w", t.name, err)
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			*t.times = append(*t.times, time.Since(start))

			digest := p.digest()
			if m.digest == "" {
				m.digest, m.outcomes = digest, p.outcomes()
			}
			m.equal = m.equal && digest == m.digest
			if t.times == &m.parallel {
				m.traces = append(m.traces, rec.Snapshot())
			}
		}
	}
	return m, nil
}

// recordsFor returns how many records a lane needs if it does all: what happens to a package is
// fewer than ten, and each of its imports is noted once.
func recordsFor(g *graph) int { return 10*len(g.pkgs) + g.edges + 1<<10 }

// middle returns what was recorded of the parallel pass that took as long as half of them: of an
// even number the shorter one in the middle.
func (m *measurement) middle() *trace.Snapshot {
	order := make([]int, len(m.parallel))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(m.parallel[a], m.parallel[b]) })
	return m.traces[order[(len(order)-1)/2]]
}

// median returns the middle value, or the mean of the two middle ones; 0 of none.
func median(values []time.Duration) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}

// outcomes returns the results without what keeps the packages in memory.
func (p *pass) outcomes() []result {
	list := slices.Clone(p.results)
	for i := range list {
		list[i].types = nil
	}
	return list
}

// maxLines bounds how many errors are written out.
const maxLines = 100

// tell writes a line for each error of a package that was asked for, each failure of
// another that something depends on, and each skipped package with its cause.
func (m *measurement) tell(g *graph, w io.Writer) {
	var lines []string
	elsewhere := 0
	for i, r := range m.outcomes {
		if r.failure != nil || g.pkgs[i].own {
			lines = append(lines, r.errs...)
		} else {
			elsewhere += len(r.errs)
		}
	}
	for i, r := range m.outcomes {
		if r.cause != nil {
			lines = append(lines, fmt.Sprintf("%s: skipped, because %s failed: %v", g.pkgs[i].path,
				r.cause.path, r.cause))
		}
	}
	for i, line := range lines {
		if i == maxLines {
			fmt.Fprintf(w, "and %d lines more\n", len(lines)-i)
			break
		}
		fmt.Fprintln(w, line)
	}
	if elsewhere > 0 {
		fmt.Fprintf(w, "not counted: %d type errors in packages of other modules\n", elsewhere)
	}
}
