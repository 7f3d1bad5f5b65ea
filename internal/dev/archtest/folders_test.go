package archtest

import (
	"cmp"
	"fmt"
	"maps"
	gopath "path"
	"slices"
	"strings"
	"testing"
)

// layerRule goes by a list. folderRule needs none: it draws the folders as they are.

// An arrow says that one folder leans on another, and by which import.
type arrow struct {
	to string
	at string // file and line of one import
}

// A drawing is what one sees of a folder that is opened: each folder in it with all that is
// below, the package of the folder itself, and the arrows between these.
type drawing map[string][]arrow

// itself stands for the package of the folder that is opened.
const itself = "(its own files)"

// draw opens every folder that has packages in it, of nested modules too. The arrows are the
// imports of ordinary files and of tests, but those by which a test takes a tool of tests: the
// tools lean on the ground alone, and the tests of the ground use them.
func draw(t *tree) map[string]drawing {
	drawings := map[string]drawing{}
	files := t.goFiles()
	for _, dir := range slices.Sorted(maps.Keys(t.nested)) {
		files = append(append(files, t.nested[dir].files...), t.nested[dir].tests...)
	}
	for _, s := range files {
		for imported, pos := range s.imports {
			to, ok := inModule(imported)
			if !ok || to == s.dir() || s.test() && slices.Contains(testTools, to) {
				continue
			}
			folder, a, b := part(s.dir(), to)
			d := drawings[folder]
			if d == nil {
				d = drawing{}
				drawings[folder] = d
			}
			if !slices.ContainsFunc(d[a], func(x arrow) bool { return x.to == b }) {
				d[a] = append(d[a], arrow{b, t.at(pos)})
			}
		}
	}
	return drawings
}

// part returns the innermost folder that two folders have in common, and which parts of it they
// belong to.
func part(one, other string) (folder, a, b string) {
	folder = "."
	rest := func(dir string) string {
		if dir == folder {
			return ""
		}
		if folder == "." {
			return dir
		}
		return strings.TrimPrefix(dir, folder+"/")
	}
	for {
		a, b = rest(one), rest(other)
		first, _, _ := strings.Cut(a, "/")
		if second, _, _ := strings.Cut(b, "/"); first != second {
			return folder, cmp.Or(first, itself), cmp.Or(second, itself)
		}
		folder = gopath.Join(folder, first)
	}
}

// circle returns a path along the arrows that ends where it begins, or nil.
func (d drawing) circle() []string {
	const open, done = 1, 2
	state := map[string]int{}
	var path []string
	var visit func(name string) []string
	visit = func(name string) []string {
		state[name] = open
		defer func() { state[name] = done }()
		for _, next := range d[name] {
			path = append(path, fmt.Sprintf("%s: %s leans on %s", next.at, name, next.to))
			switch state[next.to] {
			case open:
				return path[slices.IndexFunc(path, func(step string) bool {
					return strings.Contains(step, ": "+next.to+" leans on ")
				}):]
			case 0:
				if found := visit(next.to); found != nil {
					return found
				}
			}
			path = path[:len(path)-1]
		}
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if state[name] == 0 {
			if found := visit(name); found != nil {
				return found
			}
		}
	}
	return nil
}

var folderRule = rule{
	name: "folders, drawn, have no arrow up",
	check: func(t *tree) (findings []string) {
		drawings := draw(t)
		for _, folder := range slices.Sorted(maps.Keys(drawings)) {
			if circle := drawings[folder].circle(); circle != nil {
				findings = append(findings, fmt.Sprintf(
					"in folder %s one arrow goes up: move what belongs higher out of the lower folder\n\t%s",
					folder, strings.Join(circle, "\n\t")))
			}
		}
		return findings
	},
	bad: []badTree{
		{"attic beside the ground", map[string]string{
			"internal/mix/x.go": "package mix\n\nimport _ \"" + modulePath + "/lockfree\"\n",
		}, "internal/mix/x.go:3: internal leans on lockfree"},
		{"a test of the attic", map[string]string{
			"internal/mix/x_test.go": "package mix\n\nimport _ \"" + modulePath + "/lockfree\"\n",
		}, "internal/mix/x_test.go:3: internal leans on lockfree"},
		{"through a third", map[string]string{
			"internal/a/x.go": "package a\n\nimport _ \"" + modulePath + "/graphevent\"\n",
			"graphevent/x.go": "package graphevent\n\nimport _ \"" + modulePath +
				"/sleepevent/b\"\n",
			"sleepevent/b/x.go": "package b\n\nimport _ \"" + modulePath + "/internal/atomics\"\n",
		}, "graphevent/x.go:3: graphevent leans on sleepevent"},
		{"a nested module", map[string]string{
			"bench/go.mod":     "module " + modulePath + "/bench\n",
			"bench/x.go":       "package main\n\nimport _ \"" + modulePath + "/bench/peers\"\n",
			"bench/peers/x.go": "package peers\n\nimport _ \"" + modulePath + "/bench\"\n",
		}, "in folder bench one arrow goes up"},
		{"rooms in a room", map[string]string{
			"lockfree/internal/a/x.go": "package a\n\nimport _ \"" + modulePath +
				"/lockfree/internal/b/c\"\n",
			"lockfree/internal/b/x.go": "package b\n\nimport _ \"" + modulePath +
				"/lockfree/internal/a\"\n",
			"lockfree/internal/b/c/x.go": "package c\n",
		}, "in folder lockfree/internal one arrow goes up"},
		{"room and house", map[string]string{
			"lockfree/internal/a/x.go": "package a\n",
			"lockfree/x.go": "package lockfree\n\nimport _ \"" + modulePath +
				"/lockfree/internal/a\"\n",
			"lockfree/internal/b/x.go": "package b\n\nimport _ \"" + modulePath + "/lockfree\"\n",
		}, "lockfree/internal/b/x.go:3: internal leans on " + itself},
		{"a test of the house and who builds on it", map[string]string{
			"lockfree/x_test.go": "package lockfree_test\n\nimport _ \"" + modulePath +
				"/lockfree/more\"\n",
			"lockfree/more/x.go":   "package more\n\nimport _ \"" + modulePath + "/lockfree\"\n",
			"lockfree/more/doc.go": "// Package more is more.\npackage more\n",
		}, "lockfree/x_test.go:3: " + itself + " leans on more"},
	},
}

var groundRule = rule{
	name: "internal is the ground of what ships",
	check: func(t *tree) (findings []string) {
		used := map[string]bool{}
		for _, s := range t.goFiles() {
			if s.test() || !shipped(s.dir()) {
				continue
			}
			for imported := range s.imports {
				if dir, ok := inModule(imported); ok && dir != s.dir() {
					used[dir] = true
				}
			}
		}
		for _, p := range t.packages() {
			if top(p.dir) == "internal" && !under(p.dir, aside) && p.name != "main" &&
				!used[p.dir] {
				findings = append(findings, fmt.Sprintf("%s: nothing that ships imports it: "+
					"what serves tests and commands only stands in %s or in stress", p.dir, aside))
			}
		}
		return findings
	},
	bad: []badTree{
		{"for nobody",
			map[string]string{
				"internal/flags/doc.go": "// Package flags has flags.\npackage flags\n"},
			"internal/flags: nothing that ships imports it"},
		{"for a command", map[string]string{
			"internal/flags/doc.go": "// Package flags has flags.\npackage flags\n",
			"stress/soak/main.go": "package main\n\nimport _ \"" + modulePath +
				"/internal/flags\"\n",
		}, "internal/flags: nothing that ships imports it"},
		{"for a test", map[string]string{
			"internal/flags/doc.go": "// Package flags has flags.\npackage flags\n",
			"lockfree/x_test.go": "package lockfree\n\nimport _ \"" + modulePath +
				"/internal/flags\"\n",
		}, "internal/flags: nothing that ships imports it"},
	},
}

// TestDraw shows what is drawn where.
func TestDraw(t *testing.T) {
	for _, c := range []struct{ one, other, folder, a, b string }{
		{"lockfree", "internal/atomics", ".", "lockfree", "internal"},
		{".", "lockfree", ".", itself, "lockfree"},
		{"internal/park", "internal/atomics", "internal", "park", "atomics"},
		{"taskgraph", "taskgraph/internal/kernel", "taskgraph", itself, "internal"},
		{"taskgraph/tick", "taskgraph", "taskgraph", "tick", itself},
		{"taskgraph/internal/a/b", "taskgraph/internal/a", "taskgraph/internal/a", "b", itself},
		{"stress/model", "stress/modelcheck", "stress", "model", "modelcheck"},
	} {
		if folder, a, b := part(c.one, c.other); folder != c.folder || a != c.a || b != c.b {
			t.Errorf("part(%q, %q) = %q, %q, %q; want %q, %q, %q",
				c.one, c.other, folder, a, b, c.folder, c.a, c.b)
		}
	}
}
