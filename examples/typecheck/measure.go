package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A runner is one way to check all packages of a pass in an order that the imports allow.
type runner struct {
	name string
	run  func(*pass) error
}

// measurement is what the rounds gave.
type measurement struct {
	serial, parallel, goroutines []time.Duration // of the whole pass, a value a round

	weight   []time.Duration // of each package: median of its serial times
	outcomes []result        // of each package, without its types
	digest   string          // of the first pass
	equal    bool            // all passes gave that digest
}

// measure lets every runner do the work o.runs times. They take turns, to and fro, so that
// whatever else the machine does meanwhile meets them all alike.
func measure(ctx context.Context, g *graph, o options, show *cli.Progress) (*measurement, error) {
	m := &measurement{equal: true}
	took := make([][]time.Duration, len(g.pkgs))
	ranks := g.ranks()
	turns := []struct {
		runner
		times *[]time.Duration
	}{
		{runner{"serial", runSerial}, &m.serial},
		{runner{"parallel", func(p *pass) error { return runGraph(p, o.workers, ranks) }},
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
			if which == 0 {
				for i := range took {
					took[i] = append(took[i], p.results[i].took)
				}
			}
		}
	}
	m.weight = make([]time.Duration, len(took))
	for i := range took {
		m.weight[i] = median(took[i])
	}
	return m, nil
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
