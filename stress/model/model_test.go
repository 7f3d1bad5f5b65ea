package main

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

func TestArguments(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"help":              {[]string{"-h"}, cli.OK, "usage: go run ./stress/model"},
		"unknown flag":      {[]string{"-fast"}, cli.Usage, "not defined: -fast"},
		"unparsable value":  {[]string{"-executions", "many"}, cli.Usage, "invalid value"},
		"unparsable regexp": {[]string{"-run", "("}, cli.Usage, "invalid value"},
		"stray argument": {[]string{"-race", "lockfree"}, cli.Usage,
			`stray argument "lockfree"`},
		"no executions":      {[]string{"-executions", "0"}, cli.Failed, "must be positive"},
		"no processes":       {[]string{"-p", "-1"}, cli.Failed, "must be positive"},
		"one program":        {[]string{"-programs", "1"}, cli.Failed, "2 or more"},
		"seed too large":     {[]string{"-seed", "1073741825"}, cli.Failed, "from 1 to 2^30"},
		"seed none":          {[]string{"-seed", "0"}, cli.Failed, "from 1 to 2^30"},
		"no time":            {[]string{"-for", "0s"}, cli.Failed, "-for 0s: want more"},
		"state of one round": {[]string{"-state", "x"}, cli.Failed, "-state needs -for"},
		"piece of nothing":   {[]string{"-piece", "1s"}, cli.Failed, "-piece needs -state"},
		"no piece": {[]string{"-for", "1s", "-state", "x", "-piece", "0s"}, cli.Failed,
			"-piece 0s: want more"},
		"negative minimum": {[]string{"-min-each", "-1"}, cli.Failed, "must not be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if status := command().Run(t.Context(), c.args, &stdout, &stderr); status != c.status {
				t.Errorf("status %d, want %d", status, c.status)
			}
			if !strings.Contains(stderr.String(), c.want) {
				t.Errorf("%q is not in %q", c.want, stderr.String())
			}
			if stdout.Len() > 0 {
				t.Errorf("standard output %q", stdout.String())
			}
		})
	}
}

func TestParseList(t *testing.T) {
	got := parseList(
		"github.com/heddle-go/heddle/lockfree\t/src/lockfree\tmodel_test.go queue_test.go queue_model_test.go\n" +
			"github.com/heddle-go/heddle/internal/dev/archtest\t/src/internal/dev/archtest\tmodel_test.go\n" +
			"github.com/heddle-go/heddle/internal/park\t/src/internal/park\t x_test.go park_model_test.go\n" +
			"github.com/heddle-go/heddle/stress/modelcheck\t/src/stress/modelcheck\t example_model_test.go\n" +
			"github.com/heddle-go/heddle/stress\t/src/stress\t \n")
	if len(got) != 2 || got[0].pkg != "lockfree" || got[0].dir != "/src/lockfree" ||
		got[1].pkg != "internal/park" {
		t.Errorf("%+v", got)
	}
}

// Of all modules those are found that have model tests, whose folders may be deep inside.
func TestModules(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"go.mod", "a/x_model_test.go", "one/go.mod",
		"one/internal/b/y_model_test.go", "one/internal/b/z_model_test.go", "two/go.mod",
		"two/x_test.go", "one/three/go.mod", "one/three/x_model_test.go", ".d/go.mod",
		".d/x_model_test.go", "a/testdata/go.mod", "a/testdata/x_model_test.go"} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777),
			os.WriteFile(name, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := modules(root)
	want := []string{root, filepath.Join(root, "one"), filepath.Join(root, "one", "three")}
	if slices.Sort(got); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// Suites are built together unless that would give two binaries one name, or they are of different
// modules.
func TestBatches(t *testing.T) {
	var suites []*suite
	for _, name := range []string{"m lockfree", "m taskgraph", "assets assets/internal/once",
		"m taskgraph/internal/once", "m internal/taskgraph", "m other/taskgraph", "assets assets",
		"m sleepevent"} {
		module, pkg, _ := strings.Cut(name, " ")
		suites = append(suites, &suite{pkg: pkg, module: module})
	}
	var got []string
	for _, b := range batches(suites) {
		text := b[0].module + ":"
		for _, s := range b {
			text += " " + s.pkg
		}
		got = append(got, text)
	}
	want := []string{"m: lockfree taskgraph taskgraph/internal/once sleepevent",
		"assets: assets/internal/once assets", "m: internal/taskgraph", "m: other/taskgraph"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestReadTallies(t *testing.T) {
	got, err := readTallies(
		strings.NewReader(
			`{"complete":20,"executions":181978,"failures":0,"programs":48,"suite":"Stack","bound":2}
{"suite":"TestModelHandOver","programs":1,"executions":3,"complete":1,"failures":0}
{"suite":"Small","programs":1,"executions":5,"complete":1,"failures":0,"generated":true}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []tally{{"Stack", 48, 181978, 20, 0, false, 2},
		{"TestModelHandOver", 1, 3, 1, 0, false, 0}, {"Small", 1, 5, 1, 0, true, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if !got[0].generated() || got[1].generated() || !got[2].generated() {
		t.Error("the program that a person wrote is not told from generated ones")
	}
	for _, text := range []string{"{\n", "{}\n", `{"suite":"Stack","executions":-1}` + "\n",
		`{"suite":"Stack","executions":"7"}` + "\n"} {
		if got, err := readTallies(strings.NewReader(text)); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
	if got, err := talliesOf(filepath.Join(t.TempDir(), "none")); got != nil || err != nil {
		t.Errorf("a file that was never written: %v, %v", got, err)
	}
}

// Shares of a structure add up; a program that a person wrote runs in each process of its
// test and counts once.
func TestSum(t *testing.T) {
	s := newSum()
	byHand := tally{Suite: "TestModelQueue/wraps", Programs: 1, Executions: 10, Complete: 1}
	s.add("lockfree", "TestModelQueue", []tally{{Suite: "Queue", Programs: 48, Executions: 90,
		Complete: 20,
		Bound:    3}, byHand},
		true, 1)
	s.add("lockfree", "TestModelQueue", []tally{{Suite: "Queue", Programs: 47, Executions: 40,
		Complete: 19,
		Bound:    2}, byHand},
		false, 2)
	s.add("sleepevent", "TestModelQueue", []tally{{Suite: "Queue", Programs: 2, Executions: 7}},
		true, 1)
	if got, want := s.line(),
		"model executions=147 programs=98 complete=40 failures=0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if r := s.sorted()[0]; r.Bound != 2 || r.Test != "TestModelQueue" {
		t.Errorf("a bound that holds for one share only: %+v", r)
	}
	var b bytes.Buffer
	s.table(&b)
	want := []string{
		"package     suite           programs  executions  complete  seconds",
		"lockfree    Queue           95        130         39        2.5",
		"lockfree    TestModelQueue  1         10          1         0.5",
		"sleepevent  Queue           2         7           0         1.0", "",
	}
	if got := b.String(); got != strings.Join(want, "\n") {
		t.Errorf("have\n%s", got)
	}
}

func TestMissing(t *testing.T) {
	s := newSum()
	s.add("lockfree", "TestModelQueue", []tally{{Suite: "Queue", Programs: 200, Executions: 1000},
		{Suite: "TestModelQueue", Programs: 1, Executions: 1}}, true, 1)
	s.add("lockfree", "TestModelQueue", []tally{{Suite: "Stack", Programs: 199, Executions: 999}},
		true, 1)
	if got := s.missing(minima{all: 2000, each: 999, programsEach: 199}); got != nil {
		t.Errorf("enough is too little: %q", got)
	}
	got := s.missing(minima{all: 2001, each: 1000, programsEach: 200})
	want := []string{"2000 executions in all, not 2001",
		"999 executions of 199 programs of Stack, not 1000 of 200"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	got = s.missing(minima{each: 2, also: regexp.MustCompile("^lockfree/TestModelQueue$")})
	if len(got) != 1 || got[0] != "1 executions of 1 programs of TestModelQueue, not 2 of 0" {
		t.Errorf("a test that counts as a structure: %q", got)
	}
	got = s.missing(minima{each: 1, also: regexp.MustCompile("Stick")})
	if len(got) != 1 || got[0] != "no test is called Stick" {
		t.Errorf("a test that is not there: %q", got)
	}
	if got := newSum().missing(minima{each: 1}); len(got) != 1 ||
		got[0] != "no structure was explored" {
		t.Errorf("of nothing: %q", got)
	}
	if got := newSum().missing(minima{}); got != nil {
		t.Errorf("nothing asked, %q missing", got)
	}
}

// Each of the eight shapes that programs take in turn comes to every share.
func TestShares(t *testing.T) {
	for p := 1; p <= 130; p++ {
		for _, programs := range []int{2, 3, 4, 5, 40, 240, 5000} {
			n := shares(programs, p)
			if n < 1 || n%2 == 0 || n > 1 && programs/n < 10 {
				t.Errorf("%d programs for %d processes in %d shares", programs, p, n)
			}
		}
	}
	if n := shares(240, 2); n != 5 {
		t.Errorf("%d shares", n)
	}
}

// generated is what the first share of a structure writes.
var generated = []tally{{Suite: "Structure", Programs: 2}}

// A round asks each test once before it shares it, and then takes the longest first.
func TestQueue(t *testing.T) {
	structure, scene, slow := &test{name: "Structure"}, &test{name: "Scene"}, &test{name: "Slow"}
	q := newQueue([]*test{structure, scene, slow}, 3, func() bool { return false })
	take := func(want *test, part int) *job {
		t.Helper()
		j := q.next()
		if j == nil || j.test != want || j.part != part {
			t.Fatalf("%+v, want share %d of %s", j, part, want.name)
		}
		return j
	}
	a, b, c := take(structure, 0), take(scene, 0), take(slow, 0)
	if _, certain := q.left(); certain {
		t.Error("it says how long jobs take that nobody knows")
	}
	q.done(a, generated, false, 2)
	q.done(b, nil, false, 9)
	q.done(c, generated, false, 5)
	if seconds, certain := q.left(); !certain || seconds != 14 {
		t.Errorf("%v seconds left", seconds)
	}
	take(slow, 1)
	take(slow, 2)
	take(structure, 1)
	take(structure, 2)
	if j := q.next(); j != nil {
		t.Errorf("%+v is too much", j)
	}
	again := newQueue([]*test{structure, scene, slow}, 3, func() bool { return false })
	if seconds, certain := again.left(); !certain || seconds != 3*2+9+3*5 {
		t.Errorf("%v seconds left in the next round", seconds)
	}
	if j := again.next(); j.test != scene {
		t.Errorf("first %s, not the longest", j.name)
	}
}

// A test that failed in one share needs no other.
func TestQueueAfterFailure(t *testing.T) {
	bad := &test{name: "Bad"}
	q := newQueue([]*test{bad}, 3, func() bool { return false })
	q.done(q.next(), generated, true, 1)
	if j := q.next(); j != nil {
		t.Errorf("it goes on with share %d", j.part)
	}
}

// Who waits for the shares of a test wakes when they come, and when there will be none.
func TestQueueWaits(t *testing.T) {
	for name, end := range map[string]func(q *queue, j *job){
		"shares":  func(q *queue, j *job) { q.done(j, generated, false, 1) },
		"none":    func(q *queue, j *job) { q.done(j, nil, false, 1) },
		"failure": func(q *queue, j *job) { q.done(j, generated, true, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			q := newQueue([]*test{{name: "One"}}, 5, func() bool { return false })
			first := q.next()
			var wg sync.WaitGroup
			var got [2]int
			for i := range got {
				wg.Go(func() {
					for j := q.next(); j != nil; j = q.next() {
						got[i]++
						q.done(j, generated, false, 1)
					}
				})
			}
			end(q, first)
			wg.Wait()
			want := 0
			if name == "shares" {
				want = 4
			}
			if got[0]+got[1] != want {
				t.Errorf("%v jobs, want %d", got, want)
			}
		})
	}
}

func TestQueueStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	q := newQueue([]*test{{name: "One"}}, 5, func() bool { return ctx.Err() != nil })
	defer context.AfterFunc(ctx, q.wake)()
	q.next()
	ended := make(chan *job)
	go func() { ended <- q.next() }()
	cancel()
	if j := <-ended; j != nil {
		t.Errorf("%+v", j)
	}
}

// What a person wrote runs in the first share only, if it can be told from the rest.
func TestSkip(t *testing.T) {
	one := &test{name: "TestModelQueue"}
	one.learn([]tally{
		{Suite: "Queue", Programs: 48}, {Suite: "TestModelQueue", Programs: 1},
		{Suite: "TestModelQueue/a+b/c", Programs: 1}, {Suite: "TestModelQueue/d", Programs: 1},
	})
	if !one.generated || !slices.Equal(one.suites, []string{"Queue"}) {
		t.Errorf("%+v", one)
	}
	if got := (&job{test: one, part: 0, of: 3}).skip(); got != "" {
		t.Errorf("the first share skips %q", got)
	}
	if got, want := (&job{test: one, part: 2, of: 3}).skip(),
		`^TestModelQueue$/^a\+b$/^c$|^TestModelQueue$/^d$`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSettings(t *testing.T) {
	m := &master{options: options{executions: 7, programs: 9, seed: 3, race: true,
		timeout: time.Minute}}
	one := &test{suite: &suite{pkg: "lockfree"}, name: "TestModelStack"}
	s := m.settings(&job{one, 2, 3, math.Inf(1)})
	want := "MODELCHECK_SEED=3 MODELCHECK_EXECUTIONS=7 MODELCHECK_PROGRAMS=9 MODELCHECK_SHARD=2/3"
	if got := strings.Join(s, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	want += " go -C lockfree test -tags modelcheck -race -timeout 1m0s -run '^TestModelStack$' ."
	if got := m.again(&job{test: one}, s); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s := m.settings(&job{one, 0, 1, 0}); len(s) != 3 {
		t.Errorf("the only share has %q", s)
	}
	got := environment([]string{"PATH=/bin", "GORACE=halt_on_error=1", "MODELCHECK_SCHEDULE=A2B9",
		"GOMAXPROCS=9"})
	if !slices.Equal(got, []string{"PATH=/bin", "GOMAXPROCS=9", "GOMAXPROCS=1", "GOGC=400",
		"GORACE=atexit_sleep_ms=0 halt_on_error=1"}) {
		t.Errorf("environment %q", got)
	}
}

// The processes that a round starts are this one, in other roles.
func TestMain(m *testing.M) {
	if os.Getenv("MODELCHECK_TALLY") != "" {
		os.Exit(pretend())
	}
	os.Exit(m.Run())
}

// pretend plays a suite's binary.
func pretend() int {
	write := func(text string) {
		if err := os.WriteFile(os.Getenv("MODELCHECK_TALLY"), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	switch name, _, _ := strings.Cut(strings.TrimPrefix(os.Args[1], "-test.run=^TestModel"),
		"$"); name {
	case "Structure":
		write(`{"suite":"Structure","programs":2,"executions":10,"complete":1,"failures":0}` + "\n")
	case "Scene":
		write(`{"suite":"TestModelScene","programs":1,"executions":3,"complete":1,"failures":0}` +
			"\n")
	case "Bad":
		write(`{"suite":"Bad","programs":2,"executions":5,"complete":0,"failures":1}` + "\n")
		os.Stdout.WriteString("thread A waits for ever\nFAIL\n")
		return 1
	case "Crash":
		os.Stderr.WriteString("panic: the engine fell over\n")
		return 2
	case "Garbled":
		write("{")
	}
	return 0
}

func pretended(t *testing.T, names ...string) (tests []*test) {
	t.Helper()
	binary, err := os.Executable()
	if errors.Is(err, errors.ErrUnsupported) || binary == "" {
		t.Fatal("no name for this program: ", err)
	}
	s := &suite{pkg: "lockfree", dir: ".", binary: binary}
	for _, name := range names {
		tests = append(tests, &test{suite: s, name: "TestModel" + name})
	}
	return tests
}

func TestRound(t *testing.T) {
	var report bytes.Buffer
	m := &master{
		options: options{executions: 10, programs: 50, seed: 1, p: 2, timeout: time.Minute},
		dir:     t.TempDir(), report: &report, sum: newSum(),
	}
	tests := pretended(t, "Structure", "Scene", "Silent")
	m.round(context.Background(), tests, time.Time{})
	if got, want := m.sum.line(),
		"model executions=53 programs=11 complete=6 failures=0"; got != want || report.Len() > 0 {
		t.Errorf("%s, want %s\n%s", got, want, report.String())
	}
	m.seed++
	m.round(context.Background(), tests, time.Time{})
	if got, want := m.sum.line(),
		"model executions=106 programs=22 complete=12 failures=0"; got != want || report.Len() > 0 {
		t.Errorf("%s, want %s\n%s", got, want, report.String())
	}
	m.round(context.Background(), tests, time.Now())
	if got := m.sum.Executions; got != 106 {
		t.Errorf("%d executions: it went on after the deadline", got)
	}
	if left, _ := filepath.Glob(filepath.Join(m.dir, "*")); left != nil {
		t.Errorf("it leaves %q", left)
	}

	m.round(context.Background(), pretended(t, "Bad", "Crash", "Garbled"), time.Time{})
	if m.sum.Failures != 3 {
		t.Errorf("%d failures", m.sum.Failures)
	}
	for _, want := range []string{
		"FAIL lockfree/TestModelBad: exit status 1\nthread A waits for ever\n",
		"panic: the engine fell over", "line 1 of the tally",
		"to run it again: MODELCHECK_SEED=2 MODELCHECK_EXECUTIONS=10 MODELCHECK_PROGRAMS=50 MODELCHECK_SHARD=0/5 go -C lockfree test -tags modelcheck -timeout 1m0s -run '^TestModelBad$' .\n",
	} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("%q is not in\n%s", want, report.String())
		}
	}
}

// Structures that are below the minima get more programs, and only those.
func TestFill(t *testing.T) {
	m := &master{
		options: options{executions: 10, programs: 50, seed: 1, p: 2, timeout: time.Minute,
			minima: minima{each: 101}},
		dir: t.TempDir(), report: new(bytes.Buffer), sum: newSum(),
	}
	tests := pretended(t, "Structure", "Scene")
	m.round(context.Background(), tests, time.Time{})
	m.fill(context.Background(), tests)
	if got, want := m.sum.line(),
		"model executions=153 programs=31 complete=16 failures=0"; got != want || m.seed != 3 {
		t.Errorf("%s, want %s, seed %d", got, want, m.seed)
	}
	m.each = 1000
	m.sum.Failures++
	m.fill(context.Background(), tests)
	if m.sum.Executions != 153 {
		t.Errorf("%d executions: it goes on after a failure", m.sum.Executions)
	}
}

// What CI asks for is what the documents promise.
func TestMakefileMinima(t *testing.T) {
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"model": "-min-executions 20000000 -min-each 1000000 -min-programs 200 -also " +
			"sleepevent/TestModelGroup",
		"model-race": "-min-executions 2000000 -min-each 100000 -min-programs 200 -also " +
			"sleepevent/TestModelGroup",
	} {
		recipe := regexp.MustCompile(`(?m)^` + target + `:.*\n((?:\t.*\n)+)`).FindSubmatch(text)
		if recipe == nil || !bytes.Contains(recipe[1], []byte(want)) {
			t.Errorf("the recipe of %s lacks %q: %s", target, want, recipe)
		}
	}
}
