package archtest

import (
	"fmt"
	gopath "path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A proof and the code that it is about point to each other by labels: one or two capitals and
// a number, such as D3 or PL12. Inside a package, a folder with its pages, a label means one
// thing. It is written down once:
//
//   - as a step, on a page of the package, where a table row, a list item or bold type at the
//     beginning of a line starts with it: "| D3 |", "- D3 ", "- **D3** ", "**D3** "; or
//   - as an invariant beside the fields that it is about, where a preformatted line of a comment
//     in ordinary code starts with it: "//\tD3 top never decreases".
//
// Everywhere else on the pages and in the comments of the package it is cited; "D3 to D5" cites
// three. What is cited must be written down, a step must be cited in a comment, and an invariant on
// a page. So neither side can lose or rename what the other leans on.
//
// What is a name of the code, or stands in a longer word (A1#3, UTF8, x.P99), is no label.

// labelWord matches a label, or two that bound a range, with what may stand on both sides.
var labelWord = regexp.MustCompile(
	`(^|[\s(*"|>-])([A-Z]{1,2})([1-9][0-9]?)(?: to ([A-Z]{1,2})([1-9][0-9]?))?(['*"|):;,.\s-]|$)`)

var (
	pageStep = regexp.MustCompile(
		`^(?:- (?:\*\*)?|\| (?:\*\*)?|\*\*)([A-Z]{1,2}[1-9][0-9]?)(?:\*\*)?[ :]`)
	codeInvariant = regexp.MustCompile(`^//\t+([A-Z]{1,2}[1-9][0-9]?) `)
)

// labels yields the labels that a line cites, a range as each label in it.
func labels(line string) (found []string) {
	for line != "" {
		m := labelWord.FindStringSubmatchIndex(line)
		if m == nil {
			return found
		}
		letters, last := line[m[4]:m[5]], m[7]
		from, _ := strconv.Atoi(line[m[6]:m[7]])
		to := from
		if m[8] >= 0 && line[m[8]:m[9]] == letters {
			to, _ = strconv.Atoi(line[m[10]:m[11]])
			last = m[11]
		}
		for n := from; n <= to; n++ {
			found = append(found, letters+strconv.Itoa(n))
		}
		line = line[last:]
	}
	return found
}

// A labelBook is what a package says about one label.
type labelBook struct {
	written        []string // where
	step           bool     // the first of these is on a page
	onPage, inCode string   // where it is cited first
}

var labelRule = rule{
	name: "steps and invariants are cited and exist",
	check: func(t *tree) (findings []string) {
		for _, p := range t.packages() {
			if p.name == "archtest" {
				continue // it speaks of labels
			}
			findings = append(findings, checkLabels(t, p)...)
		}
		return findings
	},
	bad: []badTree{
		{"no such step",
			map[string]string{"lockfree/x.go": "package lockfree\n\nvar x int // S1\n"},
			"lockfree/x.go:3: cites S1, which"},
		{"no such step in a test",
			map[string]string{
				"lockfree/x_test.go": "package lockfree\n\n// By S1 and S2.\nvar x int\n"},
			"lockfree/x_test.go:3: cites S2, which"},
		{"no such step in a range", map[string]string{
			"lockfree/README.md": "| S1 | it |\n| S2 | it |\n",
			"lockfree/x.go":      "package lockfree\n\n// The steps S1 to S3.\nvar x int\n",
		}, "cites S3, which"},
		{"no such step on a page", map[string]string{"lockfree/stack.md": "It holds\nby S1.\n"},
			"lockfree/stack.md:2: cites S1, which"},
		{"no such step in a picture",
			map[string]string{"lockfree/stack.md": "```\na -- S1 --> b\n```\n"},
			"lockfree/stack.md:2: cites S1, which"},
		{"step of another package", map[string]string{
			"lockfree/README.md": "- **S1** It.\n",
			"lockfree/x.go":      "package lockfree\n\nvar x int // S1\n",
			"internal/a/a.go":    "package a\n\nvar x int // S1\n",
		}, "internal/a/a.go:3: cites S1, which"},
		{"step that nobody takes", map[string]string{"lockfree/stack.md": "| S1 | it |\n"},
			"lockfree/stack.md:1: no comment of lockfree cites the step S1"},
		{"step in a string only",
			map[string]string{"lockfree/stack.md": "- S1 It.\n",
				"lockfree/x.go": "package lockfree\n\nvar x = \"S1\"\n"},
			"lockfree/stack.md:1: no comment of lockfree cites the step S1"},
		{"invariant that nobody needs",
			map[string]string{"lockfree/x.go": "package lockfree\n\n//\tS1 it.\nvar x int // S1\n"},
			"lockfree/x.go:3: no page of lockfree cites the invariant S1"},
		{"twice on pages", map[string]string{
			"lockfree/README.md": "**S1** It.\n", "lockfree/stack.md": "- S1: it.\n",
			"lockfree/x.go": "package lockfree\n\nvar x int // S1\n",
		}, "lockfree/stack.md:1: S1 is written down at lockfree/README.md:1 already"},
		{"name of the code", map[string]string{"lockfree/stack.md": "- S1 It.\n",
			"lockfree/x.go": "package lockfree\n\nvar S1 int // S1\n"},
			"lockfree/stack.md:1: S1 is a name of the code"},
		{"on a page and in the code", map[string]string{
			"lockfree/README.md": "- S1 It.\n",
			"lockfree/x.go":      "package lockfree\n\n//\tS1 it.\nvar x int\n",
		}, "S1 is written down at"},
	},
}

func checkLabels(t *tree, p *pkg) (findings []string) {
	code := newNames()
	code.add(p)
	book := map[string]*labelBook{}
	read := func(at, line string, writes *regexp.Regexp, page bool) {
		written := ""
		if m := writes.FindStringSubmatch(line); m != nil {
			written = m[1]
		}
		for i, label := range labels(line) {
			if code.idents[label] {
				if i == 0 && label == written {
					findings = append(findings,
						fmt.Sprintf("%s: %s is a name of the code of %s as well: take another "+
							"number", at, label, p.dir))
				}
				continue
			}
			b := book[label]
			if b == nil {
				b = &labelBook{}
				book[label] = b
			}
			switch {
			case i == 0 && label == written:
				if b.written = append(b.written, at); len(b.written) == 1 {
					b.step = page
				}
			case page && b.onPage == "":
				b.onPage = at
			case !page && b.inCode == "":
				b.inCode = at
			}
		}
	}
	for _, s := range t.sources {
		if s.dir() == p.dir && gopath.Ext(s.path) == ".md" && p.dir != "." {
			for i, line := range strings.Split(string(s.text), "\n") {
				read(fmt.Sprintf("%s:%d", s.path, i+1), line, pageStep, true)
			}
		}
	}
	never := regexp.MustCompile(`$^`)
	for _, s := range slices.Concat(p.files, p.tests) {
		writes := codeInvariant
		if s.test() {
			writes = never
		}
		for _, group := range s.file.Comments {
			for _, c := range group.List {
				for i, line := range strings.Split(c.Text, "\n") {
					at := t.fset.Position(c.Pos())
					read(fmt.Sprintf("%s:%d", at.Filename, at.Line+i),
						strings.TrimPrefix(line, "// "), writes, false)
				}
			}
		}
	}
	for _, label := range sortedKeys(book) {
		b := book[label]
		if len(b.written) == 0 {
			for _, at := range []string{b.inCode, b.onPage} {
				if at != "" {
					findings = append(findings,
						fmt.Sprintf("%s: cites %s, which neither a step of a page nor an "+
							"invariant beside a field of %s has: name one that exists", at, label,
							p.dir))
				}
			}
			continue
		}
		for _, at := range b.written[1:] {
			findings = append(findings,
				fmt.Sprintf("%s: %s is written down at %s already: cite it, or take another number",
					at, label, b.written[0]))
		}
		if b.step && b.inCode == "" {
			findings = append(findings,
				fmt.Sprintf("%s: no comment of %s cites the step %s: cite it where it is taken, "+
					"or take the number away", b.written[0], p.dir, label))
		}
		if !b.step && b.onPage == "" {
			findings = append(findings,
				fmt.Sprintf("%s: no page of %s cites the invariant %s: cite it in the argument, "+
					"or take the number away", b.written[0], p.dir, label))
		}
	}
	return findings
}

func sortedKeys[V any](book map[string]V) []string {
	var keys []string
	for key := range book {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func TestLabelsPassOver(t *testing.T) {
	tr := overlay(t, map[string]string{
		"lockfree/stack.md": "| SL1 | it |\n- **S2** It.\n\n**S3** That.\n\nBy S10 and (S2), UTF8, A1#3, V3 and x.P9.\n",
		"lockfree/x.go": "package lockfree\n\n// V3 is a vector.\ntype V3 struct {\n\t// Invariants:\n\t//\n\t//\tS10 it.\n\tx int // SL1: here\n}\n\n" +
			"// Not S10#1 nor a UTF8.\nvar x = \"S9\"\n",
		"lockfree/x_test.go": "package lockfree\n\n// S2 to S3.\nvar y int\n",
	})
	none(t, labelRule.check(tr))
}
