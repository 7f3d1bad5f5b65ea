package archtest

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/syntax"
)

// names is what a page may speak of: the code of one package, or of all.
type names struct {
	// every identifier in ordinary files, every declaration in tests
	idents  map[string]bool
	members map[string]map[string]bool // type to fields and methods
	open    map[string]bool            // types that may have members from elsewhere
}

func newNames() *names {
	return &names{
		idents: map[string]bool{}, members: map[string]map[string]bool{}, open: map[string]bool{},
	}
}

// add takes in the names of a package.
func (n *names) add(p *pkg) {
	for _, s := range slices.Concat(p.files, p.tests) {
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				n.idents[d.Name.Name] = true
				if d.Recv != nil {
					n.addMember(syntax.Receiver(d), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						n.addType(spec)
					}
				}
			}
		}
	}
	for _, s := range p.files {
		ast.Inspect(s.file, func(node ast.Node) bool {
			if id, ok := node.(*ast.Ident); ok {
				n.idents[id.Name] = true
			}
			return true
		})
	}
}

// merge takes in the names of others.
func (n *names) merge(others *names) {
	maps.Copy(n.idents, others.idents)
	for of, members := range others.members {
		if n.members[of] == nil {
			n.members[of] = make(map[string]bool, len(members))
		}
		maps.Copy(n.members[of], members)
	}
	maps.Copy(n.open, others.open)
}

// addMember takes in a field or a method of a type.
func (n *names) addMember(of, name string) {
	if n.members[of] == nil {
		n.members[of] = map[string]bool{}
	}
	n.members[of][name] = true
}

// addType takes in a type and its members.
func (n *names) addType(spec *ast.TypeSpec) {
	name := spec.Name.Name
	n.idents[name] = true
	if n.members[name] == nil {
		n.members[name] = map[string]bool{}
	}
	list := members(spec)
	if list == nil {
		n.open[name] = spec.Assign.IsValid()
		return
	}
	for _, field := range list.List {
		for _, f := range field.Names {
			n.addMember(name, f.Name)
		}
		if field.Names == nil {
			n.open[name] = true
		}
	}
}

// members returns the fields of a struct or the methods of an interface, and nil for another type.
func members(spec *ast.TypeSpec) *ast.FieldList {
	switch of := spec.Type.(type) {
	case *ast.StructType:
		return of.Fields
	case *ast.InterfaceType:
		return of.Methods
	}
	return nil
}

// nestedNames returns what a page in a nested module may speak of: all that the root module
// has, and what the folders at and below the page have, of those inside of nested modules.
func nestedNames(t *tree, root *names, inside map[string]*names, dir string) *names {
	own := newNames()
	own.merge(root)
	for at, of := range inside {
		if at == dir || strings.HasPrefix(at, dir+"/") {
			own.merge(of)
			own.idents[t.nested[at].name] = true
		}
	}
	return own
}

// tags yields the build tags that a file's constraint names.
func tags(f *ast.File) map[string]bool {
	found := map[string]bool{}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) {
				continue
			}
			if x, err := constraint.Parse(c.Text); err == nil {
				x.Eval(func(tag string) bool { found[tag] = true; return true })
				x.Eval(func(tag string) bool { found[tag] = true; return false })
			}
		}
	}
	return found
}

// missing says that there is no such name, or "" where there is one or the word is no name to look
// for.
func (n *names) missing(name string) string {
	word := len(name) < 2 || strings.ToUpper(name) == name || types.Universe.Lookup(name) != nil
	if word || n.idents[name] {
		return ""
	}
	return fmt.Sprintf("there is no %s in the code", name)
}
