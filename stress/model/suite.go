package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A suite is a package that has model tests.
type suite struct {
	pkg    string // "lockfree", from the module's root
	dir    string
	binary string
}

// A test is one model test of a suite.
type test struct {
	*suite
	name string

	known     bool     // it has run before
	generated bool     // it makes programs, and so can be shared among processes
	seconds   float64  // that a share of it took when it last ran
	suites    []string // the structures that it makes programs of
	byHand    []string // its subtests of programs that a person wrote
}

func (t *test) id() string { return t.pkg + "/" + t.name }

// find returns the packages that have files of model tests.
func find(ctx context.Context, root string) ([]*suite, error) {
	const format = `{{.ImportPath}}{{"\t"}}{{.Dir}}{{"\t"}}{{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}`
	cmd := exec.CommandContext(ctx, "go", "list", "-tags=modelcheck", "-f="+format, "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	return parseList(string(out)), nil
}

// parseList reads what go list wrote. Model tests of the checker itself say nothing of what is
// shipped and are left out.
func parseList(out string) (suites []*suite) {
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 || !slices.ContainsFunc(strings.Fields(fields[2]), func(file string) bool {
			return strings.HasSuffix(file, "_model_test.go")
		}) {
			continue
		}
		pkg := strings.TrimPrefix(fields[0], "github.com/heddle-go/heddle/")
		if strings.HasPrefix(pkg, "stress/") {
			continue
		}
		suites = append(suites, &suite{pkg: pkg, dir: fields[1]})
	}
	return suites
}

// build makes the suite's binary.
func (s *suite) build(ctx context.Context, root, binary string, race bool) error {
	s.binary = binary
	args := []string{"test", "-c", "-vet=off", "-tags=modelcheck", "-o", binary}
	env := os.Environ()
	if race {
		args = append(args, "-race")
		env = append(env, "CGO_ENABLED=1")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+s.pkg)...)
	cmd.Dir, cmd.Env = root, env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the tests of %s do not build: %w\n%s", s.pkg, err, out)
	}
	return nil
}

// list returns the suite's model tests.
func (s *suite) list(ctx context.Context) (tests []*test, err error) {
	cmd := exec.CommandContext(ctx, s.binary, "-test.list=^TestModel")
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w\n%s", s.pkg, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "TestModel") {
			tests = append(tests, &test{suite: s, name: name})
		}
	}
	return tests, nil
}

// discover builds all suites and returns the tests to run.
func discover(ctx context.Context, root, dir string, o options) (chosen []*test, err error) {
	suites, err := find(ctx, root)
	if err != nil {
		return nil, err
	}
	var wg sync.WaitGroup
	tests, errs := make([][]*test, len(suites)), make([]error, len(suites))
	for i, s := range suites {
		wg.Go(func() {
			binary := filepath.Join(dir, "suite"+strconv.Itoa(i))
			if runtime.GOOS == "windows" {
				binary += ".exe"
			}
			if errs[i] = s.build(ctx, root, binary, o.race); errs[i] == nil {
				tests[i], errs[i] = s.list(ctx)
			}
		})
	}
	wg.Wait()
	for i := range suites {
		if errs[i] != nil {
			return nil, errs[i]
		}
		for _, t := range tests[i] {
			if o.only == nil || o.only.MatchString(t.id()) {
				chosen = append(chosen, t)
			}
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no model test has a name that -run matches; -list shows all")
	}
	return chosen, nil
}
