// Command compare times gonum, and gonum with tileblas and tilelapack, by turns in one process, and
// prints a table in Markdown of medians and ratios.
//
//	go -C contrib/gonum run ./cmd/compare -ops 'gemm NN,potrf L' -sizes 512,1024
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/heddle-go/heddle/contrib/gonum/tileblas"
	"github.com/heddle-go/heddle/contrib/gonum/tilelapack"
	"github.com/heddle-go/heddle/taskgraph"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

type options struct {
	ops     []operation
	sizes   []int
	budget  time.Duration
	rounds  int
	workers int
	best    bool
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	names := flags.String("ops", "all", "operations, of "+strings.Join(operationNames(), ", "))
	sizes := flags.String("sizes", "64,128,256,512,1024", "orders of the square matrices")
	flags.DurationVar(&o.budget, "for", time.Second, "about how long a row takes, at least")
	flags.IntVar(&o.rounds, "rounds", 5, "how many rounds a row has, at least")
	flags.IntVar(&o.workers, "workers", 0, "workers of the system; 0: GOMAXPROCS")
	flags.BoolVar(&o.best, "best", false, "print the best of all rounds in place of medians, "+
		"and their ratios: for tuning on a machine that does other things")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.rounds < 1 || o.workers < 0 {
		return o, fmt.Errorf("-rounds must be positive and -workers not negative")
	}
	for name := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(name)
		if err != nil || n < 1 || n > 1<<14 {
			return o, fmt.Errorf("-sizes: %q is not a size from 1 to %d", name, 1<<14)
		}
		o.sizes = append(o.sizes, n)
	}
	if *names == "all" {
		o.ops = operations
		return o, nil
	}
	for name := range strings.SplitSeq(*names, ",") {
		i := slices.IndexFunc(operations, func(op operation) bool { return op.name == name })
		if i < 0 {
			return o, fmt.Errorf("-ops: no operation %q", name)
		}
		o.ops = append(o.ops, operations[i])
	}
	return o, nil
}

func run(args []string, w io.Writer) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	sys := taskgraph.Start(taskgraph.Options{Workers: o.workers})
	defer func() {
		blas64.Use(gonum.Implementation{})
		if e := sys.Shutdown(context.Background()); err == nil {
			err = e
		}
	}()
	ours := &sides{blas: tileblas.New(sys), lapack: tilelapack.New(sys)}
	what := "Medians in ms; ratios are medians over rounds."
	if o.best {
		what = "The best of all rounds in ms, and their ratios."
	}
	fmt.Fprintf(w, "%d processors. %s\n\n", runtime.GOMAXPROCS(0), what)
	fmt.Fprint(w, "| operation | n | gonum, serial | gonum | here | serial / here | gonum / here |"+
		" fork-join | fork-join / here |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, op := range o.ops {
		for _, n := range o.sizes {
			fmt.Fprintln(w, measure(op, n, o, ours))
		}
	}
	return nil
}

// measure times the ways to do op by turns and returns a row of the table.
func measure(op operation, n int, o options, ours *sides) string {
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
			times[i] = append(times[i], once(w))
		}
	}
	if o.best {
		for i, t := range times {
			times[i] = []time.Duration{slices.Min(t)}
		}
	}
	const here = 2
	row := fmt.Sprintf("| %s | %d |", op.name, n)
	for _, t := range times[:3] {
		row += fmt.Sprintf(" %.4g |", ms(t))
	}
	row += fmt.Sprintf(" %.2f | %.2f |", ratio(times[0], times[here]), ratio(times[1], times[here]))
	if len(times) > 3 {
		return row + fmt.Sprintf(" %.4g | %.2f |", ms(times[3]), ratio(times[3], times[here]))
	}
	return row + " | |"
}

func once(w way) time.Duration {
	w.prepare()
	begin := time.Now()
	w.do()
	return time.Since(begin)
}

func ms(t []time.Duration) float64 {
	t = slices.Sorted(slices.Values(t))
	return t[len(t)/2].Seconds() * 1e3
}

func ratio(a, b []time.Duration) float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = a[i].Seconds() / b[i].Seconds()
	}
	slices.Sort(r)
	return r[len(r)/2]
}
