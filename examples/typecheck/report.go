package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/internal/dev/verdict"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// A report is what the command prints, as text or as JSON. Times are medians in milliseconds.
type report struct {
	Packages       int     `json:"packages"`
	Edges          int     `json:"edges"` // imports
	Files          int     `json:"files"`
	Skipped        int     `json:"skipped"` // packages not checked because an import failed
	Errors         int     `json:"errors"`  // in the packages that were asked for
	SerialMS       float64 `json:"serial_ms"`
	ParallelMS     float64 `json:"parallel_ms"` // by Heddle
	GoroutinesMS   float64 `json:"goroutines_ms"`
	Speedup        float64 `json:"speedup"`               // serial / parallel
	VsGoroutines   float64 `json:"speedup_vs_goroutines"` // goroutines / parallel
	CriticalPathMS float64 `json:"critical_path_ms"`
	Parallelism    float64 `json:"parallelism"` // work / critical path
	Workers        int     `json:"workers"`
	Digest         string  `json:"digest"`
	ResultEqual    bool    `json:"result_equal"`
}

// graph notes the size of the graph.
func (r *report) graph(g *graph) {
	r.Packages, r.Edges, r.Files = len(g.pkgs), g.edges, g.files
}

// measured notes the figures.
func (r *report) measured(g *graph, m *measurement, p *profile.Report) {
	for i, o := range m.outcomes {
		if o.cause != nil {
			r.Skipped++
		}
		if g.pkgs[i].own {
			r.Errors += len(o.errs)
		}
	}
	serial, parallel, goroutines := median(m.serial), median(m.parallel), median(m.goroutines)
	r.SerialMS, r.ParallelMS = figures.MS(serial), figures.MS(parallel)
	r.GoroutinesMS = figures.MS(goroutines)
	r.Speedup = figures.Ratio(serial, parallel)
	r.VsGoroutines = figures.Ratio(goroutines, parallel)
	r.CriticalPathMS, r.Parallelism = figures.MS(p.Span), figures.Round(p.Parallelism())
	r.Digest, r.ResultEqual = m.digest, m.equal
}

// bad reports whether the packages, or the ways of checking them, are not as they should be.
func (r *report) bad() bool {
	return r.Errors > 0 || r.Skipped > 0 || !r.ResultEqual
}

// begin says what is about to happen, before the first slow step.
func (o options) begin(w io.Writer) {
	what := "Go's standard library (" + runtime.Version() + ")"
	if o.dir != "" {
		what = "the module in " + o.dir + " and all that it imports"
	}
	fmt.Fprintf(w, "Type-checking %s\nin three ways, in turn, %s each.\n", what,
		verdict.Count(o.runs, "time"))
}

// print writes the report for a person.
func (r *report) print(w io.Writer, o options) {
	fmt.Fprintf(w, "\n%-11s %9s %9s\n", "", "median", "speed-up")
	for _, way := range []struct {
		name, how string
		ms        float64
	}{
		{"serial", "one package after the other", r.SerialMS},
		{"goroutines", "a goroutine and a channel for each package", r.GoroutinesMS},
		{"Heddle", "a task for each package, " + verdict.Count(r.Workers, "worker"), r.ParallelMS},
	} {
		fmt.Fprintf(w, "%-11s %6.0f ms %9.2f   %s\n", way.name, way.ms, over(r.SerialMS, way.ms),
			way.how)
	}
	fmt.Fprintf(w, "\n%s with %s in %s: %s, %s skipped.\n", verdict.Count(r.Packages, "package"),
		verdict.Count(r.Edges, "import"), verdict.Count(r.Files, "file"),
		verdict.Count(r.Errors, "error"), verdict.Count(r.Skipped, "package"))
	if r.ResultEqual {
		fmt.Fprintf(w, "The three ways found the same (digest %.16s).\n", r.Digest)
	} else {
		fmt.Fprintln(w, "The three ways DIFFER in what they found.")
	}
	fmt.Fprintf(w, "The longest chain of imports takes %.0f ms, however many workers there are.\n",
		r.CriticalPathMS)
	fmt.Fprintf(w, "\n%s\n%s\n", r.gain(), r.besideGoroutines())
	if o.lanes == "" {
		fmt.Fprintf(w, "\nTo see which worker checked which package when, run\n  %s\n"+
			"and open that file in a browser.\n", o.again())
		return
	}
	name, err := filepath.Abs(o.lanes) // go -C examples runs the command in another directory
	if err != nil {
		name = o.lanes
	}
	fmt.Fprintf(w, "\nOpen %s in a browser\nto see which worker checked which package when.\n", name)
}

// gain says what the task graph gained over one thread.
func (r *report) gain() string {
	return fmt.Sprintf("Heddle %s with %s; the graph allows %.2f.",
		verdict.Beside(r.ParallelMS, r.SerialMS, "one package after the other"),
		verdict.Count(r.Workers, "worker"), r.Parallelism)
}

// besideGoroutines says how the task graph did beside plain goroutines.
func (r *report) besideGoroutines() string {
	return "It " + verdict.Beside(r.ParallelMS, r.GoroutinesMS, "plain goroutines") + "."
}

// again returns the command that draws the lanes.
func (o options) again() string {
	dir := ""
	if o.dir != "" {
		dir = " -dir " + o.dir
	}
	return "go -C examples run ./typecheck -runs 1" + dir + " -lanes " +
		filepath.Join(os.TempDir(), "typecheck.svg")
}

// over returns a / b, or 0 if b is 0.
func over(a, b float64) float64 {
	return figures.Ratio(time.Duration(a*1e3), time.Duration(b*1e3))
}
