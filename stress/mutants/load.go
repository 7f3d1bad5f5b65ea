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
	all, err := list(root, "-export", "-deps", pkg)
	if err != nil {
		return nil, err
	}
	modeled, err := list(root, "-tags=modelcheck", pkg)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 || len(modeled) != 1 {
		return nil, fmt.Errorf("%s is not one package", pkg)
	}
	this := all[len(all)-1] // what it depends on comes before it
	exports := make(map[string]string)
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	s := &source{
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
	for _, name := range modeled[0].GoFiles {
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
