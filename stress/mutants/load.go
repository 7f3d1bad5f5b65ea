package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// A source is a package whose files are edited, with the types of its expressions.
type source struct {
	pkg      string // "./lockfree", from the root
	dir      string
	fset     *token.FileSet
	names    []string // "lockfree/stack.go", from the root, one for each of files
	texts    []string
	files    []*ast.File
	info     *types.Info
	types    *types.Package
	imports  types.Importer
	inModels map[string]bool // the files that the model checker sees as they are
	tests    []string        // the files of tests
}

// A listed package is what go list says of one.
type listed struct {
	ImportPath, Dir, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// list asks the go command about packages.
func list(root string, args ...string) ([]listed, error) {
	cmd := exec.Command("go",
		append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles"},
			args...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var one listed
		if err := d.Decode(&one); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, one)
	}
}

// load reads a package as an ordinary build sees it.
func load(root, pkg string) (*source, error) {
	all, err := loadAll(root, pkg)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// loadAll reads packages, each named by itself. The go command is asked about all at once: one by
// one most of the time would go into what they share.
func loadAll(root string, pkgs ...string) (sources []*source, err error) {
	all, err := list(root, append([]string{"-export", "-deps"}, pkgs...)...)
	if err != nil {
		return nil, err
	}
	// In the order of their names, without what they depend on.
	modeled, err := list(root, append([]string{"-tags=modelcheck"}, pkgs...)...)
	if err != nil {
		return nil, err
	}
	if len(modeled) != len(pkgs) {
		return nil, fmt.Errorf("%s are not one package each", strings.Join(pkgs, " "))
	}
	exports := make(map[string]string)
	known := make(map[string]listed)
	for _, p := range all {
		exports[p.ImportPath] = p.Export
		known[p.ImportPath] = p
	}
	for i, pkg := range pkgs {
		s, err := newSource(root, pkg, known[modeled[i].ImportPath], modeled[i].GoFiles, exports)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// newSource reads one package. Exports are the files of what it may import, and modeled the names
// of those of its files that the model checker sees.
func newSource(root, pkg string, this listed, modeled []string,
	exports map[string]string) (s *source, err error) {
	s = &source{
		pkg: pkg, dir: this.Dir, fset: token.NewFileSet(), inModels: make(map[string]bool),
		tests: append(this.TestGoFiles, this.XTestGoFiles...),
	}
	s.imports = importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	})
	for _, name := range this.GoFiles {
		text, err := os.ReadFile(filepath.Join(this.Dir, name))
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(s.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(root, filepath.Join(this.Dir, name))
		if err != nil {
			return nil, err
		}
		s.names = append(s.names, filepath.ToSlash(rel))
		s.texts = append(s.texts, string(text))
		s.files = append(s.files, file)
	}
	for _, name := range modeled {
		s.inModels[path.Join(filepath.ToSlash(pkg), name)] = true
	}
	s.info = &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Uses: make(map[*ast.Ident]types.Object),
		Defs:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	s.types, err = (&types.Config{Importer: s.imports}).Check(this.ImportPath, s.fset, s.files,
		s.info)
	return s, err
}

// compiles reports whether the package has correct types with one file edited. It is much
// cheaper than a build.
func (s *source) compiles(e *edit) bool {
	file, err := parser.ParseFile(s.fset, "edited", e.apply(s.texts[e.file]),
		parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	files := append([]*ast.File{}, s.files...)
	files[e.file] = file
	_, err = (&types.Config{Importer: s.imports}).Check(s.types.Path(), s.fset, files, nil)
	return err == nil
}
