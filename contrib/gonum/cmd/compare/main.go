// Command compare times gonum, and gonum with tileblas and tilelapack, by turns in one process. It
// prints a table in Markdown of medians and ratios, and says what to conclude.
//
//	go -C contrib/gonum run ./cmd/compare
//	go -C contrib/gonum run ./cmd/compare -ops 'gemm NN,potrf L' -sizes 512,1024
package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/heddle-go/heddle/contrib/gonum/tileblas"
	"github.com/heddle-go/heddle/contrib/gonum/tilelapack"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/verdict"
	"github.com/heddle-go/heddle/taskgraph"
)

func main() { command().Main() }

type options struct {
	ops     []operation
	sizes   []int
	budget  time.Duration
	rounds  int
	workers int
	best    bool
}

// command is the command without its process.
func command() *cli.Command {
	var o options
	var names, sizes string
	return &cli.Command{
		Name: "compare", Unit: "row",
		About: "Times operations of gonum on square matrices by turns: by gonum on one goroutine,\n" +
			"by gonum, and by gonum with Heddle's tileblas and tilelapack.",
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&names, "ops", "all",
				"the `NAMES` of operations, separated by commas, of "+
					strings.Join(operationNames(), ", "))
			fs.StringVar(&sizes, "sizes", "128,512",
				"the `ORDERS` of the matrices, separated by commas")
			fs.DurationVar(&o.budget, "for", 200*time.Millisecond,
				"measure each row for at least about this `time`")
			fs.IntVar(&o.rounds, "rounds", 5,
				"measure each row in at least this `number` of rounds")
			fs.IntVar(&o.workers, "workers", 0,
				"`number` of workers, 0 to 256; 0: one for each processor")
			fs.BoolVar(&o.best, "best", false, "print the best of all rounds in place of medians, "+
				"and their ratios: for tuning on a machine that does other things")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := o.check(names, sizes); err != nil {
				return err
			}
			return run(ctx, call, o)
		},
	}
}

// check says what is out of its range, and finds what is asked for.
func (o *options) check(names, sizes string) error {
	switch {
	case o.rounds < 1:
		return fmt.Errorf("-rounds %d: want 1 or more", o.rounds)
	case o.workers < 0 || o.workers > 256:
		return fmt.Errorf("-workers %d: want 0 to 256", o.workers)
	case o.budget <= 0:
		return fmt.Errorf("-for %v: want more than 0s", o.budget)
	}
	for name := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(name)
		if err != nil || n < 1 || n > 1<<14 {
			return fmt.Errorf("-sizes: %q is not a size from 1 to %d", name, 1<<14)
		}
		o.sizes = append(o.sizes, n)
	}
	if names == "all" {
		o.ops = operations
		return nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(operations, func(op operation) bool { return op.name == name })
		if i < 0 {
			return fmt.Errorf("-ops: no operation %q", name)
		}
		o.ops = append(o.ops, operations[i])
	}
	return nil
}

func run(ctx context.Context, call *cli.Call, o options) (err error) {
	sys := taskgraph.Start(taskgraph.Options{Workers: o.workers})
	defer func() {
		blas64.Use(gonum.Implementation{})
		if e := sys.Shutdown(context.WithoutCancel(ctx)); err == nil {
			err = e
		}
	}()
	ours, w := &sides{blas: tileblas.New(sys), lapack: tilelapack.New(sys)}, call.Text
	what := "Times are medians in ms, ratios medians over rounds: above 1, Heddle is faster."
	if o.best {
		what = "Times are the best of all rounds in ms, with their ratios: above 1, Heddle is faster."
	}
	fmt.Fprintf(w, "%s. %s\nFork-join is gonum's factorization on Heddle's BLAS and, for gemv, two "+
		"halves by hand. In the row\nA/A all ways do the same: its ratios show the noise.\n\n",
		verdict.Count(runtime.GOMAXPROCS(0), "processor"), what)
	fmt.Fprint(w, "| operation | n | gonum, serial | gonum | Heddle | serial / Heddle | "+
		"gonum / Heddle | fork-join | fork-join / Heddle |\n|---|---|---|---|---|---|---|---|---|\n")
	var c conclusion
	for i, op := range o.ops {
		for k, n := range o.sizes {
			call.Progress.At(fmt.Sprintf("%s, n = %d", op.name, n), i*len(o.sizes)+k,
				len(o.ops)*len(o.sizes))
			r, err := measure(ctx, op, n, o, ours)
			call.Progress.Clear()
			if err != nil {
				return err
			}
			fmt.Fprintln(w, r)
			c.add(r)
		}
	}
	fmt.Fprintf(w, "\n%s", c.text())
	return nil
}

// A row is what the ways to do an operation took, and the ratios of the others to Heddle.
type row struct {
	op    string
	n     int
	times []time.Duration // gonum on one goroutine, gonum, Heddle, and fork-join, if there is one
	over  []float64       // their ratios to Heddle
}

const heddle = 2 // the place of Heddle in a row

func (r row) String() string {
	text := fmt.Sprintf("| %s | %d |", r.op, r.n)
	for _, t := range r.times[:3] {
		text += fmt.Sprintf(" %.4g |", t.Seconds()*1e3)
	}
	text += fmt.Sprintf(" %.2f | %.2f |", r.over[0], r.over[1])
	if len(r.times) > 3 {
		return text + fmt.Sprintf(" %.4g | %.2f |", r.times[3].Seconds()*1e3, r.over[3])
	}
	return text + " | |"
}

// A conclusion compares Heddle with the other ways, but for the row in which all do the same.
type conclusion struct {
	against [3]verdict.Tally
	noise   float64 // the largest ratio in that row, 0 if it was not measured
}

func (c *conclusion) add(r row) {
	if r.op == operations[0].name {
		for _, ratio := range r.over {
			c.noise = max(c.noise, ratio, 1/ratio)
		}
		return
	}
	name := fmt.Sprintf("%s with n = %d", r.op, r.n)
	for i, way := range []int{0, 1, 3} {
		if way < len(r.over) {
			c.against[i].Add(name, 1, r.over[way])
		}
	}
}

// text is a sentence for each of the other ways, and one for the noise.
func (c *conclusion) text() (text string) {
	for i, name := range []string{"gonum on one goroutine", "gonum", "fork-join"} {
		if c.against[i].Rows() > 0 {
			text += c.against[i].Against(name) + "\n"
		}
	}
	if c.noise > 0 {
		text += fmt.Sprintf("One and the same work took up to %.2f times as long in this run: "+
			"differences below that are noise.\n", c.noise)
	}
	return text
}

// measure times the ways to do op by turns.
func measure(ctx context.Context, op operation, n int, o options, ours *sides) (row, error) {
	ways := op.ways(n, ours)
	times := make([][]time.Duration, len(ways))
	for _, w := range ways { // once for the caches, the graphs and the costs of loops
		if n <= 2048 {
			once(w)
		}
	}
	for begin := time.Now(); len(times[0]) < o.rounds || time.Since(begin) < o.budget &&
		len(times[0]) < 400; {
		for i, w := range ways {
			if ctx.Err() != nil {
				return row{}, cli.ErrInterrupted
			}
			times[i] = append(times[i], once(w))
		}
	}
	if o.best {
		for i, t := range times {
			times[i] = []time.Duration{slices.Min(t)}
		}
	}
	r := row{op: op.name, n: n}
	for _, t := range times {
		r.times = append(r.times, slices.Sorted(slices.Values(t))[len(t)/2])
		r.over = append(r.over, ratio(t, times[heddle]))
	}
	return r, nil
}

func once(w way) time.Duration {
	w.prepare()
	begin := time.Now()
	w.do()
	return time.Since(begin)
}

func ratio(a, b []time.Duration) float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = a[i].Seconds() / b[i].Seconds()
	}
	slices.Sort(r)
	return r[len(r)/2]
}
