package edited

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/syntax"
)

// Most of the time of a build goes into tests that are not run. So here is what is left of them for
// one.

// A unit is one declaration of a file of tests.
type unit struct {
	file     *testFile
	from, to int             // in its text, with its comment
	names    []string        // it declares
	of       string          // the type of which it is a method, or ""
	uses     map[string]bool // all names in it
	packages map[string]bool // those before a dot
	kept     bool
}

type testFile struct {
	name   string
	text   []byte
	syntax *ast.File
}

// Needed returns the texts of the files of tests in a folder, by their names, without the
// declarations that one test does not need; a file of which nothing is left has the empty text. It
// goes by names alone, so some of what it leaves may not be needed.
func Needed(dir, test string) (texts map[string]string, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var units []*unit
	var files []*testFile
	fset := token.NewFileSet()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		syntax, err := parser.ParseFile(fset, name, text,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		f := &testFile{name, text, syntax}
		files = append(files, f)
		for _, decl := range syntax.Decls {
			if u := newUnit(fset, f, decl); u != nil {
				units = append(units, u)
			}
		}
	}
	keep(units, test)
	texts = make(map[string]string)
	for _, f := range files {
		texts[f.name] = f.left(fset, units)
	}
	return texts, nil
}

// newUnit returns what a declaration declares and uses, or nil for imports.
func newUnit(fset *token.FileSet, f *testFile, decl ast.Decl) *unit {
	u := &unit{file: f, uses: map[string]bool{}, packages: map[string]bool{}}
	doc := (*ast.CommentGroup)(nil)
	switch d := decl.(type) {
	case *ast.FuncDecl:
		doc, u.names = d.Doc, []string{d.Name.Name}
		u.of = syntax.Receiver(d)
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			return nil
		}
		doc = d.Doc
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				u.names = append(u.names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					u.names = append(u.names, n.Name)
				}
			}
		}
	}
	u.from, u.to = fset.Position(decl.Pos()).Offset, fset.Position(decl.End()).Offset
	if doc != nil {
		u.from = fset.Position(doc.Pos()).Offset
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			u.uses[n.Name] = true
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				u.packages[x.Name] = true
			}
		}
		return true
	})
	return u
}

// keep marks what a test needs: what runs without being called, and then what anything that is kept
// uses. A type is kept with all its methods, as it may be used by them through an interface; a
// method of a type that is no test's is kept if anything has its name.
func keep(units []*unit, test string) {
	byName, methods, types := map[string][]*unit{}, map[string][]*unit{}, map[string]bool{}
	for _, u := range units {
		if u.of == "" {
			for _, name := range u.names {
				byName[name], types[name] = append(byName[name], u), true
			}
		}
	}
	for _, u := range units {
		if u.of != "" && types[u.of] {
			methods[u.of] = append(methods[u.of], u)
		} else if u.of != "" {
			byName[u.names[0]] = append(byName[u.names[0]], u)
		}
	}
	var need func(name string)
	need = func(name string) {
		for _, u := range slices.Concat(byName[name], methods[name]) {
			if u.kept {
				continue
			}
			u.kept = true
			for _, other := range u.names {
				if u.of == "" {
					need(other) // the other names of a group, for their methods
				}
			}
			for used := range u.uses {
				need(used)
			}
		}
	}
	for _, name := range []string{test, "TestMain", "init", "_"} {
		need(name)
	}
}

// left returns what is left of a file.
func (f *testFile) left(fset *token.FileSet, units []*unit) string {
	var kept []*unit
	packages := map[string]bool{}
	for _, u := range units {
		if u.file != f || !u.kept {
			continue
		}
		kept = append(kept, u)
		for name := range u.packages {
			packages[name] = true
		}
	}
	if len(kept) == 0 {
		return ""
	}
	var b bytes.Buffer
	b.Write(f.text[:fset.Position(f.syntax.Name.End()).Offset])
	b.WriteString("\n\n")
	for _, spec := range f.syntax.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(imported)
		if major, ok := strings.CutPrefix(name, "v"); ok &&
			strings.Trim(major, "0123456789") == "" {
			name = path.Base(path.Dir(imported))
		}
		name = strings.TrimSuffix(name, ".go") // as of github.com/nats-io/nats.go
		alias := ""
		if spec.Name != nil {
			alias = spec.Name.Name
			name = alias
		}
		if name == "_" || name == "." || packages[name] {
			b.WriteString("import " + alias + " " + spec.Path.Value + "\n")
		}
	}
	for _, u := range kept {
		b.WriteString("\n")
		b.Write(f.text[u.from:u.to])
		b.WriteString("\n")
	}
	return b.String()
}
