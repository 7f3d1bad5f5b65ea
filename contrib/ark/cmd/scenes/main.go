package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heddle-go/heddle/contrib/ark"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/verdict"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/mlange-42/ark/ecs"
)

func main() { command().Main() }

// command is the command without its process.
func command() *cli.Command {
	var sizes, only string
	o := options{}
	return &cli.Command{
		Name: "scenes", Unit: "scene",
		About: "Runs the usual scenes of entity component systems in four ways by turns: by Ark\n" +
			"alone, with errgroup, and by Heddle's schedule on one thread and on its workers.",
		Help: func(w io.Writer) {
			fmt.Fprintln(w, "scenes:")
			for _, sc := range scenes {
				fmt.Fprintln(w, "  "+sc.name)
			}
		},
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&sizes, "n", "1000,100000",
				"`NUMBERS` of entities, separated by commas, each 1 to 10000000")
			fs.StringVar(&only, "only", "", "run only the scenes with this `TEXT` in their names")
			fs.DurationVar(&o.length, "for", 10*time.Millisecond,
				"run each way for at least this `time` in a round, to 1m")
			fs.IntVar(&o.rounds, "rounds", 5, "`number` of rounds, 1 to 10000")
			fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "`number` of workers, 1 to 256")
		},
		Work: func(ctx context.Context, call *cli.Call) (err error) {
			if err := o.check(sizes, only); err != nil {
				return err
			}
			sys := taskgraph.Start(taskgraph.Options{Workers: o.workers})
			defer func() { err = errors.Join(err, sys.Shutdown(context.WithoutCancel(ctx))) }()
			return compare(ctx, call, sys, &o)
		},
	}
}

type options struct {
	scenes          []scene
	sizes           []int
	length          time.Duration
	rounds, workers int
}

// check says what is out of its range, and finds what is asked for.
func (o *options) check(sizes, only string) error {
	for text := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 10_000_000 {
			return fmt.Errorf("-n: %q is not a number from 1 to 10000000", text)
		}
		o.sizes = append(o.sizes, n)
	}
	for _, sc := range scenes {
		if strings.Contains(sc.name, only) {
			o.scenes = append(o.scenes, sc)
		}
	}
	switch {
	case len(o.scenes) == 0:
		return fmt.Errorf("-only: no scene has %q in its name", only)
	case o.length <= 0 || o.length > time.Minute:
		return fmt.Errorf("-for %v is not above 0 and to 1m", o.length)
	case o.rounds < 1 || o.rounds > 10_000:
		return fmt.Errorf("-rounds %d is not from 1 to 10000", o.rounds)
	case o.workers < 1 || o.workers > 256:
		return fmt.Errorf("-workers %d is not from 1 to 256", o.workers)
	}
	return nil
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

// heading explains the columns of the table.
const heading = "The column Ark is the median time of a frame by Ark alone, one system after the " +
	"other. The others\nsay how many times as fast a frame is: with a goroutine of an errgroup for each " +
	"independent system,\nby Heddle's schedule on one thread (Serial), and with %s.\n\n" +
	"| scene | entities | Ark, µs | errgroup | Serial | Heddle |\n|---|---|---|---|---|---|\n"

// compare runs each scene with each number of entities, all ways by turns, and prints a line for
// each: the median of Ark alone, and the medians of the others' ratios to it in the same round. The
// last lines say what to conclude.
func compare(ctx context.Context, call *cli.Call, sys *taskgraph.System, o *options) error {
	out := call.Text
	fmt.Fprintf(out, heading, verdict.Count(o.workers, "worker"))
	var c conclusion
	for i, sc := range o.scenes {
		for k, n := range o.sizes {
			call.Progress.At(sc.name, i*len(o.sizes)+k, len(o.scenes)*len(o.sizes))
			all := ways(sys, sc, n)
			if err := play(ctx, all, o); err != nil {
				return fmt.Errorf("%s, %d entities: %w", sc.name, n, err)
			}
			fmt.Fprintf(out, "| %s | %d | %.1f | %.2f | %.2f | **%.2f** |\n", sc.name, n,
				float64(median(all[0].times).Nanoseconds())/1e3,
				ratio(all[0], all[1]), ratio(all[0], all[2]), ratio(all[0], all[3]))
			c.add(fmt.Sprintf("%s with %d entities", sc.name, n), all)
		}
	}
	fmt.Fprintf(out, "\n%sThe worlds of all ways were equal in the end.\n", c.text())
	return nil
}

// play runs all ways by turns, and says so if they have come to different worlds.
func play(ctx context.Context, all []*way, o *options) error {
	frames, err := calibrate(all, o.length)
	if err != nil {
		return err
	}
	for range o.rounds {
		for _, w := range all {
			if ctx.Err() != nil {
				return cli.ErrInterrupted
			}
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
			return fmt.Errorf("way %d computed another world than Ark alone", i)
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

// A conclusion compares the last way, Heddle's, with each of those before it.
type conclusion struct{ against [3]verdict.Tally }

func (c *conclusion) add(row string, all []*way) {
	for i := range c.against {
		c.against[i].Add(row, 1, ratio(all[i], all[len(all)-1]))
	}
}

// text is a line for each of those ways.
func (c *conclusion) text() string {
	text := ""
	for i, name := range []string{"Ark alone", "errgroup", "its own schedule on one thread"} {
		text += c.against[i].Against(name) + "\n"
	}
	return text
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
