package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// options are what the command line asks for.
type options struct {
	pkgs       []string
	seed       uint64
	long       time.Duration // 0: until all are judged
	most       int           // edits of a package; negative: all
	sample     int           // edits of all packages; 0: all
	state      string
	again      bool
	only       *regexp.Regexp
	p          int
	list       bool
	table      string
	accepted   string
	timeout    time.Duration
	memory     int64 // MiB
	programs   int
	executions int
	race       bool
	quick      bool
}

func main() { mutants().Main() }

// mutants is the command without its process.
func mutants() *cli.Command {
	var o options
	sum := summary{Files: []fileRow{}}
	return &cli.Command{
		Name: "mutants", Usage: "bin/mutants [flags]",
		About: "Makes small wrong edits of shipped files, and says which of them no test and no " +
			"model finds.",
		Flags: o.flags,
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := o.check(call.Given); err != nil {
				return err
			}
			survivors, err := mutate(ctx, o, call, &sum)
			switch {
			case ctx.Err() != nil:
				return fmt.Errorf("%w; with the same -state it goes on from here",
					cli.ErrInterrupted)
			case err == nil && survivors > 0:
				err = cli.ErrFailed
			}
			return err
		},
		JSON: func() any { return sum },
	}
}

// flags adds the flags.
func (o *options) flags(f *flag.FlagSet) {
	f.Func("pkg", "edit these `packages`, with commas between them (default all of the library)",
		func(text string) error {
			o.pkgs = strings.Split(text, ",")
			return nil
		})
	f.Uint64Var(&o.seed, "seed", 1, "what the order of the edits is drawn from")
	f.DurationVar(&o.long, "for", 0,
		"begin no edit after this time; each package has an even share of it, or a minute, those "+
			"first of which least is known (default: until all are judged)")
	f.IntVar(&o.sample, "sample", 0,
		"judge only so many edits of all packages together, those that -seed draws")
	f.IntVar(&o.most, "n", -1,
		"judge this many edits of a package at most, those that are known from -state included "+
			"(default all)")
	f.StringVar(&o.state, "state", "", "keep what is known in this `file`, and go on from it")
	f.BoolVar(&o.again, "again", false, "judge those again that survived, and no others")
	f.BoolVar(&o.quick, "quick", false,
		"leave those alone that the short tests and the models of their files miss: -again judges "+
			"them")
	f.IntVar(&o.p, "p", 1, "edits at a time")
	f.BoolVar(&o.list, "list", false, "list the edits and judge none")
	f.StringVar(&o.table, "table", "",
		"write the table of what is known to this `file`, as markdown")
	f.StringVar(&o.accepted, "accepted", filepath.FromSlash("stress/mutants/accepted.txt"),
		"the `file` of edits that need not be found, with the reasons")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second,
		"time limit for tests, unless ten times what they take without an edit is more; models "+
			"have five times as long")
	f.Int64Var(&o.memory, "memory", 3072, "MiB of memory that tests may take")
	f.IntVar(&o.programs, "programs", 40, "generated programs of each model")
	f.IntVar(&o.executions, "executions", 20_000, "executions of each model, roughly")
	f.BoolVar(&o.race, "race", false,
		"let the race detector judge the models too (needs a C compiler)")
	cli.RegexpVar(f, &o.only, "only",
		"take only the edits whose line in -list matches this `regexp`")
}

// check looks for values out of range.
func (o *options) check(given map[string]bool) error {
	switch {
	case given["for"] && o.long <= 0:
		return fmt.Errorf("-for %v: want more than 0s", o.long)
	case given["sample"] && o.sample < 1:
		return fmt.Errorf("-sample %d: want 1 or more", o.sample)
	case o.p < 1, o.timeout <= 0, o.memory < 1, o.executions < 1:
		return errors.New("-p, -timeout, -memory and -executions must be positive")
	case o.programs < 2:
		return errors.New("-programs must be 2 or more")
	case o.again && o.state == "":
		return errors.New("-again needs -state")
	}
	return cli.Distinct(cli.Path{Flag: "-state", Name: o.state},
		cli.Path{Flag: "-table", Name: o.table}, cli.Path{Flag: "-accepted", Name: o.accepted})
}
