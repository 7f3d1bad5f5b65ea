package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// A grid is a table as text: the first line is its heading, and a line may have a note.
type grid struct {
	lines [][]string
	notes map[int]string
}

func (g *grid) add(cells ...string) { g.lines = append(g.lines, cells) }

// note gives the last line one.
func (g *grid) note(text string) {
	if g.notes == nil {
		g.notes = map[int]string{}
	}
	g.notes[len(g.lines)-1] = text
}

// grid returns the records of a section as text.
func (s section) grid() grid {
	var g grid
	switched := slices.ContainsFunc(s.records, func(r record) bool { return r.Switches != nil })
	heading := []string{"runtime", "workers", s.work.unit, "min-max", "p50", "p99", "allocs",
		"ratio"}
	if switched {
		heading = append(heading, "switches")
	}
	steps, beside := s.work.hasSteps(), s.work.family == besideFamily
	if steps || beside {
		heading = append(heading, "p99.9", "missed", "cpus", "waiting", "wakes")
	}
	if steps {
		heading = append(heading, "by-go")
	}
	if beside {
		heading = append(heading, "by-none", "step", "step-p99")
	}
	g.add(heading...)
	for _, r := range s.records {
		name := r.name()
		if r.Error != "" {
			g.add(name, strconv.Itoa(r.Workers))
			g.note(trouble(r.Error, r.absent))
			continue
		}
		cells := []string{name, strconv.Itoa(r.Workers), figure(r.Median), figure(r.Min) + "-" +
			figure(r.Max),
			figure(r.P50), figure(r.P99), small(r.Allocs), times(r.Ratio)}
		if switched {
			cells = append(cells, small(r.Switches))
		}
		if steps || beside {
			cells = append(cells, figure(r.P999), share(r.Missed), small(r.CPUs), small(r.Waiting),
				small(r.Wakes))
		}
		if steps {
			cells = append(cells, times(r.Best))
		}
		if beside {
			cells = append(cells, times(r.None), figure(r.Step), figure(r.StepTail))
		}
		g.add(cells...)
	}
	return g
}

// trouble is what a line says whose row has no figures.
func trouble(text string, absent bool) string {
	switch {
	case absent:
		return "absent: " + text
	case text == cli.ErrInterrupted.Error():
		return text
	}
	return "FAILED: " + text
}

// head says where the figures come from.
func (r *report) head() string {
	m := r.machine
	text := fmt.Sprintf("%s, %d cores; %s, GOMAXPROCS %d; %s", m.cpu, m.cores, m.goVersion, m.procs,
		m.system)
	if m.compiler != "" {
		text += "; " + m.compiler
	}
	return text
}

// legend says what the columns are, a sentence for each line.
func (r *report) legend() []string {
	lines := []string{
		fmt.Sprintf("A row is a runtime, and all rows of a workload take turns. Its time is the "+
			"median of %s, in the unit that heads the column.", verdict.Count(r.pairs, "turn")),
		"min-max are the fastest and the slowest turn, p50 and p99 percentiles of all passes; " +
			"allocs and switches (of the process, by the kernel) count per unit.",
		"ratio is the row's time divided by that of the row heddle with as many workers: above 1, " +
			"Heddle is faster.",
	}
	steps, beside := false, false
	for _, s := range r.sections {
		steps = steps || s.work.hasSteps()
		beside = beside || s.work.family == besideFamily
	}
	if steps || beside {
		lines = append(lines, "missed is the share of beats that came while a step still ran, cpus "+
			"processor time by wall time, waiting the number of threads without a processor,",
			"wakes the kernel's wake-ups of Heddle's workers per step.")
	}
	if steps {
		lines = append(lines, "by-go is the time of the fastest row of plain Go divided by the "+
			"row's: above 1, the row is faster.")
	}
	if beside {
		lines = append(lines, "by-none is the time in the row none, which runs no steps, divided by "+
			"the row's: below 1, steps slow the goroutines. step and step-p99 are times of steps.")
	}
	return lines
}

// print writes the report for a person.
func (r *report) print(w io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", r.head(), strings.Join(r.legend(), "\n"))
	for _, s := range r.sections {
		fmt.Fprintf(&b, "\n%s: %s (n = %d)\n", s.work.name, s.work.title, s.work.n)
		s.grid().print(&b)
	}
	if len(r.costs) > 0 {
		fmt.Fprintf(&b, "\n%s: %s\n", costsName, costsTitle)
		costGrid(r.costs).print(&b)
	}
	if lines := r.conclusion(); len(lines) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(lines, "\n"))
	}
	fmt.Fprint(w, b.String())
}

// print writes the cells in columns, the first to the left and the others to the right.
func (g grid) print(b *strings.Builder) {
	var widths []int
	for _, cells := range g.lines {
		for i, cell := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for line, cells := range g.lines {
		var text strings.Builder
		for i, cell := range cells {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				text.WriteString("  " + cell + pad)
			} else {
				text.WriteString("  " + pad + cell)
			}
		}
		if n := g.notes[line]; n != "" {
			text.WriteString("  " + n)
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
}

// figure shows three digits or more of a time.
func figure(v *float64) string {
	switch {
	case v == nil:
		return "-"
	case *v >= 100:
		return strconv.FormatFloat(*v, 'f', 0, 64)
	case *v >= 10:
		return strconv.FormatFloat(*v, 'f', 1, 64)
	}
	return strconv.FormatFloat(*v, 'f', 2, 64)
}

// small shows a number that is mostly 0.
func small(v *float64) string {
	switch {
	case v == nil:
		return "-"
	case *v < 0.005:
		return "0"
	}
	return figure(v)
}

// share shows a part of a whole in hundredths.
func share(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(100**v, 'f', 1, 64) + "%"
}

// times shows a ratio.
func times(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'f', 2, 64) + "x"
}
