package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/heddle-go/heddle/stress/internal/edited"
)

// measuring are ordinary tests that look at the machine for a while, and may fail on a busy one.
const measuring = "^TestSleepersDoNotWake$|_SleepingWorkerKeepsNoP$|^TestWakeNAllocations$"

// idle is how long tests may do nothing before they count as hung. Those that wait for nothing but
// time are shorter.
const idle = 10 * time.Second

// A judge builds and runs the tests of one package.
type judge struct {
	options
	*source
	root   string
	dir    string // for what is built
	plain  edited.Build
	models edited.Build

	unedited string        // the ordinary tests as they are
	short    time.Duration // that they took, the short ones
	tests    []string      // the model tests
	extra    []string      // arguments of all tests

	checked string // the model tests as they are
	mu      sync.Mutex
	took    map[string]time.Duration // by model tests, without an edit

	many program

	once    sync.Once
	full    time.Duration // that all ordinary tests took
	fullErr error

	listOnce sync.Once
	listing  uint64 // of the unedited code
	listErr  error
}

// limit is the time that tests may take that took so long without an edit.
func (j *judge) limit(took time.Duration) time.Duration {
	return max(j.timeout, 10*took)
}

// newJudge builds the tests as they are, and runs the short ones, which must pass.
func newJudge(ctx context.Context, root, dir string, s *source, o options) (*judge, error) {
	j := &judge{options: o, source: s, root: root, dir: dir,
		unedited: filepath.Join(dir, "unedited.exe"),
		checked:  filepath.Join(dir, "models.exe"), took: make(map[string]time.Duration)}
	j.plain = edited.Build{Root: root, Pkg: s.pkg}
	j.models = edited.Build{Root: root, Pkg: s.pkg, Args: []string{"-tags=modelcheck"}}
	if o.race {
		j.models.Args = append(j.models.Args, "-race")
	}
	if out, err := j.plain.Make(ctx, j.unedited); err != nil {
		return nil, fmt.Errorf("the tests of %s do not build: %w\n%s", s.pkg, err, out)
	}
	// What rapid keeps of tests that fail here is about edits: nobody shall find it in the tree.
	keepNothing := []string{"-rapid.nofailfile"}
	if exec.CommandContext(ctx, j.unedited, append(keepNothing, "-test.list=^$")...).Run() == nil {
		j.extra = keepNothing
	}
	var err error
	if j.short, err = j.asTheyAre(ctx, shortArgs); err != nil {
		return nil, err
	}
	if out, err := j.models.Make(ctx, j.checked); err != nil {
		return nil, fmt.Errorf("the model tests of %s do not build: %w\n%s", s.pkg, err, out)
	}
	cmd := exec.CommandContext(ctx, j.checked, "-test.list=^TestModel")
	cmd.Dir = s.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the model tests of %s: %w", s.pkg, err)
	}
	for line := range strings.Lines(string(out)) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "TestModel") {
			j.tests = append(j.tests, name)
		}
	}
	return j, nil
}

// asTheyAre runs the tests without an edit and returns how long they took.
func (j *judge) asTheyAre(ctx context.Context, args []string) (time.Duration, error) {
	begin := time.Now()
	if out := j.run(ctx, j.unedited, args, nil, time.Hour); out.Err != nil {
		return 0, fmt.Errorf("the tests of %s fail without an edit: %w\n%s", j.pkg, out.Err,
			end(out.Output))
	}
	return time.Since(begin), nil
}

var (
	fullArgs  = []string{"-test.failfast", "-test.skip=" + measuring, "-test.short=false"}
	shortArgs = []string{"-test.failfast", "-test.skip=" + measuring, "-test.short"}
)

// run runs tests that were built.
func (j *judge) run(ctx context.Context, binary string, args, env []string,
	limit time.Duration) edited.Outcome {
	// The tests' own limit tells where they hang; if it is out of order, Run ends them.
	args = slices.Concat(args, j.extra, []string{"-test.timeout=" + limit.String()})
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = j.source.dir
	cmd.Env = append(os.Environ(), env...)
	return edited.Run(ctx, cmd,
		edited.Limits{Time: limit + 10*time.Second, Idle: idle, Memory: j.memory << 20})
}

// A program holds many edits, of which it does one.
type program struct {
	plain, models string // the tests; models is empty if there are none
	numbers       map[*edit]int
}

// share builds the programs of many edits. Where the tests do not pass in them without an edit, say
// because they look at what is inlined, or there is nothing to gain, none is shared.
func (j *judge) share(ctx context.Context, edits []*edit) error {
	j.many = program{}
	good := edits[:0:0]
	for _, e := range edits {
		if j.compiles(e) {
			good = append(good, e)
		}
	}
	if len(good) < 3 {
		return nil
	}
	files, numbers := combine(j.source, good)
	if len(numbers) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp(j.dir, "shared")
	if err != nil {
		return err
	}
	s := program{numbers: numbers}
	var out string
	if s.plain, out, err = j.plain.MakeEdited(ctx, filepath.Join(dir, "plain"), files); err != nil {
		return fmt.Errorf("many edits of %s in one program: %w\n%s", j.pkg, err, out)
	}
	if o := j.run(ctx, s.plain, shortArgs, []string{environment(0)}, time.Hour); o.Err != nil {
		return ctx.Err()
	}
	if len(j.tests) > 0 {
		if s.models, out, err = j.models.MakeEdited(ctx, filepath.Join(dir, "models"),
			files); err != nil {
			return fmt.Errorf("many edits of the models of %s in one program: %w\n%s", j.pkg, err,
				out)
		}
	}
	j.many = s
	return nil
}

// judge says what becomes of one edit. The error is ctx's, or that nothing could be built.
func (j *judge) judge(ctx context.Context, e *edit) (v judged, err error) {
	begin := time.Now()
	v = judged{ID: e.id(), Pkg: e.pkg}
	defer func() { v.Seconds = float64(time.Since(begin).Milliseconds()) / 1000 }()
	if !j.compiles(e) {
		v.Outcome = notBuilt
		return v, nil
	}
	dir, err := os.MkdirTemp(j.dir, "edit")
	if err != nil {
		return v, err
	}
	defer os.RemoveAll(dir)
	v.Outcome, v.By, err = j.tell(ctx, e, dir)
	return v, errors.Join(err, ctx.Err())
}

func (j *judge) tell(ctx context.Context, e *edit, dir string) (o outcome, by string, err error) {
	number, inShared := j.many.numbers[e]
	if inShared {
		if o, by, err := j.quick(ctx, e, j.many.plain, func() (string, string, error) {
			return j.many.models, "", nil
		},
			[]string{environment(number)}); err != nil || o != survived {
			return o, by, err
		}
		if j.options.quick {
			return survived, "", nil
		}
	}
	files := map[string]string{filepath.Join(j.root,
		filepath.FromSlash(e.path)): e.apply(j.texts[e.file])}
	binary, out, err := j.plain.MakeEdited(ctx, filepath.Join(dir, "plain"), files)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w\n%s", e.id(), err, out)
	}
	same, err := sameProgram(j.unedited, binary)
	if same && err == nil {
		same, err = j.sameCode(ctx, filepath.Join(dir, "plain", edited.Overlay))
	}
	if err != nil || same {
		return sameCode, "", err
	}
	if !inShared {
		if o, by, err := j.quick(ctx, e, binary, func() (string, string, error) {
			return j.models.MakeEdited(ctx, filepath.Join(dir, "models"), files)
		}, nil); err != nil || o != survived {
			return o, by, err
		}
	}
	j.once.Do(func() { j.full, j.fullErr = j.asTheyAre(ctx, fullArgs) })
	if j.fullErr != nil {
		return "", "", j.fullErr
	}
	if by := how(j.run(ctx, binary, fullArgs, nil, j.limit(j.full))); by != "" {
		return foundByTests, by, nil
	}
	return survived, "", nil
}

// quick runs the short tests and then the models.
func (j *judge) quick(ctx context.Context, e *edit, binary string,
	models func() (binary, out string, err error), env []string) (o outcome, by string, err error) {
	for _, args := range [][]string{append(shortArgs, "-test.run=(?i)"+structure(e)), shortArgs} {
		if by := how(j.run(ctx, binary, args, env, j.limit(j.short))); by != "" {
			return foundByTests, by, nil
		}
	}
	if len(j.tests) == 0 || !j.inModels[e.path] {
		return survived, "", nil
	}
	checked, out, err := models()
	if err != nil {
		return "", "", fmt.Errorf("%s: %w\n%s", e.id(), err, out)
	}
	return j.runModels(ctx, e, checked, env)
}

// structure is the name of the file that an edit is in: the tests of the same name know most of it.
func structure(e *edit) string { return strings.TrimSuffix(filepath.Base(e.path), ".go") }

// sameCode reports whether the compiler makes the same of the package under an overlay.
func (j *judge) sameCode(ctx context.Context, overlay string) (bool, error) {
	j.listOnce.Do(func() { j.listing, j.listErr = listing(ctx, j.root, j.pkg, "") })
	if j.listErr != nil {
		return false, j.listErr
	}
	other, err := listing(ctx, j.root, j.pkg, overlay)
	return other == j.listing, err
}

// modelName is how a page names a model test.
var modelName = regexp.MustCompile(`\bTestModel\w+`)

// modelsOf returns the model tests in the order in which they are run: those first that the page
// beside the file names, or that have the file's name. With -quick the others are left out, if
// there are such. The README is the page of the file that has the package's name.
func (j *judge) modelsOf(e *edit) []string {
	own := "TestModel" + structure(e)
	name := filepath.Join(j.root, filepath.FromSlash(e.path))
	page, err := os.ReadFile(strings.TrimSuffix(name, ".go") + ".md")
	if dir := filepath.Dir(name); err != nil && filepath.Base(dir) == structure(e) {
		page, _ = os.ReadFile(filepath.Join(dir, "README.md")) // most files have none
	}
	named := modelName.FindAllString(string(page), -1)
	var first, others []string
	for _, test := range j.tests {
		if strings.EqualFold(test, own) || slices.Contains(named, test) {
			first = append(first, test)
		} else {
			others = append(others, test)
		}
	}
	if j.options.quick && len(first) > 0 {
		return first
	}
	return append(first, others...)
}

// runModels runs the model tests.
func (j *judge) runModels(ctx context.Context, e *edit, binary string,
	more []string) (o outcome, by string, err error) {
	env := append(more[:len(more):len(more)],
		"GOMAXPROCS=1", "GOGC=400", "MODELCHECK_FIND=", "MODELCHECK_SCHEDULE=",
		fmt.Sprint("MODELCHECK_PROGRAMS=", j.programs),
		fmt.Sprint("MODELCHECK_EXECUTIONS=", j.executions))
	for _, test := range j.modelsOf(e) {
		args := []string{"-test.failfast", "-test.run=^" + test + "$"}
		o := j.run(ctx, binary, args, env, 5*j.timeout)
		if o.Hung && ctx.Err() == nil {
			// Is it the edit that takes so long?
			limit, err := j.modelLimit(ctx, test, args, env)
			if err != nil {
				return "", "", err
			}
			if limit > 5*j.timeout {
				o = j.run(ctx, binary, args, env, limit)
			}
		}
		if by := how(o); by != "" {
			return foundByModels, by, nil
		}
	}
	return survived, "", nil
}

// modelLimit is the time that a model test may take, ten times what it takes without an edit.
func (j *judge) modelLimit(ctx context.Context, test string, args,
	env []string) (time.Duration, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.took[test] == 0 {
		begin := time.Now()
		if o := j.run(ctx, j.checked, args, env, time.Hour); o.Err != nil {
			return 0, fmt.Errorf("%s of %s fails without an edit: %w\n%s", test, j.pkg, o.Err,
				end(o.Output))
		}
		j.took[test] = time.Since(begin)
	}
	return 10 * j.took[test], nil
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// how says by what a run found an edit: empty if it did not.
func how(o edited.Outcome) string {
	switch m := failed.FindAllStringSubmatch(o.Output, -1); {
	case o.Err == nil && !o.Hung && !o.Large:
		return ""
	case o.Large:
		return "memory"
	case o.Hung:
		if m := running.FindStringSubmatch(o.Output); m != nil {
			return "hang in " + m[1]
		}
		return "hang"
	case strings.Contains(o.Output, "\nfatal error: ") ||
		strings.HasPrefix(o.Output, "fatal error: "):
		return "fatal error"
	case len(m) > 0:
		return m[len(m)-1][1]
	case strings.Contains(o.Output, "panic: "):
		return "panic"
	}
	return "status"
}

var running = regexp.MustCompile(`(?s)running tests:\s+(\S+)`)

// end returns the last lines of an output.
func end(out string) string {
	const most = 25
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
