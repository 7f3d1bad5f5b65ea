package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A report is all that a run found, and what -json prints.
type report struct {
	Machine machine       `json:"machine"`
	Rounds  int           `json:"rounds"`
	TurnMS  float64       `json:"turn_ms"`
	Tables  []tableReport `json:"tables"`
	Error   string        `json:"error,omitempty"` // why nothing, or not all, was measured
}

// A tableReport is one comparison.
type tableReport struct {
	Name      string      `json:"name"`
	Title     string      `json:"title"`
	Reference string      `json:"reference"` // the row that ratios are to
	Rows      []rowReport `json:"rows"`
}

// A rowReport is one way.
type rowReport struct {
	Name    string         `json:"name"`
	Absent  string         `json:"absent,omitempty"` // why it could not run here
	Failed  string         `json:"failed,omitempty"` // what went wrong
	Metrics []metricReport `json:"metrics,omitempty"`
}

// A metricReport is one figure of a row.
type metricReport struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit"`
	Median float64   `json:"median"`
	Min    float64   `json:"min"`
	Max    float64   `json:"max"`
	Ratio  *float64  `json:"ratio,omitempty"` // median of the ratios to the reference, round by round
	Values []float64 `json:"values"`          // one a round
}

// failed reports whether a row went wrong.
func (r *report) failed() bool {
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			if row.Failed != "" {
				return true
			}
		}
	}
	return false
}

// add enters an outcome.
func (r *report) add(o outcome) {
	t := tableReport{Name: o.table.name, Title: o.table.title, Reference: o.table.reference, Rows: []rowReport{}}
	var reference *result
	for _, res := range o.results {
		if res.row == o.table.reference && res.failed == "" && res.absent == "" {
			reference = res
		}
	}
	for _, res := range o.results {
		row := rowReport{Name: res.row, Absent: res.absent, Failed: res.failed}
		for m, metric := range o.table.metrics {
			values := res.values[m]
			if len(values) == 0 || res.failed != "" {
				continue
			}
			f := metricReport{Name: metric.name, Unit: metric.unit, Values: values,
				Median: median(values), Min: values[0], Max: values[0]}
			for _, v := range values {
				f.Min, f.Max = min(f.Min, v), max(f.Max, v)
			}
			if reference != nil {
				if ratio := median(ratios(values, reference.values[m])); !math.IsNaN(ratio) {
					f.Ratio = &ratio
				}
			}
			row.Metrics = append(row.Metrics, f)
		}
		t.Rows = append(t.Rows, row)
	}
	r.Tables = append(r.Tables, t)
}

// print writes the report for a person.
func (r *report) print(w io.Writer) error {
	var b strings.Builder
	m := r.Machine
	fmt.Fprintf(&b, "%s, %d cores; %s, GOMAXPROCS %d; %s", m.CPU, m.Cores, m.Go, m.GOMAXPROCS, m.OS)
	if m.Compiler != "" {
		fmt.Fprintf(&b, "; %s", m.Compiler)
	}
	fmt.Fprintf(&b, "\nmedians of %d rounds; every row has one turn a round; ratio: to the reference row, which is marked *\n", r.Rounds)
	for _, t := range r.Tables {
		b.WriteString("\n")
		t.print(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// print writes one table. The first metric has its spread and the ratio.
func (t *tableReport) print(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s\n", t.Name, t.Title)
	var grid [][]string
	for _, row := range t.Rows {
		name := "  " + row.Name
		if row.Name == t.Reference {
			name = "* " + row.Name
		}
		cells := []string{name}
		for i, f := range row.Metrics {
			if grid == nil {
				grid = append(grid, t.heading(row.Metrics))
			}
			cells = append(cells, figure(f.Median))
			if i > 0 {
				continue
			}
			ratio := "-"
			if f.Ratio != nil {
				ratio = fmt.Sprintf("%.2fx", *f.Ratio)
			}
			cells = append(cells, figure(f.Min)+"-"+figure(f.Max), ratio)
		}
		grid = append(grid, cells)
	}
	align(b, grid, func(i int) string {
		if len(grid) != len(t.Rows) {
			i-- // the heading
		}
		switch {
		case i < 0:
		case t.Rows[i].Failed != "":
			return "FAILED: " + t.Rows[i].Failed
		case t.Rows[i].Absent != "":
			return "absent: " + t.Rows[i].Absent
		}
		return ""
	})
}

// heading names the columns.
func (t *tableReport) heading(metrics []metricReport) []string {
	cells := []string{""}
	for i, f := range metrics {
		name := f.Unit
		if len(metrics) > 1 {
			name = f.Name + " " + f.Unit
		}
		cells = append(cells, name)
		if i == 0 {
			cells = append(cells, "min-max", "ratio")
		}
	}
	return cells
}

// align writes the cells in columns, the first to the left and the others to the right, and
// a note after a line that has one.
func align(b *strings.Builder, grid [][]string, note func(line int) string) {
	var widths []int
	for _, cells := range grid {
		for i, cell := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for line, cells := range grid {
		var text strings.Builder
		for i, cell := range cells {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				text.WriteString(cell + pad)
			} else {
				text.WriteString("  " + pad + cell)
			}
		}
		if n := note(line); n != "" {
			text.WriteString("  " + n)
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
}

// figure shows three digits or more.
func figure(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
