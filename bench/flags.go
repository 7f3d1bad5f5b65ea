package main

import (
	"errors"
	"flag"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Limits and defaults of the flags.
const (
	maxPairs   = 1000
	maxWorkers = 1024
	fullPairs  = 7
	quickPairs = 3
	onlyPairs  = 5
)

// Values of -cpp.
const (
	cppAuto    = "auto"
	cppOff     = "off"
	cppRequire = "require"
)

// families are the values of -only.
var families = []string{stepFamily, frameFamily, besideFamily}

// options are the flags.
type options struct {
	quick     bool
	only      string   // a family, or ""
	workloads []string // patterns; none means all
	runtimes  []string // likewise
	workers   []int
	pairs     int
	out       string
	keep      string // a file, or ""
	fill      string // a page, or ""
	cpp       string
}

// flags adds the flags.
func (o *options) flags(fs *flag.FlagSet) {
	fs.BoolVar(&o.quick, "quick", false,
		"check that every row works, in a minute or two: a tenth of each size, 3 turns, 2 workers")
	fs.StringVar(&o.only, "only", "",
		"measure only the `FAMILY` of workloads, and more of them, with 5 turns and 2 workers: "+
			strings.Join(families, ", "))
	fs.Func("workload",
		"measure only the workloads with these `NAMES`, separated by commas; * and ? are wildcards",
		names(&o.workloads))
	fs.Func("runtime",
		"measure only the runtimes with these `NAMES`, separated by commas, and heddle",
		names(&o.runtimes))
	fs.Func("workers",
		"the `NUMBERS` of workers, separated by commas, each 1 to "+strconv.Itoa(maxWorkers)+
			" (default 1, 2 and the number of processors)", func(s string) error {
			o.workers = nil
			for field := range strings.SplitSeq(s, ",") {
				n, err := strconv.Atoi(strings.TrimSpace(field))
				if err != nil {
					return errors.New("want numbers separated by commas")
				}
				if !slices.Contains(o.workers, n) {
					o.workers = append(o.workers, n)
				}
			}
			return nil
		})
	fs.IntVar(&o.pairs, "pairs", 0,
		"the number `N` of turns of each row, 1 to "+strconv.Itoa(maxPairs)+
			"; do not quote figures of fewer than 5 (default 7; with -only 5, with -quick 3)")
	fs.StringVar(&o.out, "out", "", "write report.md, report.json and plots into `DIR`")
	fs.StringVar(&o.keep, "keep", "", "write the figures into `FILE`, as -fill reads them")
	fs.StringVar(&o.fill, "fill", "",
		"measure nothing: fill the tables that the Markdown `PAGE` marks from the kept figures")
	o.cpp = cppAuto
	fs.Func("cpp",
		"`auto` runs the C++ peers that can be built here, off none, require all or fails",
		func(s string) error {
			if s != cppAuto && s != cppOff && s != cppRequire {
				return errors.New("want auto, off or require")
			}
			o.cpp = s
			return nil
		})
}

// complete sets what was not given.
func (o *options) complete(given map[string]bool) {
	if !given["pairs"] {
		o.pairs = fullPairs
		if o.quick {
			o.pairs = quickPairs
		} else if o.only != "" {
			o.pairs = onlyPairs
		}
	}
	if len(o.workers) == 0 {
		o.workers = []int{1, 2}
		switch n := runtime.NumCPU(); {
		case o.quick, o.only != "":
			o.workers = []int{2}
		case n > 2:
			o.workers = append(o.workers, n)
		}
	}
}

// names collects names that are separated by commas.
func names(into *[]string) func(string) error {
	return func(s string) error {
		*into = nil
		for name := range strings.SplitSeq(s, ",") {
			name = strings.TrimSpace(name)
			if _, err := path.Match(name, ""); err != nil || name == "" {
				return errors.New("want names separated by commas")
			}
			*into = append(*into, name)
		}
		return nil
	}
}

// validate reports a value out of range, or a name that nothing has.
func (o *options) validate(b bench) error {
	if o.pairs < 1 || o.pairs > maxPairs {
		return fmt.Errorf("-pairs %d: want 1 to %d", o.pairs, maxPairs)
	}
	for _, n := range o.workers {
		if n < 1 || n > maxWorkers {
			return fmt.Errorf("-workers %d: want 1 to %d", n, maxWorkers)
		}
	}
	if o.only != "" && !slices.Contains(families, o.only) {
		return fmt.Errorf("-only %s: no such family; there are %s", o.only,
			strings.Join(families, ", "))
	}
	if err := known("workload", o.workloads, b.workloadNames()); err != nil {
		return err
	}
	return known("runtime", o.runtimes, b.runtimeNames())
}

// known reports the first pattern that matches no name.
func known(flag string, patterns, all []string) error {
	for _, p := range patterns {
		if !slices.ContainsFunc(all, func(name string) bool { return matches([]string{p}, name) }) {
			return fmt.Errorf("-%s %s: no such %s; there are %s", flag, p, flag,
				strings.Join(all, ", "))
		}
	}
	return nil
}

// matches reports whether one of the patterns, or none at all, stands for the name.
func matches(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return len(patterns) == 0
}

// choose returns the workloads that the flags ask for, with those rows.
func (o *options) choose(all []*workload) []*workload {
	var chosen []*workload
	for _, w := range all {
		if !matches(o.workloads, w.name) || o.only != "" && o.only != w.family ||
			w.wanted > o.wanted() {
			continue
		}
		wanted := func(r row) bool { return o.wants(r.runtime, r.lang) }
		if !slices.ContainsFunc(w.rows, wanted) {
			continue
		}
		c := *w
		c.rows = slices.DeleteFunc(slices.Clone(w.rows), func(r row) bool {
			return !wanted(r) && r.runtime != heddle
		})
		chosen = append(chosen, &c)
	}
	return chosen
}

// wanted says how much is asked for. A pattern that could stand for all does not name a workload.
func (o *options) wanted() want {
	switch {
	case len(o.workloads) > 0 && !slices.Contains(o.workloads, "*"):
		return wantNamed
	case o.only != "" && !o.quick:
		return wantOnly
	case o.quick:
		return wantQuick
	}
	return wantUsual
}

// wants reports whether the flags ask for a runtime, and do not switch it off.
func (o *options) wants(runtime, lang string) bool {
	return matches(o.runtimes, runtime) && (lang != langCPP || o.cpp != cppOff)
}
