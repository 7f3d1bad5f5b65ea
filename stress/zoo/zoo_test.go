package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

const goodText = `package: ./lockfree
file: lockfree/stack.go
what: the check is dropped
breaks: S2
preemptions: 2
-- old --
	if a == b { // why
		return
	}
-- new --
	_ = a
-- old --
	c++
-- new --
`

func parseGood(t *testing.T) *specimen {
	t.Helper()
	s, err := parse("Stack", "check-dropped", goodText)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParse(t *testing.T) {
	s := parseGood(t)
	if s.id() != "Stack/check-dropped" || s.test != "TestModelStack" || s.pkg != "./lockfree" ||
		s.file != "lockfree/stack.go" ||
		s.what != "the check is dropped" || s.breaks != "S2" || s.preemptions != 2 {
		t.Errorf("%+v", s)
	}
	if len(s.edits) != 2 || len(s.edits[0].old) != 3 || len(s.edits[0].new) != 1 ||
		len(s.edits[1].old) != 1 || len(s.edits[1].new) != 0 {
		t.Errorf("edits %q", s.edits)
	}
	s, err := parse("Deque", "x",
		strings.Replace(goodText, "what:", "test: TestModelPointerDeque\nwhat:", 1))
	if err != nil || s.test != "TestModelPointerDeque" {
		t.Errorf("test %q, error %v", s.test, err)
	}
}

func TestParseErrors(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no header":      {"breaks: S2\n", "", `no header "breaks"`},
		"no preemptions": {"preemptions: 2\n", "", `want one header of "preemptions"`},
		"both": {"preemptions: 2\n", "preemptions: 2\ntags: x\n",
			`want one header of "preemptions"`},
		"ordinary twice": {"preemptions: 2\n", "ordinary: why\ntags: x\n", "says the same"},
		"unknown header": {"breaks:", "brakes:", `no header "brakes"`},
		"header twice": {"breaks: S2\n", "breaks: S2\nbreaks: S3\n",
			`a second header "breaks"`},
		"empty header":       {"breaks: S2", "breaks:", "key: value"},
		"not a number":       {"preemptions: 2", "preemptions: two", "no number"},
		"negative":           {"preemptions: 2", "preemptions: -1", "no number"},
		"new without old":    {"-- old --\n\tif", "-- new --\n\tif", "without"},
		"old without new":    {"-- new --\n\t_ = a\n", "", "want pairs"},
		"nothing to replace": {goodText[strings.Index(goodText, oldMark):], "", "want pairs"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(goodText, c.old, c.new, 1)
			if name == "old without new" {
				text = text[:strings.LastIndex(text, newMark)]
			}
			if _, err := parse("Stack", "x", text); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestApply(t *testing.T) {
	s := parseGood(t)
	// Comments, spacing and blank lines do not count.
	got, err := s.apply(
		"package p\n\n\tif a ==  b {\n\n\t\treturn // other\n\t}\n\tc++ // x\n\treturn\n")
	if want := "package p\n\n\t_ = a\n\treturn\n"; err != nil || got != want {
		t.Errorf("got %q, error %v", got, err)
	}
}

func TestStale(t *testing.T) {
	s := parseGood(t)
	block := "\tif a == b {\n\t\treturn\n\t}\n"
	for name, text := range map[string]string{
		"gone":       "\tc++\n",
		"changed":    strings.Replace(block, "==", "!=", 1) + "\tc++\n",
		"twice":      block + block + "\tc++\n",
		"later edit": block,
		"not a line": strings.Replace(block, "if", "else if", 1) + "\tc++\n",
	} {
		if _, err := s.apply(text); !errors.Is(err, errStale) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestLoad(t *testing.T) {
	all, err := load(fstest.MapFS{
		"Stack/b.txt": {Data: []byte(goodText)},
		"Stack/a.txt": {Data: []byte(goodText)},
		"Deque/c.txt": {Data: []byte(goodText)},
	})
	if err != nil || len(all) != 3 || all[0].id() != "Deque/c" || all[1].id() != "Stack/a" {
		t.Errorf("%v, error %v", all, err)
	}
	if _, err := load(fstest.MapFS{"Stack/b.txt": {Data: []byte("what")}}); err == nil ||
		!strings.Contains(err.Error(), "Stack/b.txt: line 1") {
		t.Errorf("error %v", err)
	}
	if _, err := load(fstest.MapFS{"Stack/b.text": {}}); err == nil {
		t.Error("a file that is no specimen was passed over")
	}
}

// The specimens that are here fit the files that they edit, change something, and are enough.
func TestSpecimens(t *testing.T) {
	root, err := cli.ModuleRoot("github.com/heddle-go/heddle")
	if err != nil {
		t.Fatal(err)
	}
	all, err := load(os.DirFS("specimens"))
	if err != nil {
		t.Fatal(err)
	}
	of, deep := map[string]int{}, map[string]int{}
	for _, s := range all {
		of[s.structure]++
		deep[s.structure] = max(deep[s.structure], s.preemptions)
		if s.tags == "" && s.preemptions < 1 {
			t.Errorf("%s: a bug that needs no preemption is for the ordinary tests", s.id())
		}
		if s.tags != "" {
			deep[s.structure] = 2 // these are not about orders of steps
		} else if !strings.HasPrefix(s.file, strings.TrimPrefix(s.pkg, "./")+"/") {
			t.Errorf("%s: %s is not in %s", s.id(), s.file, s.pkg)
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(s.file)))
		if err != nil {
			t.Errorf("%s: %v", s.id(), err)
			continue
		}
		edited, err := s.apply(string(text))
		if err != nil {
			t.Errorf("%s: %v", s.id(), err)
		} else if edited == string(text) {
			t.Errorf("%s changes nothing", s.id())
		}
	}
	for _, structure := range []string{"Stack", "Queue", "Ring", "IndexQueue", "PriorityQueue",
		"Deque", "ClosableList", "StallingQueue", "Group", "Kernel", "Assets", "Faults"} {
		of[structure] += 0 // also those that have none
	}
	for structure := range of {
		if of[structure] < 5 {
			t.Errorf("%s has %d specimens, fewer than 5", structure, of[structure])
		}
		if deep[structure] < 2 {
			t.Errorf("%s has no specimen that needs two preemptions", structure)
		}
	}
}

// A specimen that the compiler would refuse is told of, whichever are drawn.
func TestTypecheck(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module m\n\ngo 1.26\n",
		"p/p.go":      "package p\n\nimport \"m/q\"\n\nfunc F() int {\n\treturn q.X\n}\n",
		"p/other.go":  "package p\n\nfunc G2() int { return F() }\n",
		"p/tagged.go": "//go:build x\n\npackage p\n",
		"q/q.go":      "package q\n\nvar X int\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	k := &keeper{root: root}
	for name, c := range map[string]struct{ file, old, new, want string }{
		"fits":       {"p/p.go", "\treturn q.X", "\treturn q.X + 1", ""},
		"gone":       {"p/p.go", "\treturn q.X", "\treturn q.Y", "undefined: q.Y"},
		"unused":     {"p/p.go", "\treturn q.X", "\treturn 1", "imported and not used"},
		"elsewhere":  {"p/p.go", "func F() int {", "func G() int {", "undefined: F"},
		"no Go":      {"p/p.go", "\treturn q.X", "\treturn )", "expected"},
		"stale":      {"p/p.go", "\treturn q.Z", "\treturn 1", "stale"},
		"not built":  {"p/tagged.go", "package p", "package p // so", "not built with its tags"},
		"no package": {"r/r.go", "package r", "package s", "r: exit status 1"},
	} {
		s := &specimen{structure: "S", name: name, file: c.file, pkg: "./p",
			edits: []edit{{[]string{c.old}, []string{c.new}}}}
		err := k.typecheck(t.Context(), []*specimen{s, s})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// A package is built in the module that it belongs to.
func TestModule(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{".", "nested"} {
		if err := os.MkdirAll(filepath.Join(root, dir, "a", "b"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, "go.mod"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	k := &keeper{root: root}
	for pkg, want := range map[string][2]string{
		"./a/b": {".", "./a/b"}, "./nested": {"nested", "./."}, "./nested/a/b": {"nested", "./a/b"},
	} {
		dir, inside, err := k.module(pkg)
		if err != nil || dir != filepath.Join(root, want[0]) || inside != want[1] {
			t.Errorf("%s: %s in %s, error %v", pkg, inside, dir, err)
		}
	}
}

// A specimen that the ordinary tests are said to find is good if they do, and if not its header is
// wrong.
func TestOrdinaryTestsAreExpectedToFind(t *testing.T) {
	s, err := parse("Stack", "x", strings.Replace(goodText, "what:", "ordinary: why\nwhat:", 1))
	if err != nil || s.ordinary != "why" {
		t.Fatalf("ordinary %q, error %v", s.ordinary, err)
	}
	for name, c := range map[string]struct {
		ok, hung  bool
		out       string
		good      bool
		why, line string
	}{
		"found": {false, false, "--- FAIL", true, "",
			"found Stack/x: by the ordinary tests, as expected (0s)"},
		"hangs": {false, true, "", true, "",
			"found Stack/x: by the ordinary tests, as expected (0s)"},
		"passes": {true, false, "PASS", false, "the ordinary tests pass", "FAIL  Stack/x: the"},
		"no such test": {true, false, "testing: warning: no tests to run", false,
			"no ordinary test runs", "FAIL  Stack/x: no"},
	} {
		v := verdict{s: s, native: true}
		v.good, v.why, v.tail = passed(c.ok, c.hung, c.out)
		v.expect()
		if v.good != c.good || !strings.HasPrefix(v.why, c.why) || c.why == "" && v.why != "" ||
			!strings.HasPrefix(v.line(), c.line) {
			t.Errorf("%s: good %v, why %q, %s", name, v.good, v.why, v.line())
		}
	}
}

func TestFound(t *testing.T) {
	const line = `{"suite":"Stack","engine":"dpor","execution":1325,"program":17,"preemptions":2,"kind":"linearizability","schedule":"A2B9"}` + "\n"
	s := parseGood(t)
	for name, c := range map[string]struct {
		ok, hung  bool
		line, out string
		kind, why string
	}{
		"found":  {line: line + line, out: "--- FAIL", kind: "linearizability"},
		"passes": {ok: true, out: "PASS", why: "TestModelStack passes"},
		"no such test": {ok: true, out: "testing: warning: no tests to run\nPASS",
			why: "./lockfree has no TestModelStack"},
		"hangs": {hung: true, out: "panic: test timed out after 1s",
			why: "TestModelStack did not end in time"},
		"panics": {out: "panic: lockfree: too many values in one container", kind: "panic"},
		"races":  {out: "WARNING: DATA RACE", kind: "data race"},
		"fails quietly": {out: "--- FAIL",
			why: "TestModelStack fails without a finding in MODELCHECK_FIND"},
		"garbage": {line: "{\n", out: "--- FAIL",
			why: `the finding "{": unexpected end of JSON input`},
		"found, passes": {ok: true, line: line, out: "PASS", why: "TestModelStack passes"},
	} {
		t.Run(name, func(t *testing.T) {
			f, why, _ := found(s, c.ok, c.hung, c.line, c.out)
			if f.Kind != c.kind || why != c.why {
				t.Errorf("kind %q, why %q", f.Kind, why)
			}
		})
	}
	ordinary := *s
	ordinary.tags = "x"
	g, why, _ := found(&ordinary, false, true, "", "panic: hangs")
	if g.Kind != s.test || why != "" {
		t.Errorf("by an ordinary test: %+v, why %q", g, why)
	}
	f, _, _ := found(s, false, false, line, "")
	if want := (finding{"Stack", "dpor", 1325, 17, 2, "linearizability", "A2B9"}); f != want {
		t.Errorf("%+v", f)
	}
}

// The patterns of each structure fit the tests that they are for, and no others.
func TestSeeing(t *testing.T) {
	if got := seeing("./sleepevent", "Group"); got != "." {
		t.Errorf("of package sleepevent it takes only %s", got)
	}
	for structure, c := range map[string]struct{ yes, no string }{
		"Stack": {"TestStackPopAll TestTrap13_StackABA FuzzStack TestArenaLocate",
			"TestQueueOverrun"},
		"Queue": {"TestQueueOverrun TestTrap13_QueuePositionsWrap ExampleQueue",
			"TestSPSCQueueKeepsTwoSegments TestPriorityQueueOrder"},
		"Ring": {"TestRingsNeedCapacity TestTrap10_RingOldPositions",
			"TestSPSCRingLenStaysInBounds"},
		"Deque": {"TestDequeGrows TestPointerDequeGrows TestTrap10_StealNoFalseEmpty",
			"TestQueueOverrun"},
		"ClosableList": {"TestClosableListLinearizable TestTrap04_CloseAndAddInOneStep",
			"TestClosableHead"},
		"StallingQueue": {"TestStallingQueue TestTrap01_StallingQueueOwnerSleeps FuzzStallingQueue",
			"TestPriorityQueueOrder"},
		"PriorityQueue": {"TestPriorityQueueOrder", "TestQueueOverrun"},
	} {
		pattern := regexp.MustCompile(seeing(many, structure))
		for name := range strings.FieldsSeq(c.yes) {
			if !pattern.MatchString(name) {
				t.Errorf("%s: %s is left out", structure, name)
			}
		}
		for name := range strings.FieldsSeq(c.no) {
			if pattern.MatchString(name) {
				t.Errorf("%s: %s is in", structure, name)
			}
		}
	}
}

func TestTable(t *testing.T) {
	s := &specimen{structure: "Stack", name: "x", what: "a | b"}
	also := &specimen{structure: "Stack", name: "y", what: "c", ordinary: "why"}
	got := table([]verdict{
		{s: s, good: true, found: finding{Engine: "dpor", Execution: 7, Preemptions: 2}},
		{s: s, good: true, found: finding{Kind: "panic"}},
		{s: s, why: "passes"},
		{s: s, native: true, good: true},
		{s: s, native: true, why: "hangs"},
		{s: also, good: true, found: finding{Engine: "dpor", Execution: 7, Preemptions: 2}},
		{s: also, native: true, good: true},
	})
	want := tableHead + `| structure | specimen | what is wrong | found by | execution | preemptions |
|---|---|---|---|---|---|
| Stack | x | a \| b | dpor | 7 | 2 |
| Stack | x | a \| b | panic |  |  |
| Stack | x | a \| b | not found |  |  |
| Stack | x | a \| b | passes natively |  |  |
| Stack | x | a \| b | hangs |  |  |
| Stack | y | c | dpor, and the ordinary tests | 7 | 2 |
| Stack | y | c | the ordinary tests |  |  |
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestVerdictLine(t *testing.T) {
	s := parseGood(t)
	for _, c := range []struct {
		v    verdict
		want string
	}{
		{verdict{s: s, native: true, good: true, took: time.Second},
			"pass  Stack/check-dropped (1s)"},
		{verdict{s: s, good: true, found: finding{Kind: "panic"}},
			"found Stack/check-dropped: panic (0s)"},
		{verdict{s: s, good: true, found: finding{"Stack", "pct", 3, 1, 2, "deadlock", "A1"}},
			"found Stack/check-dropped: deadlock by pct at execution 3, 2 preemptions, program " +
				"1, schedule A1 (0s)"},
		{verdict{s: s, why: "stale", tail: "a\nb\n"},
			"FAIL  Stack/check-dropped: stale (0s)\n      a\n      b"},
		{verdict{s: s, why: "stale"}, "FAIL  Stack/check-dropped: stale (0s)"},
	} {
		if got := c.v.line(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// What does not have to build anything ends with the status that is described.
func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		args        string
		status      int
		stdout, err string
	}{
		"help":         {"-h", cli.OK, "", "usage: go run ./stress/zoo"},
		"list":         {"-list -only ^Stack/", cli.OK, "Stack/", ""},
		"unknown flag": {"-nativ", cli.Usage, "", "-nativ"},
		"no number":    {"-count x", cli.Usage, "", "-count"},
		"no regexp":    {"-only (", cli.Usage, "", "-only"},
		"no pattern":   {"-native -run Test/(a/b", cli.Usage, "", "missing closing"},
		"not native":   {"-count 3", cli.Failed, "", "-count needs -native"},
		"run alone":    {"-run Test", cli.Failed, "", "-run needs -native"},
		"short alone":  {"-short", cli.Failed, "", "-short needs -native"},
		"stray":        {"Stack", cli.Usage, "", "stray argument"},
		"count":        {"-native -count 0", cli.Failed, "", "must be positive"},
		"parallel":     {"-p -1", cli.Failed, "", "must be positive"},
		"no specimen":  {"-only nothing-of-that-name", cli.Failed, "", "no specimen"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if got := command().Run(t.Context(), strings.Fields(c.args), &stdout,
				&stderr); got != c.status {
				t.Errorf("status %d, want %d", got, c.status)
			}
			if !strings.Contains(stdout.String(), c.stdout) || c.stdout == "" && stdout.Len() > 0 {
				t.Errorf("standard output %q", stdout.String())
			}
			if !strings.Contains(stderr.String(), c.err) || c.err == "" && stderr.Len() > 0 {
				t.Errorf("standard error %q", stderr.String())
			}
		})
	}
}

func TestDrawn(t *testing.T) {
	var all []*specimen
	tests := map[string]bool{}
	for i := range 60 {
		s := &specimen{structure: "S", name: fmt.Sprintf("%02d", i), pkg: "./p",
			test: fmt.Sprintf("Test%d", min(i, 7))}
		all, tests[s.test] = append(all, s), true
	}
	seen := map[string]bool{}
	for seed := range uint64(40) {
		chosen := drawn(all, 20, seed)
		if len(chosen) != 20 {
			t.Fatalf("seed %d: %d specimens, want 20", seed, len(chosen))
		}
		found := map[string]bool{}
		for i, s := range chosen {
			found[s.test], seen[s.name] = true, true
			if i > 0 && chosen[i-1].name >= s.name {
				t.Fatalf("seed %d: %s before %s", seed, chosen[i-1].name, s.name)
			}
		}
		if len(found) != len(tests) {
			t.Errorf("seed %d: specimens for %d tests, want %d", seed, len(found), len(tests))
		}
		if again := drawn(all, 20, seed); !slices.Equal(again, chosen) {
			t.Errorf("seed %d draws others the second time", seed)
		}
	}
	for i, fresh := range all { // drawn with all but this one
		before := drawn(slices.Delete(slices.Clone(all), i, i+1), 20, 1)
		others := 0
		for _, s := range drawn(all, 20, 1) {
			if s != fresh && !slices.Contains(before, s) {
				others++
			}
		}
		if others > 0 {
			t.Errorf("with %s, %d others are drawn that were not", fresh.name, others)
		}
	}
	if len(seen) != len(all) {
		t.Errorf("40 seeds draw %d of %d specimens", len(seen), len(all))
	}
	few := map[string]bool{}
	for _, s := range drawn(all, 5, 1) {
		few[s.test] = true
	}
	if len(few) != 5 {
		t.Errorf("five specimens are of %d tests, want five", len(few))
	}
	if most := drawn(all, 100, 1); !slices.Equal(most, all) {
		t.Errorf("%d specimens, want all %d", len(most), len(all))
	}
}
