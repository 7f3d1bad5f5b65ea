package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

//go:embed cpp/*.h cpp/*.cpp
var cppSources embed.FS

// A program is one of the C++ programs.
type program struct {
	name    string   // of its source without .cpp
	library string   // what it needs, for the reader
	flags   []string // flags of its own, at the end of the compiler's command line
	setting string   // of its environment; each has a process of its own
}

var (
	plainProgram = program{name: "plain"}
	tbbProgram   = program{name: "onetbb", library: "oneTBB (Debian: libtbb-dev)",
		flags: []string{"-ltbb"}}
	openmpProgram = program{name: "openmp", library: "OpenMP", flags: []string{"-fopenmp"}}
	moodyProgram  = program{name: "moodycamel",
		library: "moodycamel's ConcurrentQueue (Debian: libconcurrentqueue-dev)"}

	programs = []program{plainProgram, tbbProgram, openmpProgram, moodyProgram}
)

// cpp builds and runs the C++ programs.
type cpp struct {
	mode     string
	compiler string // a command
	optimize string // its flag
	cache    string // folder of what was built, in one of its own for each source and command line
	built    map[string]string
	failures map[string]error
	children map[string]*child
}

// newCPP takes the compiler from $CXX, else g++.
func newCPP(mode string) *cpp {
	compiler := os.Getenv("CXX")
	if compiler == "" {
		compiler = "g++"
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return &cpp{
		mode: mode, compiler: compiler, optimize: "-O2",
		cache: filepath.Join(cache, "heddle-bench"),
		built: map[string]string{}, failures: map[string]error{}, children: map[string]*child{},
	}
}

// buildAll builds what was not built before, and fails if all are required and one cannot be.
func (c *cpp) buildAll(ctx context.Context) error {
	if c.mode == cppOff {
		return nil
	}
	var wg sync.WaitGroup
	paths, errs := make([]string, len(programs)), make([]error, len(programs))
	for i, p := range programs {
		wg.Go(func() { paths[i], errs[i] = c.build(ctx, p) })
	}
	wg.Wait()
	for i, p := range programs {
		if c.built[p.name] = paths[i]; errs[i] != nil {
			c.failures[p.name] = errs[i]
		}
	}
	if c.mode == cppRequire {
		if err := errors.Join(errs...); err != nil {
			return fmt.Errorf("-cpp require: %w", err)
		}
	}
	return nil
}

// start returns the running program, or an absent error.
func (c *cpp) start(p program) (*child, error) {
	if c.mode == cppOff {
		return nil, absent("left out by -cpp off")
	}
	if err := c.failures[p.name]; err != nil {
		return nil, err
	}
	if running := c.children[p.name+p.setting]; running != nil {
		if !running.stuck() {
			return running, nil
		}
		_ = running.close() // at a job that nobody waits for any more
	}
	running, err := startChild(c.built[p.name], p.setting)
	if err != nil {
		return nil, err
	}
	c.children[p.name+p.setting] = running
	return running, nil
}

// build compiles a program, unless it was, and returns its path or an absent error.
func (c *cpp) build(ctx context.Context, p program) (string, error) {
	compiler, err := exec.LookPath(c.compiler)
	if err != nil {
		return "", absent(fmt.Sprintf("no C++ compiler %q (set CXX to have another)", c.compiler))
	}
	args := []string{"-std=c++17", c.optimize, "-pthread"}
	dir, err := c.unpack(fmt.Sprint(compiler, firstLine(compiler, "--version"), args, p.flags))
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, p.name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	// Two runs may build at the same time: each moves a whole program to its place.
	fresh, err := os.CreateTemp(dir, p.name+"-")
	if err != nil {
		return "", err
	}
	fresh.Close()
	defer os.Remove(fresh.Name())
	args = append(args, "-o", fresh.Name(), filepath.Join(dir, p.name+".cpp"))
	if out, err := cli.Process(ctx, compiler,
		append(args, p.flags...)...).CombinedOutput(); err != nil {
		what := "it does not compile"
		if p.library != "" {
			what = "no " + p.library
		}
		return "", absent(fmt.Sprintf("%s: %s", what, firstError(out, err)))
	}
	return path, os.Rename(fresh.Name(), path)
}

// unpack writes the sources into a folder that belongs to them and to the command line.
func (c *cpp) unpack(command string) (dir string, err error) {
	files, err := fs.Glob(cppSources, "cpp/*")
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, command)
	texts := make([][]byte, len(files))
	for i, name := range files {
		if texts[i], err = cppSources.ReadFile(name); err != nil {
			return "", err
		}
		fmt.Fprintln(hash, name, len(texts[i]))
		hash.Write(texts[i])
	}
	dir = filepath.Join(c.cache, fmt.Sprintf("%x", hash.Sum(nil)[:8]))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	for i, name := range files {
		to := filepath.Join(dir, filepath.Base(name))
		if old, err := os.ReadFile(to); err == nil && bytes.Equal(old, texts[i]) {
			continue
		}
		if err := os.WriteFile(to, texts[i], 0o666); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// firstError picks the line of a compiler's output that tells most.
func firstError(out []byte, err error) string {
	for line := range bytes.Lines(out) {
		if i := bytes.Index(line, []byte("error: ")); i >= 0 {
			return string(bytes.TrimSpace(line[i+len("error: "):]))
		}
		if bytes.Contains(line, []byte("cannot find")) {
			return string(bytes.TrimSpace(line))
		}
	}
	return err.Error()
}

// close ends the programs. What was built stays for the next run.
func (c *cpp) close() error {
	var errs []error
	for _, running := range c.children {
		errs = append(errs, running.close())
	}
	return errors.Join(errs...)
}
