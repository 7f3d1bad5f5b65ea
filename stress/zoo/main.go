package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// options are what the command line asks for.
type options struct {
	native  bool
	count   int
	only    *regexp.Regexp
	p       int
	sample  int // 0: all
	seed    uint64
	list    bool
	table   string
	timeout time.Duration
	short   bool
	tests   string
}

func main() { command().Main() }

// command is the command without its process.
func command() *cli.Command {
	var o options
	sum := summary{Specimens: []specimenReport{}}
	return &cli.Command{
		Name: "zoo", Usage: "go run ./stress/zoo [flags]",
		About: "Builds each specimen of the bug zoo and shows that the model checker finds it.",
		Flags: o.flags,
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := o.check(call.Given); err != nil {
				return err
			}
			root, err := cli.ModuleRoot("github.com/heddle-go/heddle")
			if err != nil {
				return err
			}
			all, err := o.choose(os.DirFS(filepath.Join(root, "stress", "zoo", "specimens")))
			if err != nil {
				return err
			}
			if o.list {
				for _, s := range o.draw(all) {
					fmt.Fprintf(call.Text, "%-42s %s\n", s.id(), s.what)
				}
				return nil
			}
			return visit(ctx, root, all, o, call, &sum)
		},
		JSON: func() any { return sum },
	}
}

// A summary is what -json prints.
type summary struct {
	Found     int              `json:"found"` // with -native: that passed, or were to be found
	Of        int              `json:"of"`
	Native    bool             `json:"native"`
	Count     int              `json:"count,omitempty"` // with -native: how often each must pass
	Short     bool             `json:"short,omitempty"`
	Specimens []specimenReport `json:"specimens"`
}

// A specimenReport is the verdict on one specimen.
type specimenReport struct {
	Name      string `json:"name"` // structure/name
	Package   string `json:"package"`
	File      string `json:"file"`
	Test      string `json:"test"`
	Good      bool   `json:"good"`
	By        string `json:"by,omitempty"` // the explorer
	Execution uint64 `json:"execution,omitempty"`
	Ordinary  string `json:"ordinary,omitempty"` // why it is here though the ordinary tests find it
}

// reports returns the verdicts that were reached.
func reports(verdicts []verdict) (all []specimenReport) {
	all = []specimenReport{}
	for _, v := range verdicts {
		if !v.cut {
			all = append(all, specimenReport{v.s.id(), strings.TrimPrefix(v.s.pkg, "./"), v.s.file,
				v.s.test, v.good, v.found.Engine, v.found.Execution, v.s.ordinary})
		}
	}
	return all
}

// flags adds the flags.
func (o *options) flags(f *flag.FlagSet) {
	f.BoolVar(&o.native, "native", false,
		"run the ordinary tests instead, which each specimen must pass")
	f.IntVar(&o.count, "count", 20, "with -native: how often each specimen must pass")
	f.BoolVar(&o.short, "short", false, "with -native: run the tests in short mode")
	f.Func("run",
		"with -native: run the tests that match this `pattern` as go test -run does (default those that can see the structure; . for all)",
		func(text string) error {
			o.tests = text
			return parsePattern(text)
		})
	f.IntVar(&o.p, "p", runtime.GOMAXPROCS(0), "specimens at a time")
	f.IntVar(&o.sample, "sample", 0,
		"take so many, drawn by -seed, of different tests as long as there are any; 0 for all")
	f.Uint64Var(&o.seed, "seed", 1, "what -sample is drawn from")
	f.BoolVar(&o.list, "list", false, "list the specimens and do nothing")
	f.StringVar(&o.table, "table", "", "write the table of findings to this `file`, as markdown")
	f.DurationVar(&o.timeout, "timeout", 0,
		"time limit for the tests of one specimen (default 10m; with -native 1m for each of -count)")
	cli.RegexpVar(f, &o.only, "only",
		"take only the specimens whose structure/name matches this `regexp`")
}

// parsePattern fails if go test would not take the pattern: names of tests and subtests, a regular
// expression each, with slashes between them.
func parsePattern(text string) error {
	from, brackets, parens := 0, 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[':
			brackets++
		case ']':
			brackets = max(brackets-1, 0)
		case '(':
			parens++
		case ')':
			parens--
		case '\\':
			i++
		case '/':
			if brackets == 0 && parens == 0 {
				if _, err := regexp.Compile(text[from:i]); err != nil {
					return err
				}
				from = i + 1
			}
		}
	}
	_, err := regexp.Compile(text[from:])
	return err
}

// check looks for values out of range, and sets what was not given.
func (o *options) check(given map[string]bool) error {
	if !given["timeout"] {
		o.timeout = 10 * time.Minute
		if o.native {
			o.timeout = time.Duration(max(o.count, 1)) * time.Minute
		}
	}
	for _, name := range []string{"count", "short", "run"} {
		if given[name] && !o.native {
			return fmt.Errorf("-%s needs -native", name)
		}
	}
	if given["sample"] && o.sample < 1 {
		return fmt.Errorf("-sample %d: want 1 or more", o.sample)
	}
	if given["seed"] && !given["sample"] {
		return errors.New("-seed needs -sample")
	}
	if o.count < 1 || o.p < 1 || o.timeout <= 0 {
		return errors.New("-count, -p and -timeout must be positive")
	}
	return nil
}

// choose returns the specimens that -only asks for.
func (o *options) choose(dir fs.FS) (chosen []*specimen, err error) {
	all, err := load(dir)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if (o.only == nil || o.only.MatchString(s.id())) && !(o.native && s.tags != "") {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("no specimen has a name that -only matches; -list shows all")
	}
	return chosen, nil
}

// draw returns the specimens that -sample asks for.
func (o *options) draw(all []*specimen) []*specimen {
	if o.sample == 0 {
		return all
	}
	return drawn(all, o.sample, o.seed)
}

// drawn returns n of the specimens, in their order. No two are found by the same test before each
// test has one, so that a test which has become blind is soon seen. Each specimen has a place by
// its name and the seed, so a new one takes the place of at most one other.
func drawn(all []*specimen, n int, seed uint64) []*specimen {
	shuffled := slices.Clone(all)
	slices.SortFunc(shuffled, func(a, b *specimen) int {
		return cmp.Or(cmp.Compare(lot(a, seed), lot(b, seed)), strings.Compare(a.id(), b.id()))
	})
	type finder struct{ pkg, test string }
	seen := map[finder]bool{}
	var first, others []*specimen
	for _, s := range shuffled {
		if by := (finder{s.pkg, s.test}); !seen[by] {
			seen[by] = true
			first = append(first, s)
		} else {
			others = append(others, s)
		}
	}
	chosen := slices.Concat(first, others)
	chosen = chosen[:min(n, len(chosen))]
	slices.SortFunc(chosen, func(a, b *specimen) int { return strings.Compare(a.id(), b.id()) })
	return chosen
}

// lot returns the place of a specimen in the order of a seed.
func lot(s *specimen, seed uint64) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, s.id()))
	return binary.BigEndian.Uint64(sum[:])
}

// visit judges specimens, or a sample of them, and reports.
func visit(ctx context.Context, root string, all []*specimen, o options,
	call *cli.Call, sum *summary) (err error) {
	page, err := cli.Create("table", o.table)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "zoo")
	if err != nil {
		return errors.Join(err, page.Close())
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir), page.Close()) }()
	k := &keeper{root: root, dir: dir, options: o}
	call.Progress.Show("checking types")
	if err := k.typecheck(ctx, all); err != nil {
		return err
	}
	chosen := o.draw(all)
	call.Progress.Show("building")
	if err := k.warm(ctx, chosen); err != nil {
		return fmt.Errorf("the unedited tests do not build: %w", err)
	}
	good := 0
	verdicts := k.judgeAll(ctx, chosen, func(done int, v verdict) {
		if v.cut {
			return
		}
		if v.good {
			good++
		}
		call.Progress.Clear()
		fmt.Fprintln(call.Text, v.line())
		call.Progress.Show(fmt.Sprintf("%d of %d", done, len(chosen)))
	})
	call.Progress.Clear()
	*sum = summary{Found: good, Of: len(chosen), Native: o.native, Specimens: reports(verdicts)}
	if o.native {
		sum.Count, sum.Short = o.count, o.short
		fmt.Fprintf(call.Text, "zoo native passed=%d of=%d\n", good, len(chosen))
	} else {
		fmt.Fprintf(call.Text, "zoo found=%d of=%d\n", good, len(chosen))
	}
	if ctx.Err() != nil {
		return nil // the table of an interrupted run says less than the one that is there
	}
	err = page.Write(func(w io.Writer) error {
		_, err := io.WriteString(w, table(verdicts))
		return err
	})
	if good != len(chosen) && err == nil {
		err = cli.ErrFailed
	}
	return err
}
