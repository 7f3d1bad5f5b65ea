package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// layers says for each top folder which other top folders it may import; its own it always
// may. Layer 0 is internal, 1 lockfree and sleepevent, 2 namedthread and graphevent, 3
// taskgraph; packages of one layer are strangers to each other. Nothing lists stress,
// examples or bench: they stand aside, and nothing shipped leans on them.
var layers = map[string][]string{
	".":           {},
	"internal":    {},
	aside:         {},
	"lockfree":    {"internal"},
	"sleepevent":  {"internal"},
	"namedthread": {"internal", "lockfree", "sleepevent"},
	"graphevent":  {"internal", "lockfree", "sleepevent"},
	"taskgraph":   {"internal", "lockfree", "sleepevent", "namedthread", "graphevent"},
	"stress": {"internal", aside, "lockfree", "sleepevent", "namedthread", "graphevent",
		"taskgraph"},
	"examples": {aside, "lockfree", "sleepevent", "namedthread", "graphevent", "taskgraph"},
	"bench": {"internal", aside, "lockfree", "sleepevent", "namedthread", "graphevent",
		"taskgraph"},
}

// aside holds what serves tests and commands only. It is under internal because nobody else is to
// import it, and in a folder of its own because all else there is the ground of what ships.
const aside = "internal/dev"

// testTools are the packages that any test may import: they know nothing of the packages under
// test.
var testTools = []string{
	aside + "/hang", aside + "/masks", aside + "/race", aside + "/refuse", aside + "/seed",
	aside + "/short", aside + "/ways", "stress/history", "stress/modelcheck", "stress/watch",
}

// under reports whether a folder is another or lies in it.
func under(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

// top returns the first element of a folder, or "." for the root package.
func top(dir string) string {
	first, _, _ := strings.Cut(dir, "/")
	return first
}

// shipped reports whether a folder holds code that a user's program links: everything but
// the sides and what stands aside.
func shipped(dir string) bool {
	switch top(dir) {
	case "stress", "examples", "bench":
		return false
	}
	return !under(dir, aside)
}

// inModule returns the folder of a package of this module.
func inModule(imported string) (dir string, ok bool) {
	if imported == modulePath {
		return ".", true
	}
	return strings.CutPrefix(imported, modulePath+"/")
}

var layerRule = rule{
	name: "imports go down only",
	check: func(t *tree) (findings []string) {
		for _, s := range t.goFiles() {
			from := top(s.dir())
			if under(s.dir(), aside) {
				from = aside
			}
			allowed, known := layers[from]
			if !known {
				findings = append(findings,
					fmt.Sprintf("%s: folder %s is in no layer: give it one in layers, or move "+
						"the file", s.path, from))
				continue
			}
			for imported, pos := range s.imports {
				dir, ok := inModule(imported)
				if !ok {
					continue
				}
				if s.test() && slices.Contains(testTools, dir) {
					continue
				}
				to := top(dir)
				if under(dir, aside) {
					to = aside
				}
				if to != from && !slices.Contains(allowed, to) {
					findings = append(findings,
						fmt.Sprintf("%s: %s must not import %s: imports go down only and "+
							"strangers stay strangers; move what is shared to a lower layer, or "+
							"let the upper package pass it in", t.at(pos), from, to))
				}
			}
		}
		return findings
	},
	bad: []badTree{
		{"up", map[string]string{"lockfree/x.go": "package lockfree\n\nimport _ \"" + modulePath +
			"/taskgraph\"\n"}, "lockfree/x.go:3: lockfree must not import taskgraph"},
		{"stranger", map[string]string{"sleepevent/x.go": "package sleepevent\n\nimport _ \"" +
			modulePath + "/lockfree\"\n"}, "sleepevent must not import lockfree"},
		{"side", map[string]string{"taskgraph/x.go": "package taskgraph\n\nimport _ \"" +
			modulePath + "/stress/soak\"\n"}, "taskgraph must not import stress"},
		{"checker", map[string]string{"lockfree/x.go": "package lockfree\n\nimport _ \"" +
			modulePath + "/stress/modelcheck\"\n"}, "lockfree must not import stress"},
		{"users' seam", map[string]string{"sleepevent/x.go": "package sleepevent\n\nimport _ \"" +
			modulePath + "/stress/modelcheck/atomic\"\n"}, "sleepevent must not import stress"},
		{"histories under internal",
			map[string]string{"internal/park/x.go": "package park\n\nimport _ \"" + modulePath +
				"/stress/history\"\n"}, "internal must not import stress"},
		{"stress in a test",
			map[string]string{"lockfree/x_test.go": "package lockfree_test\n\nimport _ \"" +
				modulePath + "/stress\"\n"}, "lockfree must not import stress"},
		{"mixed programs", map[string]string{"internal/park/x.go": "package park\n\nimport _ \"" +
			modulePath + "/stress/internal/mix\"\n"}, "internal must not import stress"},
		{"shipped code with flags",
			map[string]string{"internal/park/x.go": "package park\n\nimport _ \"" + modulePath +
				"/internal/dev/cli\"\n"}, "internal must not import internal/dev"},
		{"flags in a test",
			map[string]string{"lockfree/x_test.go": "package lockfree_test\n\nimport _ \"" +
				modulePath + "/internal/dev/cli\"\n"}, "lockfree must not import internal/dev"},
		{"ways to leave in shipped code",
			map[string]string{"lockfree/x.go": "package lockfree\n\nimport _ \"" + modulePath +
				"/internal/dev/ways\"\n"}, "lockfree must not import internal/dev"},
		{"flags with what they are for",
			map[string]string{"internal/dev/cli/x.go": "package cli\n\nimport _ \"" + modulePath +
				"/internal/park\"\n"}, "internal/dev must not import internal"},
		{"command in a test",
			map[string]string{"lockfree/x_test.go": "package lockfree_test\n\nimport _ \"" +
				modulePath + "/stress/soak\"\n"}, "lockfree must not import stress"},
		{"in a test",
			map[string]string{"graphevent/x_test.go": "package graphevent_test\n\nimport _ \"" +
				modulePath + "/namedthread\"\n"}, "graphevent must not import namedthread"},
		{"example reaching inside",
			map[string]string{
				"examples/go.mod": "module " + modulePath + "/examples\n",
				"examples/a/main.go": "package main\n\nimport _ \"" + modulePath +
					"/internal/park\"\n"}, "examples must not import internal"},
		{"what leans on an example",
			map[string]string{"stress/x.go": "package stress\n\nimport _ \"" + modulePath +
				"/examples/a\"\n"}, "stress must not import examples"},
		{"unknown folder", map[string]string{"util/x.go": "package util\n"},
			"folder util is in no layer"},
	},
}

// testLibraries may be imported by tests, and by ordinary files of stress that sides does not
// say more about.
var testLibraries = []string{
	"github.com/stretchr/testify",
	"pgregory.net/rapid",
	"github.com/anishathalye/porcupine",
	"go.uber.org/goleak",
}

var libraryRule = rule{
	name: "few libraries",
	check: func(t *tree) (findings []string) {
		for _, s := range t.goFiles() {
			for imported, pos := range s.imports {
				first, _, _ := strings.Cut(imported, "/")
				if _, own := inModule(imported); own || !strings.Contains(first, ".") {
					continue
				}
				of := func(lib string) bool {
					return imported == lib || strings.HasPrefix(imported, lib+"/")
				}
				_, narrow := sides[s.dir()]
				switch side := top(s.dir()); {
				case of("golang.org/x/sys") && side != "examples":
				case slices.ContainsFunc(testLibraries, of) &&
					(s.test() || side == "stress" && !narrow || s.dir() == aside+"/seed"):
				case slices.ContainsFunc(sides[s.dir()], of):
				default:
					findings = append(findings,
						fmt.Sprintf("%s: %s must not import %s: shipped code uses the standard "+
							"library and golang.org/x/sys, tests also %s; anything heavier "+
							"belongs in a nested module",
							t.at(pos), s.path, imported, strings.Join(testLibraries, ", ")))
				}
			}
		}
		return findings
	},
	bad: []badTree{
		{"heavy",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\nimport _ \"go.uber.org/zap\"\n"},
			"must not import go.uber.org/zap"},
		{"test library in shipped code",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\nimport _ \"pgregory.net/rapid\"\n"},
			"must not import pgregory.net/rapid"},
		{"test library in the checker",
			map[string]string{
				"stress/modelcheck/x.go": "package modelcheck\n\nimport _ \"pgregory.net/rapid\"\n"},
			"must not import pgregory.net/rapid"},
		{"library in the users' seam",
			map[string]string{
				"stress/modelcheck/atomic/x.go": "package atomic\n\nimport _ \"github.com/anishathalye/porcupine\"\n"},
			"must not import github.com/anishathalye/porcupine"},
		{"library in histories",
			map[string]string{
				"stress/history/x.go": "package history\n\nimport _ \"pgregory.net/rapid\"\n"},
			"must not import pgregory.net/rapid"},
		{"library in an example",
			map[string]string{
				"examples/a/main.go": "package main\n\nimport _ \"golang.org/x/sys/unix\"\n"},
			"must not import golang.org/x/sys/unix"},
		{"name alike",
			map[string]string{
				"lockfree/x_test.go": "package lockfree\n\nimport _ \"go.uber.org/goleaky\"\n"},
			"must not import go.uber.org/goleaky"},
	},
}

// sides says of the packages that users build their own tests on, and of the engine beneath
// them, which packages of the module and which libraries their ordinary files may import. So
// they can be used to test everything above them, and are light for users.
var sides = map[string][]string{
	"internal/modelcheck":      {},
	"stress/modelcheck":        {"internal/modelcheck", "internal/atomics", "stress/history"},
	"stress/modelcheck/atomic": {"internal/atomics"},
	"stress/history": {"internal/atomics", "internal/cacheline",
		"github.com/anishathalye/porcupine"},
	"stress/watch": {"go.uber.org/goleak"},
}

var sideRule = rule{
	name: "the tools of tests lean on little",
	check: func(t *tree) (findings []string) {
		for _, s := range t.goFiles() {
			allowed, narrow := sides[s.dir()]
			if !narrow || s.test() {
				continue
			}
			for imported, pos := range s.imports {
				if dir, ok := inModule(imported); ok && !slices.Contains(allowed, dir) {
					findings = append(findings,
						fmt.Sprintf("%s: %s must not import %s: what is to test it cannot know "+
							"it, and users would link it; pass it in", t.at(pos), s.dir(), dir))
				}
			}
		}
		return findings
	},
	bad: []badTree{
		{"engine and seam",
			map[string]string{"internal/modelcheck/x.go": "package modelcheck\n\nimport _ \"" +
				modulePath + "/internal/atomics\"\n"},
			"internal/modelcheck/x.go:3: internal/modelcheck must not import " +
				"internal/atomics"},
		{"checker and checked",
			map[string]string{"stress/modelcheck/x.go": "package modelcheck\n\nimport _ \"" +
				modulePath + "/lockfree\"\n"}, "stress/modelcheck must not import lockfree"},
		{"checker and properties",
			map[string]string{"stress/modelcheck/x.go": "package modelcheck\n\nimport _ \"" +
				modulePath + "/stress\"\n"}, "stress/modelcheck must not import stress"},
		{"users' seam and engine",
			map[string]string{"stress/modelcheck/atomic/x.go": "package atomic\n\nimport _ \"" +
				modulePath + "/internal/modelcheck\"\n"},
			"stress/modelcheck/atomic must not import internal/modelcheck"},
		{"histories and checked",
			map[string]string{"stress/history/x.go": "package history\n\nimport _ \"" + modulePath +
				"/lockfree\"\n"}, "stress/history must not import lockfree"},
	},
}

// atomicExceptions lists the files besides that import sync/atomic, each with the reason. One that
// does not is a finding.
var atomicExceptions = map[string]string{
	"examples/synth/job.go": "it is what one would write without this project, to be compared " +
		"with it",
	"examples/synth/plain.go": "as job.go",
}

var atomicRule = rule{
	name:  "sync/atomic only in internal/atomics and the engine",
	check: func(t *tree) []string { return checkAtomics(t, known(t, atomicExceptions)) },
	bad: []badTree{
		{"code",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\nimport \"sync/atomic\"\n\nvar x atomic.Bool\n"},
			"lockfree/x.go:3: imports sync/atomic"},
		{"test",
			map[string]string{
				"lockfree/x_test.go": "package lockfree\n\nimport . \"sync/atomic\"\n"},
			"lockfree/x_test.go:3: imports sync/atomic"},
		{"checker's face",
			map[string]string{
				"stress/modelcheck/x.go": "package modelcheck\n\nimport \"sync/atomic\"\n"},
			"stress/modelcheck/x.go:3"},
		{"users' seam",
			map[string]string{
				"stress/modelcheck/atomic/x.go": "package atomic\n\nimport \"sync/atomic\"\n"},
			"stress/modelcheck/atomic/x.go:3"},
		{"name like the engine's",
			map[string]string{
				"internal/modelchecks/x.go": "package modelchecks\n\nimport \"sync/atomic\"\n"},
			"internal/modelchecks/x.go:3"},
		{"parker under the tag",
			map[string]string{
				"internal/park/x.go": "//go:build modelcheck\n\npackage park\n\nimport \"sync/atomic\"\n"},
			"internal/park/x.go:5"},
		{"other internal",
			map[string]string{
				"internal/atomicsx/x.go": "package atomicsx\n\nimport \"sync/atomic\"\n"},
			"internal/atomicsx/x.go:3"},
	},
}

func checkAtomics(t *tree, exceptions map[string]string) (findings []string) {
	used := map[string]bool{}
	for _, s := range t.goFiles() {
		for imported, pos := range s.imports {
			switch {
			case imported != "sync/atomic" || s.dir() == "internal/atomics" ||
				s.dir() == "internal/modelcheck":
			case exceptions[s.path] != "":
				used[s.path] = true
			default:
				findings = append(findings,
					fmt.Sprintf("%s: imports sync/atomic: use the aliases of "+
						"%s/internal/atomics, so that a tool that replaces them sees this word too",
						t.at(pos), modulePath))
			}
		}
	}
	for path := range exceptions {
		if !used[path] {
			findings = append(findings,
				fmt.Sprintf("atomicExceptions: %s is needed no more: remove it", path))
		}
	}
	return findings
}

func TestAtomicExceptions(t *testing.T) {
	const file = "lockfree/x.go"
	tr := overlay(t, map[string]string{file: "package lockfree\n\nimport _ \"sync/atomic\"\n"})
	if got := checkAtomics(tr, map[string]string{file: "why"}); len(got) != 0 {
		t.Errorf("an entered exception is still a finding: %q", got)
	}
	got := checkAtomics(tr, map[string]string{file: "why", "lockfree/y.go": "why"})
	if len(got) != 1 || !strings.Contains(got[0], "needed no more") {
		t.Errorf("a stale exception is no finding: %q", got)
	}
}
