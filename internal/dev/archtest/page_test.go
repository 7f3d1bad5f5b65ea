package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	gopath "path"
	"regexp"
	"slices"
	"strings"
)

// A page is one document under test.
type page struct {
	t       *tree
	path    string
	own     bool   // of a package: short words count too
	names   *names // of the package, or of all
	byPkg   map[string]*names
	std     map[string]bool
	targets map[string]bool
	ignore  []string
	used    map[string]bool
}

// makeTargets returns the targets of the Makefile.
func makeTargets(t *tree) map[string]bool {
	found := map[string]bool{}
	if s := t.get("Makefile"); s != nil {
		for _, m := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllSubmatch(s.text, -1) {
			found[string(m[1])] = true
		}
	}
	return found
}

var (
	codeSpan = regexp.MustCompile("`([^`\n]+(?:\n[^`\n]+)*)`")
	fence    = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$")
	pathLike = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)
)

func (p *page) check(text []byte) (findings []string) {
	text = fence.ReplaceAllFunc(text, func(block []byte) []byte {
		return bytes.Repeat([]byte("\n"), bytes.Count(block, []byte("\n")))
	})
	for _, m := range codeSpan.FindAllSubmatchIndex(text, -1) {
		span := strings.Join(strings.Fields(string(text[m[2]:m[3]])), " ")
		if slices.Contains(p.ignore, span) {
			p.used[span] = true
			continue
		}
		if why := p.wrong(span); why != "" {
			line := 1 + bytes.Count(text[:m[0]], []byte("\n"))
			findings = append(findings,
				fmt.Sprintf(
					"%s:%d: `%s`: %s: name what exists now, or enter it in driftIgnore if it is no name of the code",
					p.path, line, span, why))
		}
	}
	return findings
}

// wrong says what a span names that does not exist, or "".
func (p *page) wrong(span string) string {
	if args, ok := strings.CutPrefix(span, "make "); ok {
		for _, target := range strings.Fields(args) {
			if !strings.ContainsAny(target, "=-") && !p.targets[target] {
				return "the Makefile has no target " + target
			}
		}
		return ""
	}
	if strings.HasPrefix(span, "-") {
		return "" // a flag
	}
	if pathLike.MatchString(span) {
		switch ext := gopath.Ext(span); {
		case slices.Contains([]string{".go", ".md", ".s", ".mod"}, ext),
			strings.Contains(span, "/"):
			return p.wrongPath(span)
		}
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+span+"\n}",
		parser.SkipObjectResolution)
	if err != nil || len(f.Decls) != 1 {
		return "" // prose, a command, a picture
	}
	why := ""
	note := func(w string) {
		if why == "" {
			why = w
		}
	}
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok {
				note(p.wrongIdent(id.Name, true))
			} else {
				ast.Inspect(n.Fun, visit)
			}
			for _, arg := range n.Args {
				if _, plain := arg.(*ast.Ident); !plain { // a plain one only illustrates
					ast.Inspect(arg, visit)
				}
			}
			return false
		case *ast.SelectorExpr:
			if parts := chain(n); parts != nil {
				note(p.wrongChain(parts))
			} else {
				ast.Inspect(n.X, visit)
				note(p.wrongIdent(n.Sel.Name, true))
			}
			return false
		case *ast.KeyValueExpr:
			ast.Inspect(n.Key, visit)
			return false
		case *ast.Ident:
			note(p.wrongIdent(n.Name, false))
		}
		return true
	}
	ast.Inspect(f.Decls[0].(*ast.FuncDecl).Body, visit)
	return why
}

// wrongPath looks for a file or a folder beside the page and from the root.
func (p *page) wrongPath(span string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(span, "./"), "..."), "/")
	first, _, _ := strings.Cut(name, "/")
	_, layer := layers[first]
	if layer || strings.Contains(span, ".") && !strings.Contains(first, ".") || first == name {
		anywhere := func(s *source) bool { return !p.own && gopath.Base(s.path) == name }
		if dir := gopath.Dir(p.path); name != "" && !p.t.has(name) &&
			!p.t.has(gopath.Join(dir, name)) && !slices.ContainsFunc(p.t.sources, anywhere) {
			return "there is no " + name
		}
	}
	return ""
}

// chain flattens a.b.c; nil if it is not made of names only.
func chain(n ast.Expr) []string {
	switch n := n.(type) {
	case *ast.Ident:
		return []string{n.Name}
	case *ast.IndexExpr:
		return chain(n.X)
	case *ast.SelectorExpr:
		if left := chain(n.X); left != nil {
			return append(left, n.Sel.Name)
		}
	}
	return nil
}

func (p *page) wrongChain(parts []string) string {
	if p.std[parts[0]] {
		return ""
	}
	in := p.names
	if !in.idents[parts[0]] || p.isPackage(parts[0]) {
		// Of several packages of one name, the page means one that has what it says.
		found, lacking := false, false
		for _, dir := range slices.Sorted(maps.Keys(p.byPkg)) {
			if found || p.t.pkg(dir).name != parts[0] || dir == gopath.Dir(p.path) {
				continue
			}
			found = p.byPkg[dir].idents[parts[1]]
			lacking = !found
			if found {
				in = p.byPkg[dir]
			}
		}
		if lacking {
			return fmt.Sprintf("package %s has no %s", parts[0], parts[1])
		}
		if found {
			parts = parts[1:]
		}
	}
	for i, part := range parts {
		if i > 0 {
			of := in.members[parts[i-1]]
			if of != nil && !in.open[parts[i-1]] {
				if !of[part] {
					return fmt.Sprintf("%s has no %s", parts[i-1], part)
				}
				continue
			}
		}
		if why := in.missing(part); why != "" {
			return why
		}
	}
	return ""
}

func (p *page) isPackage(name string) bool {
	for _, pkg := range p.t.pkgs {
		if pkg.name == name {
			return true
		}
	}
	return false
}

// wrongIdent judges a name on its own; one that is called counts however short it is.
func (p *page) wrongIdent(name string, called bool) string {
	plain := strings.ToLower(name) == name && !strings.Contains(name, "_")
	if plain && !p.own && !called || p.std[name] {
		return ""
	}
	return p.names.missing(name)
}
