package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// A report is what is printed, as a table or as JSON. Times are medians in milliseconds.
type report struct {
	Packages       int     `json:"packages"`
	Edges          int     `json:"edges"` // imports
	Files          int     `json:"files"`
	Skipped        int     `json:"skipped"` // packages not checked because an import failed
	Errors         int     `json:"errors"`  // in the packages that were asked for
	SerialMS       float64 `json:"serial_ms"`
	ParallelMS     float64 `json:"parallel_ms"`
	GoroutinesMS   float64 `json:"goroutines_ms"`
	Speedup        float64 `json:"speedup"` // serial / parallel
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
	serial, parallel := median(m.serial), median(m.parallel)
	r.SerialMS, r.ParallelMS = figures.MS(serial), figures.MS(parallel)
	r.GoroutinesMS = figures.MS(median(m.goroutines))
	r.Speedup = figures.Ratio(serial, parallel)
	r.CriticalPathMS, r.Parallelism = figures.MS(p.Span), figures.Round(p.Parallelism())
	r.Digest, r.ResultEqual = m.digest, m.equal
}

// bad tells whether the packages, or the runners, are not as they should be.
func (r *report) bad() bool {
	return r.Errors > 0 || r.Skipped > 0 || !r.ResultEqual
}

// table prints the report for a person.
func (r *report) table(w io.Writer) {
	equal := "equal"
	if !r.ResultEqual {
		equal = "DIFFER"
	}
	rows := []struct{ name, value, note string }{
		{"packages", fmt.Sprint(r.Packages), ""},
		{"edges", fmt.Sprint(r.Edges), "imports"},
		{"files", fmt.Sprint(r.Files), ""},
		{"skipped", fmt.Sprint(r.Skipped), ""},
		{"errors", fmt.Sprint(r.Errors), ""},
		{"workers", fmt.Sprint(r.Workers), ""},
		{"serial", fmt.Sprintf("%.1f ms", r.SerialMS), "one package after the other"},
		{"parallel", fmt.Sprintf("%.1f ms", r.ParallelMS), "one task a package"},
		{"goroutines", fmt.Sprintf("%.1f ms", r.GoroutinesMS),
			"one goroutine and one done-channel a package"},
		{"speed-up", fmt.Sprintf("%.2f   ", r.Speedup), "serial / parallel"},
		{"critical path", fmt.Sprintf("%.1f ms", r.CriticalPathMS), "the longest chain of imports"},
		{"parallelism", fmt.Sprintf("%.2f   ", r.Parallelism),
			"what the graph allows: work / critical path"},
		{"results", equal + "   ", "digest " + r.Digest[:min(16, len(r.Digest))]},
	}
	for _, row := range rows {
		line := fmt.Sprintf("%-14s %12s   %s", row.name, row.value, row.note)
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}
