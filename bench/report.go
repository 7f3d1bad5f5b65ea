package main

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A record is one row of the report, and one object of what -json prints. All figures are
// times in the unit; those that were not measured are null.
type record struct {
	Workload string   `json:"workload"`
	Runtime  string   `json:"runtime"`
	Lang     string   `json:"lang"`
	Unit     string   `json:"unit"`
	N        int      `json:"n"`
	Workers  int      `json:"workers"`
	Median   *float64 `json:"median"` // of the turns
	P50      *float64 `json:"p50"`    // of all samples
	P99      *float64 `json:"p99"`
	P999     *float64 `json:"p999"`
	Min      *float64 `json:"min"` // of the turns
	Max      *float64 `json:"max"`
	Allocs   *float64 `json:"allocs_per_op"`
	Ratio    *float64 `json:"ratio_to_heddle"` // above 1: Heddle is faster
	Best     *float64 `json:"best_go_by_this"` // of plain Go's rows, above 1: this is faster
	// without any steps by this, below 1: they disturb
	None     *float64 `json:"none_by_this"`
	Step     *float64 `json:"step_mean"`           // nanoseconds, of the steps that ran meanwhile
	StepTail *float64 `json:"step_p99"`            // likewise
	Missed   *float64 `json:"missed"`              // of the beats, a share
	CPUs     *float64 `json:"cpus"`                // processor time by wall time
	Waiting  *float64 `json:"threads_waiting"`     // for a processor, on average
	Switches *float64 `json:"switches_per_op"`     // of the process
	Wakes    *float64 `json:"kernel_wakes_per_op"` // of Heddle's workers
	Error    string   `json:"error"`

	absent  bool      // Error says why it could not run here
	samples []float64 // in order
}

// name is what tables call the runtime.
func (r record) name() string {
	if r.Lang == langCPP {
		return r.Runtime + " (C++)"
	}
	return r.Runtime
}

// A section is the records of one workload.
type section struct {
	work    *workload
	records []record
}

// A report is all that a run found.
type report struct {
	machine  machine
	command  string
	pairs    int
	quick    bool
	workers  []int
	sections []section
	costs    []cost
}

// sectionOf makes the records of a workload from what became of its entries.
func sectionOf(w *workload, entries []*entry) section {
	sec := section{work: w}
	// of Heddle; of plain Go; of nobody
	reference, fastest, without := map[int]float64{}, map[int]float64{}, map[int]float64{}
	for _, e := range entries {
		if w.hasSteps() && e.row.lang == langGo && !e.row.isHeddle() && e.err == nil &&
			len(e.figures) > 0 {
			if v, known := fastest[e.workers]; !known || median(e.figures) < v {
				fastest[e.workers] = median(e.figures)
			}
		}
		if e.row.runtime == heddle && e.err == nil && len(e.figures) > 0 {
			reference[e.workers] = median(e.figures)
		}
		if w.family == besideFamily && e.row.runtime == nobody && e.err == nil &&
			len(e.figures) > 0 {
			without[e.workers] = median(e.figures)
		}
	}
	for _, e := range entries {
		r := record{Workload: w.name, Runtime: e.row.runtime, Lang: e.row.lang, Unit: w.unit,
			N: w.n, Workers: e.workers}
		switch {
		case e.err != nil:
			r.Error, r.absent = e.err.Error(), isAbsent(e.err)
		case len(e.figures) == 0:
			r.Error = cli.ErrInterrupted.Error()
		default:
			slices.Sort(e.samples)
			r.samples = e.samples
			r.Median = finite(median(e.figures))
			r.P50, r.P99 = finite(quantileSorted(e.samples, 0.5)),
				finite(quantileSorted(e.samples, 0.99))
			r.P999 = finite(quantileSorted(e.samples, 0.999))
			r.Min, r.Max = finite(slices.Min(e.figures)), finite(slices.Max(e.figures))
			if len(e.allocs) > 0 {
				r.Allocs = finite(median(e.allocs))
			}
			if len(e.moves) > 0 {
				r.Switches = finite(median(e.moves))
			}
			r.Missed = medianUse(e.uses, func(u use) *float64 { return u.missed })
			r.CPUs = medianUse(e.uses, func(u use) *float64 { return u.cpus })
			r.Waiting = medianUse(e.uses, func(u use) *float64 { return u.waiting })
			r.Wakes = medianUse(e.uses, func(u use) *float64 { return u.wakes })
			if of := reference[e.workers]; of > 0 {
				r.Ratio = finite(median(e.figures) / of)
			}
			if of := fastest[e.workers]; of > 0 {
				r.Best = finite(of / median(e.figures))
			}
			if of := without[e.workers]; of > 0 {
				r.None = finite(of / median(e.figures))
			}
			r.Step = medianUse(e.uses, func(u use) *float64 { return u.step })
			r.StepTail = medianUse(e.uses, func(u use) *float64 { return u.stepTail })
		}
		sec.records = append(sec.records, r)
	}
	return sec
}

// medianUse returns the median of what turns could tell, and nil if none could.
func medianUse(uses []use, of func(use) *float64) *float64 {
	var told []float64
	for _, u := range uses {
		if v := of(u); v != nil {
			told = append(told, *v)
		}
	}
	return finite(median(told))
}

// finite returns what JSON can hold, and nil for the rest.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// records returns all of them, never nil.
func (r *report) records() []record {
	all := []record{}
	for _, s := range r.sections {
		all = append(all, s.records...)
	}
	return all
}

// heddleFailed reports whether a row of Heddle went wrong.
func (r *report) heddleFailed() bool {
	ours := func(runtime string) bool { return (row{runtime: runtime}).isHeddle() }
	return slices.ContainsFunc(r.records(),
		func(rec record) bool { return rec.Error != "" && !rec.absent && ours(rec.Runtime) }) ||
		slices.ContainsFunc(r.costs, func(c cost) bool {
			return c.err != nil && !isAbsent(c.err) && ours(c.Runtime)
		})
}

// json returns the records as a file has them.
func (r *report) json() ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(r.records())
	return []byte(b.String()), err
}
