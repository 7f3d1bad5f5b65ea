package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// rounds is how often each form of each case is run to compare them.
const rounds = 7

// A pair is what the forms of a case took, slow and mended: of late-wake, by how much the steps
// began late.
type pair struct {
	name         string
	slow, mended time.Duration
}

// compare runs both forms of all cases by turns, and prints what mending gained.
func compare(ctx context.Context, workers int, rep *report, w io.Writer,
	progress *cli.Progress) error {
	forms := make([][]runReport, 2*len(scenes)) // the runs of each
	for round := range rounds {
		progress.At("all cases, slow and mended", round, rounds)
		for k := range forms {
			if err := ctx.Err(); err != nil {
				return err
			}
			c, mended := &scenes[k/2], k%2 == 1
			p, err := play(ctx, c, mended, workers)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			forms[k] = append(forms[k], runReport{c.name, mended, figures.MS(p.took),
				figures.MS(p.prof.Work), figures.MS(p.prof.Span), figures.MS(late(p.prof).P99)})
		}
	}
	progress.Clear()
	var pairs []pair
	for k, runs := range forms {
		middle := func(of func(r *runReport) float64) float64 {
			list := make([]float64, len(runs))
			for i := range runs {
				list[i] = of(&runs[i])
			}
			slices.Sort(list)
			return list[len(list)/2]
		}
		r := runReport{runs[0].Case, runs[0].Mended,
			middle(func(r *runReport) float64 { return r.TookMS }),
			middle(func(r *runReport) float64 { return r.WorkMS }),
			middle(func(r *runReport) float64 { return r.SpanMS }),
			middle(func(r *runReport) float64 { return r.LateMS })}
		rep.Runs = append(rep.Runs, r)
		ms := r.TookMS
		if r.Case == "late-wake" {
			ms = r.LateMS
		}
		if took := time.Duration(ms * 1e6); r.Mended {
			pairs[k/2].mended = took
		} else {
			pairs = append(pairs, pair{name: r.Case, slow: took})
		}
	}
	_, err := fmt.Fprintln(w, strings.Join(compared(pairs, workers), "\n"))
	return err
}

// compared is the table, and what it shows in words.
func compared(pairs []pair, workers int) []string {
	list := []string{
		fmt.Sprintf("%d programs that are slow for one reason each, and the same mended, with %d "+
			"workers.", len(pairs), workers),
		fmt.Sprintf("Times are medians of %d runs; of late-wake, by how much a step begins late (p99).",
			rounds),
		"",
		fmt.Sprintf("%-18s %10s %10s %6s  %s", "case", "slow, ms", "mended, ms", "gain",
			"why it is slow"),
	}
	var gained, level []string
	for i, p := range pairs {
		list = append(list, fmt.Sprintf("%-18s %10.3f %10.3f %6.2f  %s", p.name, figures.MS(p.slow),
			figures.MS(p.mended), figures.Ratio(p.slow, p.mended), scenes[i].about))
		if figures.Slower(p.slow, p.mended) {
			gained = append(gained, p.name)
		} else {
			level = append(level, p.name)
		}
	}
	list = append(list, "")
	switch {
	case len(level) == 0:
		list = append(list, fmt.Sprintf("Mending gained in each of the %d cases, 1.00 being no "+
			"gain.", len(pairs)))
	case len(gained) == 0:
		list = append(list, "Mending gained NOTHING in this run.")
	default:
		list = append(list, fmt.Sprintf("Mending gained in %d of %d cases. It gained nothing in "+
			"this run in: %s.", len(gained), len(pairs), strings.Join(level, ", ")))
	}
	return append(list, "For the profile that shows why a case is slow, name it: add -case "+
		pairs[0].name+".")
}
