// Cover says how much of each library package the tests, the models and the soak run together.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/stress/internal/shipped"
)

// options are what the command line asks for.
type options struct {
	dir        string
	steps      []string
	executions int
	soak       time.Duration
	seed       uint64
	list       string
	only       *regexp.Regexp // packages whose models run; nil: all
}

// The steps, in the order in which they are made.
const (
	stepTests  = "tests"
	stepModels = "models"
	stepSoak   = "soak"
)

var allSteps = []string{stepTests, stepModels, stepSoak}

func main() { command().Main() }

// command is the command without its process.
func command() *cli.Command {
	var o options
	var r report
	return &cli.Command{
		Name: "cover", Usage: "go run ./stress/cover [flags]",
		About: "Says how much of each library package the tests, the models and the soak run, each\n" +
			"and together. A step leaves its profile in a folder, that of the models one for each\n" +
			"package whose models run; what is there is added up.",
		Flags: o.flags,
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := o.check(); err != nil {
				return err
			}
			root, err := cli.ModuleRoot(shipped.Module)
			if err != nil {
				return err
			}
			if !filepath.IsAbs(o.dir) {
				o.dir = filepath.Join(root, o.dir)
			}
			if err := measure(ctx, root, o, call); err != nil {
				return err
			}
			modeled, err := modeled(ctx, root)
			if err != nil {
				return err
			}
			found, err := read(o.dir, modeled)
			if err != nil {
				return err
			}
			r = found.report()
			if o.list == "" {
				r.table(call.Text)
				if n := len(found.lacks); n > 0 && n < len(modeled) {
					fmt.Fprintln(call.Text, "no models yet of", strings.Join(found.lacks, " "))
				}
				return nil
			}
			return found.list(root, o.list, call.Text)
		},
		JSON: func() any { return r },
	}
}

// flags adds the flags.
func (o *options) flags(f *flag.FlagSet) {
	f.StringVar(&o.dir, "dir", filepath.FromSlash("bin/cover"),
		"keep the profiles in this `folder`")
	f.Func("step", "make these `steps`, with commas between them, of "+strings.Join(allSteps, ",")+
		" (default none: only add up)", func(text string) error {
		o.steps = strings.Split(text, ",")
		return nil
	})
	f.IntVar(&o.executions, "executions", 200,
		"executions of each model, roughly; more of them hardly run other code")
	f.DurationVar(&o.soak, "for", 30*time.Second, "how long to soak")
	f.Uint64Var(&o.seed, "seed", 1, "the seed of models and soak")
	f.StringVar(&o.list, "list", "",
		"show what nothing runs in this `package`, such as lockfree, or in all of them")
	cli.RegexpVar(f, &o.only, "run",
		"of the step models, run those of the packages that match this `regexp`, and keep what those "+
			"of others have left")
}

// check looks for values out of range.
func (o *options) check() error {
	for _, s := range o.steps {
		if !slices.Contains(allSteps, s) {
			return fmt.Errorf("-step %q is none of %s", s, strings.Join(allSteps, ", "))
		}
	}
	if o.only != nil && !slices.Contains(o.steps, stepModels) {
		return errors.New("-run needs -step models")
	}
	if o.executions < 1 || o.soak <= 0 || o.seed == 0 || o.seed > 1<<30 {
		return errors.New("-executions and -for must be positive, -seed from 1 to 2^30")
	}
	return nil
}
