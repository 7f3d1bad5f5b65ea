package load

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
	"time"
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
	fmt.Fprintf(out, "a click takes %v alone, a batch request %v; %.0f and %.0f are sent a second "+
		"for %v; %d processors; medians of %d turns\n\n", round(click), round(batch), clicks, flood,
		o.For, o.Workers, o.Turns)
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
	return all, table(out, o, all)
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// table writes medians, and what the first way's are of them.
func table(out io.Writer, o Options, all []Result) error {
	of := func(way string) (list []Result) {
		for _, r := range all {
			if r.Way == way {
				list = append(list, r)
			}
		}
		return list
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tclick p50\tp99\tmax\tp99 of %s\trefused\tfailed\tbatch/s\tof %[1]s\t"+
		"refused\tfailed\t\n", o.Ways[0])
	first := of(o.Ways[0])
	for _, name := range o.Ways {
		list := of(name)
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
