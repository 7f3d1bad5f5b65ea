package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	gopath "path"
	"slices"
	"strings"
	"testing"
)

// A proof that names a field which is gone proves nothing any more. So whatever stands
// between backticks in a README or a page of docs and reads as Go is looked up in the code:
//
//   - in the README and the pages of a package, every identifier of at least two letters;
//   - elsewhere, identifiers with a capital or an underscore inside, and calls;
//   - a selector such as Stack.Push or lockfree.Stack.Push as a member of that type;
//   - file names, folders of this module, make targets, and names of tests.
//
// The page of a nested module may name what is in that module as well; no other page may.
//
// Names in capitals only (CAS, GOMAXPROCS), fenced code, and what does not parse as Go are
// passed over, and so are the pages in docs/adr, which record a decision of their day, and
// the CHANGELOG.

// driftIgnore lists, for each page, words between backticks that are no names of the code.
// One that no longer applies is a finding.
var driftIgnore = map[string][]string{
	"CONTRIBUTING.md": {"x_test.go", "_unsafe.go"}, // patterns
}

var driftRule = rule{
	name:  "pages name only what exists",
	check: func(t *tree) []string { return checkDrift(t, driftIgnore) },
	bad: []badTree{
		{"unexported function", map[string]string{"lockfree/README.md": "So `tryGrab` wins.\n"},
			"lockfree/README.md:1: `tryGrab`"},
		{"short field", map[string]string{"lockfree/README.md": "\n\nRead `tail`.\n"},
			"lockfree/README.md:3: `tail`"},
		{"member", map[string]string{"lockfree/README.md": "`Stack.Steal` takes.\n"},
			"Stack has no Steal"},
		{"call with arguments",
			map[string]string{"lockfree/README.md": "`Shove(item, priority)` puts.\n"},
			"no Shove in the code"},
		{"inside an expression",
			map[string]string{"lockfree/README.md": "Here `head <= bottom` holds.\n"},
			"no bottom in the code"},
		{"over two lines",
			map[string]string{"lockfree/README.md": "Here `head ==\nbottom` holds.\n"},
			"no bottom in the code"},
		{"member of another package", map[string]string{"README.md": "Take a `lockfree.Stick`.\n"},
			"README.md:1: `lockfree.Stick`"},
		{"member of a type of another package",
			map[string]string{"docs/a.md": "Call `lockfree.Stack.Steal`.\n"},
			"docs/a.md:1: `lockfree.Stack.Steal`"},
		{"camel case in docs", map[string]string{"docs/a.md": "Call `tryGrab`.\n"},
			"docs/a.md:1: `tryGrab`"},
		{"file", map[string]string{"docs/a.md": "See `lockfree/queue.go`.\n"},
			"no lockfree/queue.go"},
		{"folder", map[string]string{"docs/a.md": "See `internal/nothing`.\n"},
			"no internal/nothing"},
		{"nested module", map[string]string{
			"bench/go.mod":    "module bench\n",
			"bench/main.go":   "package main\n\nfunc measure() {}\n",
			"bench/README.md": "Here `measure` calls `tryGrab`.\n",
		}, "bench/README.md:1: `tryGrab`"},
		{"nested module from outside", map[string]string{
			"bench/go.mod":  "module bench\n",
			"bench/main.go": "package main\n\nfunc measureAll() {}\n",
			"docs/a.md":     "Here `measureAll` is called.\n",
		}, "docs/a.md:1: `measureAll`"},
		{"in neither of two packages of one name", map[string]string{
			"internal/modelcheck/x.go": "package modelcheck\n\nfunc One() {}\n",
			"stress/modelcheck/x.go":   "package modelcheck\n\nfunc Two() {}\n",
			"docs/a.md": "Call `modelcheck.One`, `modelcheck.Two`, " +
				"`modelcheck.Three`.\n",
		}, "docs/a.md:1: `modelcheck.Three`: package modelcheck has no Three"},
		{"page of the engine", map[string]string{
			"internal/modelcheck/x.go":      "package modelcheck\n\nfunc explore() {}\n",
			"internal/modelcheck/README.md": "First `explore`, then `backtrack`.\n",
		}, "internal/modelcheck/README.md:1: `backtrack`"},
		{"page of histories", map[string]string{
			"stress/history/x.go":      "package history\n\ntype Recorder struct{}\n",
			"stress/history/README.md": "A `Recorder.Begin`.\n",
		}, "Recorder has no Begin"},
		{"target", map[string]string{"CONTRIBUTING.md": "Run `make tea`.\n"},
			"Makefile has no target tea"},
		{"test", map[string]string{"lockfree/README.md": "`TestTrap13_Wrap` shows it.\n"},
			"no TestTrap13_Wrap"},
	},
}

func TestDriftPassesOver(t *testing.T) {
	tr := overlay(t, map[string]string{
		"lockfree/README.md": "A `CAS` by `-race`, `go test ./...`, `sync.Cond`, `uint64`, `Stack[T]`, `*Stack[int]`, `s`, `64`, `lockfree`,\n" +
			"`lockfree/stack.go`, `stack.go`, `internal/atomics`, `Pop(me, mayStall)`, `make test`, `golang.org/x/sys`, `ExampleStack`, `atomics.Bool`.\n" +
			"```go\nanythingGoes(here)\n```\n",
		"bench/go.mod":       "module bench\n",
		"bench/main.go":      "package main\n\ntype row struct{ peer string }\n\nfunc measureAll() {}\n",
		"bench/sub/sub.go":   "package sub\n\nfunc Run() {}\n",
		"bench/README.md":    "`measureAll`, `row.peer`, `sub.Run`, `main.go`, `bench/main.go`, `lockfree.Stack.Push`, `Stack`, `make test`.\n",
		"docs/adr/0001-x.md": "`wasRejected` then.\n",
		"docs/a.md":          "A `word`, a `lockfree.Stack`, `Stack.Push`, `runtime.Goexit`.\n",
		"lockfree/y.go":      "package lockfree\n\nimport \"runtime\"\n\nvar procs = runtime.NumCPU()\n",
	})
	none(t, checkDrift(tr, nil))
}

func TestDriftTwoPackagesOfOneName(t *testing.T) {
	tr := overlay(t, map[string]string{
		"internal/modelcheck/x.go": "package modelcheck\n\nfunc One() {}\n",
		"stress/modelcheck/x.go":   "package modelcheck\n\nfunc Two() {}\n",
		"docs/a.md":                "Call `modelcheck.One` and `modelcheck.Two`.\n",
	})
	none(t, checkDrift(tr, nil))
}

func TestDriftIgnore(t *testing.T) {
	tr := overlay(t, map[string]string{"docs/a.md": "A `tryGrab`.\n"})
	if got := checkDrift(tr, map[string][]string{"docs/a.md": {"tryGrab"}}); len(got) != 0 {
		t.Errorf("an ignored word is still a finding: %q", got)
	}
	got := checkDrift(tr, map[string][]string{"docs/a.md": {"tryGrab", "tryTake"}})
	if len(got) != 1 || !strings.Contains(got[0], "needed no more") {
		t.Errorf("a stale word is no finding: %q", got)
	}
}

// stdNames are packages of the standard library that a page may cite though nothing here
// imports them; those imported are known anyway.
var stdNames = []string{"atomic", "context", "errors", "fmt", "http", "os", "pprof", "runtime",
	"slog", "sync", "syscall", "synctest", "testing", "time", "trace"}

func checkDrift(t *tree, ignore map[string][]string) (findings []string) {
	root, all, tests := newNames(), newNames(), newNames()
	byPkg, std := map[string]*names{}, map[string]bool{}
	for _, name := range stdNames {
		std[name] = true
	}
	for _, p := range t.packages() {
		byPkg[p.dir] = newNames()
		byPkg[p.dir].add(p)
		root.merge(byPkg[p.dir])
		for _, s := range slices.Concat(p.files, p.tests) {
			for imported := range s.imports {
				if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
					std[gopath.Base(imported)] = true
				}
			}
			for tag := range tags(s.file) {
				all.idents[tag] = true
				tests.idents[tag] = true
			}
		}
		for _, s := range p.tests {
			for _, decl := range s.file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
					tests.idents[f.Name.Name] = true
				}
			}
		}
		// a package may be named in any page
		root.idents[p.name] = true
		tests.idents[p.name] = true
	}
	all.merge(root)
	for _, n := range byPkg {
		for name := range tests.idents {
			n.idents[name] = true
		}
	}
	inside := map[string]*names{} // the names of each nested package
	for dir, p := range t.nested {
		inside[dir] = newNames()
		inside[dir].add(p)
	}
	for _, s := range t.sources {
		dir := gopath.Dir(s.path)
		if gopath.Ext(s.path) != ".md" || dir == "docs/adr" || s.path == "CHANGELOG.md" {
			continue
		}
		p := &page{t: t, path: s.path, names: all, byPkg: byPkg, std: std, targets: makeTargets(t),
			ignore: ignore[s.path], used: map[string]bool{}}
		if own := byPkg[dir]; own != nil && dir != "." && !written(s.text) {
			p.own, p.names = true, own
		} else if s.nested {
			p.names, p.byPkg = nestedNames(t, root, inside, dir), maps.Clone(byPkg)
			for dir, of := range inside {
				p.byPkg[dir] = of
			}
		}
		findings = append(findings, p.check(s.text)...)
		for _, word := range p.ignore {
			if !p.used[word] {
				findings = append(findings,
					fmt.Sprintf("driftIgnore: %q of %s is needed no more: remove it", word, s.path))
			}
		}
	}
	return findings
}

// written reports whether a page says that a program writes it.
func written(text []byte) bool {
	_, rest, _ := strings.Cut(string(text), "\n\n")
	return strings.HasPrefix(rest, "Made by `")
}
