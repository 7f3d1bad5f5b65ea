package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// A tally is a line that a model test appends to the file that MODELCHECK_TALLY names.
type tally struct {
	Suite      string `json:"suite"`
	Programs   int64  `json:"programs"`
	Executions int64  `json:"executions"`
	Complete   int64  `json:"complete"`
	Failures   int64  `json:"failures"`
	Generated  bool   `json:"generated"`
	Bound      int    `json:"bound"` // as modelcheck.Tally has it
}

// generated reports whether the programs were generated: a program that a person wrote is
// tallied by itself.
func (t tally) generated() bool { return t.Generated || t.Programs > 1 }

// readTallies reads the lines of one process.
func readTallies(r io.Reader) (tallies []tally, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var t tally
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, fmt.Errorf("line %d of the tally: %w", n, err)
		}
		if t.Suite == "" || t.Programs < 0 || t.Executions < 0 || t.Complete < 0 {
			return nil, fmt.Errorf("line %d of the tally is none: %s", n, lines.Bytes())
		}
		tallies = append(tallies, t)
	}
	return tallies, lines.Err()
}

// A row is what was explored of one structure, or of one program that a person wrote.
type row struct {
	Package    string  `json:"package"`
	Suite      string  `json:"suite"`
	Test       string  `json:"test"`
	Structure  bool    `json:"structure"`
	Programs   int64   `json:"programs"`
	Executions int64   `json:"executions"`
	Complete   int64   `json:"complete"`
	Bound      int     `json:"bound"` // the smallest of its programs
	Seconds    float64 `json:"seconds"`
}

// A sum is what was explored in all.
type sum struct {
	Executions int64    `json:"executions"`
	Programs   int64    `json:"programs"`
	Complete   int64    `json:"complete"`
	Failures   int64    `json:"failures"`
	Seconds    float64  `json:"seconds"`
	Race       bool     `json:"race"`
	Suites     []*row   `json:"suites"`
	Missing    []string `json:"missing,omitempty"`
	First      uint64   `json:"first_seed"` // of the rounds that were begun
	Last       uint64   `json:"last_seed"`

	rows map[[2]string]*row
}

func newSum() *sum { return &sum{rows: map[[2]string]*row{}} }

// add adds what one process did. Each process of a test runs all that the test does by
// hand; it counts once, in the first.
func (s *sum) add(pkg, test string, tallies []tally, first bool, seconds float64) {
	var executions int64
	for _, t := range tallies {
		executions += t.Executions
	}
	for _, t := range tallies {
		if !t.generated() {
			t.Suite, _, _ = strings.Cut(t.Suite, "/") // subtests are not told apart
		}
		key := [2]string{pkg, t.Suite}
		r := s.rows[key]
		if r == nil {
			r = &row{Package: pkg, Suite: t.Suite, Test: test, Bound: t.Bound}
			s.rows[key] = r
		}
		r.Bound = min(r.Bound, t.Bound)
		r.Structure = r.Structure || t.generated()
		if executions > 0 {
			r.Seconds += seconds * float64(t.Executions) / float64(executions)
		}
		if !first && !t.generated() {
			continue
		}
		r.Programs += t.Programs
		r.Executions += t.Executions
		r.Complete += t.Complete
		s.Programs += t.Programs
		s.Executions += t.Executions
		s.Complete += t.Complete
	}
}

// line is the last line of the report.
func (s *sum) line() string {
	return fmt.Sprintf("model executions=%d programs=%d complete=%d failures=%d", s.Executions,
		s.Programs, s.Complete, s.Failures)
}

// sorted returns the rows in the order of their names.
func (s *sum) sorted() []*row {
	rows := []*row{}
	for _, r := range s.rows {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Suite, b.Suite))
	})
	return rows
}

// table writes a line for each suite.
func (s *sum) table(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "package\tsuite\tprograms\texecutions\tcomplete\tseconds")
	for _, r := range s.sorted() {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%.1f\n", r.Package, r.Suite, r.Programs, r.Executions,
			r.Complete, r.Seconds)
	}
	t.Flush()
}

// minima say how little is too little.
type minima struct {
	all          int64          // executions in all
	each         int64          // executions of a structure
	programsEach int64          // programs of a structure
	also         *regexp.Regexp // tests that count as structures
}

// scarce reports whether a structure is below the minima.
func (s *sum) scarce(pkg, suite string, m minima) bool {
	r := s.rows[[2]string{pkg, suite}]
	return r != nil && (r.Executions < m.each || r.Programs < m.programsEach)
}

// missing says what falls short.
func (s *sum) missing(m minima) (missing []string) {
	if s.Executions < m.all {
		missing = append(missing, fmt.Sprintf("%d executions in all, not %d", s.Executions, m.all))
	}
	structures, others := 0, 0
	for _, r := range s.sorted() {
		also := m.also != nil && m.also.MatchString(r.Package+"/"+r.Suite)
		if !also && !r.Structure {
			continue
		}
		structures++
		if also {
			others++
		}
		if s.scarce(r.Package, r.Suite, m) {
			missing = append(missing,
				fmt.Sprintf("%d executions of %d programs of %s, not %d of %d", r.Executions,
					r.Programs, r.Suite, m.each, m.programsEach))
		}
	}
	if structures == 0 && m.each+m.programsEach > 0 {
		missing = append(missing, "no structure was explored")
	}
	if m.also != nil && others == 0 {
		missing = append(missing, fmt.Sprintf("no test is called %v", m.also))
	}
	return missing
}
