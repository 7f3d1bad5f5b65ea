package archtest

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

var unsafeRule = rule{
	name: "unsafe only in files named so",
	check: func(t *tree) (findings []string) {
		for _, s := range t.goFiles() {
			if strings.HasSuffix(s.path, "_unsafe.go") ||
				strings.HasSuffix(s.path, "_unsafe_test.go") {
				continue
			}
			for imported, pos := range s.imports {
				if imported == "unsafe" {
					findings = append(findings,
						fmt.Sprintf("%s: imports unsafe: move what needs it to a file whose name "+
							"ends in _unsafe.go (_unsafe_test.go in a test)", t.at(pos)))
				}
			}
		}
		return findings
	},
	bad: []badTree{
		{"code",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\nimport \"unsafe\"\n\nvar x unsafe.Pointer\n"},
			"lockfree/x.go:3: imports unsafe"},
		{"test",
			map[string]string{"lockfree/x_test.go": "package lockfree\n\nimport _ \"unsafe\"\n"},
			"lockfree/x_test.go:3: imports unsafe"},
	},
}

var outputRule = rule{
	name: "shipped code prints nothing",
	check: func(t *tree) (findings []string) {
		for _, s := range t.goFiles() {
			if s.test() || !shipped(s.dir()) || s.file.Name.Name == "main" {
				continue
			}
			fmtName, osName := s.localName("fmt"), s.localName("os")
			report := func(n ast.Node, what string) {
				findings = append(findings,
					fmt.Sprintf("%s: %s: shipped code prints nothing unless asked; return an "+
						"error, or take a writer or an *slog.Logger option", t.at(n.Pos()), what))
			}
			for imported, pos := range s.imports {
				if imported == "log" {
					findings = append(findings,
						fmt.Sprintf("%s: imports log: take an *slog.Logger option", t.at(pos)))
				}
			}
			ast.Inspect(s.file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if id, ok := n.Fun.(*ast.Ident); ok &&
						(id.Name == "print" || id.Name == "println") {
						report(n, "calls "+id.Name)
					}
				case *ast.SelectorExpr:
					x, ok := n.X.(*ast.Ident)
					if !ok {
						break
					}
					if fmtName != "" && x.Name == fmtName &&
						strings.HasPrefix(n.Sel.Name, "Print") {
						report(n, "calls fmt."+n.Sel.Name)
					}
					if osName != "" && x.Name == osName &&
						(n.Sel.Name == "Stdout" || n.Sel.Name == "Stderr") {
						report(n, "uses os."+n.Sel.Name)
					}
				}
				return true
			})
		}
		return findings
	},
	bad: []badTree{
		{"fmt",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\nimport f \"fmt\"\n\nfunc x() { f.Printf(\"\") }\n"},
			"x.go:5: calls fmt.Printf"},
		{"log",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\nimport \"log\"\n\nfunc x() { log.Print() }\n"},
			"x.go:3: imports log"},
		{"println",
			map[string]string{"internal/park/x.go": "package park\n\nfunc x() { println() }\n"},
			"x.go:3: calls println"},
		{"stderr",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\nimport \"os\"\n\nvar x = os.Stderr\n"},
			"x.go:5: uses os.Stderr"},
	},
}

var linknameRule = rule{
	name: "linkname nowhere",
	check: func(t *tree) (findings []string) {
		for _, s := range t.goFiles() {
			for _, c := range directives(s, "//go:linkname") {
				findings = append(findings,
					fmt.Sprintf("%s: go:linkname: a build must not depend on what a release of "+
						"Go lets through", t.at(c.Pos())))
			}
		}
		return findings
	},
	bad: []badTree{
		{"elsewhere",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\n//go:linkname f runtime.f\nfunc f()\n"},
			"lockfree/x.go:3: go:linkname"},
		{"in the parker",
			map[string]string{
				"internal/park/x.go": "package park\n\n//go:linkname f runtime.f\nfunc f()\n"},
			"internal/park/x.go:3: go:linkname"},
		{"in a test",
			map[string]string{
				"lockfree/x_test.go": "package lockfree\n\n//go:linkname f runtime.f\nfunc f()\n"},
			"lockfree/x_test.go:3: go:linkname"},
	},
}

// directives returns the comments of a file that begin so.
func directives(s *source, prefix string) (found []*ast.Comment) {
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, prefix) {
				found = append(found, c)
			}
		}
	}
	return found
}

var assemblyRule = rule{
	name: "assembly only in internal/atomics",
	check: func(t *tree) (findings []string) {
		for _, s := range t.sources {
			if strings.HasSuffix(s.path, ".s") && s.dir() != "internal/atomics" {
				findings = append(findings,
					fmt.Sprintf("%s: assembly: what internal/atomics has is all there is; write "+
						"it in Go", s.path))
			}
		}
		return findings
	},
	bad: []badTree{
		{"elsewhere", map[string]string{"lockfree/cas_amd64.s": "// nothing\n"},
			"lockfree/cas_amd64.s: assembly"},
	},
}

// markWords matches the notes that say that something is unfinished.
var markWords = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)

var suppressionRule = rule{
	name: "no suppressions and no loose ends",
	check: func(t *tree) (findings []string) {
		for _, s := range t.goFiles() {
			for _, prefix := range []string{"//nolint", "//lint:", "//go:norace", "//go:nocheckptr",
				"// +build"} {
				if prefix == "//go:norace" && s.dir() == "internal/modelcheck" {
					// the engine orders threads itself; its hand-over must not hide a race of
					// theirs
					continue
				}
				for _, c := range directives(s, prefix) {
					findings = append(findings,
						fmt.Sprintf("%s: %s: cure what it hides", t.at(c.Pos()), prefix))
				}
			}
			for _, group := range s.file.Comments {
				for _, c := range group.List {
					if mark := markWords.FindString(c.Text); mark != "" {
						findings = append(findings,
							fmt.Sprintf("%s: %s: do it, or leave it out", t.at(c.Pos()), mark))
					}
				}
			}
		}
		return findings
	},
	bad: []badTree{
		{"linter",
			map[string]string{"lockfree/x.go": "package lockfree\n\nvar x int //nolint:unused\n"},
			"x.go:3: //nolint"},
		{"race",
			map[string]string{"lockfree/x.go": "package lockfree\n\n//go:norace\nfunc f() {}\n"},
			"x.go:3: //go:norace"},
		{"race beside the engine",
			map[string]string{
				"stress/modelcheck/x.go": "package modelcheck\n\n//go:norace\nfunc f() {}\n"},
			"stress/modelcheck/x.go:3: //go:norace"},
		{"race under the seam",
			map[string]string{
				"internal/atomics/x.go": "package atomics\n\n//go:norace\nfunc f() {}\n"},
			"internal/atomics/x.go:3: //go:norace"},
		{"linter in the engine",
			map[string]string{
				"internal/modelcheck/x.go": "package modelcheck\n\nvar x int //nolint:unused\n"},
			"internal/modelcheck/x.go:3: //nolint"},
		{"note", map[string]string{"lockfree/x.go": "package lockfree\n\n// TO" +
			"DO: all of it\nfunc f() {}\n"}, "x.go:3: TO" + "DO"},
	},
}

// machinePath matches absolute paths that exist on one machine only.
var machinePath = regexp.MustCompile(`(?m)(^|[^A-Za-z0-9_.$}/-])/(work|tmp|root|home|Users)/`)

// machineFolders matches what is in all of them, and is found sooner.
var machineFolders = regexp.MustCompile(`/(work|tmp|root|home|Users)/`)

var machineRule = rule{
	name: "no paths of one machine",
	check: func(t *tree) (findings []string) {
		for _, s := range t.sources {
			if binary(s.text) || !machineFolders.Match(s.text) {
				continue
			}
			for i, line := range strings.Split(string(s.text), "\n") {
				if at := machinePath.FindString(line); at != "" {
					findings = append(findings,
						fmt.Sprintf("%s:%d: %s: names a path of one machine: use a relative "+
							"path, t.TempDir or mktemp", s.path, i+1, strings.TrimSpace(at)))
				}
			}
		}
		return findings
	},
	bad: slices.Concat(
		[]badTree{{"in a script", map[string]string{".ci/run": "cd " + "/work" + "/main\n"},
			".ci/run:1"}},
		[]badTree{{"in a nested module",
			map[string]string{"bench/go.mod": "module bench\n",
				"bench/x.go": "package x\n\nvar x = \"/" + "tmp/x\"\n"}, "bench/x.go:3"}},
	),
}
