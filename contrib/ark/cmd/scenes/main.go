package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heddle-go/heddle/contrib/ark"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/mlange-42/ark/ecs"
)

func main() {
	flags := flag.NewFlagSet("scenes", flag.ContinueOnError)
	sizes := flags.String("n", "1000,100000,1000000", "numbers of entities")
	length := flags.Duration(
		"for",
		30*time.Millisecond,
		"how long each way runs in a round, at least",
	)
	rounds := flags.Int("rounds", 9, "rounds")
	workers := flags.Int("workers", runtime.GOMAXPROCS(0), "workers")
	if err := flags.Parse(os.Args[1:]); err != nil {
		os.Exit(2)
	}
	var ns []int
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || flags.NArg() > 0 || *rounds < 1 {
			flags.Usage()
			os.Exit(2)
		}
		ns = append(ns, n)
	}
	sys := taskgraph.Start(taskgraph.Options{Workers: *workers})
	err := compare(os.Stdout, sys, ns, *length, *rounds)
	if err := errors.Join(err, sys.Shutdown(context.Background())); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A way runs the frames of a scene in a world of its own.
type way struct {
	world *ecs.World
	frame func() error
	times []time.Duration // of a frame, in each round
}

func ways(sys *taskgraph.System, sc scene, n int) []*way {
	make := func(frame func(w *ecs.World) func() error) *way {
		w := ecs.NewWorld()
		sc.fill(&w, n)
		return &way{world: &w, frame: frame(&w)}
	}
	alone := func(run func([][]func())) func(w *ecs.World) func() error {
		return func(w *ecs.World) func() error {
			rows := sc.loops(w)
			return func() error { run(rows); return nil }
		}
	}
	scheduled := func(o ark.Options) func(w *ecs.World) func() error {
		return func(w *ecs.World) func() error {
			s := ark.New(sys, w, o)
			sc.add(s)
			return func() error { return s.RunFrame(context.Background()) }
		}
	}
	return []*way{
		make(alone(inOrder)),
		make(alone(inGroups)),
		make(scheduled(ark.Options{Serial: true})),
		make(scheduled(ark.Options{})),
	}
}

// compare runs each scene with each number of entities, all ways by turns, and prints a line for
// each: the median of Ark alone, and the medians of the others' ratios to it in the same round.
func compare(
	out io.Writer,
	sys *taskgraph.System,
	ns []int,
	length time.Duration,
	rounds int,
) error {
	fmt.Fprintln(out, "| scene | entities | Ark, µs | errgroup | Serial | Heddle |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|")
	for _, sc := range scenes {
		for _, n := range ns {
			all := ways(sys, sc, n)
			frames, err := calibrate(all, length)
			if err != nil {
				return err
			}
			for range rounds {
				for _, w := range all {
					runtime.GC()
					begin := time.Now()
					for range frames {
						if err := w.frame(); err != nil {
							return err
						}
					}
					w.times = append(w.times, time.Since(begin)/time.Duration(frames))
				}
			}
			expected := digest(all[0].world)
			for i, w := range all {
				if digest(w.world) != expected {
					return fmt.Errorf(
						"%s, %d entities: way %d has come to another world",
						sc.name,
						n,
						i,
					)
				}
			}
			fmt.Fprintf(
				out,
				"| %s | %d | %.1f | %.2f | %.2f | **%.2f** |\n",
				sc.name,
				n,
				float64(
					median(all[0].times).Nanoseconds(),
				)/1e3,
				ratio(all[0], all[1]),
				ratio(all[0], all[2]),
				ratio(all[0], all[3]),
			)
		}
	}
	return nil
}

// calibrate says how many frames take long enough for the slowest way, after as many to get warm.
func calibrate(all []*way, length time.Duration) (int, error) {
	frames := 1
	for {
		shortest := time.Duration(math.MaxInt64)
		for _, w := range all {
			begin := time.Now()
			for range frames {
				if err := w.frame(); err != nil {
					return 0, err
				}
			}
			shortest = min(shortest, time.Since(begin))
		}
		if shortest >= length {
			return frames, nil
		}
		frames *= 2
	}
}

// ratio is how many times as fast as the first the second is: the median over the rounds.
func ratio(first, second *way) float64 {
	var all []float64
	for i, t := range first.times {
		all = append(all, float64(t)/float64(second.times[i]))
	}
	return median(all)
}

func median[T float64 | time.Duration](of []T) T {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

// digest makes a number of all that is in a world, in the order of its tables.
func digest(w *ecs.World) uint64 {
	sum := uint64(14695981039346656037)
	sumAll(w, func(v float64) { sum = (sum ^ math.Float64bits(v)) * 1099511628211 })
	return sum
}
