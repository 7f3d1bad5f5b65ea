package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/stress/internal/edited"
)

// exploring is how much a model test explores here, if the environment does not say. It is over
// when it finds something, which most do in the first thousands of a scene or program; but before
// that one come others, in which there is nothing to find. So it explores a little of each first,
// and the last time, if it comes to that, more than by default.
var exploring = [...][]string{
	{"MODELCHECK_PROGRAMS=80", "MODELCHECK_EXECUTIONS=10000"},
	{"MODELCHECK_PROGRAMS=80", "MODELCHECK_EXECUTIONS=100000"},
	{"MODELCHECK_PROGRAMS=400", "MODELCHECK_EXECUTIONS=1500000"},
}

// findVariable names the file to which a model test appends what it finds.
const findVariable = "MODELCHECK_FIND"

// A finding is what a model test says of the first failure that it meets.
type finding struct {
	Suite       string `json:"suite"`
	Engine      string `json:"engine"`
	Execution   uint64 `json:"execution"`
	Program     uint64 `json:"program"`
	Preemptions int    `json:"preemptions"`
	Kind        string `json:"kind"`
	Schedule    string `json:"schedule"`
}

// A verdict is what became of one specimen.
type verdict struct {
	s      *specimen
	native bool
	good   bool // found, or with -native passed, or found where that is expected
	cut    bool // interrupted: it says nothing
	found  finding
	why    string // if it is not good
	tail   string // the end of the tests' output, if that helps
	took   time.Duration
}

// line is the verdict for people.
func (v verdict) line() string {
	took := v.took.Round(100 * time.Millisecond)
	switch {
	case !v.good && v.tail != "":
		return fmt.Sprintf("FAIL  %s: %s (%s)\n%s", v.s.id(), v.why, took, indent(v.tail))
	case !v.good:
		return fmt.Sprintf("FAIL  %s: %s (%s)", v.s.id(), v.why, took)
	case v.native && v.s.ordinary != "":
		return fmt.Sprintf("found %s: by the ordinary tests, as expected (%s)", v.s.id(), took)
	case v.native:
		return fmt.Sprintf("pass  %s (%s)", v.s.id(), took)
	case v.found.Engine == "":
		return fmt.Sprintf("found %s: %s (%s)", v.s.id(), v.found.Kind, took)
	}
	return fmt.Sprintf("found %s: %s by %s at execution %d, %d preemptions, program %d, schedule "+
		"%s (%s)",
		v.s.id(), v.found.Kind, v.found.Engine, v.found.Execution, v.found.Preemptions,
		v.found.Program, v.found.Schedule, took)
}

func indent(text string) string {
	return "      " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n      ")
}

// A keeper builds specimens and runs their tests.
type keeper struct {
	options
	root string
	dir  string // for what is built
}

// warm builds the unedited tests once, so that the builds to come find everything else in the
// cache instead of making it side by side. Those of the first package come alone: most of what the
// packages share is theirs.
func (k *keeper) warm(ctx context.Context, chosen []*specimen) error {
	var firsts []*specimen // of each package
	for _, s := range chosen {
		if !slices.ContainsFunc(firsts, func(f *specimen) bool { return f.pkg == s.pkg }) {
			firsts = append(firsts, s)
		}
	}
	errs := make([]error, len(firsts))
	build := func(i int) {
		_, out, err := k.build(ctx, firsts[i], filepath.Join(k.dir, "warm"+strconv.Itoa(i)), nil)
		if err != nil {
			errs[i] = fmt.Errorf("%s: %w\n%s", firsts[i].pkg, err, out)
		}
	}
	if build(0); errs[0] != nil {
		return errs[0]
	}
	var next atomics.Int32
	var wg sync.WaitGroup
	for range min(k.p, len(firsts)) {
		wg.Go(func() {
			for i := int(next.Add(1)); i < len(firsts); i = int(next.Add(1)) {
				build(i)
			}
		})
	}
	wg.Wait()
	return cmp.Or(errs...) // the first: the others often say the same
}

// build makes, in a folder, the tests of a specimen's package with other texts in the place of
// files, and returns the binary's name. Of the tests under the tag modelcheck only that of the
// specimen is built: with all of them most of the time would go into tests that are not run.
func (k *keeper) build(ctx context.Context, s *specimen, dir string,
	texts map[string]string) (binary, output string, err error) {
	b := edited.Build{}
	if b.Root, b.Pkg, err = k.module(s.pkg); err != nil {
		return "", "", err
	}
	if !k.native {
		b.Args = []string{"-tags=" + cmp.Or(s.tags, "modelcheck")}
		tests, err := edited.Needed(filepath.Join(k.root, filepath.FromSlash(s.pkg)), s.test)
		if err != nil {
			return "", "", err
		}
		maps.Copy(tests, texts)
		texts = tests
	}
	return b.MakeEdited(ctx, dir, texts)
}

// module returns the folder of the module that has a package, which may be a nested one, and the
// package as seen from there.
func (k *keeper) module(pkg string) (root, inside string, err error) {
	at := path.Clean(pkg)
	for root = at; root != "."; root = path.Dir(root) {
		_, err := os.Stat(filepath.Join(k.root, filepath.FromSlash(root), "go.mod"))
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", "", err
		}
	}
	inside, err = filepath.Rel(filepath.FromSlash(root), filepath.FromSlash(at))
	return filepath.Join(k.root, filepath.FromSlash(root)), "./" + filepath.ToSlash(inside), err
}

// judgeAll judges specimens side by side, tells of each as it comes and returns all in their
// order.
func (k *keeper) judgeAll(ctx context.Context, chosen []*specimen,
	tell func(done int, v verdict)) []verdict {
	verdicts := make([]verdict, len(chosen))
	var next, done int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(k.p, len(chosen)) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(chosen) {
					return
				}
				begin := time.Now()
				v := k.judge(ctx, chosen[i], filepath.Join(k.dir, strconv.Itoa(i)))
				v.took = time.Since(begin)
				mu.Lock()
				verdicts[i] = v
				done++
				tell(done, v)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return verdicts
}

// expect turns the verdict of a native run around, for a specimen that the ordinary tests are said
// to find.
func (v *verdict) expect() {
	switch {
	case v.good:
		v.good, v.why = false, `the ordinary tests pass: leave out the header "ordinary"`
	case v.why == whyFound || v.why == whyHang:
		v.good, v.why, v.tail = true, "", ""
	}
}

// Why a native run is not good that has found something.
const (
	whyFound = "the ordinary tests find it"
	whyHang  = "the ordinary tests hang"
)

// judge builds one specimen in a folder of its own and runs its tests.
func (k *keeper) judge(ctx context.Context, s *specimen, dir string) verdict {
	v := verdict{s: s, native: k.native}
	defer os.RemoveAll(dir)
	if ctx.Err() != nil {
		v.cut = true
		return v
	}
	binary, output, err := k.make(ctx, s, dir)
	if err != nil {
		v.why, v.tail, v.cut = err.Error(), output, cli.Interrupted(ctx, err)
		return v
	}
	if k.native {
		out, hung, err := k.run(ctx, s, binary, k.nativeArgs(s), nil)
		if v.cut = cli.Interrupted(ctx, err); v.cut {
			return v
		}
		v.good, v.why, v.tail = passed(err == nil, hung, out)
		if s.ordinary != "" {
			v.expect()
		}
		return v
	}
	findings := filepath.Join(dir, "findings")
	args := []string{"-test.failfast", "-test.v", "-test.run=^" + s.test + "$"}
	if s.tags != "" { // no checker: on real threads a bug shows in one run of several
		args = append(args, "-test.count=5")
	}
	for i, budget := range exploring {
		if i > 0 && given(budget) {
			break // this would be the same once more
		}
		out, hung, err := k.run(ctx, s, binary, args, append(budget, findVariable+"="+findings))
		if v.cut = cli.Interrupted(ctx, err); v.cut {
			return v
		}
		line, _ := os.ReadFile(findings) // none if nothing was found
		v.found, v.why, v.tail = found(s, err == nil, hung, string(line), out)
		if v.good = v.why == ""; v.good || err != nil {
			break
		}
	}
	return v
}

// given reports whether the environment says all that a budget says.
func given(budget []string) bool {
	return !slices.ContainsFunc(budget, func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return os.Getenv(name) == ""
	})
}

// nativeArgs are the arguments of the ordinary tests.
func (k *keeper) nativeArgs(s *specimen) []string {
	tests := k.tests
	if tests == "" {
		tests = seeing(s.pkg, s.structure)
	}
	args := []string{"-test.failfast", "-test.count=" + strconv.Itoa(k.count), "-test.run=" + tests}
	if k.tests == "" {
		args = append(args, "-test.skip="+measuring)
	}
	return append(args, "-test.short="+strconv.FormatBool(k.short))
}

// run runs tests that were built, with settings for what the environment does not say.
func (k *keeper) run(ctx context.Context, s *specimen, binary string, args,
	settings []string) (output string, hung bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append(args, "-test.timeout="+k.timeout.String())...)
	cmd.Dir = filepath.Join(k.root, s.pkg)
	cmd.Env = slices.Concat(settings, os.Environ()) // the last of a name counts
	// The tests' own time limit may be out of order in a program with a bug, so one that outlasts
	// it by much is killed.
	var late atomics.Bool
	grace := time.AfterFunc(k.timeout+30*time.Second, func() {
		late.Store(true)
		cancel()
	})
	defer grace.Stop()
	out, err := cmd.CombinedOutput()
	return string(out), late.Load() ||
		strings.Contains(string(out), "panic: test timed out after"), err
}

// make builds the tests with the edited file in the place of the shipped one.
func (k *keeper) make(ctx context.Context, s *specimen,
	dir string) (binary, output string, err error) {
	changed, err := k.edit(s)
	if err != nil {
		return "", "", err
	}
	return k.build(ctx, s, dir, map[string]string{k.shipped(s): changed})
}

// edit returns the edited text of the file of a specimen.
func (k *keeper) edit(s *specimen) (string, error) {
	text, err := os.ReadFile(k.shipped(s))
	if err != nil {
		return "", err
	}
	return s.apply(string(text))
}

func (k *keeper) shipped(s *specimen) string {
	return filepath.Join(k.root, filepath.FromSlash(s.file))
}

// passed judges a native run.
func passed(ok, hung bool, out string) (good bool, why, tail string) {
	switch {
	case hung:
		return false, whyHang, end(out)
	case !ok:
		return false, whyFound, end(out)
	case strings.Contains(out, "testing: warning: no tests to run"):
		return false, "no ordinary test runs", ""
	}
	return true, "", ""
}

// found judges a run of a model test: why is empty if that found the bug.
func found(s *specimen, ok, hung bool, line, out string) (f finding, why, tail string) {
	line, _, _ = strings.Cut(line, "\n")
	switch {
	case ok && strings.Contains(out, "testing: warning: no tests to run"):
		return f, fmt.Sprintf("%s has no %s", s.pkg, s.test), ""
	case ok:
		return f, fmt.Sprintf("%s passes", s.test), ""
	case s.tags != "":
		return finding{Kind: s.test}, "", ""
	case line != "":
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			return f, fmt.Sprintf("the finding %q: %v", line, err), ""
		}
		return f, "", ""
	case hung:
		return f, fmt.Sprintf("%s did not end in time", s.test), end(out)
	case strings.Contains(out, "WARNING: DATA RACE"):
		return finding{Kind: "data race"}, "", ""
	case strings.Contains(out, "panic: "), strings.Contains(out, "fatal error: "):
		return finding{Kind: "panic"}, "", ""
	}
	return f, fmt.Sprintf("%s fails without a finding in %s", s.test, findVariable), end(out)
}

// end returns the last lines of an output.
func end(out string) string {
	const most = 25
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
