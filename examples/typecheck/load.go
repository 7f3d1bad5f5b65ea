package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A graph is the import graph of one listing. Packages are numbered so that each stands
// after everything it imports, and all other columns of a run use the same numbers.
type graph struct {
	pkgs  []pkg
	edges int
	files int
	sizes types.Sizes // of the target, which need not be this machine
}

// A pkg is one package as the go command describes it.
type pkg struct {
	path    string
	goVer   string // language version, "go1.26" or "" for the newest
	own     bool   // of the module that was asked for, not merely imported by it
	files   []source
	bytes   int64
	imports []int          // numbers of the imported packages, ascending
	named   map[string]int // import path as the source writes it, to its number
	loadErr string         // why the go command could not load it
}

// A source is one file: where it lies, and the name that positions show. That name does
// not depend on the machine, so that digests can be compared between machines.
type source struct {
	file, name string
}

// listed is what go list says of a package, as far as it matters here.
type listed struct {
	Dir        string
	ImportPath string
	GoFiles    []string
	Imports    []string
	ImportMap  map[string]string
	Standard   bool
	DepOnly    bool
	Module     *struct {
		Dir, GoVersion string
		Main           bool
	}
	Error *struct{ Pos, Err string }
}

// load lists the packages of the module in dir with all their dependencies, or those of
// the standard library if dir is empty. It reads every file once, which tells the sizes
// and leaves the contents in the page cache, so that the first run pays no disk.
func load(ctx context.Context, dir string) (*graph, error) {
	pattern := "std"
	if dir != "" {
		pattern = "./..."
	}
	// Profile-guided optimisation is off, because the go command lists everything that a
	// command with a profile imports once more.
	out, err := goCommand(ctx, dir, "list", "-e", "-deps", "-pgo=off",
		"-json=Dir,ImportPath,GoFiles,Imports,ImportMap,Standard,DepOnly,Module,Error", pattern)
	if err != nil {
		return nil, err
	}
	list, err := decode(out)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("-dir %s: no Go packages in it", dir)
	}
	if l := list[0]; l.ImportPath == pattern && l.Error != nil {
		// of the request, not of a package
		return nil, fmt.Errorf("go list: %s", oneLine(l.Error.Err))
	}
	g, err := build(list)
	if err != nil {
		return nil, err
	}
	arch, err := goCommand(ctx, dir, "env", "GOARCH")
	if err != nil {
		return nil, err
	}
	g.sizes = types.SizesFor("gc", strings.TrimSpace(string(arch)))
	g.warm()
	return g, nil
}

// checkModule reports why dir is not the root of a module. The go command alone would
// take any directory inside one, or list nothing and say so in a warning.
func checkModule(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("-dir %s: no such directory", dir)
	case err != nil:
		return fmt.Errorf("-dir %s: %w", dir, err)
	case !info.IsDir():
		return fmt.Errorf("-dir %s: not a directory", dir)
	}
	if mod, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil || mod.IsDir() {
		return fmt.Errorf("-dir %s: not a Go module: there is no go.mod in it", dir)
	}
	return nil
}

// goCommand runs the go command of the search path in dir. Cgo is off: with it some
// packages have no types before the cgo tool has run.
func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := cli.Process(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		why := oneLine(strings.TrimPrefix(stderr.String(), "go: "))
		if why == "" {
			why = err.Error()
		}
		return nil, fmt.Errorf("go %s: %s", args[0], why)
	}
	return stdout.Bytes(), nil
}

// decode reads the objects that go list printed one after the other.
func decode(out []byte) ([]listed, error) {
	var list []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		switch err := dec.Decode(&l); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		}
		list = append(list, l)
	}
}

// build orders the listed packages and numbers their imports. A cycle is an error that
// names it.
func build(list []listed) (*graph, error) {
	order, err := importOrder(list)
	if err != nil {
		return nil, err
	}
	g := &graph{pkgs: make([]pkg, 0, len(order))}
	number := make(map[string]int, len(order))
	for _, l := range order {
		p := newPkg(l)
		for _, path := range l.Imports {
			i, ok := number[path]
			if !ok {
				p.loadErr = fmt.Sprintf("imports %s, which the go command did not list", path)
				continue
			}
			p.imports = append(p.imports, i)
			p.named[path] = i
		}
		for from, to := range l.ImportMap {
			if i, ok := number[to]; ok {
				p.named[from] = i
			}
		}
		slices.Sort(p.imports)
		p.imports = slices.Compact(p.imports)
		g.edges += len(p.imports)
		g.files += len(p.files)
		number[p.path] = len(g.pkgs)
		g.pkgs = append(g.pkgs, p)
	}
	return g, nil
}

// newPkg takes over all of a listed package but its imports.
func newPkg(l *listed) pkg {
	p := pkg{
		path: l.ImportPath,
		// A package that is not there at all is an error of whoever asked for it, and one
		// of the module's own may be listed as a mere import: if its files are all for
		// another system.
		own:   !l.DepOnly || l.Dir == "" || l.Module != nil && l.Module.Main,
		named: make(map[string]int, len(l.Imports)),
	}
	if l.Module != nil && !l.Standard {
		p.goVer = "go1.16" // what the go command assumes of a go.mod that names none
		if l.Module.GoVersion != "" {
			p.goVer = "go" + l.Module.GoVersion
		}
	}
	if l.Error != nil {
		p.loadErr = oneLine(l.Error.Err)
		if l.Error.Pos != "" {
			p.loadErr = filepath.ToSlash(l.Error.Pos) + ": " + p.loadErr
		} else {
			p.loadErr = p.path + ": " + p.loadErr
		}
	}
	prefix := l.ImportPath
	if p.own && !l.Standard && l.Module != nil {
		if rel, err := filepath.Rel(l.Module.Dir, l.Dir); err == nil {
			prefix = filepath.ToSlash(rel)
		}
	}
	for _, f := range l.GoFiles {
		name := prefix + "/" + f
		p.files = append(p.files, source{filepath.Join(l.Dir, f), strings.TrimPrefix(name, "./")})
	}
	return p
}

// importOrder returns the packages with each after all that it imports, otherwise in the
// order of the listing.
func importOrder(list []listed) ([]*listed, error) {
	byPath := make(map[string]*listed, len(list))
	for i := range list {
		byPath[list[i].ImportPath] = &list[i]
	}
	order := make([]*listed, 0, len(list))
	var trail []string // the imports that lead to the package being visited
	const entered, left = 1, 2
	state := make(map[string]int, len(list))
	var visit func(l *listed) error
	visit = func(l *listed) error {
		switch state[l.ImportPath] {
		case left:
			return nil
		case entered:
			return cycleError(trail[slices.Index(trail, l.ImportPath):])
		}
		state[l.ImportPath] = entered
		trail = append(trail, l.ImportPath)
		for _, path := range l.Imports {
			if imp, ok := byPath[path]; ok {
				if err := visit(imp); err != nil {
					return err
				}
			}
		}
		trail = trail[:len(trail)-1]
		state[l.ImportPath] = left
		order = append(order, l)
		return nil
	}
	for i := range list {
		if err := visit(&list[i]); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// cycleError names a cycle, starting at its first path in alphabetical order.
func cycleError(cycle []string) error {
	at := slices.Index(cycle, slices.Min(cycle))
	turned := slices.Concat(cycle[at:], cycle[:at+1])
	return fmt.Errorf("import cycle: %s", strings.Join(turned, " imports "))
}

// warm reads every file. What cannot be read is reported by the check of its package.
func (g *graph) warm() {
	for i := range g.pkgs {
		for _, f := range g.pkgs[i].files {
			src, _ := os.ReadFile(f.file)
			g.pkgs[i].bytes += int64(len(src))
		}
	}
}

// oneLine puts the lines of a message behind each other.
func oneLine(s string) string {
	return strings.Join(strings.Fields(s), " ")
}
