package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
)

// A row is the medians of a way.
type row struct {
	took time.Duration
	last int
}

// A result is what all rounds have shown.
type result struct {
	workers int
	rows    [len(ways)]row
	sum     uint32
	equal   bool
}

func median[T cmp.Ordered](list []T) T { return slices.Sorted(slices.Values(list))[len(list)/2] }

// lines are the table, and what it shows in words.
func (r *result) lines() []string {
	list := []string{
		fmt.Sprintf("%d pictures of %d x %d pixels become thumbnails. The %d in view are requested "+
			"last.", pictures, edge, edge, inView),
		"",
		fmt.Sprintf("%-24s %8s  %s", fmt.Sprintf("medians of %d rounds", rounds), "ms",
			"all in view are ready after"),
	}
	for k, way := range ways {
		list = append(list, fmt.Sprintf("%-24s %8.1f  %d of %d pictures", way.name,
			figures.MS(r.rows[k].took), r.rows[k].last, pictures))
	}
	list = append(list, "")

	plain, ranked := r.rows[1], r.rows[2]
	if ranked.last < plain.last {
		list = append(list, fmt.Sprintf("Priorities work: the pictures in view were ready after "+
			"%d pictures instead of %d.", ranked.last, plain.last))
	} else {
		list = append(list, fmt.Sprintf("Priorities gained nothing in this run: the pictures in "+
			"view were ready after %d pictures, and after %d without.", ranked.last, plain.last))
	}
	workers := "1 worker"
	if r.workers != 1 {
		workers = fmt.Sprintf("%d workers", r.workers)
	}
	list = append(list, fmt.Sprintf("The pool with priorities and %s %s.", workers,
		figures.Beside(ranked.took, r.rows[0].took, "one thread")))
	if r.equal {
		return append(list,
			fmt.Sprintf("Each way made the same thumbnails (checksum %08x).", r.sum))
	}
	return append(list, "The ways made DIFFERENT thumbnails.")
}
