package main

import (
	"fmt"
	"slices"
	"strings"
)

// A row is what is known of a package.
type row struct {
	pkg                          string
	edits, judged, same, invalid int
	tests, models                int
	survivors, accepted          []string
	others                       map[string]outcome // of those judged, by identity
}

// sum counts what is known of the edits that there are.
func (m *mutator) sum(pkg string, all []*edit) row {
	r := row{pkg: strings.TrimPrefix(pkg, "./"), others: make(map[string]outcome)}
	for _, e := range all {
		if !m.chosen(e) {
			continue
		}
		r.edits++
		j, ok := m.state.known[e.id()]
		if !ok {
			continue
		}
		r.judged++
		_, accepted := m.reasons[e.id()]
		switch {
		case j.Outcome == foundByTests:
			r.tests++
		case j.Outcome == foundByModels:
			r.models++
		case j.Outcome == sameCode:
			r.same++
		case j.Outcome == notBuilt:
			r.invalid++
		case accepted:
			r.accepted = append(r.accepted, e.id())
		default:
			r.survivors = append(r.survivors, e.id())
		}
		if j.Outcome != survived {
			r.others[e.id()] = j.Outcome
		}
	}
	return r
}

// A summary is what -json prints: what is known of each file.
type summary struct {
	Files []fileRow `json:"files"`
}

// A fileRow is what is known of the edits of one file.
type fileRow struct {
	File      string             `json:"file"`
	Edits     int                `json:"edits"` // that there are
	Judged    int                `json:"judged"`
	Valid     int                `json:"valid"` // of those judged
	Tests     int                `json:"tests"`
	Models    int                `json:"models"`
	Accepted  []string           `json:"accepted,omitempty"`
	Survivors []string           `json:"survivors,omitempty"`
	Others    map[string]outcome `json:"others,omitempty"` // of those judged, by identity
	IDs       []string           `json:"ids"`              // of all that there are, chosen or not
}

// files counts what is known by files.
func (m *mutator) files(all []*edit) (rows []fileRow) {
	by := make(map[string][]*edit)
	var names []string
	for _, e := range all {
		if by[e.path] == nil {
			names = append(names, e.path)
		}
		by[e.path] = append(by[e.path], e)
	}
	slices.Sort(names)
	for _, name := range names {
		r := m.sum(name, by[name])
		f := fileRow{name, len(by[name]), r.judged, r.valid(), r.tests, r.models, r.accepted,
			r.survivors, r.others, nil}
		for _, e := range by[name] {
			f.IDs = append(f.IDs, e.id())
		}
		rows = append(rows, f)
	}
	return rows
}

func (r *row) add(other row) {
	r.edits += other.edits
	r.judged += other.judged
	r.same += other.same
	r.invalid += other.invalid
	r.tests += other.tests
	r.models += other.models
	r.survivors = slices.Concat(r.survivors, other.survivors)
	r.accepted = slices.Concat(r.accepted, other.accepted)
}

// valid is how many edits change what the program does.
func (r *row) valid() int { return r.judged - r.same - r.invalid }

func (r *row) line() string {
	return fmt.Sprintf("mutants pkg=%s edits=%d judged=%d valid=%d tests=%d models=%d "+
		"accepted=%d survivors=%d",
		r.pkg, r.edits, r.judged, r.valid(), r.tests, r.models, len(r.accepted), len(r.survivors))
}

// table is what is known, as markdown.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString(
		"| package | edits | drawn | valid | found by tests | by models | accepted | survivors |\n|---|---|---|---|---|---|---|---|\n")
	total := row{pkg: "all"}
	write := func(r row) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d |\n",
			r.pkg, r.edits, r.judged, r.valid(), r.tests, r.models, len(r.accepted),
			len(r.survivors))
	}
	for _, r := range rows {
		total.add(r)
		write(r)
	}
	if len(rows) > 1 {
		write(total)
	}
	if len(total.survivors) > 0 {
		b.WriteString("\n")
	}
	for _, id := range total.survivors {
		fmt.Fprintf(&b, "- survives: `%s`\n", id)
	}
	return b.String()
}
