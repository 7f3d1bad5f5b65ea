package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/taskgraph"
)

const (
	maxWorkers = 1024
	maxPoints  = 1_000_000
	rounds     = 5
)

func main() { embedded().Main() }

type options struct{ workers, points int }

// embedded is the command without its process.
func embedded() *cli.Command {
	var o options
	return &cli.Command{
		Name: "embedded", Unit: "round",
		About: "Runs two libraries that have no workers on one task system, and without a system.",
		Flags: func(fs *flag.FlagSet) {
			fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0),
				"number of workers, 1 to "+strconv.Itoa(maxWorkers))
			fs.IntVar(&o.points, "points", 200_000,
				"number of points, 1 to "+strconv.Itoa(maxPoints))
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			switch {
			case o.workers < 1 || o.workers > maxWorkers:
				return fmt.Errorf("-workers %d: want 1 to %d", o.workers, maxWorkers)
			case o.points < 1 || o.points > maxPoints:
				return fmt.Errorf("-points %d: want 1 to %d", o.points, maxPoints)
			}
			return show(ctx, o, call.Text, call.Progress)
		},
	}
}

// show has the libraries work in each way, by turns, and prints a table and what it shows.
func show(ctx context.Context, o options, w io.Writer, progress *cli.Progress) error {
	progress.Show("making the points")
	points, table := makePoints(o.points)
	sys := taskgraph.Start(taskgraph.Options{Workers: o.workers})
	r := result{options: o, equal: true}
	var times [len(ways)][]time.Duration
	play := func() error {
		for round := range rounds {
			for k, way := range ways {
				progress.At(way.name, round, rounds)
				own := slices.Clone(points) // the tree reorders them
				runtime.GC()                // so that no way pays for another's garbage
				began := time.Now()
				f, err := way.find(ctx, sys, own, table)
				times[k] = append(times[k], time.Since(began))
				if err != nil {
					return err
				}
				if round == 0 && k == 0 {
					r.found = f
				}
				r.equal = r.equal && reflect.DeepEqual(f, r.found)
			}
		}
		return nil
	}
	err := play()
	progress.Clear()
	if ended := sys.Shutdown(context.WithoutCancel(ctx)); err == nil {
		err = ended
	}
	if err != nil {
		return err
	}
	for k := range ways {
		slices.Sort(times[k])
		r.took[k] = times[k][rounds/2]
	}
	for _, line := range r.lines() {
		fmt.Fprintln(w, line)
	}
	if !r.equal {
		return cli.ErrFailed
	}
	return nil
}
