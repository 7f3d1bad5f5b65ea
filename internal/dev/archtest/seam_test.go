package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	gopath "path"
	"slices"
	"strings"
	"testing"
)

// seamPackages are the ones whose every shared step goes through internal/atomics (or
// internal/park): a tool that orders the steps of that package sees all there is. Their files
// are read for every tag, and of internal/park those that stand in under the tag modelcheck
// obey too.
var seamPackages = []string{"lockfree", "sleepevent", "graphevent", "namedthread",
	"taskgraph/internal/abandon", "taskgraph/internal/asides", "taskgraph/internal/bundles",
	"taskgraph/internal/capacity",
	"taskgraph/internal/counts", "taskgraph/internal/crew", "taskgraph/internal/door",
	"taskgraph/internal/flight", "taskgraph/internal/forks", "taskgraph/internal/gates",
	"taskgraph/internal/joins", "taskgraph/internal/kernel", "taskgraph/internal/pending", "taskgraph/internal/promotion",
	"taskgraph/internal/spread", "taskgraph/internal/waits"}

// seamImports are what a seam package must not import: they share memory, start goroutines
// or enter the kernel behind the seam's back.
var seamImports = []string{"sync", "sync/atomic", "os/signal", "unique", "weak", "syscall",
	"golang.org/x/sys"}

// narrowed says for a few packages which of their names a seam package may use: of time what
// measures a span, of context what is handed through, of iter the types, of runtime nothing
// that yields or starts something.
var narrowed = map[string]func(name string) bool{
	"time": func(name string) bool {
		return slices.Contains([]string{"Duration", "Nanosecond", "Microsecond", "Millisecond",
			"Second", "Minute", "Hour"}, name)
	},
	"context": func(name string) bool {
		return slices.Contains([]string{"Context", "Cause", "Canceled", "DeadlineExceeded"}, name)
	},
	"iter": func(name string) bool { return name == "Seq" || name == "Seq2" },
	"runtime": func(name string) bool {
		return !slices.Contains([]string{"Gosched", "SetFinalizer", "AddCleanup"}, name)
	},
}

// seamExceptions lists, as "file: what", the places where a seam package may step outside,
// each with the reason. One that no longer applies is a finding.
var seamExceptions = map[string]string{
	"namedthread/done.go: channel type": "Done is for users to select on; nothing in " +
		"the package receives from it",
	"namedthread/run.go: context.AfterFunc": "it returns a token, as any goroutine may, " +
		"when the context of Run ends",
	"internal/park/locks_model.go: import sync": "outside a model its lock and its condition " +
		"variable are those of sync",
	"internal/park/locks_model.go: time.AfterFunc": "outside a model its timer is that of time",
	"internal/park/locks_model.go: time.Timer":     "outside a model its timer is that of time",
	"graphevent/wait.go: context.AfterFunc": "an outside goroutine that waits under a " +
		"context is woken by it; the context, not the event, is what is outside the seam",
	"taskgraph/internal/flight/clock.go: time.Time": dateOfBegin,
	"taskgraph/internal/flight/clock.go: time.Now":  dateOfBegin,
	"taskgraph/internal/flight/read.go: time.Time":  dateOfBegin,
}

const dateOfBegin = "the date of the first record, which no step depends on"

var seamRule = rule{
	name:  "shared steps go through the seam",
	check: func(t *tree) []string { return checkSeam(t, known(t, seamExceptions)) },
	bad: []badTree{
		{"mutex",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\nimport \"sync\"\n\nvar m sync.Mutex\n"},
			"lockfree/x.go:3: import sync"},
		{"kernel",
			map[string]string{
				"graphevent/x.go": "package graphevent\n\nimport \"golang.org/x/sys/unix\"\n\nvar x = unix.EINTR\n"},
			"import golang.org/x/sys/unix"},
		{"go statement",
			map[string]string{
				"taskgraph/internal/kernel/x.go": "package kernel\n\nfunc f() { go f() }\n"},
			"x.go:3: go statement"},
		{"channel",
			map[string]string{
				"sleepevent/x.go": "package sleepevent\n\ntype t struct{ c chan int }\n"},
			"x.go:3: channel type"},
		{"send",
			map[string]string{
				"sleepevent/x.go": "package sleepevent\n\nfunc (t t) f() { t.c <- 1 }\n"},
			"x.go:3: channel send"},
		{"receive",
			map[string]string{
				"sleepevent/x.go": "package sleepevent\n\nfunc (t t) f() { <-t.c }\n"},
			"x.go:3: channel receive"},
		{"select",
			map[string]string{"sleepevent/x.go": "package sleepevent\n\nfunc f() { select {} }\n"},
			"x.go:3: select statement"},
		{"timer",
			map[string]string{
				"sleepevent/x.go": "package sleepevent\n\nimport clock \"time\"\n\nfunc f() { clock.Sleep(clock.Second) }\n"},
			"x.go:5: time.Sleep"},
		{"context",
			map[string]string{
				"sleepevent/x.go": "package sleepevent\n\nimport \"context\"\n\nfunc f(ctx context.Context) { context.AfterFunc(ctx, nil) }\n"},
			"x.go:5: context.AfterFunc"},
		{"coroutine",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\nimport \"iter\"\n\nfunc f(s iter.Seq[int]) { iter.Pull(s) }\n"},
			"x.go:5: iter.Pull"},
		{"under the tag",
			map[string]string{
				"lockfree/x.go": "//go:build modelcheck\n\npackage lockfree\n\nimport \"sync\"\n\nvar m sync.Mutex\n"},
			"lockfree/x.go:5: import sync"},
		{"without the tag",
			map[string]string{
				"lockfree/x.go": "//go:build !modelcheck\n\npackage lockfree\n\nfunc f() { go f() }\n"},
			"lockfree/x.go:5: go statement"},
		{"parker under the tag",
			map[string]string{
				"internal/park/x.go": "//go:build modelcheck && linux\n\npackage park\n\nimport \"sync\"\n\nvar m sync.Mutex\n"},
			"internal/park/x.go:5: import sync"},
		{"yield",
			map[string]string{
				"namedthread/x.go": "package namedthread\n\nimport \"runtime\"\n\nfunc f() { runtime.Gosched() }\n"},
			"x.go:5: runtime.Gosched"},
		{"yield by dot",
			map[string]string{
				"namedthread/x.go": "package namedthread\n\nimport . \"runtime\"\n\nfunc f() { Gosched() }\n"},
			"x.go:3: import runtime by dot"},
	},
}

// known drops the exceptions for files of packages that this tree, a small one, lacks.
func known(t *tree, exceptions map[string]string) map[string]string {
	kept := map[string]string{}
	for key, why := range exceptions {
		if file, _, _ := strings.Cut(key, ":"); t.pkgs[gopath.Dir(file)] != nil {
			kept[key] = why
		}
	}
	return kept
}

func checkSeam(t *tree, exceptions map[string]string) (findings []string) {
	used := map[string]bool{}
	for _, dir := range append(slices.Clone(seamPackages), "internal/park") {
		p := t.pkgs[dir]
		if p == nil {
			continue
		}
		for _, s := range p.files {
			if dir == "internal/park" && !onlyUnderTag(s) {
				continue // it is what the seam stands for
			}
			report := func(pos token.Pos, what string) {
				key := s.path + ": " + what
				if exceptions[key] != "" {
					used[key] = true
					return
				}
				findings = append(findings,
					fmt.Sprintf("%s: %s: in %s every shared step goes through internal/atomics "+
						"or internal/park; use it, or enter %q in seamExceptions with the reason",
						t.at(pos), what, dir, key))
			}
			for imported, pos := range s.imports {
				of := func(banned string) bool {
					return imported == banned ||
						banned == "golang.org/x/sys" && strings.HasPrefix(imported, banned+"/")
				}
				if slices.ContainsFunc(seamImports, of) {
					report(pos, "import "+imported)
				}
				if narrowed[imported] != nil && s.localName(imported) == "." {
					report(pos, "import "+imported+" by dot")
				}
			}
			ast.Inspect(s.file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					report(n.Pos(), "go statement")
				case *ast.ChanType:
					report(n.Pos(), "channel type")
				case *ast.SendStmt:
					report(n.Pos(), "channel send")
				case *ast.SelectStmt:
					report(n.Pos(), "select statement")
				case *ast.UnaryExpr:
					if n.Op == token.ARROW {
						report(n.Pos(), "channel receive")
					}
				case *ast.SelectorExpr:
					x, ok := n.X.(*ast.Ident)
					if !ok {
						break
					}
					for imported, allows := range narrowed {
						if x.Name == s.localName(imported) && !allows(n.Sel.Name) {
							report(n.Pos(), imported+"."+n.Sel.Name)
						}
					}
				}
				return true
			})
		}
	}
	for key := range exceptions {
		if !used[key] {
			findings = append(findings,
				fmt.Sprintf("seamExceptions: %q is needed no more: remove it", key))
		}
	}
	return findings
}

func TestSeamExceptions(t *testing.T) {
	tr := overlay(t,
		map[string]string{
			"lockfree/x.go": "package lockfree\n\nimport \"sync\"\n\nvar m sync.Mutex\n"})
	if got := checkSeam(tr, map[string]string{"lockfree/x.go: import sync": "why"}); len(got) != 0 {
		t.Errorf("an entered exception is still a finding: %q", got)
	}
	got := checkSeam(tr, map[string]string{"lockfree/x.go: import sync": "why",
		"lockfree/y.go: import sync": "why"})
	if len(got) != 1 || !strings.Contains(got[0], "needed no more") {
		t.Errorf("a stale exception is no finding: %q", got)
	}
}
