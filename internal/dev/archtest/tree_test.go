package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// modulePath is the import path of the module whose tree is read.
const modulePath = "github.com/heddle-go/heddle"

// bound are the folders of modules that the rules bind as they bind the root module: they are
// modules so that nobody who imports the library downloads or tests them. Modules nested in them
// are nested as others are.
var bound = []string{"examples", "internal/dev/archtest", "stress/mutants"}

// A source is one file of the tree. Go files of the root module and of the bound ones are parsed,
// for whatever platform and tag: a rule holds in every build. Those of nested modules are parsed
// aside.
type source struct {
	path   string // from the root, with slashes
	text   []byte
	nested bool      // belongs to a nested module other than the bound ones
	file   *ast.File // nil unless parsed
}

func (s *source) dir() string  { return path.Dir(s.path) }
func (s *source) test() bool   { return strings.HasSuffix(s.path, "_test.go") }
func (s *source) base() string { return path.Base(s.path) }

// imports yields the import paths of a parsed file with their positions.
func (s *source) imports(yield func(string, token.Pos) bool) {
	for _, spec := range s.file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err == nil && !yield(imported, spec.Pos()) {
			return
		}
	}
}

// localName returns the name under which a file refers to an imported package, or "".
func (s *source) localName(imported string) string {
	for _, spec := range s.file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != imported {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(imported)
	}
	return ""
}

// A pkg is one folder that holds Go files.
type pkg struct {
	dir   string // "." for the root
	name  string // of the package itself, without _test
	files []*source
	tests []*source
}

// A tree is the whole checkout, read once.
type tree struct {
	fset    *token.FileSet
	sources []*source
	pkgs    map[string]*pkg // of the root module and of the bound ones
	nested  map[string]*pkg // of nested modules: known to their pages, bound by no rule
}

// at formats a position for a finding.
func (t *tree) at(pos token.Pos) string {
	p := t.fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// goFiles returns the parsed files of every package in a stable order.
func (t *tree) goFiles() []*source {
	var all []*source
	for _, s := range t.sources {
		if s.file != nil {
			all = append(all, s)
		}
	}
	return all
}

// packages returns the packages sorted by folder.
func (t *tree) packages() []*pkg {
	var all []*pkg
	for _, p := range t.pkgs {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *pkg) int { return strings.Compare(a.dir, b.dir) })
	return all
}

// pkg returns the package in a folder, of whatever module.
func (t *tree) pkg(dir string) *pkg {
	if p := t.pkgs[dir]; p != nil {
		return p
	}
	return t.nested[dir]
}

// has reports whether a file or folder of that path was read.
func (t *tree) has(name string) bool {
	for _, s := range t.sources {
		if s.path == name || strings.HasPrefix(s.path, name+"/") {
			return true
		}
	}
	return false
}

// get returns the source of that path, or nil.
func (t *tree) get(name string) *source {
	for _, s := range t.sources {
		if s.path == name {
			return s
		}
	}
	return nil
}

// load walks a checkout. Git is not asked: what .gitignore names is skipped by hand, and so
// are hidden folders other than those that hold the checks themselves.
func load(fsys fs.FS) (*tree, error) {
	t := &tree{fset: token.NewFileSet(), pkgs: map[string]*pkg{}, nested: map[string]*pkg{}}
	nested := []string{}
	inside := func(name string, dirs []string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool {
			return strings.HasPrefix(name, d+"/")
		})
	}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() {
			switch {
			case name == ".":
			case name == "bin", strings.HasPrefix(base, ".") && base != ".ci" && base != ".github":
				return fs.SkipDir
			default:
				if _, err := fs.Stat(fsys, name+"/go.mod"); err == nil &&
					!slices.Contains(bound, name) {
					nested = append(nested, name)
				}
			}
			return nil
		}
		switch path.Ext(base) {
		case ".test", ".out", ".prof":
			return nil
		}
		if !d.Type().IsRegular() || base == ".git" { // a file, where the checkout is one of several
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		s := &source{path: name, text: text, nested: inside(name, nested)}
		t.sources = append(t.sources, s)
		if path.Ext(base) != ".go" || slices.Contains(strings.Split(name, "/"), "testdata") ||
			strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") {
			return nil
		}
		f, err := parser.ParseFile(t.fset, name, text,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if ignored(f) {
			return nil
		}
		pkgs := t.pkgs
		if s.nested {
			named := *s
			s, pkgs = &named, t.nested
		}
		s.file = f
		p := pkgs[s.dir()]
		if p == nil {
			p = &pkg{dir: s.dir()}
			pkgs[p.dir] = p
		}
		if s.test() {
			p.tests = append(p.tests, s)
		} else {
			p.files = append(p.files, s)
		}
		if !s.test() || p.name == "" {
			p.name = strings.TrimSuffix(f.Name.Name, "_test")
		}
		return nil
	})
	return t, err
}

// ignored reports whether a file is a stand-alone program, marked by the tag "ignore".
func ignored(f *ast.File) bool {
	for _, group := range f.Comments {
		if group.Pos() > f.Package {
			break
		}
		for _, c := range group.List {
			if x, err := constraint.Parse(c.Text); err == nil {
				if tag, ok := x.(*constraint.TagExpr); ok && tag.Tag == "ignore" {
					return true
				}
			}
		}
	}
	return false
}

// binary reports whether a text is none.
func binary(text []byte) bool { return bytes.IndexByte(text, 0) >= 0 }
