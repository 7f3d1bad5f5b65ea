package archtest

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/heddle-go/heddle/internal/dev/cli"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

// A rule maps a tree to its findings, each of which says where, what, and what to do.
type rule struct {
	name  string
	check func(*tree) []string
	bad   []badTree // trees that break the rule
}

// A badTree breaks one rule in one place.
type badTree struct {
	name  string
	files map[string]string // laid over goodTree; an empty text removes a file
	want  string            // part of the finding
}

var rules = []rule{
	layerRule,
	folderRule,
	roomRule,
	groundRule,
	shortRule,
	seedRule,
	libraryRule,
	sideRule,
	atomicRule,
	seamRule,
	engineRule,
	tagRule,
	commentRule,
	packageDocRule,
	readmeRule,
	exampleRule,
	usersRule,
	entryRule,
	unsafeRule,
	driftRule,
	linkRule,
	labelRule,
	outputRule,
	linknameRule,
	assemblyRule,
	suppressionRule,
	machineRule,
	twiceRule,
	lineRule,
}

// goodTree breaks no rule.
var goodTree = map[string]string{
	"go.mod":    "module " + modulePath + "\n",
	"README.md": "Heddle. Use `lockfree.Stack` and `make test`.\n",
	"Makefile":  "test: ## run\n\tgo test ./...\n",
	"doc.go":    "// Package heddle is a map.\npackage heddle\n",

	"internal/atomics/doc.go":     "// Package atomics is the seam.\npackage atomics\n",
	"internal/atomics/atomics.go": "package atomics\n\nimport \"sync/atomic\"\n\n// Bool is shared.\ntype Bool = atomic.Bool\n",

	"lockfree/doc.go":    "// Package lockfree has containers.\npackage lockfree\n",
	"lockfree/README.md": "`Stack.Push` stores to `Stack.head`, then `Pop()` and `tryClaim` see it; `head == next`.\n",
	"lockfree/stack.go": `package lockfree

import "` + modulePath + `/internal/atomics"

// A Stack is a stack.
type Stack[T any] struct{ head, next atomics.Bool }

// Push pushes.
func (s *Stack[T]) Push(v T) { s.tryClaim() }

// Pop pops.
func (s *Stack[T]) Pop() (v T) { return v }

func (s *Stack[T]) tryClaim() {}
`,
	"lockfree/example_test.go": `package lockfree_test

import "fmt"

func ExampleStack() {
	fmt.Println(1)
	// Output: 1
}
`,
}

func TestRules(t *testing.T) {
	root, err := cli.ModuleRoot(modulePath)
	if err != nil {
		t.Fatal(err)
	}
	real, err := load(os.DirFS(root))
	if err != nil {
		t.Fatalf("reading the tree: %v", err)
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			none(t, r.check(real))
		})
	}
}

// none fails for each finding.
func none(t *testing.T, findings []string) {
	t.Helper()
	for _, finding := range findings {
		t.Error(finding)
	}
}

// TestRulesCanFail proves of each rule that it sees what it is there to see.
func TestRulesCanFail(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			if len(r.bad) == 0 {
				t.Fatal("a rule needs at least one tree that breaks it")
			}
			for _, finding := range r.check(overlay(t, nil)) {
				t.Errorf("the good tree breaks the rule: %s", finding)
			}
			for _, bad := range r.bad {
				t.Run(bad.name, func(t *testing.T) {
					findings := r.check(overlay(t, bad.files))
					if !strings.Contains(strings.Join(findings, "\n"), bad.want) {
						t.Errorf("no finding contains %q; findings: %q", bad.want, findings)
					}
				})
			}
		})
	}
}

// TestLoadSkips shows what is read as Go of the module and what only as text.
func TestLoadSkips(t *testing.T) {
	tr := overlay(t, map[string]string{
		"bench/go.mod":              "module bench\n",
		"bench/sub/b.go":            "package sub\n",
		"examples/go.mod":           "module examples\n",
		"examples/a/main.go":        "package main\n",
		"examples/b/go.mod":         "module b\n",
		"examples/b/main.go":        "package main\n",
		"lockfree/testdata/x.go":    "not Go",
		"lockfree/gen.go":           "//go:build ignore\n\npackage main\n",
		"bin/tool":                  "x",
		".git/config":               "x",
		".ci/run":                   "x",
		"lockfree/stack_windows.go": "package lockfree\n",
		"lockfree/stack_tagged.go":  "//go:build sometag\n\npackage lockfree\n",
	})
	for name, parsed := range map[string]bool{
		"bench/sub/b.go": false, "examples/a/main.go": true, "examples/b/main.go": false,
		"lockfree/testdata/x.go": false, "lockfree/gen.go": false,
		"lockfree/stack_windows.go": true, "lockfree/stack_tagged.go": true, ".ci/run": false,
	} {
		s := tr.get(name)
		if s == nil {
			t.Errorf("%s was not read", name)
		} else if (s.file != nil) != parsed {
			t.Errorf("%s parsed: %v, want %v", name, s.file != nil, parsed)
		}
	}
	for _, name := range []string{"bin/tool", ".git/config"} {
		if tr.get(name) != nil {
			t.Errorf("%s was read", name)
		}
	}
	for name, nested := range map[string]bool{
		"bench/sub/b.go": true, "examples/a/main.go": false, "examples/b/main.go": true,
	} {
		if tr.get(name).nested != nested {
			t.Errorf("%s is of a nested module: %v, want %v", name, !nested, nested)
		}
	}
}

// overlay builds goodTree with changes laid over it.
func overlay(t *testing.T, changes map[string]string) *tree {
	t.Helper()
	fsys := fstest.MapFS{}
	for _, files := range []map[string]string{goodTree, changes} {
		for name, text := range files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
			if text == "" {
				delete(fsys, name)
			}
		}
	}
	tr, err := load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
