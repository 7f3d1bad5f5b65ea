package archtest

import (
	"fmt"
	gopath "path"
	"strings"
	"testing"
)

// mostWords is how long a page of a package or of docs may be, in words as wc counts them: what
// is longer is not read. A table that a program writes says so at its beginning and may be longer.
const mostWords = 2500

// frontPages are read from one end to the other, by people who do not know Heddle yet.
var frontPages = map[string]int{"README.md": 900, "bench/README.md": 2000}

var wordRule = rule{
	name:  "pages are short enough to be read",
	check: checkWords,
	bad: []badTree{
		{"README", map[string]string{"lockfree/README.md": strings.Repeat("word ", 2501)},
			"lockfree/README.md has 2501 words"},
		{"page of a structure", map[string]string{"lockfree/stack.md": strings.Repeat("word\n",
			2600)}, "lockfree/stack.md has 2600 words"},
		{"front page", map[string]string{"README.md": strings.Repeat("word ", 901)},
			"README.md has 901 words, more than 900"},
		{"page of docs", map[string]string{"docs/a.md": strings.Repeat("a ", 3000)},
			"docs/a.md has 3000 words"},
		{"page of a nested module",
			map[string]string{"bench/go.mod": "module bench\n",
				"bench/x/README.md": strings.Repeat("a ", 3000)},
			"bench/x/README.md has 3000 words"},
	},
}

// checkWords looks at all pages but the CHANGELOG, which only grows.
func checkWords(t *tree) (findings []string) {
	for _, s := range t.sources {
		if gopath.Ext(s.path) != ".md" || s.path == "CHANGELOG.md" || written(s.text) {
			continue
		}
		n, most := len(strings.Fields(string(s.text))), mostWords
		if fewer, is := frontPages[s.path]; is {
			most = fewer
		}
		if n > most {
			findings = append(findings,
				fmt.Sprintf("%s has %d words, more than %d: say less, or give a part of it a "+
					"page beside its file", s.path, n, most))
		}
	}
	return findings
}

// written reports whether a page says that a program writes it.
func written(text []byte) bool {
	_, rest, _ := strings.Cut(string(text), "\n\n")
	return strings.HasPrefix(rest, "Made by `")
}

func TestPagesThatMayBeLong(t *testing.T) {
	words := func(n int) string { return strings.Repeat("a ", n) }
	tr := overlay(t, map[string]string{
		"lockfree/stack.md": words(mostWords), "CHANGELOG.md": words(3000),
		"lockfree/table.md": "# Table\n\nMade by `make`.\n" + words(3000),
	})
	if findings := checkWords(tr); len(findings) != 0 {
		t.Errorf("findings: %q", findings)
	}
}
