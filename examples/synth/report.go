package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
)

// A report is what is printed, as a table or as JSON.
type report struct {
	File        string    `json:"file"`          // that the tune was written to
	TuneSeconds float64   `json:"tune_seconds"`  // how long it is
	RenderMS    float64   `json:"render_ms"`     // how long it took to make it
	Voices      int       `json:"voices"`        // 0: as many as each version sustains
	Workers     int       `json:"workers"`       // of plain Go and Heddle
	Seconds     float64   `json:"seconds"`       // that each version played
	Versions    []version `json:"versions"`      // in the order of engines
	Digest      string    `json:"digest"`        // of the samples that serial has played
	Equal       bool      `json:"digests_equal"` // all versions have played the same

	name string // of the tune
}

// A version is the figures of one. Times are from a beat to the end of its block.
type version struct {
	Name   string  `json:"name"`
	Voices int     `json:"voices"`
	P50    float64 `json:"ms_p50"`
	P99    float64 `json:"ms_p99"`
	P999   float64 `json:"ms_p999"`
	Beats  int     `json:"beats"`
	// beats at whose end there was no block, or a tail was late
	Missed    int     `json:"missed"`
	LateTails int     `json:"late_tails"` // counted in missed
	CPU       float64 `json:"cpu"`        // processors used; -1: not known here
}

// played fills in what a contestant did.
func (r *report) played(c *contestant, voices int) {
	q := figures.Quantiles(c.times, 0.5, 0.99, 0.999)
	v := version{
		Name: c.name, Voices: voices, P50: figures.MS(q[0]), P99: figures.MS(q[1]),
		P999:  figures.MS(q[2]),
		Beats: c.total, Missed: c.missed, LateTails: c.late, CPU: -1,
	}
	if c.counts {
		v.CPU = figures.Round(float64(c.cpu) / float64(c.wall))
	}
	r.Versions = append(r.Versions, v)
}

// compared fills in whether all have played the same samples.
func (r *report) compared(list []*contestant) {
	r.Equal = true
	for _, c := range list {
		r.Equal = r.Equal && c.digest == list[0].digest
	}
	r.Digest = fmt.Sprintf("%016x", list[0].digest)
}

// table prints the report for a person.
func (r *report) table(w io.Writer) {
	if r.File != "" {
		fmt.Fprintf(w, "%s: %s, %.1f s, made in %.1f s\n", r.File, r.name, r.TuneSeconds,
			r.RenderMS/1e3)
	}
	if len(r.Versions) == 0 {
		return
	}
	voices := fmt.Sprintf("%d voices", r.Voices)
	if r.Voices == 0 {
		voices = "as many voices as each sustains"
	}
	fmt.Fprintf(w, "%v s each, %d frames every %.3f ms, %s, %d workers on %d cores\n\n",
		r.Seconds, dsp.Block, float64(dsp.Block)/dsp.Rate*1e3, voices, r.Workers,
		runtime.GOMAXPROCS(0))
	fmt.Fprintf(w, "%-10s %8s %8s %8s %8s %8s %8s\n", "", "voices", "p50 ms", "p99 ms", "p99.9 ms",
		"missed", "CPU")
	for _, v := range r.Versions {
		if v.Beats == 0 {
			fmt.Fprintf(w, "%-10s %8d   misses too many with one voice\n", v.Name, v.Voices)
			continue
		}
		cpu := "unknown"
		if v.CPU >= 0 {
			cpu = fmt.Sprintf("%.2f", v.CPU)
		}
		fmt.Fprintf(w, "%-10s %8d %8.3f %8.3f %8.3f %8d %8s\n", v.Name, v.Voices, v.P50, v.P99,
			v.P999, v.Missed, cpu)
	}
	switch {
	case r.Digest == "":
	case r.Equal:
		fmt.Fprintf(w, "\nthe same samples in all versions, digest %s\n", r.Digest)
	default:
		fmt.Fprintf(w, "\nthe samples DIFFER\n")
	}
}
