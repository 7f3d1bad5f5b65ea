package archtest

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-go/heddle/internal/dev/syntax"
)

// commentRule asks for a comment on every exported function, method, type, constant and
// variable, and in public packages also on every exported field and interface method. There
// adjacent members may share one comment if it names them. In packages under an internal
// folder a group of constants or variables may go by the comment of its type.
var commentRule = rule{
	name: "every exported name has a comment",
	check: func(t *tree) (findings []string) {
		for _, p := range t.packages() {
			if p.name == "main" {
				continue
			}
			for _, s := range p.files {
				c := commentCheck{t: t, public: !internal(p.dir)}
				for _, decl := range s.file.Decls {
					c.decl(decl)
				}
				findings = append(findings, c.findings...)
			}
		}
		return findings
	},
	bad: []badTree{
		{"function", map[string]string{"lockfree/x.go": "package lockfree\n\nfunc Bare() {}\n"},
			"lockfree/x.go:3: Bare has no comment"},
		{"comment of something else",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\n// Nothing to see.\nfunc Bare() {}\n"},
			"x.go:4: the comment of Bare does not name it"},
		{"directive is no comment",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\n//go:noinline\nfunc Bare() {}\n"},
			"x.go:4: Bare has no comment"},
		{"type", map[string]string{"lockfree/x.go": "package lockfree\n\ntype Bare int\n"},
			"x.go:3: Bare has no comment"},
		{"type in a group",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\n// Two types.\ntype (\n\tBare int\n)\n"},
			"x.go:5: Bare has no comment"},
		{"method of a generic type",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\nfunc (s *Stack[T]) Bare() {}\n"},
			"x.go:3: Stack.Bare has no comment"},
		{"field",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\n// Options are options.\ntype Options struct {\n\tBare int\n}\n"},
			"x.go:5: Options.Bare has no comment"},
		{"field beside another",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\n// Options are options.\ntype Options struct {\n\t// Min is, and Max too.\n\tMin int\n\tMax int\n\tMid int\n}\n"},
			"x.go:8: Options.Mid has no comment"},
		{"field after a gap",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\n// Options are options.\ntype Options struct {\n\t// Min is, and Max too.\n\tMin int\n\n\tMax int\n}\n"},
			"x.go:8: Options.Max has no comment"},
		{"interface method",
			map[string]string{
				"lockfree/x.go": "package lockfree\n\n// I is an interface.\ntype I interface {\n\tBare()\n}\n"},
			"x.go:5: I.Bare has no comment"},
		{"type under internal",
			map[string]string{"internal/a/x.go": "package a\n\ntype Bare int\n"},
			"x.go:3: Bare has no comment"},
		{"constant",
			map[string]string{"lockfree/x.go": "package lockfree\n\nconst (\n\tBare = iota\n)\n"},
			"x.go:4: Bare has no comment"},
		{"variable", map[string]string{"lockfree/x.go": "package lockfree\n\nvar ErrBare error\n"},
			"x.go:3: ErrBare has no comment"},
	},
}

// A commentCheck gathers the findings of one file.
type commentCheck struct {
	t        *tree
	public   bool
	findings []string
}

// internal reports whether a folder is out of reach for users.
func internal(dir string) bool { return slices.Contains(strings.Split(dir, "/"), "internal") }

func (c *commentCheck) report(at ast.Node, format string, args ...any) {
	c.findings = append(c.findings,
		fmt.Sprintf("%s: %s", c.t.at(at.Pos()), fmt.Sprintf(format, args...)))
}

// text returns what a reader sees of some comments: directives are none.
func text(groups ...*ast.CommentGroup) string {
	var all strings.Builder
	for _, g := range groups {
		all.WriteString(g.Text()) // of a nil group: ""
	}
	return strings.TrimSpace(all.String())
}

// named demands a comment that contains the name.
func (c *commentCheck) named(at ast.Node, name, comment string) {
	last := name[strings.LastIndex(name, ".")+1:]
	switch {
	case comment == "":
		c.report(at, "%s has no comment: say what it does, at its boundaries too", name)
	case !mentions(comment, last):
		c.report(at,
			"the comment of %s does not name it: begin with the name, as go doc readers expect",
			name)
	}
}

func mentions(comment, name string) bool {
	return regexp.MustCompile(`\b` + name + `\b`).MatchString(comment)
}

func (c *commentCheck) line(pos token.Pos) int { return c.t.fset.Position(pos).Line }

func (c *commentCheck) decl(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			recv := syntax.Receiver(d)
			if !ast.IsExported(recv) {
				return
			}
			name = recv + "." + name
		}
		if d.Name.IsExported() {
			c.named(d.Name, name, text(d.Doc))
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				c.typeSpec(d, spec)
			case *ast.ValueSpec:
				if !c.public && d.Lparen.IsValid() {
					continue
				}
				for _, name := range spec.Names {
					if name.IsExported() && text(d.Doc, spec.Doc, spec.Comment) == "" {
						c.report(name, "%s has no comment: say what it means, or comment its group",
							name.Name)
					}
				}
			}
		}
	}
}

func (c *commentCheck) typeSpec(d *ast.GenDecl, spec *ast.TypeSpec) {
	if !spec.Name.IsExported() {
		return
	}
	name := spec.Name.Name
	switch {
	case spec.Assign.IsValid(): // an alias says enough in a group that is explained
		if text(d.Doc, spec.Doc, spec.Comment) == "" {
			c.report(spec.Name, "%s has no comment: say what it stands for", name)
		}
	case d.Lparen.IsValid():
		c.named(spec.Name, name, text(spec.Doc, spec.Comment))
	default:
		c.named(spec.Name, name, text(d.Doc))
	}
	if list := members(spec); c.public && list != nil {
		c.members(name, list)
	}
}

// members looks at the comments of the fields or methods of a type.
func (c *commentCheck) members(name string, list *ast.FieldList) {
	shared, last := "", 0 // the comment above adjacent members, and where they end
	for _, field := range list.List {
		if doc := text(field.Doc); doc != "" || c.line(field.Pos()) > last+1 {
			shared = doc
		}
		last = c.line(field.End())
		for _, member := range field.Names {
			commented := text(field.Doc, field.Comment) != "" || mentions(shared, member.Name)
			if member.IsExported() && !commented {
				c.report(member, "%s.%s has no comment: say meaning, unit, default and limit",
					name, member.Name)
			}
		}
	}
}

var packageDocRule = rule{
	name: "doc.go holds the package comment and nothing else",
	check: func(t *tree) (findings []string) {
		for _, p := range t.packages() {
			if p.name == "main" || len(p.files) == 0 {
				continue
			}
			found := false
			for _, s := range p.files {
				comment := text(s.file.Doc)
				if s.base() != "doc.go" {
					if comment != "" {
						findings = append(findings,
							fmt.Sprintf("%s: holds a package comment: it belongs in %s/doc.go",
								s.path, p.dir))
					}
					continue
				}
				found = true
				if !strings.HasPrefix(comment, "Package "+p.name+" ") {
					findings = append(findings,
						fmt.Sprintf("%s: the package comment begins with \"Package %s \"", s.path,
							p.name))
				}
				if len(s.file.Decls) > 0 {
					findings = append(findings,
						fmt.Sprintf("%s: declares something: doc.go holds the package comment only",
							t.at(s.file.Decls[0].Pos())))
				}
			}
			if !found {
				findings = append(findings,
					fmt.Sprintf("%s: package %s has no doc.go: write one with its package comment",
						p.dir, p.name))
			}
		}
		return findings
	},
	bad: []badTree{
		{"none", map[string]string{"lockfree/doc.go": ""}, "package lockfree has no doc.go"},
		{"empty", map[string]string{"lockfree/doc.go": "package lockfree\n"},
			"begins with \"Package lockfree \""},
		{"code in it",
			map[string]string{
				"lockfree/doc.go": "// Package lockfree is.\npackage lockfree\n\nvar x int\n"},
			"lockfree/doc.go:4: declares something"},
		{"comment elsewhere",
			map[string]string{"lockfree/x.go": "// Package lockfree is.\npackage lockfree\n"},
			"lockfree/x.go: holds a package comment"},
	},
}

var readmeRule = rule{
	name: "concurrent packages carry their proof",
	check: func(t *tree) (findings []string) {
		const seam = modulePath + "/internal/atomics"
		for _, p := range t.packages() {
			if p.name == "main" || !shipped(p.dir) || t.has(join(p.dir, "README.md")) {
				continue
			}
			if slices.ContainsFunc(p.files,
				func(s *source) bool { return s.localName(seam) != "" }) {
				findings = append(findings,
					fmt.Sprintf("%s shares memory and has no README.md: write its states, steps, "+
						"invariants and why nothing is lost", p.dir))
			}
		}
		return findings
	},
	bad: []badTree{
		{"none", map[string]string{"lockfree/README.md": ""},
			"lockfree shares memory and has no README.md"},
	},
}

// join joins a folder of the tree and a file name.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

var exampleRule = rule{
	name: "every public package has a checked example",
	check: func(t *tree) (findings []string) {
		for _, p := range t.packages() {
			_, tool := sides[p.dir]
			if !shipped(p.dir) && !tool || p.dir == "." || p.name == "main" || internal(p.dir) {
				continue
			}
			var files []*ast.File
			for _, s := range p.tests {
				files = append(files, s.file)
			}
			checked := func(e *doc.Example) bool { return e.Output != "" || e.EmptyOutput }
			if !slices.ContainsFunc(doc.Examples(files...), checked) {
				findings = append(findings,
					fmt.Sprintf("%s has no example with checked output: write one in "+
						"example_test.go, ending in an // Output: comment", p.dir))
			}
		}
		return findings
	},
	bad: []badTree{
		{"none", map[string]string{"lockfree/example_test.go": ""}, "lockfree has no example"},
		{"tool of users' tests",
			map[string]string{"stress/history/doc.go": "// Package history is.\npackage history\n"},
			"stress/history has no example"},
		{"unchecked",
			map[string]string{
				"lockfree/example_test.go": "package lockfree_test\n\nfunc ExampleStack() {}\n"},
			"lockfree has no example"},
	},
}

func TestSharedComments(t *testing.T) {
	tr := overlay(t, map[string]string{
		"lockfree/x.go":   "package lockfree\n\n// Options are options.\ntype Options struct {\n\t// Min is, and Max too.\n\tMin int\n\tMax int\n}\n",
		"internal/a/x.go": "package a\n\n// S is.\ntype S struct{ Bare int }\n\n// E is.\ntype E int\n\nconst (\n\tA E = iota\n\tB\n)\n",
	})
	none(t, commentRule.check(tr))
}
