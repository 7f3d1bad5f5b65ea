package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/stress/internal/shipped"
)

// run runs the command.
func run(t *testing.T, args ...string) (status int, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = command().Run(t.Context(), args, &out, &err)
	require.Empty(t, out.String())
	return status, err.String()
}

func root(t *testing.T) string {
	t.Helper()
	root, err := cli.ModuleRoot(shipped.Module)
	require.NoError(t, err)
	return root
}

// The page that is in the tree is what the records give. A page with a proof that has come, gone or
// been renamed, or a model that no record knows, shows here: make verification.
func TestPageIsWhatTheRecordsGive(t *testing.T) {
	status, stderr := run(t, "-check")
	require.Zero(t, status, stderr)
}

// Each page of a library package has a row, and each model stands in one.
func TestEachProtocolHasARow(t *testing.T) {
	root := root(t)
	text, err := os.ReadFile(filepath.Join(root, "docs", "verification.md"))
	require.NoError(t, err)
	pages, models := 0, 0
	require.NoError(t, filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		dir := filepath.ToSlash(filepath.Dir(rel))
		switch {
		case d.IsDir():
			if rel != "." && !shipped.Is(rel) || strings.HasPrefix(d.Name(), ".") || rel == "bin" {
				if rel != "." {
					return filepath.SkipDir
				}
			}
		case dir == ".":
		case strings.HasSuffix(rel, ".md"):
			pages++
			if !strings.Contains(string(text), "](../"+rel+") | ") {
				t.Errorf("%s has no row in docs/verification.md: make verification", rel)
			}
		case strings.HasSuffix(rel, modelFiles):
			models++
		}
		return nil
	}))
	require.Greater(t, pages, 50)
	require.Greater(t, models, 20)
	f, err := findProtocols(os.DirFS(root))
	require.NoError(t, err)
	for _, m := range f.models {
		require.True(t, slices.ContainsFunc(f.protocols, func(p *protocol) bool {
			return slices.Contains(p.Models, m)
		}), "%v is in no row", m)
	}
	for workload, page := range soakedBy {
		require.True(t, slices.ContainsFunc(f.protocols, func(p *protocol) bool {
			return p.Page == page
		}), "the page of the workload %s", workload)
	}
}

// A page that claims no protocol is there, numbers no steps and has no model; and no other rule
// already says why it has none.
func TestQuietPages(t *testing.T) {
	root := root(t)
	f, err := findProtocols(os.DirFS(root))
	require.NoError(t, err)
	for page, why := range quiet {
		require.NotEmpty(t, why, page)
		at := slices.IndexFunc(f.protocols, func(p *protocol) bool { return p.Page == page })
		require.GreaterOrEqual(t, at, 0, "%s is no page", page)
		require.Empty(t, f.protocols[at].Models, "%s has models", page)
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page)))
		require.NoError(t, err)
		require.Empty(t, step.FindAllString(string(text), -1),
			"%s numbers steps: it needs a model, or says why it has none", page)
		require.False(t, strings.Contains(string(text), noModel), page)
	}
}

func TestStep(t *testing.T) {
	for _, text := range []string{"x\n1. It runs.\n", "| SU1 | makes |", "- **C1** A word",
		"- R2: who", "12. *Once*"} {
		require.Regexp(t, step, text)
	}
	for _, text := range []string{"1. [a link](x)", "in 1. of", "- OpenGL 3", "| all | 1 |"} {
		require.NotRegexp(t, step, text)
	}
	require.Equal(t, saysWhy, claimOf("x.md", "# x\n\nIt is. There is\nno model, as it is."))
	require.Equal(t, isQuiet, claimOf("farm/figures.md", "# x\n"))
	require.Equal(t, needsModel, claimOf("farm/README.md", "# x\n"))
}

// tree is a small library.
var tree = fstest.MapFS{
	"lockfree/README.md":               {Data: []byte("# lockfree: why\n")},
	"lockfree/stack.md":                {Data: []byte("# Stack\n\nSee `TestModelLen` and TestModelNone.\n")},
	"lockfree/stack.go":                {Data: []byte("package lockfree\n")},
	"lockfree/len.go":                  {Data: []byte("package lockfree\n")},
	"lockfree/stack_test.go":           {Data: []byte("package lockfree\n")},
	"lockfree/more_model_test.go":      {Data: []byte("func TestModelLen(t *testing.T) {}\nfunc TestModelRest(t *testing.T) {}\nfunc TestModelstack(t *testing.T) {}\n")},
	"lockfree/stack_model_test.go":     {Data: []byte("func TestModelPops(t *testing.T) {}\n")},
	"lockfree/testdata/x/README.md":    {Data: []byte("# no page\n")},
	"internal/bare/bare.go":            {Data: []byte("package bare\n")},
	"internal/dev/x/README.md":         {Data: []byte("# aside\n")},
	"stress/README.md":                 {Data: []byte("# aside\n")},
	"stress/zoo/specimens/Stack/a.txt": {Data: []byte("what: a\n")},
	"stress/zoo/specimens/Stack/b.txt": {Data: []byte("what: b\n")},
	"stress/zoo/specimens/Stack/c.txt": {Data: []byte("what: c\n")},
	"README.md":                        {Data: []byte("# front\n")},
}

// What belongs to a page is found by its name, by what it names, and what is left is the README's.
func TestProtocols(t *testing.T) {
	f, err := findProtocols(tree)
	require.NoError(t, err)
	require.Len(t, f.protocols, 3)
	require.Equal(t, &protocol{Dir: "internal/bare", Title: "no page",
		Files: []string{"internal/bare/bare.go"}}, f.protocols[0])
	require.Equal(t, &protocol{Page: "lockfree/README.md", Dir: "lockfree", Title: "lockfree: why",
		Files:  []string{"lockfree/len.go"},
		Models: []model{{"lockfree", "TestModelRest"}}, Soaked: []string{"README", "windows"}},
		f.protocols[1])
	require.Equal(t, &protocol{Page: "lockfree/stack.md", Dir: "lockfree", Title: "Stack",
		Files: []string{"lockfree/stack.go"}, Models: []model{{"lockfree", "TestModelLen"},
			{"lockfree", "TestModelPops"}, {"lockfree", "TestModelstack"}},
		Soaked: []string{"stack"}}, f.protocols[2])
}

// inputs are what runs write, one kind each.
var inputs = map[string]string{
	"model": `{"executions":30,"programs":3,"failures":0,"race":false,"first_seed":7,"suites":[
		{"package":"lockfree","suite":"Stack","test":"TestModelPops","programs":2,"executions":20,"complete":1,"bound":2},
		{"package":"lockfree","suite":"TestModelLen","test":"TestModelLen","programs":1,"executions":10,"complete":1,"bound":9223372036854775807}]}`,
	"long": `{"settings":"-executions 8","sum":{"executions":5000,"programs":9,"seconds":120,"first_seed":1,"last_seed":4}}`,
	"zoo": `{"specimens":[{"name":"Stack/a","package":"lockfree","file":"lockfree/stack.go","test":"TestModelPops","good":true},
		{"name":"Stack/b","package":"lockfree","file":"lockfree/stack.go","test":"TestModelPops","good":false}]}`,
	"mutants": `{"files":[{"file":"lockfree/stack.go","edits":30,"judged":5,"valid":4,"tests":1,"models":1,"accepted":["x"],"survivors":["lockfree/stack.go: f: bound: a < b"],
		"others":{"t":"tests","m":"models","s":"same"},"ids":["x","lockfree/stack.go: f: bound: a < b","t","m","s","u"]},
		{"file":"lockfree/len.go","edits":3,"judged":0}]}`,
	"cover": `{"steps":["tests"],"files":[{"name":"lockfree/stack.go","statements":200,"together":199},{"name":"internal/bare/bare.go","statements":4,"together":1}]}`,
	"soak":  `{"settings":"plain","first_seed":11,"sum":{"ops":123456,"rounds":3,"seconds":60,"workloads":{"stack":100000,"queue":23456}}}`,
}

// add puts inputs into new records.
func add(t *testing.T, all *records, kind, text string, now stamp) error {
	t.Helper()
	take := map[string]func(*records, []byte, stamp) error{
		"model": (*records).addModels, "long": (*records).addLong, "zoo": (*records).addZoo,
		"mutants": (*records).addMutants, "cover": (*records).addCover, "soak": (*records).addSoak,
	}[kind]
	return take(all, []byte(text), now)
}

var monday = stamp{"2026-11-23", "abc", "go1.26.8", "linux/amd64"}

// Each figure of a row is that of the records.
func TestPage(t *testing.T) {
	all := new(records)
	for kind, text := range inputs {
		require.NoError(t, add(t, all, kind, text, monday))
	}
	tuesday := monday
	tuesday.Date = "2026-11-24"
	require.NoError(t, add(t, all, "model", strings.Replace(inputs["model"], `"race":false`,
		`"race":true`, 1), tuesday))
	all.addPassed("make test-386", tuesday)
	f, err := findProtocols(tree)
	require.NoError(t, err)
	text := string(page(all, f))
	for _, want := range []string{
		"| [Stack](../lockfree/stack.md) | Len, Pops, stack | 30 | all of 2 of 3 programs, else all to " +
			"2 preemptions | 30 | 1 of 2 | 3 of 4 | 99.5 % | 100,000 | 2026-11-23 abc |\n",
		"| [the package](../lockfree/README.md) | Rest | - | - | - | - | - | - | - | - |\n",
		"| no page | none | - | - | - | - | - | 25.0 % | - | 2026-11-23 abc |\n",
		"- Of the 3 seeded bugs 1 have no record.\n",
		"- Seeded bugs that were not found: Stack/b.\n",
		"- With 1 seeded bugs no run of the ordinary tests is recorded.\n",
		"| zoo | 1 of 2 seeded bugs found |\n",
		"- Coverage below 95 %: internal/bare (25.0 % of 4).\n",
		"- Coverage is of these steps alone: tests.\n",
		"Models of which there is no record: lockfree.TestModelRest, lockfree.TestModelstack.",
		"- Of the 33 edits that the tool can make 5 were tried, and none of the files of 2 rows:",
		"fewer than 95 % were found in: lockfree/stack.md (3 of 4).",
		"| models | `-executions 8` | 1 to 4 | 5,000 executions of 9 programs | 2.0 | 0 |",
		"| soak | `plain` | 11 to 13 | 123,456 operations in 3 rounds | 1.0 | 0 |",
		"| `make test-386` | linux/amd64 | go1.26.8 | 2026-11-24 abc |\n",
		"| lockfree/stack.go | <code>f: bound: a &lt; b</code> |\n",
		"| models | 30 executions, and 30 that the race detector judged |",
	} {
		require.Contains(t, strings.ReplaceAll(text, "\n  ", " "), want)
	}
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			require.LessOrEqual(t, len(line), 100, "line %d", i+1)
		}
	}
}

// A new record takes the place of the old one of the same thing, and no other.
func TestRecordsAreReplaced(t *testing.T) {
	all, dir := new(records), t.TempDir()
	later := monday
	later.Date = "2026-12-01"
	for kind, text := range inputs {
		require.NoError(t, add(t, all, kind, text, monday))
	}
	require.NoError(t, add(t, all, "model", strings.Replace(inputs["model"], `"Stack"`, `"Other"`,
		1),
		later))
	require.NoError(t, add(t, all, "soak", strings.Replace(inputs["soak"], "123456", "200000", 1),
		later))
	require.NoError(t, add(t, all, "soak", inputs["soak"], later), "begun anew: another soak")
	require.NoError(t, add(t, all, "long", inputs["long"], later))
	require.NoError(t, add(t, all, "mutants", inputs["mutants"], later))
	require.NoError(t, add(t, all, "cover", inputs["cover"], later))
	require.NoError(t, all.write(dir))
	read, err := readRecords(os.DirFS(dir))
	require.NoError(t, err)
	require.Equal(t, all, read)
	require.Len(t, read.models, 3)
	require.Equal(t, []string{"2026-12-01", "2026-11-23", "2026-12-01"},
		[]string{read.models[0].Date, read.models[1].Date, read.models[2].Date})
	require.Len(t, read.soak, 2)
	require.EqualValues(t, 200000, read.soak[0].Ops)
	require.Len(t, read.long, 1)
	require.Len(t, read.cover, 2)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "zoo.json"), []byte(`[{"nome":"x"}]`),
		0o666))
	_, err = readRecords(os.DirFS(dir))
	require.ErrorContains(t, err, "zoo.json: ")
}

// A record of mutants learns what is judged anew, edit by edit, and keeps the rest.
func TestMutantsAreJudgedAgain(t *testing.T) {
	all, later := new(records), monday
	later.Date = "2026-12-01"
	one := func(more string) string {
		return `{"files":[{"file":"a/a.go","edits":9,` + more + `"ids":["s","t","v","w","x","y"]}]}`
	}
	all.mutants = []mutantsRecord{ // as it was written before edits had names
		{File: "a/a.go", Edits: 10, Judged: 7, Valid: 6, Tests: 2, Models: 1,
			Accepted: []string{"x"}, Survivors: []string{"s", "t"}, stamp: monday},
		{File: "a/gone.go", Edits: 3, Judged: 2, Valid: 2, Tests: 2, stamp: monday},
		{File: "b/b.go", Edits: 3, Judged: 2, Valid: 2, Tests: 2, stamp: monday},
	}
	want := slices.Delete(slices.Clone(all.mutants), 1, 2)
	want[0].Edits = 9
	require.NoError(t, add(t, all, "mutants", one(""), later))
	require.Equal(t, want, all.mutants, "a state that knows nothing takes nothing away")

	for range 2 { // to say it twice changes nothing
		require.NoError(t, add(t, all, "mutants", one(`"others":{"s":"models"},`), later))
		want[0].Models, want[0].Survivors = 2, []string{"t"}
		want[0].Others, want[0].stamp = map[string]string{"s": "models"}, later
		require.Equal(t, want, all.mutants, "one that survived is found")
	}
	require.NoError(t, add(t, all, "mutants", one(`"survivors":["x"],"others":{"t":"same"},`),
		later))
	want[0].Accepted, want[0].Survivors, want[0].Valid = nil, []string{"x"}, 5
	want[0].Others["t"] = "same"
	require.Equal(t, want, all.mutants, "one is accepted no more, and one changes nothing")

	require.NoError(t, add(t, all, "mutants", one(`"others":{"v":"tests","w":"tests"},`), later))
	want[0] = mutantsRecord{File: "a/a.go", Edits: 9, Judged: 5, Valid: 4, Tests: 2, Models: 1,
		Survivors: []string{"x"}, Others: map[string]string{"s": "models", "t": "same",
			"v": "tests", "w": "tests"}, stamp: later}
	require.Equal(t, want, all.mutants, "one with a new name may be among those without one")

	require.NoError(t, add(t, all, "mutants",
		`{"files":[{"file":"a/a.go","edits":2,"ids":["s","v"]}]}`, later))
	want[0].Edits, want[0].Judged, want[0].Valid, want[0].Tests = 2, 2, 2, 1
	want[0].Survivors, want[0].Others = nil, map[string]string{"s": "models", "v": "tests"}
	require.Equal(t, want, all.mutants, "of an edit that is there no more nothing is known")
}

// What failed, or says nothing, is no record.
func TestWhatIsNoRecordIsRefused(t *testing.T) {
	for kind := range inputs {
		require.Error(t, add(t, new(records), kind, "{", monday), kind)
		require.Error(t, add(t, new(records), kind, "{}", monday), kind)
	}
	failed := strings.Replace(inputs["model"], `"failures":0`, `"failures":1`, 1)
	require.ErrorIs(t, add(t, new(records), "model", failed, monday), errFailures)
	native := strings.Replace(inputs["zoo"], "{", `{"native":true,"count":20,`, 1)
	require.ErrorContains(t, add(t, new(records), "zoo", native, monday),
		"Stack/a was not judged by the model checker")
}

// What the ordinary tests say of a specimen stands beside what the checker says, and stays when the
// checker is asked again.
func TestNative(t *testing.T) {
	all := new(records)
	later := monday
	later.Date = "2026-12-01"
	require.NoError(t, add(t, all, "zoo", inputs["zoo"], monday))
	native := strings.Replace(inputs["zoo"], "{", `{"native":true,"count":20,"short":true,`, 1)
	require.NoError(t, add(t, all, "zoo", native, later))
	for range 2 {
		require.Equal(t, &nativeRecord{Passed: 20, Short: true, stamp: later}, all.zoo[0].Native)
		require.Equal(t, &nativeRecord{Short: true, stamp: later}, all.zoo[1].Native)
		require.Equal(t, []bool{true, false}, []bool{all.zoo[0].Good, all.zoo[1].Good})
		require.Equal(t, monday, all.zoo[0].stamp)
		require.NoError(t, add(t, all, "zoo", inputs["zoo"], monday))
	}
	f, err := findProtocols(tree)
	require.NoError(t, err)
	text := strings.ReplaceAll(string(page(all, f)), "\n  ", " ")
	require.Contains(t, text, "| zoo | 1 of 2 seeded bugs found; with each of 2 of them the "+
		"ordinary tests ran natively, and with 1 passed, 20 times or more |\n")
	require.NotContains(t, text, "no run of the ordinary tests")
	all.zoo[1].Good = true
	text = strings.ReplaceAll(string(page(all, f)), "\n  ", " ")
	require.Contains(t, text, "- Seeded bugs that the ordinary tests find too: Stack/b.\n")
}

// That the ordinary tests find a specimen may be known, and then the page says why it stays.
func TestNativeAsExpected(t *testing.T) {
	all := new(records)
	zoo := strings.Replace(inputs["zoo"], `"name":"Stack/a",`,
		`"name":"Stack/a","ordinary":"no order is rarer",`, 1)
	require.NoError(t, add(t, all, "zoo", inputs["zoo"], monday))
	native := strings.Replace(zoo, "{", `{"native":true,"count":20,`, 1)
	require.NoError(t, add(t, all, "zoo", native, monday))
	all.zoo[1].Good = true
	require.True(t, all.zoo[0].Good)
	require.Zero(t, all.zoo[0].Native.Passed, "they have found it")
	f, err := findProtocols(tree)
	require.NoError(t, err)
	text := strings.ReplaceAll(string(page(all, f)), "\n  ", " ")
	require.Contains(t, text, "and with 0 passed")
	require.Contains(t, text, "- Seeded bugs that the ordinary tests find too, and why they stay: "+
		"Stack/a (no order is rarer).\n")
	require.Contains(t, text, "- Seeded bugs that the ordinary tests find too: Stack/b.\n")
}

// The command adds inputs, stamps them, and notices a page that is out of date.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	file, records, page := filepath.Join(dir, "zoo.json"), filepath.Join(dir, "records"),
		filepath.Join(dir, "page.md")
	require.NoError(t, os.WriteFile(file, []byte(inputs["zoo"]), 0o666))
	at := []string{"-records", records, "-page", page}
	status, stderr := run(t, append(at, "-zoo", file, "-port", "plan9/mips", "-passed",
		"make x")...)
	require.Zero(t, status, stderr)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "1 of 2 seeded bugs found")
	require.Contains(t, string(text), "| `make x` | plan9/mips | go")
	status, stderr = run(t, append(at, "-check")...)
	require.Zero(t, status, stderr)
	require.NoError(t, os.WriteFile(page, append(text, 'x'), 0o666))
	status, stderr = run(t, append(at, "-check")...)
	require.Equal(t, cli.Failed, status)
	require.Contains(t, stderr, "is not what the records give: make verification")
	for _, args := range [][]string{{"-check", "-zoo", file}, {"-port", "x/y"},
		{"-zoo", filepath.Join(dir, "none")}, {"-soak", file}} {
		status, stderr = run(t, append(at, args...)...)
		require.Equal(t, cli.Failed, status, args)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		require.Equal(t, want, number(n), fmt.Sprint(n))
	}
	require.Equal(t, "99.9 %", percent(99999, 100000))
	require.Equal(t, "-", percent(0, 0))
}
