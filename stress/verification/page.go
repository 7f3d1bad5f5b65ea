package main

import (
	"bytes"
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

func (r row) cells() []string {
	dash := func(text string, is bool) string {
		if is {
			return text
		}
		return "-"
	}
	last := "-"
	if r.oldest.Date != "" {
		last = r.oldest.Date + " " + r.oldest.Commit
	}
	return []string{
		r.link(), cmp.Or(strings.Join(r.models, ", "), "none"), or(r.executions), r.orders(),
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

// page is the whole page.
func page(all *records, f *found) []byte {
	var b bytes.Buffer
	var rows []row
	for _, p := range f.protocols {
		rows = append(rows, rowOf(all, p))
	}
	b.WriteString(head)
	inAll(&b, all)
	gaps(&b, all, f, rows)
	b.WriteString(columns)
	dir := ""
	for _, r := range rows {
		if r.Dir != dir {
			dir = r.Dir
			fmt.Fprintf(&b, "## %s\n\n%s", dir, titles)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r.cells(), " | "))
		if i := slices.IndexFunc(rows, func(x row) bool { return x.protocol == r.protocol }); i+1 ==
			len(rows) || rows[i+1].Dir != dir {
			b.WriteString("\n")
		}
	}
	runs(&b, all)
	survivors(&b, all)
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

// inAll sums up.
func inAll(b *bytes.Buffer, all *records) {
	var executions, judged, ops, explored int64
	var seconds, minutes float64
	for _, m := range all.models {
		if m.Race {
			judged += m.Executions
		} else {
			executions += m.Executions
		}
	}
	for _, l := range all.long {
		explored += l.Executions
		minutes += l.Seconds / 60
	}
	for _, s := range all.soak {
		ops += s.Ops
		seconds += s.Seconds
	}
	found := 0
	for _, z := range all.zoo {
		if z.Good {
			found++
		}
	}
	var m mutantsRecord
	caught, accepted, left := 0, 0, 0
	for _, x := range all.mutants {
		m.Edits += x.Edits
		m.Judged += x.Judged
		m.Valid += x.Valid
		caught += x.Tests + x.Models
		accepted += len(x.Accepted)
		left += len(x.Survivors)
	}
	var c coverRecord
	for _, x := range all.cover {
		c.Statements += x.Statements
		c.Together += x.Together
	}
	b.WriteString("## In all\n\n| | |\n|---|---|\n")
	line := func(what, format string, args ...any) {
		fmt.Fprintf(b, "| %s | %s |\n", what, fmt.Sprintf(format, args...))
	}
	line("models", "%s executions, and %s that the race detector judged", number(executions),
		number(judged))
	line("long exploration", "%s executions in %.0f minutes", number(explored), minutes)
	line("zoo", "%d of %d seeded bugs found", found, len(all.zoo))
	line("mutants", "%d edits tried, of which %d change the program: %d found (%s), %d accepted "+
		"with an argument, %d survive", m.Judged, m.Valid, caught, percent(caught, m.Valid),
		accepted, left)
	line("coverage", "%s of %s statements", percent(c.Together, c.Statements),
		number(int64(c.Statements)))
	line("soak", "%s checked operations in %.0f minutes", number(ops), seconds/60)
	b.WriteString("\n")
}

// goals are what the rows are measured by.
const goal = 95 // percent, of mutants and of coverage

// gaps names what was not reached, and what this cannot show.
func gaps(b *bytes.Buffer, all *records, f *found, rows []row) {
	b.WriteString("## Gaps\n\n")
	item := func(format string, args ...any) {
		wrap(b, fmt.Sprintf("- "+format, args...))
	}
	list := func(is func(r row) bool, what func(r row) string) (names []string) {
		for _, r := range rows {
			if is(r) {
				names = append(names, what(r))
			}
		}
		return names
	}
	name := func(r row) string {
		if r.Page == "" {
			return r.Dir
		}
		return r.Page
	}
	none := list(func(r row) bool { return len(r.Models) == 0 && r.Page != "" }, name)
	if len(none) > 0 {
		pages := len(list(func(r row) bool { return r.Page != "" }, name))
		item("%d of %d pages have no model: %s. Several of them decide nothing between goroutines, "+
			"or lean on a protocol of a lower layer that has one.", len(none), pages,
			strings.Join(none, ", "))
	}
	var unrun []string
	for _, r := range rows {
		for _, m := range r.unrun {
			if one := m.pkg + "." + m.test; !slices.Contains(unrun, one) {
				unrun = append(unrun, one)
			}
		}
	}
	if len(unrun) > 0 {
		item("Models of which there is no record: %s.", strings.Join(unrun, ", "))
	}
	if n := f.specimens - len(all.zoo); n > 0 {
		item("Of the %d seeded bugs %d have no record.", f.specimens, n)
	}
	var missed []string
	for _, z := range all.zoo {
		if !z.Good {
			missed = append(missed, z.Name)
		}
	}
	if len(missed) > 0 {
		item("Seeded bugs that were not found: %s.", strings.Join(missed, ", "))
	}
	if low := list(func(r row) bool { return r.statements > 0 && r.ran*100 < goal*r.statements },
		func(r row) string {
			return fmt.Sprintf("%s (%s of %d)", name(r), percent(r.ran, r.statements), r.statements)
		}); len(low) > 0 {
		item("Coverage below %d %%: %s.", goal, strings.Join(low, ", "))
	}
	if len(all.cover) > 0 {
		item("What nothing runs is, as far as it was looked at: races that are lost in a place that " +
			"hardly ever comes, errors that the operating system would have to return, the end of " +
			"tables of 2^22 or 2^28 things, branches for other ports and for threads of a model, and " +
			"functions that only the tests of inlining compile.")
	}
	tried, edits, never := 0, 0, 0
	for _, m := range all.mutants {
		tried += m.Judged
		edits += m.Edits
	}
	for _, r := range rows {
		if r.tried == 0 && len(r.Files) > 0 {
			never++
		}
	}
	if tried < edits || never > 0 {
		item("Of the %s edits that the tool can make %s were tried, and none of the files of %d rows: "+
			"where few were tried, that most were found says little.", number(int64(edits)),
			number(int64(tried)), never)
	}
	if low := list(func(r row) bool {
		return r.valid > 0 && (r.caught+r.accepted)*100 < goal*r.valid
	}, func(r row) string {
		return fmt.Sprintf("%s (%d of %d)", name(r), r.caught+r.accepted, r.valid)
	}); len(low) > 0 {
		item("Of the edits that were tried fewer than %d %% were found in: %s. They are listed at "+
			"the end.", goal, strings.Join(low, ", "))
	}
	item("The checker runs one thread at a time in sequentially consistent order. That this is " +
		"enough follows from the Go memory model and from the race detector's verdict, on all " +
		"machines alike ([testing](testing.md#the-weak-memory-order-of-arm64)); no machine with a " +
		"weak memory order has run the tests.")
	item("Models and soaks look at what is asked of them. A protocol that keeps every promise that " +
		"was written down may still lack one that you need.")
	b.WriteString("\n")
}

// wrap writes an item, or a paragraph, in lines of at most 100 columns.
func wrap(b *bytes.Buffer, text string) {
	next, at := "\n", 0
	if strings.HasPrefix(text, "- ") {
		next = "\n  "
	}
	for _, word := range strings.Fields(text) {
		switch {
		case at == 0:
		case at+1+len(word) > 100:
			b.WriteString(next)
			at = len(next) - 1
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	b.WriteString("\n")
}

// runs are the tables of runs that belong to no row.
func runs(b *bytes.Buffer, all *records) {
	b.WriteString("## Long runs\n\nThey go on in pieces, at the commit beside them for the last " +
		"piece. A seed and the settings make\nthe same programs again.\n\n")
	if len(all.long)+len(all.soak) == 0 {
		b.WriteString("None is recorded.\n\n")
	} else {
		b.WriteString("| run | settings | seeds | done | minutes | failures | Go, port | last piece |\n" +
			"|---|---|---|---|---|---|---|---|\n")
		for _, l := range all.long {
			fmt.Fprintf(b, "| models | `%s` | %d to %d | %s executions of %s programs | %.1f | %d | "+
				"%s, %s | %s %s |\n", l.Settings, l.First, l.Last, number(l.Executions),
				number(l.Programs), l.Seconds/60, l.Failures, l.Go, l.Port, l.Date, l.Commit)
		}
		for _, s := range all.soak {
			fmt.Fprintf(b, "| soak | `%s` | %d to %d | %s operations in %s rounds | %.1f | %d | %s, %s "+
				"| %s %s |\n", s.Settings, s.First, s.First+max(s.Rounds, 1)-1, number(s.Ops),
				number(int64(s.Rounds)), s.Seconds/60, s.Failures, s.Go, s.Port, s.Date, s.Commit)
		}
		b.WriteString("\n")
	}
	b.WriteString("## Ports and releases of Go\n\n")
	if len(all.passed) == 0 {
		b.WriteString("None is recorded.\n\n")
	} else {
		b.WriteString("| passed | port | Go | when |\n|---|---|---|---|\n")
		for _, p := range all.passed {
			fmt.Fprintf(b, "| `%s` | %s | %s | %s %s |\n", p.What, p.Port, p.Go, p.Date, p.Commit)
		}
		b.WriteString("\n")
	}
	var of []string
	note := func(s stamp) {
		if one := s.Go + " on " + s.Port; !slices.Contains(of, one) {
			of = append(of, one)
		}
	}
	for _, m := range all.models {
		note(m.stamp)
	}
	for _, m := range all.mutants {
		note(m.stamp)
	}
	for _, c := range all.cover {
		note(c.stamp)
	}
	slices.Sort(of)
	wrap(b, fmt.Sprintf("The other figures are of %s. [Testing](testing.md#on-other-ports) says which "+
		"ports only build.", cmp.Or(strings.Join(of, ", "), "nothing yet")))
	b.WriteString("\n")
}

// survivors lists the edits that nothing found.
func survivors(b *bytes.Buffer, all *records) {
	var left []string
	for _, m := range all.mutants {
		left = append(left, m.Survivors...)
	}
	if len(left) == 0 {
		return
	}
	b.WriteString("## Edits that survive\n\nNo test and no model of the package found these, and no " +
		"argument that they are harmless is\n[written down](../stress/mutants/accepted.txt). Each is " +
		"a promise that nobody checks, an edit that\nonly costs time, or one that changes nothing.\n\n" +
		"| file | edit |\n|---|---|\n")
	for _, id := range left {
		file, edit, _ := strings.Cut(id, ": ")
		fmt.Fprintf(b, "| %s | %s |\n", file, escape(edit))
	}
}

// escape keeps code from being read as markdown.
func escape(code string) string {
	return "<code>" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;",
		"|", "&#124;", "[", "&#91;", "*", "&#42;", "_", "&#95;").Replace(code) + "</code>"
}
