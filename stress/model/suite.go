package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// prefix is what the paths of all packages begin with, those of nested modules included.
const prefix = "github.com/heddle-go/heddle/"

// A suite is a package that has model tests.
type suite struct {
	pkg    string // "lockfree", from the module's root
	dir    string
	module string   // the folder of its module, which may be a nested one
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
	suites := parseList(string(out))
	for _, s := range suites {
		s.module = root
	}
	return suites, nil
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
		pkg := strings.TrimPrefix(fields[0], prefix)
		if strings.HasPrefix(pkg, "stress/") {
			continue
		}
		suites = append(suites, &suite{pkg: pkg, dir: fields[1], files: files})
	}
	return suites
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

// build makes the binaries of the tests' suites. One go command makes as many as it can: commands
// side by side would each compile what the suites share.
func build(ctx context.Context, dir string, tests []*test, race bool) error {
	var suites []*suite
	for _, t := range tests {
		if !slices.Contains(suites, t.suite) {
			suites = append(suites, t.suite)
		}
	}
	for i, together := range batches(suites) {
		if err := together.build(ctx, filepath.Join(dir, strconv.Itoa(i)), race); err != nil {
			return err
		}
	}
	return nil
}

// A batch is suites of one module whose binaries can lie in one folder.
type batch []*suite

// batches divides suites. The go command names a binary after the last part of the package's path.
func batches(suites []*suite) (all []batch) {
	for _, s := range suites {
		at := slices.IndexFunc(all, func(b batch) bool {
			return b[0].module == s.module && !slices.ContainsFunc(b, func(other *suite) bool {
				return path.Base(other.pkg) == path.Base(s.pkg)
			})
		})
		if at < 0 {
			all, at = append(all, nil), len(all)
		}
		all[at] = append(all[at], s)
	}
	return all
}

// build makes the binaries of a batch in a folder.
func (b batch) build(ctx context.Context, dir string, race bool) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	args := []string{"test", "-c", "-vet=off", "-tags=modelcheck", "-o", dir}
	// What compiles lives for a second: it costs more to collect its garbage than to keep it.
	env := append(os.Environ(), "GOGC=400")
	if race {
		args = append(args, "-race")
		env = append(env, "CGO_ENABLED=1")
	}
	suffix := ".test"
	if runtime.GOOS == "windows" {
		suffix += ".exe"
	}
	for _, s := range b {
		args = append(args, prefix+s.pkg)
		s.binary = filepath.Join(dir, path.Base(s.pkg)+suffix)
	}
	cmd := cli.Process(ctx, "go", args...)
	cmd.Dir, cmd.Env = b[0].module, env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the tests do not build: %w\n%s", err, out)
	}
	return nil
}
