package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A row is what the records say of a protocol.
type row struct {
	*protocol
	models     []string // names, without TestModel
	unrun      []model  // that no record has
	executions int64
	judged     int64 // executions of it that the race detector judged
	programs   int64
	complete   int64
	bound      int64 // the smallest; see modelRecord
	found, of  int   // specimens
	edits      int
	tried      int
	valid      int
	caught     int
	accepted   int
	survivors  []string
	statements int
	ran        int
	ops        int64
	oldest     stamp
}

// rowOf collects what the records say.
func rowOf(all *records, p *protocol) row {
	r := row{protocol: p, bound: -1}
	seen := func(s stamp) {
		if r.oldest.Date == "" || s.Date < r.oldest.Date {
			r.oldest = s
		}
	}
	for _, m := range p.Models {
		name := strings.TrimPrefix(m.test, "TestModel")
		if m.pkg != p.Dir {
			name = m.pkg + "." + name
		}
		r.models = append(r.models, name)
		run := false
		for _, rec := range all.models {
			switch {
			case rec.Package != m.pkg || rec.Test != m.test:
			case rec.Race:
				r.judged += rec.Executions
			default:
				if first := r.programs == 0; first || rec.Bound < r.bound {
					r.bound = rec.Bound
				}
				r.executions += rec.Executions
				r.programs += rec.Programs
				r.complete += rec.Complete
				run = true
				seen(rec.stamp)
			}
		}
		if !run {
			r.unrun = append(r.unrun, m)
		}
		for _, z := range all.zoo {
			if z.Package == m.pkg && z.Test == m.test {
				r.of++
				if z.Good {
					r.found++
				}
				seen(z.stamp)
			}
		}
	}
	for _, m := range all.mutants {
		if slices.Contains(p.Files, m.File) {
			r.edits += m.Edits
			r.tried += m.Judged
			r.valid += m.Valid
			r.caught += m.Tests + m.Models
			r.accepted += len(m.Accepted)
			r.survivors = append(r.survivors, m.Survivors...)
			if m.Judged > 0 {
				seen(m.stamp)
			}
		}
	}
	for _, c := range all.cover {
		if slices.Contains(p.Files, c.Name) {
			r.statements += c.Statements
			r.ran += c.Together
			seen(c.stamp)
		}
	}
	for _, s := range all.soak {
		for _, workload := range p.Soaked {
			r.ops += s.Workloads[workload]
			if s.Workloads[workload] > 0 {
				seen(s.stamp)
			}
		}
	}
	return r
}

// link is how a row names its protocol.
func (p *protocol) link() string {
	title := strings.ReplaceAll(p.Title, "|", `\|`)
	switch {
	case p.Page == "":
		return title
	case p.readme() == 0:
		title = "the package" // its title says the same at length
	}
	return fmt.Sprintf("[%s](../%s)", title, p.Page)
}

// number writes large numbers with commas.
func number(n int64) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// or writes a dash for nothing.
func or(n int64) string {
	if n == 0 {
		return "-"
	}
	return number(n)
}

// orders says in how many orders the programs were run.
func (r row) orders() string {
	switch {
	case r.programs == 0:
		return "-"
	case r.complete == r.programs:
		return "all"
	}
	text := fmt.Sprintf("all of %s of %s programs", number(r.complete), number(r.programs))
	if r.bound >= 0 && r.bound < allOrders {
		text += fmt.Sprintf(", else all to %d preemptions", r.bound)
	}
	return text
}

// percent writes a part of a whole, rounded down.
func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d.%d %%", n*100/of, n*1000/of%10)
}

// isQuiet reports whether the page claims no protocol.
func (r row) isQuiet() bool { return r.Claim == isQuiet && len(r.Models) == 0 }

func (r row) cells() []string {
	dash := func(text string, is bool) string {
		if is {
			return text
		}
		return "-"
	}
	last, without := "-", "none"
	if r.isQuiet() {
		without = "no protocol"
	}
	if r.oldest.Date != "" {
		last = r.oldest.Date + " " + r.oldest.Commit
	}
	return []string{
		r.link(), cmp.Or(strings.Join(r.models, ", "), without), or(r.executions), r.orders(),
		or(r.judged), dash(fmt.Sprintf("%d of %d", r.found, r.of), r.of > 0),
		dash(fmt.Sprintf("%d of %d", r.caught+r.accepted, r.valid), r.valid > 0),
		percent(r.ran, r.statements), or(r.ops), last,
	}
}

const head = `# What was verified, how far, and when

Made by ` + "`make verification`" + ` from the records that the runs themselves left in
[verification](verification).

Read this before you rely on Heddle. It says what was tried and how much of it, no more: a run that
finds nothing is no proof, and a row that says "none" means it. The arguments stand on the pages
that the first column links to; the tools are explained in [CONTRIBUTING.md](../CONTRIBUTING.md).

`

const columns = `## How to read the tables

A row is a protocol: a page with an argument and what belongs to it. The source files and the model
tests of a package that no page has to itself count in the row of its README.

- *models*: tests in which the shipped code runs under a checker that decides the order of all
  atomic steps. "none": the argument is prose alone, and ordinary tests and soaks are what tried it.
  "no protocol": the page claims nothing that an order of steps could break
  ([which do, and why](../stress/verification/quiet.go)).
- *executions*: different orders of steps that were run, when the models ran last. A model that two
  pages share counts in both rows.
- *orders*: how many of the models' programs were run in every order, or in one of each class of
  orders that differ only where it cannot matter. "else all to k preemptions": of the other programs
  every order in which a thread is stopped at most k times where it could go on; beyond that, and
  where nothing is said of k, a sample. No program is large: a few threads, a few calls each.
- *race*: executions that the race detector judged as well.
- *zoo*: seeded bugs, chosen because ordinary tests miss them, that the row's models found, of those
  that they were tried on.
- *mutants*: small wrong edits of the row's files, made from the syntax alone, that tests or models
  found, or that by a written argument break no promise, of those that were tried.
- *coverage*: statements, in the blocks that Go's toolchain counts, that tests, models and soak run
  together. A block ends at each branch, but Go does not count the two ways of a condition apart:
  an "if" without "else" is covered when its body runs. Files of other ports are not counted.
- *soak*: operations on real threads whose outcome was checked, of the workloads that are about the
  row. The workloads "mix" and "mixshutdown" run all of the task graph and what is below it at once;
  they count in one row each.
- *oldest record*: when, and of which commit, the oldest of the row's figures is. A + is a tree with
  changes that were not yet committed.

`

const titles = "| protocol | models | executions | orders | race | zoo | mutants | coverage | soak | " +
	"oldest record |\n|---|---|---|---|---|---|---|---|---|---|\n"
