package archtest

import (
	"fmt"
	"os"
	gopath "path"
	"path/filepath"
	"strings"
	"testing"
)

// mostWords is how long a page of a package or of docs may be, in words as wc counts them: what
// is longer is not read. A table that a program writes says so at its beginning and may be longer.
const mostWords = 2500

// longPages are the pages that are longer, with what they may have until they are shortened. A
// page leaves the list when it needs it no more; none is to join.
var longPages = map[string]int{
	"namedthread/README.md": 2800,
}

// frontPages are read from one end to the other, by people who do not know Heddle yet.
var frontPages = map[string]int{"README.md": 700, "bench/README.md": 2000}

var wordRule = rule{
	name:  "pages are short enough to be read",
	check: func(t *tree) []string { return checkWords(t, longPages) },
	bad: []badTree{
		{"README", map[string]string{"lockfree/README.md": strings.Repeat("word ", 2501)}, "lockfree/README.md has 2501 words"},
		{"page of a structure", map[string]string{"lockfree/stack.md": strings.Repeat("word\n", 2600)}, "lockfree/stack.md has 2600 words"},
		{"front page", map[string]string{"README.md": strings.Repeat("word ", 701)}, "README.md has 701 words, more than 700"},
		{"page of docs", map[string]string{"docs/a.md": strings.Repeat("a ", 3000)}, "docs/a.md has 3000 words"},
		{"page of a nested module", map[string]string{"bench/go.mod": "module bench\n", "bench/x/README.md": strings.Repeat("a ", 3000)}, "bench/x/README.md has 3000 words"},
		{"exception that grows", map[string]string{"namedthread/README.md": strings.Repeat("a ", 20_000)}, "namedthread/README.md has 20000 words"},
		{"exception that is needed no more", map[string]string{"namedthread/README.md": "Fast.\n"}, "longPages: namedthread/README.md has 1 words and is needed there no more"},
	},
}

// checkWords looks at all pages but the CHANGELOG, which only grows.
func checkWords(t *tree, long map[string]int) (findings []string) {
	for _, s := range t.sources {
		if gopath.Ext(s.path) != ".md" || s.path == "CHANGELOG.md" || written(s.text) {
			continue
		}
		n, most := len(strings.Fields(string(s.text))), mostWords
		if fewer, is := frontPages[s.path]; is {
			most = fewer
		}
		if allowed := long[s.path]; allowed > 0 {
			if n <= mostWords {
				findings = append(findings, fmt.Sprintf("longPages: %s has %d words and is needed there no more: remove it", s.path, n))
			}
			most = allowed
		}
		if n > most {
			findings = append(findings, fmt.Sprintf("%s has %d words, more than %d: say less, or give a part of it a page beside its file", s.path, n, most))
		}
	}
	return findings
}

// written reports whether a page says that a program writes it.
func written(text []byte) bool {
	_, rest, _ := strings.Cut(string(text), "\n\n")
	return strings.HasPrefix(rest, "Made by `")
}

func TestLongPages(t *testing.T) {
	root := findRoot(t)
	for name := range longPages {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("longPages: there is no %s: remove it", name)
		}
	}
	words := func(n int) string { return strings.Repeat("a ", n) }
	tr := overlay(t, map[string]string{
		"lockfree/README.md": words(2600), "lockfree/stack.md": words(2500), "docs/a.md": words(2601),
		"CHANGELOG.md": words(3000), "lockfree/table.md": "# Table\n\nMade by `make`.\n" + words(3000),
	})
	long := map[string]int{"lockfree/README.md": 2600, "lockfree/stack.md": 2600, "docs/a.md": 2600}
	findings := checkWords(tr, long)
	for _, want := range []string{
		"longPages: lockfree/stack.md has 2500 words and is needed there no more",
		"docs/a.md has 2601 words, more than 2600",
	} {
		if !strings.Contains(strings.Join(findings, "\n"), want) {
			t.Errorf("no finding contains %q; findings: %q", want, findings)
		}
	}
	if len(findings) != 2 {
		t.Errorf("more findings than two: %q", findings)
	}
}
