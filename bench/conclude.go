package main

import (
	"fmt"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// enoughPairs is how many turns of each row a figure needs to be quoted.
const enoughPairs = 5

// A side is a kind of rows that Heddle is compared with.
type side struct {
	name string // as a sentence calls it
	has  func(r record) bool
}

var sides = []side{
	{"the peers in Go", func(r record) bool {
		return r.Lang == langGo && !(row{runtime: r.Runtime}).isHeddle() && !isSerial(r) &&
			r.Runtime != nobody
	}},
	{"the peers in C++", func(r record) bool { return r.Lang == langCPP && !isSerial(r) }},
	{"one thread in Go (the row serial)", func(r record) bool {
		return r.Lang == langGo && isSerial(r)
	}},
}

// isSerial tells whether a row runs on one thread.
func isSerial(r record) bool { return strings.HasPrefix(r.Runtime, "serial") }

// conclusion is what a run says in words, one sentence a line: how Heddle compares with each side,
// which rows failed, and whether the figures can be quoted.
func (r *report) conclusion() (lines []string) {
	for _, s := range sides {
		if sentence := r.against(s); sentence != "" {
			lines = append(lines, sentence)
		}
	}
	if len(lines) > 0 {
		lines = append([]string{"In short, with the fastest row of each side in each workload:"},
			lines...)
	}
	failed := 0
	for _, rec := range r.records() {
		if rec.Error != "" && !rec.absent {
			failed++
		}
	}
	for _, c := range r.costs {
		if c.err != nil && !isAbsent(c.err) {
			failed++
		}
	}
	if failed > 0 {
		lines = append(lines, verdict.Count(failed, "row")+" failed or did not end: see above.")
	}
	if r.quick || r.pairs < enoughPairs {
		lines = append(lines, r.warning()...)
	}
	return lines
}

// against compares the fastest row of Heddle with the fastest of a side, in each workload and with
// each number of workers. It is empty if the report has no row of the side. Goroutines beside steps
// are left out: a fast row there may only have run fewer steps.
func (r *report) against(s side) string {
	var tally verdict.Tally
	there, why := false, ""
	for _, sec := range r.sections {
		if sec.work.family == besideFamily {
			continue
		}
		counts := map[int]bool{}
		for _, rec := range sec.records {
			counts[rec.Workers] = true
			if s.has(rec) {
				there = true
				if rec.absent {
					why = rec.Error
				}
			}
		}
		for _, first := range sec.records {
			if !counts[first.Workers] {
				continue // it was compared
			}
			delete(counts, first.Workers)
			ours := fastest(sec.records, first.Workers, func(r record) bool {
				return (row{runtime: r.Runtime}).isHeddle()
			})
			theirs := fastest(sec.records, first.Workers, s.has)
			if ours.Median == nil || theirs.Median == nil {
				continue
			}
			name := sec.work.name + " beside " + theirs.Runtime
			if len(r.workers) > 1 && sec.work.fixed == 0 {
				name += ", " + verdict.Count(first.Workers, "worker")
			}
			tally.Add(name, *ours.Median, *theirs.Median)
		}
	}
	switch {
	case !there:
		return ""
	case why != "" && tally.Rows() == 0:
		return fmt.Sprintf("Heddle was not compared with %s: %s.", s.name, why)
	}
	return tally.Against(s.name)
}

// fastest returns the row with the smallest median, or an empty one.
func fastest(records []record, workers int, has func(record) bool) (best record) {
	for _, r := range records {
		if r.Workers == workers && r.Median != nil && has(r) &&
			(best.Median == nil || *r.Median < *best.Median) {
			best = r
		}
	}
	return best
}

// warning says that the figures must not be quoted, and which command gives figures that can be.
func (r *report) warning() []string {
	why := "each row had " + verdict.Count(r.pairs, "turn")
	if r.quick {
		why += " of a few milliseconds; -quick only checks that rows work"
	}
	return []string{
		"Do not quote these figures: " + why + ".",
		"For figures that can be quoted, on a machine that does nothing else:",
		"  go -C bench run .                  every workload, 7 turns each: half an hour or more",
		"  go -C bench run . -workload fib    one workload: less than a minute",
	}
}
