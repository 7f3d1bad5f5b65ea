package archtest

import (
	"fmt"
	gopath "path"
	"regexp"
	"strings"
)

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	docPath      = regexp.MustCompile(`\bdocs/[A-Za-z0-9_./-]+\.md\b`)
)

var linkRule = rule{
	name: "links lead somewhere",
	check: func(t *tree) (findings []string) {
		for _, s := range t.sources {
			switch {
			case s.file != nil:
				for _, group := range s.file.Comments {
					for _, c := range group.List {
						for _, name := range docPath.FindAllString(c.Text, -1) {
							if !t.has(name) {
								findings = append(findings,
									fmt.Sprintf("%s: there is no %s: name the page that exists",
										t.at(c.Pos()), name))
							}
						}
					}
				}
			case gopath.Ext(s.path) == ".md":
				for i, line := range strings.Split(string(s.text), "\n") {
					for _, m := range markdownLink.FindAllStringSubmatch(line, -1) {
						to, _, _ := strings.Cut(m[1], "#")
						if to == "" || strings.Contains(to, ":") {
							continue // within the page, or on the network
						}
						if to = strings.TrimSuffix(gopath.Join(s.dir(), to), "/"); to != "." &&
							!t.has(to) {
							findings = append(findings,
								fmt.Sprintf("%s:%d: links to %s, which does not exist", s.path, i+1,
									to))
						}
					}
				}
			}
		}
		return findings
	},
	bad: []badTree{
		{"page", map[string]string{"docs/a.md": "\nSee [it](b.md#x).\n"},
			"docs/a.md:2: links to docs/b.md"},
		{"folder", map[string]string{"README.md": "See [it](lockfrei/).\n"},
			"README.md:1: links to lockfrei"},
		{"comment",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\n// docs/adr/0099-x.md says why.\nvar x int\n"},
			"lockfree/x.go:3: there is no docs/adr/0099-x.md"},
	},
}
