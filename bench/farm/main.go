package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

func main() {
	if role := os.Getenv(roleVariable); role != "" { // a process of a bench: it starts none
		if err := play(role, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	program().Main()
}

// A bench is one run of the command.
type bench struct {
	out    io.Writer
	rounds int
	jobs   int
	most   int // worker processes
}

// What is bounded.
const (
	maxRounds = 100
	maxJobs   = 20_000
	maxProcs  = 16
)

// program is the command without its process.
func program() *cli.Command {
	var what string
	var limit time.Duration
	b := &bench{}
	return &cli.Command{
		Name:  "bench",
		About: "Measures jobs of package farm beside plain NATS and Asynq.",
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&what, "what", "calls", "`table`: calls, rate, size or build")
			fs.IntVar(&b.rounds, "rounds", 5,
				fmt.Sprintf("each has so many `turns`, 1 to %d", maxRounds))
			fs.IntVar(&b.jobs, "jobs", 500,
				fmt.Sprintf("`number` of jobs a turn, 1 to %d", maxJobs))
			fs.IntVar(&b.most, "processes", maxProcs,
				fmt.Sprintf("most worker `processes`, 1 to %d", maxProcs))
			fs.DurationVar(&limit, "for", 4*time.Minute, "give up after this `time`")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			tables := map[string]func(context.Context) error{"calls": b.calls, "rate": b.rate,
				"size": b.size, "build": b.build}
			measure := tables[what]
			switch {
			case measure == nil:
				return fmt.Errorf("-what %q: want calls, rate, size or build", what)
			case b.rounds < 1 || b.rounds > maxRounds:
				return fmt.Errorf("-rounds %d: want 1 to %d", b.rounds, maxRounds)
			case b.jobs < 1 || b.jobs > maxJobs:
				return fmt.Errorf("-jobs %d: want 1 to %d", b.jobs, maxJobs)
			case b.most < 1 || b.most > maxProcs:
				return fmt.Errorf("-processes %d: want 1 to %d", b.most, maxProcs)
			case limit <= 0:
				return fmt.Errorf("-for %v: want more than nothing", limit)
			}
			ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("-for is over"))
			defer cancel()
			b.out = call.Text
			return measure(ctx)
		},
	}
}

// table writes rows of Markdown, of which the first is the head.
func (b *bench) table(rows [][]string) {
	for i, cells := range rows {
		fmt.Fprintf(b.out, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			fmt.Fprintln(b.out, "|"+strings.Repeat("---|", len(cells)))
		}
	}
}

// median returns the middle of values, which it sorts.
func median[T int | float64 | time.Duration](v []T) T {
	slices.Sort(v)
	return v[len(v)/2]
}
