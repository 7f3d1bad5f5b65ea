package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/internal/edited"
	"github.com/heddle-go/heddle/stress/internal/shipped"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goCommand reports whether there is a go command here; if not, a test has nothing to try.
func goCommand(t *testing.T) bool {
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "js" {
		t.Log("no go command here")
		return false
	}
	return true
}

// gate goes to the package that the tests edit.
func gate(t *testing.T) string {
	t.Helper()
	t.Chdir(filepath.Join("testdata", "gate"))
	root, err := cli.ModuleRoot("")
	require.NoError(t, err)
	return root
}

// command runs the command line and returns its status and its output.
func command(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = mutants().Run(context.Background(), args, &out, &err)
	return status, out.String(), err.String()
}

// Each edit of a small package, and the text that it comes to, are as they were reviewed.
func TestEditsOfAPackage(t *testing.T) {
	if !goCommand(t) {
		return
	}
	golden, err := filepath.Abs(filepath.Join("testdata", "edits.golden"))
	require.NoError(t, err)
	s, err := load(gate(t), ".")
	require.NoError(t, err)
	var b strings.Builder
	for _, e := range generate(s) {
		fmt.Fprintf(&b, "%s\n", e.id())
		if !s.compiles(e) {
			b.WriteString("\tdoes not compile\n")
		}
		for line := range strings.Lines(e.text) {
			fmt.Fprintf(&b, "\t%s\n", strings.TrimSpace(line))
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o666))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), b.String())
}

// An edit is known again when the code around it, comments and spacing have changed.
func TestAnEditOutlivesOtherChanges(t *testing.T) {
	if !goCommand(t) {
		return
	}
	s, err := load(gate(t), ".")
	require.NoError(t, err)
	before := ids(generate(s))
	dir := t.TempDir()
	text := strings.Replace(s.texts[0], "func (g *Gate) Enter",
		"func other(n int) bool { return n < most }\n\nfunc (g *Gate) Enter", 1)
	text = strings.Replace(text, "v >= most {", "v  >=  most { // another comment", 1)
	require.NotEqual(t, s.texts[0], text)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"),
		[]byte("module example.com/gate\n\ngo 1.26.0\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gate.go"), []byte(text), 0o666))
	t.Chdir(dir)
	s, err = load(dir, ".")
	require.NoError(t, err)
	after := ids(generate(s))
	require.Subset(t, after, before)
	require.Len(t, after, len(before)+1)
}

func ids(edits []*edit) (all []string) {
	for _, e := range edits {
		all = append(all, e.id())
	}
	return all
}

// Each way in which an edit can end is seen: by the tests, as a hang, by the models, not at all,
// without another program, and without one that compiles.
func TestVerdicts(t *testing.T) {
	if !goCommand(t) || testing.Short() {
		return
	}
	gate(t)
	state := filepath.Join(t.TempDir(), "state")
	only := "Enter: bound|Enter: negate: g|Close: store: g.told|look: store|Closed: store"
	status, stdout, stderr := command("-pkg", ".", "-state", state, "-only", only, "-timeout", "2s",
		"-p", "2", "-accepted", "none")
	require.Empty(t, stderr)
	for _, want := range []string{
		"found    gate.go: Gate.Enter: bound: v >= most -> v > most (tests: TestGate, ",
		"found    gate.go: Gate.Close: store: g.told.Store(true) (models: TestModelGate, ",
		"found    gate.go: Gate.Enter: negate: g.word.CompareAndSwap(v, v+1) -> " +
			"!(g.word.CompareAndSwap(v, v+1)) (tests: ",
		"same     gate.go: Gate.Closed: store: g.told.Store(false) (",
		"SURVIVED gate.go: Gate.look: store: g.looks.Add(1) (",
		"found    gate.go: Gate.Enter: bound: v+1 -> v (tests: TestGate, ",
		"\nmutants pkg=. edits=6 judged=6 valid=5 tests=3 models=1 accepted=0 survivors=1\n",
	} {
		require.Contains(t, "\n"+stdout, want)
	}
	require.Equal(t, cli.Failed, status)

	// With a reason it is accepted, and the state tells all without a test run.
	reasons := filepath.Join(t.TempDir(), "accepted")
	require.NoError(t, os.WriteFile(reasons,
		[]byte("# why\ngate.go: Gate.look: store: g.looks.Add(1)\n\tNobody reads it.\n"), 0o666))
	page := filepath.Join(t.TempDir(), "table")
	status, stdout, stderr = command("-pkg", ".", "-state", state, "-n", "0", "-accepted", reasons,
		"-table", page)
	require.Empty(t, stderr)
	require.Equal(t, cli.OK, status)
	require.Equal(t,
		"mutants pkg=. edits=28 judged=6 valid=5 tests=3 models=1 accepted=1 survivors=0\n", stdout)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "| . | 28 | 6 | 5 | 3 | 1 | 1 | 0 |\n")
}

// Two packages are judged side by side, and the sum of each stands in the order in which they were
// named.
func TestPackagesSideBySide(t *testing.T) {
	if !goCommand(t) || testing.Short() {
		return
	}
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, os.DirFS(filepath.Join("testdata", "gate"))))
	for _, dir := range []string{"one", "two"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, dir), 0o777))
		for _, name := range []string{"gate.go", "gate_test.go"} {
			text, err := os.ReadFile(filepath.Join(root, name))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(root, dir, name), text, 0o666))
		}
	}
	t.Chdir(root)
	state := filepath.Join(t.TempDir(), "state")
	status, stdout, stderr := command("-pkg", "./two,./one", "-p", "2", "-accepted", "none",
		"-only", "Enter: bound|Enter: negate: g|look: store", "-state", state)
	require.Empty(t, stderr)
	require.Equal(t, cli.Failed, status)
	for _, dir := range []string{"one", "two"} {
		for _, want := range []string{
			"found    " + dir + "/gate.go: Gate.Enter: bound: v >= most -> v > most (tests: ",
			"SURVIVED " + dir + "/gate.go: Gate.look: store: g.looks.Add(1) (",
		} {
			require.Equal(t, 1, strings.Count(stdout, want), "%s in\n%s", want, stdout)
		}
	}
	require.Regexp(t, `\nmutants pkg=two edits=4 judged=4 [^\n]*\nmutants pkg=one edits=4 judged=4 `+
		`[^\n]*\nmutants pkg=all edits=8 judged=8 [^\n]* survivors=2\n$`, stdout)
	all, err := os.ReadFile(state)
	require.NoError(t, err)
	require.Equal(t, 8, strings.Count(string(all), "\n"))
}

// What ends an execution in the middle, a signal say, costs the edits in hand and no others: the
// next run goes on behind them.
func TestGoesOnWhereItStopped(t *testing.T) {
	if !goCommand(t) || runtime.GOOS == "windows" || testing.Short() {
		return
	}
	gate(t)
	state := filepath.Join(t.TempDir(), "state")
	args := []string{"-pkg", ".", "-state", state, "-only", "Gate.look|Gate.Leave", "-accepted",
		"none"}
	var out interrupting
	var errs bytes.Buffer
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt)
	defer stop()
	oneByOne := append([]string{"-p", "1"}, args...) // two may end at the same moment
	require.Equal(t, cli.Failed, mutants().Run(ctx, oneByOne, &out, &errs))
	require.Contains(t, errs.String(), "interrupted")
	first, err := os.ReadFile(state)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(first), "\n"))

	require.NoError(t, os.WriteFile(state, append(first, `{"id":"torn`...), 0o666))
	_, stdout, stderr := command(args...)
	require.Empty(t, stderr)
	require.Equal(t, 4+1, strings.Count(stdout, "\n"), stdout) // four more, and the sum
	all, err := os.ReadFile(state)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(all, first))
	require.Equal(t, 5, strings.Count(string(all), "\n"))
	require.NotContains(t, string(all), "torn")

	// Those that survived, and no others, are judged again on demand.
	_, stdout, _ = command(append(args, "-again")...)
	require.Equal(t, 2*strings.Count(string(all), `"survived"`),
		2*strings.Count(stdout, "SURVIVED"))
	require.NotContains(t, stdout, "found ")
}

// An interrupting writer interrupts its process when it is written to first.
type interrupting struct{ bytes.Buffer }

func (w *interrupting) Write(text []byte) (int, error) {
	if w.Len() == 0 {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(os.Interrupt)
		}
		if err != nil {
			return 0, err
		}
	}
	return w.Buffer.Write(text)
}

func TestWhatIsWrongWithTheCommandLineIsSaid(t *testing.T) {
	torn := filepath.Join(t.TempDir(), "torn")
	require.NoError(t, os.WriteFile(torn, []byte("{}\n"), 0o666))
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"-h", cli.OK, "usage: bin/mutants"},
		{"-bogus", cli.Usage, "flag provided but not defined: -bogus"},
		{"-for soon", cli.Usage, `invalid value "soon" for flag -for`},
		{"-only (", cli.Usage, "-only"},
		{"stray", cli.Usage, `stray argument "stray"`},
		{"-p 0", cli.Failed, "must be positive"},
		{"-for -1s", cli.Failed, "-for -1s: want more than 0s"},
		{"-for 0s", cli.Failed, "-for 0s: want more than 0s"},
		{"-programs 1", cli.Failed, "-programs must be 2 or more"},
		{"-again", cli.Failed, "-again needs -state"},
		{"-state " + torn, cli.Failed, "this is no state of mutants"},
		{"-accepted " + torn + " -state x/y/z", cli.Failed, "no argument for {}"},
	} {
		status, stdout, stderr := command(strings.Fields(c.args)...)
		require.Equal(t, c.status, status, c.args)
		require.Contains(t, stderr, c.says)
		require.Empty(t, stdout)
	}
}

// Each edit that is accepted is still there and still compiles: a reason for code that has changed
// is no reason. And there are edits of every kind, enough of them.
func TestAcceptedEditsAreThere(t *testing.T) {
	if testing.Short() {
		t.Skip("checks the types of all that is shipped, and of each edit")
	}
	if !goCommand(t) {
		return
	}
	root, err := cli.ModuleRoot("github.com/heddle-go/heddle")
	require.NoError(t, err)
	reasons, err := readAccepted(filepath.Join(root, "stress", "mutants", "accepted.txt"))
	require.NoError(t, err)
	there := make(map[string]bool)
	kinds := make(map[kind]int)
	accepted := make(map[string]bool)
	for _, r := range reasons {
		accepted[r.id] = true
	}
	dirs, err := shipped.Packages(t.Context(), root)
	require.NoError(t, err)
	for i, dir := range dirs {
		dirs[i] = "./" + dir
	}
	sources, err := loadAll(root, dirs...)
	require.NoError(t, err)
	for _, s := range sources {
		for _, e := range generate(s) {
			require.False(t, there[e.id()], "two edits are both %s", e.id())
			there[e.id()] = true
			kinds[e.kind]++
			if accepted[e.id()] && !s.compiles(e) {
				t.Errorf("does not compile any more: %s", e.id())
			}
		}
	}
	for _, r := range reasons {
		if !there[r.id] {
			t.Errorf("%s is not an edit any more; take it off accepted.txt, or find what it is "+
				"now: bin/mutants -list", r.id)
		}
	}
	for _, k := range []kind{kindStore, kindCall, kindSwap, kindReturn, kindSplit, kindFlag,
		kindCheck, kindNegate, kindBound, kindResult} {
		require.NotZero(t, kinds[k], k)
	}
	require.Greater(t, len(there), 1000)
}

func TestParseAccepted(t *testing.T) {
	all, err := parseAccepted("# comment\n\na: b\n\tone\n\ttwo\nc: d\n\tthree\n")
	require.NoError(t, err)
	require.Equal(t, []reason{{"a: b", "one two"}, {"c: d", "three"}}, all)
	for text, want := range map[string]string{
		"\tone\n":             "an argument without an edit",
		"a: b\nc: d\n\tone\n": "no argument for a: b",
		"a\n\tx\na\n\ty\n":    "twice: a",
	} {
		_, err := parseAccepted(text)
		require.ErrorContains(t, err, want)
	}
}

func TestBrief(t *testing.T) {
	require.Equal(t, "if a { b }", brief("if a {\n\t// why\n\tb // so\n}"))
	long := strings.Repeat("x+", 60)
	require.NotEqual(t, brief(long+"y"), brief(long+"z"))
	require.Less(t, len(brief(long+"y")), 80)
}

// A sample is drawn from all packages together: the first ones in the order of the seed, whatever
// the package, and another seed draws others.
func TestSample(t *testing.T) {
	var all []*batchOf
	for _, pkg := range []string{"./a", "./b"} {
		b := &batchOf{source: &source{pkg: pkg}}
		for i := range 40 {
			b.edits = append(b.edits, &edit{path: pkg, in: "f", kind: kindBound,
				old: fmt.Sprint(i)})
		}
		all = append(all, b)
	}
	drawn := func(seed uint64) (ids []string) {
		m := &mutator{options: options{sample: 20, seed: seed}}
		m.draw(all)
		byPkg := make(map[string]int)
		for _, b := range all {
			for _, e := range b.edits {
				if m.chosen(e) {
					ids = append(ids, e.id())
					byPkg[b.pkg]++
				}
			}
		}
		require.Len(t, byPkg, 2)
		return ids
	}
	one := drawn(1)
	require.Len(t, one, 20)
	require.Equal(t, one, drawn(1))
	require.NotEqual(t, one, drawn(2))
}

// What is known is told by files too.
func TestFiles(t *testing.T) {
	edits := []*edit{{path: "b.go", old: "1"}, {path: "b.go", old: "2"}, {path: "b.go", old: "3"},
		{path: "a.go", old: "4"}, {path: "b.go", old: "5"}, {path: "b.go", old: "6"}}
	id := func(i int) string { return edits[i].id() }
	m := &mutator{reasons: map[string]string{id(1): "so"},
		state: &state{known: map[string]judged{}}}
	for i, o := range []outcome{foundByTests, survived, survived, foundByModels, notBuilt} {
		m.state.known[id(i)] = judged{ID: id(i), Outcome: o}
	}
	require.Equal(t, []fileRow{
		{File: "a.go", Edits: 1, Judged: 1, Valid: 1, Models: 1,
			Others: map[string]outcome{id(3): foundByModels}, IDs: []string{id(3)}},
		{File: "b.go", Edits: 5, Judged: 4, Valid: 3, Tests: 1,
			Accepted: []string{id(1)}, Survivors: []string{id(2)},
			Others: map[string]outcome{id(0): foundByTests, id(4): notBuilt},
			IDs:    []string{id(0), id(1), id(2), id(4), id(5)}},
	}, m.files(edits))
}

// The order of the edits is the seed's, and of those that remain it is the same.
func TestOrder(t *testing.T) {
	var all []*edit
	for i := range 50 {
		all = append(all, &edit{path: "x.go", in: "f", kind: kindBound, old: fmt.Sprint(i), n: 1})
	}
	one, two := ids(order(all, 1)), ids(order(all, 2))
	require.NotEqual(t, one, two)
	require.ElementsMatch(t, one, two)
	var fewer []string
	for _, id := range one {
		if id != all[7].id() {
			fewer = append(fewer, id)
		}
	}
	require.Equal(t, fewer, ids(order(append(all[:7:7], all[8:]...), 1)))
}

func TestHow(t *testing.T) {
	failure := fmt.Errorf("exit status 1")
	for _, c := range []struct {
		out  edited.Outcome
		want string
	}{
		{edited.Outcome{Output: "PASS"}, ""},
		{edited.Outcome{Output: "--- FAIL: TestX (0.1s)\n    --- FAIL: TestX/one (0.0s)\n",
			Err: failure}, "TestX/one"},
		{edited.Outcome{
			Output: "panic: test timed out after 2s\n\trunning tests:\n\t\tTestY (2s)\n",
			Hung:   true, Err: failure}, "hang in TestY"},
		{edited.Outcome{Hung: true, Err: failure}, "hang"},
		{edited.Outcome{Large: true, Err: failure}, "memory"},
		{edited.Outcome{Output: "fatal error: all goroutines are asleep - deadlock!\n",
			Err: failure}, "fatal error"},
		{edited.Outcome{Output: "panic: no\n", Err: failure}, "panic"},
		{edited.Outcome{Err: failure}, "status"},
	} {
		require.Equal(t, c.want, how(c.out))
	}
}

// A table is complete: an edit that survives is named.
func TestTable(t *testing.T) {
	rows := []row{
		{pkg: "a", edits: 9, judged: 8, same: 1, invalid: 1, tests: 3, models: 1,
			survivors: []string{"a: x"}, accepted: []string{"a: y"}},
		{pkg: "b", edits: 1},
	}
	require.Equal(t,
		`| package | edits | drawn | valid | found by tests | by models | accepted | survivors |
|---|---|---|---|---|---|---|---|
| a | 9 | 8 | 6 | 3 | 1 | 1 | 1 |
| b | 1 | 0 | 0 | 0 | 0 | 0 | 0 |
| all | 10 | 8 | 6 | 3 | 1 | 1 | 1 |

- survives: `+"`a: x`\n", table(rows))
}

// A program that takes too much memory, that does nothing, or that does not end, is killed.
func TestKilled(t *testing.T) {
	if os.Getenv("MUTANTS_TEST_CHILD") != "" {
		// with nothing to come the runtime would end it where there is no cgo
		<-time.After(time.Hour)
	}
	if !goCommand(t) {
		return
	}
	child := func(ctx context.Context, l edited.Limits) edited.Outcome {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "MUTANTS_TEST_CHILD=1")
		return edited.Run(ctx, cmd, l)
	}
	const much = 1 << 40
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	out := child(ended, edited.Limits{Time: much, Idle: much, Memory: much})
	require.True(t, out.Hung)
	require.Error(t, out.Err)
	out = child(context.Background(), edited.Limits{Time: 1, Idle: much, Memory: much})
	require.True(t, out.Hung)
	require.Error(t, out.Err)
	if runtime.GOOS != "linux" {
		return
	}
	out = child(context.Background(), edited.Limits{Time: much, Idle: 1, Memory: much})
	require.True(t, out.Hung)
	require.Error(t, out.Err)
	out = child(context.Background(), edited.Limits{Time: much, Idle: much, Memory: 1})
	require.True(t, out.Large)
	require.False(t, out.Hung)
	require.Error(t, out.Err)
}

// The models that know a file best run first, and with -quick alone.
func TestModelsOfAFile(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "crew.md"), []byte("Model: `TestModelOpen`.\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, os.Mkdir(filepath.Join(root, "open"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(root, "open", "README.md"),
		[]byte("Model: `TestModelOpen`.\n"), 0o666))
	j := &judge{root: root, tests: []string{"TestModelA", "TestModelCrew", "TestModelOpen"}}
	for name, c := range map[string]struct {
		quick bool
		want  string
	}{
		"crew.go":  {false, "TestModelCrew TestModelOpen TestModelA"},
		"other.go": {true, "TestModelA TestModelCrew TestModelOpen"},
		"Crew.go":  {true, "TestModelCrew"},

		"open/open.go":  {true, "TestModelOpen"},
		"open/other.go": {true, "TestModelA TestModelCrew TestModelOpen"},
	} {
		j.options.quick = c.quick
		if got := strings.Join(j.modelsOf(&edit{path: name}), " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
