package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A suite is a package that has model tests.
type suite struct {
	pkg    string // "lockfree", from the module's root
	dir    string
	files  []string // its tests
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

// modules returns the folders of the modules that have files of model tests: of the one at root,
// and of those nested in it.
func modules(root string) (dirs []string, err error) {
	all := map[string]bool{}
	var modeled []string // folders of model tests
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			base := d.Name()
			if name != root && (strings.HasPrefix(base, ".") || base == "testdata") {
				return filepath.SkipDir
			}
		case d.Name() == "go.mod":
			all[filepath.Dir(name)] = true
		case strings.HasSuffix(name, modelFile):
			modeled = append(modeled, filepath.Dir(name))
		}
		return nil
	})
	for _, dir := range modeled {
		for dir != root && !all[dir] {
			dir = filepath.Dir(dir)
		}
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, err
}

const modelFile = "_model_test.go"

// find returns the packages that have files of model tests, of all modules.
func find(ctx context.Context, root string) (suites []*suite, err error) {
	dirs, err := modules(root)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		found, err := findIn(ctx, dir)
		if err != nil {
			return nil, err
		}
		suites = append(suites, found...)
	}
	return suites, nil
}

// findIn returns those of one module.
func findIn(ctx context.Context, root string) ([]*suite, error) {
	const format = `{{.ImportPath}}{{"\t"}}{{.Dir}}{{"\t"}}{{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}`
	cmd := cli.Process(ctx, "go", "list", "-tags=modelcheck", "-f="+format, "./...")
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
		if len(fields) != 3 {
			continue
		}
		files := strings.Fields(fields[2])
		if !slices.ContainsFunc(files,
			func(file string) bool { return strings.HasSuffix(file, modelFile) }) {
			continue
		}
		pkg := strings.TrimPrefix(fields[0], "github.com/heddle-go/heddle/")
		if strings.HasPrefix(pkg, "stress/") {
			continue
		}
		suites = append(suites, &suite{pkg: pkg, dir: fields[1], files: files})
	}
	return suites
}

// build makes the suite's binary.
func (s *suite) build(ctx context.Context, binary string, race bool) error {
	s.binary = binary
	args := []string{"test", "-c", "-vet=off", "-tags=modelcheck", "-o", binary}
	env := os.Environ()
	if race {
		args = append(args, "-race")
		env = append(env, "CGO_ENABLED=1")
	}
	cmd := cli.Process(ctx, "go", append(args, ".")...)
	cmd.Dir, cmd.Env = s.dir, env // it may be of a nested module
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the tests of %s do not build: %w\n%s", s.pkg, err, out)
	}
	return nil
}

// modelTest finds what go test takes for a model test.
var modelTest = regexp.MustCompile(`(?m)^func (TestModel\w*)\(\w+ \*testing\.T\)`)

// list returns the suite's model tests, as they stand in its files.
func (s *suite) list() (tests []*test, err error) {
	for _, file := range s.files {
		text, err := os.ReadFile(filepath.Join(s.dir, file))
		if err != nil {
			return nil, err
		}
		for _, found := range modelTest.FindAllSubmatch(text, -1) {
			tests = append(tests, &test{suite: s, name: string(found[1])})
		}
	}
	return tests, nil
}

// discover returns the tests to run.
func discover(ctx context.Context, root string, only *regexp.Regexp) (chosen []*test, err error) {
	suites, err := find(ctx, root)
	if err != nil {
		return nil, err
	}
	for _, s := range suites {
		tests, err := s.list()
		if err != nil {
			return nil, err
		}
		for _, t := range tests {
			if only == nil || only.MatchString(t.id()) {
				chosen = append(chosen, t)
			}
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no model test has a name that -run matches; -list shows all")
	}
	return chosen, nil
}

// build makes the binaries of the tests' suites.
func build(ctx context.Context, dir string, tests []*test, race bool) error {
	var wg sync.WaitGroup
	errs := map[*suite]*error{}
	for i, t := range tests {
		if errs[t.suite] != nil {
			continue
		}
		binary := filepath.Join(dir, "suite"+strconv.Itoa(i))
		if runtime.GOOS == "windows" {
			binary += ".exe"
		}
		err := new(error)
		errs[t.suite] = err
		wg.Go(func() { *err = t.build(ctx, binary, race) })
	}
	wg.Wait()
	for _, err := range errs {
		if *err != nil {
			return *err
		}
	}
	return nil
}
