package archtest

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	gopath "path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns is how wide a line may be. A tab counts tabColumns.
const (
	mostColumns = 100
	tabColumns  = 4
)

// mostBeside is how much code may stand in a wider line beside texts, which are not broken: what
// can go to a line of its own has to.
const mostBeside = 20

// lineRule is about code, its comments, and the prose of pages: a table, a picture or a program in
// a page is as wide as it is, and so is a link.
var lineRule = rule{
	name:  "lines are short enough to be read",
	check: checkLines,
	bad: []badTree{
		{"code", map[string]string{"lockfree/x.go": "package lockfree\n\nvar x = a" +
			strings.Repeat(" + a", 24) + "\n"}, "lockfree/x.go:3 has 105 columns"},
		{"tabs", map[string]string{"lockfree/x.go": "package lockfree\n\nfunc f() {\n" +
			strings.Repeat("\t", 23) + "f() + f()\n}\n"}, "lockfree/x.go:4 has 101 columns"},
		{"comment", map[string]string{"lockfree/x.go": "package lockfree\n\n//" +
			strings.Repeat(" why", 25) + "\n"}, "lockfree/x.go:3 has 102 columns"},
		{"comment of a test", map[string]string{"lockfree/x_test.go": "package lockfree\n\n/*\n" +
			strings.Repeat(" why", 26) + "\n*/\n"}, "lockfree/x_test.go:4 has 104 columns"},
		{"code beside a text", map[string]string{"lockfree/x.go": "package lockfree\n\nvar x = f(" +
			"one, two, three, four, \"" + strings.Repeat("x", 70) + "\")\n"},
			"lockfree/x.go:3 has 106 columns"},
		{"nested module", map[string]string{"bench/go.mod": "module bench\n",
			"bench/x.go": "package x // " + strings.Repeat("x", 90) + "\n"},
			"bench/x.go:1 has 103 columns"},
		{"page", map[string]string{"docs/a.md": "# A\n\n" + strings.Repeat("word ", 21) + "\n"},
			"docs/a.md:3 has 104 columns"},
		{"page behind a program", map[string]string{"docs/a.md": "```go\n```\n\n  ```\n  ```\n" +
			strings.Repeat("word ", 21) + "\n"}, "docs/a.md:6 has 104 columns"},
		{"Makefile", map[string]string{"Makefile": "test:\n# " + strings.Repeat("x", 99) + "\n"},
			"Makefile:2 has 101 columns"},
		{"script", map[string]string{".ci/run": "#" + strings.Repeat("x", 100) + "\n"},
			".ci/run:1 has 101 columns"},
	},
}

func checkLines(t *tree) (findings []string) {
	for _, s := range t.sources {
		var wide map[int]bool // may be
		switch {
		case gopath.Ext(s.path) == ".go":
			wide = wideTexts(s.text)
		case gopath.Ext(s.path) == ".md":
			wide = wideProse(s.text)
		case s.base() == "Makefile", s.dir() == ".ci" && gopath.Ext(s.path) == "":
			wide = wideCommands(s.text)
		default:
			continue
		}
		for i, line := range strings.Split(string(s.text), "\n") {
			if n := columns(strings.TrimRight(line, " ")); n > mostColumns && !wide[i+1] {
				findings = append(findings,
					fmt.Sprintf("%s:%d has %d columns, more than %d: break the line",
						s.path, i+1, n, mostColumns))
			}
		}
	}
	return findings
}

// columns returns how wide a line is.
func columns(line string) int {
	return utf8.RuneCountInString(strings.ReplaceAll(line, "\t", strings.Repeat(" ", tabColumns)))
}

// wideTexts returns the lines of a program that have little but a text, or are in one; and those of
// what an example is to print.
func wideTexts(code []byte) map[int]bool {
	wide := map[int]bool{}
	texts, beside := map[int]bool{}, map[int]int{}
	file := token.NewFileSet().AddFile("", -1, len(code))
	var in scanner.Scanner
	in.Init(file, code, nil, scanner.ScanComments)
	printed := false
	for {
		pos, tok, lit := in.Scan()
		if tok == token.EOF {
			break
		}
		at := file.Line(pos)
		switch tok {
		case token.STRING:
			for i := range strings.Split(lit, "\n") {
				texts[at+i] = true
			}
		case token.COMMENT:
			printed = printed || strings.HasPrefix(lit, "// Output:") ||
				strings.HasPrefix(lit, "// Unordered output:")
			beside[at] += columns(lit)
			wide[at] = printed
		case token.SEMICOLON:
		default:
			printed = false
			beside[at] += len(cmp.Or(lit, tok.String()))
		}
	}
	for at := range texts {
		wide[at] = wide[at] || beside[at] <= mostBeside
	}
	return wide
}

// wideProse returns the lines of a page that are no prose, and those with a link that makes them
// wide.
func wideProse(page []byte) map[int]bool {
	wide := map[int]bool{}
	program := false
	for i, line := range strings.Split(string(page), "\n") {
		bare := strings.TrimSpace(line)
		fence := strings.HasPrefix(bare, "```")
		if fence {
			program = !program
		}
		wide[i+1] = program || fence || bare != "" && strings.Contains("|<", bare[:1]) ||
			columns(link.ReplaceAllString(line, "")) <= mostColumns
	}
	return wide
}

// link matches where a link of a page leads.
var link = regexp.MustCompile(`\]\([^)]*\)`)

// wideCommands returns the lines of a script that are no comments.
func wideCommands(script []byte) map[int]bool {
	wide := map[int]bool{}
	for i, line := range strings.Split(string(script), "\n") {
		wide[i+1] = !strings.HasPrefix(strings.TrimSpace(line), "#")
	}
	return wide
}

func TestLinesThatMayBeWide(t *testing.T) {
	text := strings.Repeat("x", 100)
	none(t, checkLines(overlay(t, map[string]string{
		"lockfree/x.go": "package lockfree\n\nvar x = \"" + text + "\"\n\nvar y = `" + text + "\n" +
			text + "\n" + text + "`\n",
		"lockfree/y.go": "package lockfree\n\nvar s" + strings.Repeat("é", 91) + " int\n",
		"lockfree/example_test.go": "package lockfree_test\n\nfunc ExampleStack() {\n\tprint()\n" +
			"\t// Output:\n\t// " + text + "\n}\n",
		"docs/a.md": "| " + text + " |\n\n```\n" + text + "\n```\n\nA [link](" + text + ").\n",
		"Makefile":  "test:\n\t" + text + "\n",
		".ci/run":   text + "\n",
		"x.json":    text + text + "\n",
	})))
}
