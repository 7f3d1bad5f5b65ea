package main

import (
	"fmt"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
)

// A result is what all rounds have shown.
type result struct {
	options
	took  [len(ways)]time.Duration // medians
	found found
	equal bool
}

// lines are the table, and what it shows in words.
func (r *result) lines() []string {
	workers := "1 worker"
	if r.workers != 1 {
		workers = fmt.Sprintf("%d workers", r.workers)
	}
	list := []string{
		"Two libraries that have no workers:",
		fmt.Sprintf("columns summarises a table of %d rows; kdtree builds a tree of these points "+
			"and searches it.", r.points),
		"",
	}
	for i, s := range r.found.sums {
		list = append(list, fmt.Sprintf("column %d has %d numbers from %.2f to %.2f, mean %.2f",
			i+1, s.Count, s.Min, s.Max, s.Sum/float64(s.Count)))
	}
	for i, p := range r.found.nearest {
		list = append(list, fmt.Sprintf("nearest to %.2f is %.2f", asked[i], p))
	}
	list = append(list, "",
		fmt.Sprintf("%-24s %8s", fmt.Sprintf("medians of %d rounds", rounds), "ms"))
	for k, note := range [...]string{"without a system: one library after the other",
		"without a system: one goroutine for each library",
		"both libraries on the same " + workers} {
		list = append(list, fmt.Sprintf("%-24s %8.1f  %s", ways[k].name, figures.MS(r.took[k]),
			note))
	}
	list = append(list, "",
		"One system "+figures.Beside(r.took[2], r.took[0], "one goroutine")+".",
		"One system "+figures.Beside(r.took[2], r.took[1], "a goroutine for each library")+".")
	if r.equal {
		return append(list, "The results are equal, to the last bit, with and without a system.")
	}
	return append(list, "The results DIFFER.")
}
