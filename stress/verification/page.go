package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

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
	var found, seeded, foundFaults, faults int // of the zoo, and of what the library stands on
	for _, z := range all.zoo {
		all, good := &seeded, &found
		if z.Package == faulty {
			all, good = &faults, &foundFaults
		}
		*all++
		if z.Good {
			*good++
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
	line("zoo", "%d of %d seeded bugs found%s", found, seeded, natively(all))
	line("faults", "%d of %d seeded bugs of how faults of the system are borne found by [tests that "+
		"make such faults](../stress/faults/README.md)", foundFaults, faults)
	line("mutants", "%d edits tried, of which %d change the program: %d found (%s), %d accepted "+
		"with an argument, %d survive", m.Judged, m.Valid, caught, percent(caught, m.Valid),
		accepted, left)
	line("coverage", "%s of %s statements", percent(c.Together, c.Statements),
		number(int64(c.Statements)))
	line("soak", "%s checked operations in %.0f minutes", number(ops), seconds/60)
	b.WriteString("\n")
}

// natively says of the zoo what the ordinary tests miss, on real threads.
func natively(all *records) string {
	tried, missed, least := 0, 0, 0
	for _, z := range all.zoo {
		if z.Native == nil {
			continue
		}
		if tried++; z.Native.Passed > 0 {
			missed++
			if n := z.Native.Passed; least == 0 || n < least {
				least = n
			}
		}
	}
	if tried == 0 {
		return ""
	}
	return fmt.Sprintf("; with each of %d of them the ordinary tests ran natively, and with %d "+
		"passed, %d times or more", tried, missed, least)
}

// goals are what the rows are measured by.
const goal = 95 // percent, of mutants and of coverage

// coverSteps are the steps of a whole measurement of coverage.
var coverSteps = []string{"tests", "models", "soak"}

// faulty is the package whose tests find the bugs of the zoo that need no checker.
const faulty = "stress/faults"

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
	unmodeled := func(c claim) []string {
		return list(func(r row) bool {
			return len(r.Models) == 0 && r.Page != "" && r.Claim == c
		}, name)
	}
	if none := unmodeled(needsModel); len(none) > 0 {
		pages := list(func(r row) bool { return r.Page != "" && !r.isQuiet() }, name)
		item("%d of %d pages with a protocol have no model: %s.", len(none), len(pages),
			strings.Join(none, ", "))
	}
	if why := unmodeled(saysWhy); len(why) > 0 {
		item("Pages that say why they have none: %s.", strings.Join(why, ", "))
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
	var missed, plain, known []string
	untried := 0
	for _, z := range all.zoo {
		switch {
		case !z.Good:
			missed = append(missed, z.Name)
		case z.Native == nil && z.Package != faulty:
			untried++
		case z.Native != nil && z.Native.Passed == 0 && z.Ordinary != "":
			known = append(known, fmt.Sprintf("%s (%s)", z.Name, z.Ordinary))
		case z.Native != nil && z.Native.Passed == 0:
			plain = append(plain, z.Name)
		}
	}
	if len(missed) > 0 {
		item("Seeded bugs that were not found: %s.", strings.Join(missed, ", "))
	}
	if len(plain) > 0 {
		item("Seeded bugs that the ordinary tests find too: %s.", strings.Join(plain, ", "))
	}
	if len(known) > 0 {
		item("Seeded bugs that the ordinary tests find too, and why they stay: %s.",
			strings.Join(known, ", "))
	}
	if untried > 0 {
		item("With %d seeded bugs no run of the ordinary tests is recorded.", untried)
	}
	if low := list(func(r row) bool { return r.statements > 0 && r.ran*100 < goal*r.statements },
		func(r row) string {
			return fmt.Sprintf("%s (%s of %d)", name(r), percent(r.ran, r.statements), r.statements)
		}); len(low) > 0 {
		item("Coverage below %d %%: %s.", goal, strings.Join(low, ", "))
	}
	if len(all.cover) > 0 {
		made := all.cover[0].Steps // all files are of one measurement
		isLeftOut := func(step string) bool { return !slices.Contains(made, step) }
		if slices.ContainsFunc(coverSteps, isLeftOut) {
			item("Coverage is of these steps alone: %s.", strings.Join(made, ", "))
		}
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
			failures := fmt.Sprint(l.Failures)
			if l.Note != "" {
				failures += ": " + l.Note
			}
			fmt.Fprintf(b, "| models | `%s` | %d to %d | %s executions of %s programs | %.1f | %s | "+
				"%s, %s | %s %s |\n", l.Settings, l.First, l.Last, number(l.Executions),
				number(l.Programs), l.Seconds/60, failures, l.Go, l.Port, l.Date, l.Commit)
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
