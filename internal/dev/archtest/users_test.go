package archtest

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/syntax"
)

// userTable is the page that says where each structure of the lowest layers is used.
const userTable = "docs/architecture.md"

// usersRule asks of the structures of lockfree and sleepevent that somebody needs them: a layer
// above, or an example, a command or one of the package's own.
var usersRule = rule{
	name: "each structure is used above, or in an example",
	check: func(t *tree) (findings []string) {
		table := ""
		if s := t.get(userTable); s != nil {
			table = string(s.text)
		}
		for _, dir := range []string{"lockfree", "sleepevent"} {
			used := usedOf(t, dir)
			for _, name := range structures(t, dir) {
				if !used[name] {
					findings = append(findings,
						fmt.Sprintf("%s.%s: no layer above and no example uses it: show what it "+
							"is for, or delete it", dir, name))
				}
				if row := fmt.Sprintf("| `%s.%s` |", dir, name); table != "" &&
					!strings.Contains(table, row) {
					findings = append(findings,
						fmt.Sprintf("%s: no row %q: say where it is used, and by what right",
							userTable, row))
				}
			}
		}
		return findings
	},
	bad: []badTree{
		{"nobody", map[string]string{"lockfree/example_test.go": ""},
			"lockfree.Stack: no layer above and no example uses it"},
		{"a test alone", map[string]string{
			"lockfree/example_test.go": "",
			"namedthread/x_test.go": "package namedthread\n\nimport \"" + modulePath +
				"/lockfree\"\n\nvar x lockfree.Stack[int]\n",
		}, "lockfree.Stack: no layer above"},
		{"what stands aside", map[string]string{
			"lockfree/example_test.go": "",
			"stress/x.go": "package stress\n\nimport \"" + modulePath +
				"/lockfree\"\n\nvar x lockfree.Stack[int]\n",
		}, "lockfree.Stack: no layer above"},
		{"another name", map[string]string{
			"lockfree/example_test.go": "package lockfree_test\n\nfunc ExampleStackOf() {}\n",
			"namedthread/x.go": "package namedthread\n\nimport \"" + modulePath +
				"/lockfree\"\n\nvar x lockfree.Stacks\n",
		}, "lockfree.Stack: no layer above"},
		{"no row", map[string]string{userTable: "| `lockfree.Queue` | here | why |\n"},
			"no row \"| `lockfree.Stack` |\""},
	},
}

// structures returns the exported types of a package that are structs with exported methods.
func structures(t *tree, dir string) (names []string) {
	methods := map[string]bool{}
	for _, s := range t.goFiles() {
		if s.dir() != dir || s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.IsExported() {
				methods[syntax.Receiver(f)] = true
			}
		}
	}
	for _, s := range t.goFiles() {
		if s.dir() != dir || s.test() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() &&
				methods[spec.Name.Name] {
				if _, ok := spec.Type.(*ast.StructType); ok {
					names = append(names, spec.Name.Name)
				}
			}
			return true
		})
	}
	return names
}

// usedOf returns the names of a package that layers above and examples refer to, a New before
// them left out.
func usedOf(t *tree, dir string) map[string]bool {
	used := map[string]bool{}
	for _, s := range t.goFiles() {
		if s.test() {
			if s.dir() != dir {
				continue
			}
			for _, d := range s.file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					if name, ok := strings.CutPrefix(f.Name.Name, "Example"); ok {
						name, _, _ = strings.Cut(name, "_")
						used[name] = true
					}
				}
			}
			continue
		}
		if s.dir() == dir || !shipped(s.dir()) && top(s.dir()) != "examples" {
			continue
		}
		local := s.localName(modulePath + "/" + dir)
		if local == "" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == local {
					used[strings.TrimPrefix(sel.Sel.Name, "New")] = true
				}
			}
			return true
		})
	}
	return used
}
