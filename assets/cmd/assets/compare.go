package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// A compareReport is what compare prints. Times are in milliseconds.
type compareReport struct {
	Resources int          `json:"resources"`
	Bytes     int64        `json:"bytes"` // of the files of the platform
	Workers   int          `json:"workers"`
	Limit     int          `json:"limit"`
	Rounds    int          `json:"rounds"`
	Rows      []compareRow `json:"rows"`
}

// A compareRow says what one way of loading took with one state of the system's cache of files: the
// medians of all rounds, and the least and the most of MS.
type compareRow struct {
	Cache   string  `json:"cache"` // warm or cold
	Way     string  `json:"way"`
	MS      float64 `json:"ms"`
	LeastMS float64 `json:"least_ms"`
	MostMS  float64 `json:"most_ms"`
	CPUMS   float64 `json:"cpu_ms"` // of all threads; 0: not known on this system
	P50MS   float64 `json:"p50_ms"` // until so many of the resources were ready
	P99MS   float64 `json:"p99_ms"`
	Peak    int64   `json:"peak"` // most bytes in memory; 0: not known on this system
	Failed  int     `json:"failed"`
	Speedup float64 `json:"speedup"` // against serial
}

// A wayReport is what compare -way prints: one run.
type wayReport struct {
	Resources int     `json:"resources"`
	Bytes     int64   `json:"bytes"`
	MS        float64 `json:"ms"`
	CPUMS     float64 `json:"cpu_ms"`
	P50MS     float64 `json:"p50_ms"`
	P99MS     float64 `json:"p99_ms"`
	Peak      int64   `json:"peak"`
	Failed    int     `json:"failed"`
}

// compareFlags are the flags of compare.
type compareFlags struct {
	registry, platform, way string
	workers, limit, rounds  int
	cold                    bool
}

// comparer is the command compare.
func comparer() *cli.Command {
	var o compareFlags
	var rep compareReport
	var run wayReport
	alone := false // the report is that of run
	return &cli.Command{
		Name: "assets compare", Arg: "DIR",
		About: "Loads all resources of a directory in four ways by turns, each run in a new process:\n" +
			"read only reads the files, at most -limit at once; serial loads one resource after\n" +
			"the other; errgroup loads each on a goroutine, at most -limit at once, and does not\n" +
			"wait for what a resource depends on; assets loads them by Heddle's manager.",
		Flags: func(fs *flag.FlagSet) {
			registryFlag(fs, &o.registry)
			workersFlag(fs, &o.workers)
			fs.StringVar(&o.platform, "platform", "", "load variants for `PLATFORM`")
			fs.IntVar(&o.limit, "limit", 8,
				"`number` of files that read and errgroup handle at once")
			fs.IntVar(&o.rounds, "rounds", 5, "`number` of runs of each way")
			fs.BoolVar(&o.cold, "cold", false,
				"also compare with files that the system has dropped from memory (Linux)")
			fs.StringVar(&o.way, "way", "",
				"run only this `WAY`, once, in this process: read, serial, errgroup or assets")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := o.validate(call); err != nil {
				return err
			}
			if alone = o.way != ""; alone {
				return o.once(ctx, call, &run)
			}
			err := o.compare(ctx, call, &rep)
			if err == nil && !call.JSON {
				rep.print(call.Text)
			}
			return err
		},
		JSON: func() any {
			if alone {
				return &run
			}
			return &rep
		},
	}
}

func (o *compareFlags) validate(call *cli.Call) error {
	switch {
	case o.limit < 1 || o.limit > maxWorkers:
		return fmt.Errorf("-limit %d: want 1 to %d", o.limit, maxWorkers)
	case o.rounds < 1:
		return fmt.Errorf("-rounds %d: want 1 or more", o.rounds)
	case call.Given["way"] && !slices.Contains(ways, o.way):
		return fmt.Errorf("-way %s: want one of %s", o.way, strings.Join(ways, ", "))
	case call.Given["way"] && call.Given["rounds"]:
		return errors.New("-way is one run: want no -rounds")
	}
	return checkWorkers(call, o.workers)
}

// compare runs all ways by turns and fills the report.
func (o *compareFlags) compare(ctx context.Context, call *cli.Call, rep *compareReport) error {
	t, err := openTree(call.Arg, o.registry) // what is wrong with it is said once
	if err != nil {
		return err
	}
	if err := t.Close(); err != nil {
		return err
	}
	rep.Workers, rep.Limit, rep.Rounds = o.workers, o.limit, o.rounds
	if rep.Workers == 0 {
		rep.Workers = runtime.GOMAXPROCS(0)
	}
	caches := []string{"warm"}
	if o.cold {
		caches = append(caches, "cold")
	}
	runs := map[[2]string][]wayReport{}
	b := newBar(call, "compare", o.rounds*len(caches)*len(ways))
	defer b.clear()
	for round := range o.rounds {
		for _, cache := range caches {
			for i := range ways { // nobody is always the first
				way := ways[(i+round)%len(ways)]
				run, err := o.elsewhere(ctx, call, way, cache == "cold")
				if err != nil {
					return err
				}
				key := [2]string{cache, way}
				runs[key] = append(runs[key], run)
				rep.Resources, rep.Bytes = run.Resources, run.Bytes
				b.add()
			}
		}
	}
	for _, cache := range caches {
		serial := middle(runs[[2]string{cache, waySerial}],
			func(r wayReport) float64 { return r.MS })
		for _, way := range ways {
			row := summed(cache, way, runs[[2]string{cache, way}])
			if way != wayRead {
				row.Speedup = round(serial / row.MS)
			}
			rep.Rows = append(rep.Rows, row)
		}
	}
	return nil
}

// elsewhere runs a way once in a process of its own: memory that is there already, and what is left
// of another run, would help whoever comes later.
func (o *compareFlags) elsewhere(ctx context.Context, call *cli.Call, way string, cold bool) (
	run wayReport, err error) {
	program, err := os.Executable()
	if err != nil {
		return run, err
	}
	args := []string{"compare", "-json", "-progress=false", "-way", way, "-platform", o.platform,
		"-registry", o.registry, "-limit", strconv.Itoa(o.limit),
		"-cold=" + strconv.FormatBool(cold)}
	if o.workers > 0 {
		args = append(args, "-workers", strconv.Itoa(o.workers))
	}
	cmd := exec.CommandContext(ctx, program, append(args, "--", call.Arg)...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return run, context.Cause(ctx)
	case err != nil:
		return run, fmt.Errorf("%s: %w: %s", way, err,
			strings.TrimPrefix(strings.TrimSpace(said.String()), "assets compare: "))
	}
	return run, json.Unmarshal(out, &run)
}

// middle returns the median of a figure.
func middle[T cmp.Ordered](runs []wayReport, of func(wayReport) T) T {
	all := sorted(runs, of)
	return all[(len(all)-1)/2]
}

func sorted[T cmp.Ordered](runs []wayReport, of func(wayReport) T) []T {
	all := make([]T, len(runs))
	for i, r := range runs {
		all[i] = of(r)
	}
	slices.Sort(all)
	return all
}

// summed makes a row of the runs of one way.
func summed(cache, way string, runs []wayReport) compareRow {
	all := sorted(runs, func(r wayReport) float64 { return r.MS })
	return compareRow{Cache: cache, Way: way, MS: all[(len(all)-1)/2], LeastMS: all[0],
		MostMS: all[len(all)-1],
		CPUMS:  middle(runs, func(r wayReport) float64 { return r.CPUMS }),
		P50MS:  middle(runs, func(r wayReport) float64 { return r.P50MS }),
		P99MS:  middle(runs, func(r wayReport) float64 { return r.P99MS }),
		Peak:   middle(runs, func(r wayReport) int64 { return r.Peak }),
		Failed: middle(runs, func(r wayReport) int { return r.Failed })}
}

func (rep *compareReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s of %d bytes, loaded in %s of each way: by assets with %s, by\nread and "+
		"errgroup at most %d at once. took, processor and what follows are medians.\n\n",
		verdict.Count(rep.Resources, "resource"), rep.Bytes, verdict.Count(rep.Rounds, "run"),
		verdict.Count(rep.Workers, "worker"), rep.Limit)
	table(w, func(w io.Writer) {
		fmt.Fprintln(w, "files\tway\ttook\tfastest\tslowest\tprocessor\thalf ready\t99% ready\t"+
			"memory\tfailed\tserial/took\t")
		for _, r := range rep.Rows {
			fmt.Fprintf(w, "%s\t%s\t%.1f ms\t%.1f\t%.1f\t%.1f ms\t%.1f ms\t%.1f ms\t%.1f MiB\t%d\t",
				r.Cache, r.Way, r.MS, r.LeastMS, r.MostMS, r.CPUMS, r.P50MS, r.P99MS,
				float64(r.Peak)/(1<<20), r.Failed)
			if r.Speedup > 0 {
				fmt.Fprintf(w, "%.2f", r.Speedup)
			}
			fmt.Fprintln(w, "\t")
		}
	})
	fmt.Fprintln(w)
	for _, sentence := range rep.conclusion() {
		fmt.Fprintln(w, sentence)
	}
}

// conclusion is what the rows say in words, a sentence a line: for each state of the cache of files
// how Heddle did, and what the disk allows.
func (rep *compareReport) conclusion() (lines []string) {
	for rows := range slices.Chunk(rep.Rows, len(ways)) {
		of := map[string]compareRow{}
		for _, r := range rows {
			of[r.Way] = r
		}
		ours, read := of[wayAssets], of[wayRead]
		lines = append(lines, fmt.Sprintf("With %s files, Heddle (the row assets) took %.1f ms.",
			ours.Cache, ours.MS))
		for _, other := range []struct{ way, name string }{
			{wayErrgroup, "errgroup"}, {waySerial, "one after the other (serial)"},
		} {
			theirs := of[other.way]
			text := fmt.Sprintf("It %s", verdict.Beside(ours.MS, theirs.MS, other.name))
			if rep.Rounds > 1 && ours.LeastMS <= theirs.MostMS && theirs.LeastMS <= ours.MostMS {
				text += ", but the times of single runs overlap"
			}
			lines = append(lines, text+".")
		}
		if read.MS > 0 {
			lines = append(lines, fmt.Sprintf("Reading the files alone takes %.0f %% of that time.",
				100*read.MS/ours.MS))
		}
	}
	if rep.Rounds < 5 {
		lines = append(lines, "Fewer than 5 rounds are too few to be quoted: give -rounds 5 or more.")
	}
	return lines
}
