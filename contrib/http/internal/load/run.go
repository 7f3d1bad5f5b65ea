package load

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// Names returns the names of all ways.
func Names() []string {
	var names []string
	for _, w := range ways {
		names = append(names, w.name)
	}
	return names
}

// About writes a line for each way.
func About(w io.Writer) {
	for _, way := range ways {
		fmt.Fprintf(w, "  %-11s %s\n", way.name, way.about)
	}
}

// Run measures all ways by turns, each turn in an order of its own, and writes a table of the
// medians.
func Run(ctx context.Context, o Options, out io.Writer, done func()) ([]Result, error) {
	if len(o.Ways) == 0 {
		o.Ways = Names()
	}
	s, err := o.start(ctx, ways[0].name)
	if err != nil {
		return nil, err
	}
	click, batch, err := s.costs(ctx)
	if e := s.end(); err == nil {
		err = e
	}
	if err != nil {
		return nil, err
	}
	clicks, flood := o.Clicks/click.Seconds(), o.Batch/batch.Seconds()
	fmt.Fprintf(out, "On an idle server a click takes %v and a batch request %v. In each turn "+
		"clients send\n%.0f clicks and %.0f batch requests a second, for %v, to a server with %s: "+
		"%.1f times\nwhat it can do. Figures are medians of %s.\n\n", round(click),
		round(batch), clicks, flood, o.For, verdict.Count(o.Workers, "worker"),
		(o.Clicks+o.Batch)/float64(o.Workers), verdict.Count(o.Turns, "turn"))
	var all []Result
	for range o.Turns {
		order := slices.Clone(o.Ways)
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, name := range order {
			r, err := o.turn(ctx, name, clicks, flood)
			if err != nil {
				return all, fmt.Errorf("%s: %w", name, err)
			}
			all = append(all, r)
			done()
		}
	}
	if err := table(out, o, all); err != nil {
		return all, err
	}
	fmt.Fprintf(out, "\n%s", conclusion(o.Ways, all))
	return all, nil
}

// conclusion is what the turns say in words: for each way of Heddle's, how its clicks and its batch
// work compare with the first way and with the other way whose clicks were fastest.
func conclusion(names []string, all []Result) string {
	p99, batch := map[string]float64{}, map[string]float64{}
	best := ""
	for _, name := range names {
		list := of(all, name)
		p99[name] = median(list, func(r Result) float64 { return r.P99.Seconds() })
		batch[name] = median(list, func(r Result) float64 { return r.PerSecond })
		if !isHeddle(name) && (best == "" || p99[name] < p99[best]) {
			best = name
		}
	}
	others := slices.Compact([]string{names[0], best})
	text := ""
	for _, name := range names {
		if !isHeddle(name) {
			continue
		}
		for _, other := range others {
			if other == "" || isHeddle(other) {
				continue
			}
			text += fmt.Sprintf("%s: the p99 of clicks %s; batch work %s.\n", name,
				verdict.Beside(p99[name], p99[other], "that of "+other),
				verdict.Beside(1/batch[name], 1/batch[other], "that of "+other))
		}
	}
	if text == "" {
		return "Nothing compares Heddle with another way.\n"
	}
	return text
}

// isHeddle tells whether a way is one of Heddle's.
func isHeddle(name string) bool { return name == "heddle" || strings.HasPrefix(name, "heddle-") }

// of returns the results of a way.
func of(all []Result, name string) (list []Result) {
	for _, r := range all {
		if r.Way == name {
			list = append(list, r)
		}
	}
	return list
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// table writes medians, and what the first way's are of them.
func table(out io.Writer, o Options, all []Result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tclick p50\tp99\tmax\tp99/%s\trefused\tfailed\tbatch/s\tbatch/%[1]s\t"+
		"batch refused\tfailed\t\n", o.Ways[0])
	first := of(all, o.Ways[0])
	for _, name := range o.Ways {
		list := of(all, name)
		fmt.Fprintf(w, "%s\t%v\t%v\t%v\t%.3f\t%d\t%d\t%.1f\t%.2f\t%d\t%d\t\n", name,
			round(median(list, func(r Result) time.Duration { return r.P50 })),
			round(median(list, func(r Result) time.Duration { return r.P99 })),
			round(median(list, func(r Result) time.Duration { return r.Max })),
			ratio(list, first, func(r Result) float64 { return r.P99.Seconds() }),
			median(list, func(r Result) int { return r.ClicksRefused }),
			median(list, func(r Result) int { return r.ClicksFailed }),
			median(list, func(r Result) float64 { return r.PerSecond }),
			ratio(list, first, func(r Result) float64 { return r.PerSecond }),
			median(list, func(r Result) int { return r.BatchRefused }),
			median(list, func(r Result) int { return r.BatchFailed }))
	}
	return w.Flush()
}

// median returns the middle of what of says of the results; of an even number the upper one.
func median[T cmp.Ordered](list []Result, of func(Result) T) T {
	var values []T
	for _, r := range list {
		values = append(values, of(r))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// ratio returns the median of the ratios of two ways, turn by turn.
func ratio(list, first []Result, of func(Result) float64) float64 {
	var values []float64
	for i, r := range list {
		values = append(values, of(r)/of(first[i]))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
