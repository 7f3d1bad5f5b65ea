package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	gopath "path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A proof that names a field which is gone proves nothing any more. So whatever stands
// between backticks in a README or a page of docs and reads as Go is looked up in the code:
//
//   - in the README and the pages of a package, every identifier of at least two letters;
//   - elsewhere, identifiers with a capital or an underscore inside, and calls;
//   - a selector such as Stack.Push or lockfree.Stack.Push as a member of that type;
//   - file names, folders of this module, make targets, and names of tests.
//
// The page of a nested module may name what is in that module as well; no other page may.
//
// Names in capitals only (CAS, GOMAXPROCS), fenced code, and what does not parse as Go are
// passed over, and so are the pages in docs/adr, which record a decision of their day, and
// the CHANGELOG.

// driftIgnore lists, for each page, words between backticks that are no names of the code.
// One that no longer applies is a finding.
var driftIgnore = map[string][]string{
	"CONTRIBUTING.md": {"x_test.go", "_unsafe.go"}, // patterns
}

var driftRule = rule{
	name:  "pages name only what exists",
	check: func(t *tree) []string { return checkDrift(t, driftIgnore) },
	bad: []badTree{
		{"unexported function", map[string]string{"lockfree/README.md": "So `tryGrab` wins.\n"}, "lockfree/README.md:1: `tryGrab`"},
		{"short field", map[string]string{"lockfree/README.md": "\n\nRead `tail`.\n"}, "lockfree/README.md:3: `tail`"},
		{"member", map[string]string{"lockfree/README.md": "`Stack.Steal` takes.\n"}, "Stack has no Steal"},
		{"call with arguments", map[string]string{"lockfree/README.md": "`Shove(item, priority)` puts.\n"}, "no Shove in the code"},
		{"inside an expression", map[string]string{"lockfree/README.md": "Here `head <= bottom` holds.\n"}, "no bottom in the code"},
		{"over two lines", map[string]string{"lockfree/README.md": "Here `head ==\nbottom` holds.\n"}, "no bottom in the code"},
		{"member of another package", map[string]string{"README.md": "Take a `lockfree.Stick`.\n"}, "README.md:1: `lockfree.Stick`"},
		{"member of a type of another package", map[string]string{"docs/a.md": "Call `lockfree.Stack.Steal`.\n"}, "docs/a.md:1: `lockfree.Stack.Steal`"},
		{"camel case in docs", map[string]string{"docs/a.md": "Call `tryGrab`.\n"}, "docs/a.md:1: `tryGrab`"},
		{"file", map[string]string{"docs/a.md": "See `lockfree/queue.go`.\n"}, "no lockfree/queue.go"},
		{"folder", map[string]string{"docs/a.md": "See `internal/nothing`.\n"}, "no internal/nothing"},
		{"nested module", map[string]string{
			"bench/go.mod": "module bench\n", "bench/main.go": "package main\n\nfunc measure() {}\n",
			"bench/README.md": "Here `measure` calls `tryGrab`.\n",
		}, "bench/README.md:1: `tryGrab`"},
		{"nested module from outside", map[string]string{
			"bench/go.mod": "module bench\n", "bench/main.go": "package main\n\nfunc measureAll() {}\n",
			"docs/a.md": "Here `measureAll` is called.\n",
		}, "docs/a.md:1: `measureAll`"},
		{"in neither of two packages of one name", map[string]string{
			"internal/modelcheck/x.go": "package modelcheck\n\nfunc One() {}\n", "stress/modelcheck/x.go": "package modelcheck\n\nfunc Two() {}\n",
			"docs/a.md": "Call `modelcheck.One`, `modelcheck.Two`, `modelcheck.Three`.\n",
		}, "docs/a.md:1: `modelcheck.Three`: package modelcheck has no Three"},
		{"page of the engine", map[string]string{
			"internal/modelcheck/x.go": "package modelcheck\n\nfunc explore() {}\n", "internal/modelcheck/README.md": "First `explore`, then `backtrack`.\n",
		}, "internal/modelcheck/README.md:1: `backtrack`"},
		{"page of histories", map[string]string{
			"stress/history/x.go": "package history\n\ntype Recorder struct{}\n", "stress/history/README.md": "A `Recorder.Begin`.\n",
		}, "Recorder has no Begin"},
		{"target", map[string]string{"CONTRIBUTING.md": "Run `make tea`.\n"}, "Makefile has no target tea"},
		{"test", map[string]string{"lockfree/README.md": "`TestTrap13_Wrap` shows it.\n"}, "no TestTrap13_Wrap"},
	},
}

func TestDriftPassesOver(t *testing.T) {
	tr := overlay(t, map[string]string{
		"lockfree/README.md": "A `CAS` by `-race`, `go test ./...`, `sync.Cond`, `uint64`, `Stack[T]`, `*Stack[int]`, `s`, `64`, `lockfree`,\n" +
			"`lockfree/stack.go`, `stack.go`, `internal/atomics`, `Pop(me, mayStall)`, `make test`, `golang.org/x/sys`, `ExampleStack`, `atomics.Bool`.\n" +
			"```go\nanythingGoes(here)\n```\n",
		"bench/go.mod":       "module bench\n",
		"bench/main.go":      "package main\n\ntype row struct{ peer string }\n\nfunc measureAll() {}\n",
		"bench/sub/sub.go":   "package sub\n\nfunc Run() {}\n",
		"bench/README.md":    "`measureAll`, `row.peer`, `sub.Run`, `main.go`, `bench/main.go`, `lockfree.Stack.Push`, `Stack`, `make test`.\n",
		"docs/adr/0001-x.md": "`wasRejected` then.\n",
		"docs/a.md":          "A `word`, a `lockfree.Stack`, `Stack.Push`, `runtime.Goexit`.\n",
		"lockfree/y.go":      "package lockfree\n\nimport \"runtime\"\n\nvar procs = runtime.NumCPU()\n",
	})
	for _, finding := range checkDrift(tr, nil) {
		t.Error(finding)
	}
}

func TestDriftTwoPackagesOfOneName(t *testing.T) {
	tr := overlay(t, map[string]string{
		"internal/modelcheck/x.go": "package modelcheck\n\nfunc One() {}\n",
		"stress/modelcheck/x.go":   "package modelcheck\n\nfunc Two() {}\n",
		"docs/a.md":                "Call `modelcheck.One` and `modelcheck.Two`.\n",
	})
	for _, finding := range checkDrift(tr, nil) {
		t.Error(finding)
	}
}

func TestDriftIgnore(t *testing.T) {
	tr := overlay(t, map[string]string{"docs/a.md": "A `tryGrab`.\n"})
	if got := checkDrift(tr, map[string][]string{"docs/a.md": {"tryGrab"}}); len(got) != 0 {
		t.Errorf("an ignored word is still a finding: %q", got)
	}
	got := checkDrift(tr, map[string][]string{"docs/a.md": {"tryGrab", "tryTake"}})
	if len(got) != 1 || !strings.Contains(got[0], "needed no more") {
		t.Errorf("a stale word is no finding: %q", got)
	}
}

// names is what a page may speak of: the code of one package, or of all.
type names struct {
	idents  map[string]bool            // every identifier in ordinary files, every declaration in tests
	members map[string]map[string]bool // type to fields and methods
	open    map[string]bool            // types that may have members from elsewhere
}

func newNames() *names {
	return &names{idents: map[string]bool{}, members: map[string]map[string]bool{}, open: map[string]bool{}}
}

// add takes in the names of a package.
func (n *names) add(p *pkg) {
	member := func(of, name string) {
		if n.members[of] == nil {
			n.members[of] = map[string]bool{}
		}
		n.members[of][name] = true
	}
	for _, s := range slices.Concat(p.files, p.tests) {
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				n.idents[d.Name.Name] = true
				if d.Recv != nil {
					member(receiver(d), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					spec, ok := spec.(*ast.TypeSpec)
					if !ok {
						continue
					}
					name := spec.Name.Name
					n.idents[name] = true
					if n.members[name] == nil {
						n.members[name] = map[string]bool{}
					}
					var list *ast.FieldList
					switch of := spec.Type.(type) {
					case *ast.StructType:
						list = of.Fields
					case *ast.InterfaceType:
						list = of.Methods
					default:
						n.open[name] = spec.Assign.IsValid()
						continue
					}
					for _, field := range list.List {
						for _, f := range field.Names {
							member(name, f.Name)
						}
						if field.Names == nil {
							n.open[name] = true
						}
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

// stdNames are packages of the standard library that a page may cite though nothing here
// imports them; those imported are known anyway.
var stdNames = []string{"atomic", "context", "errors", "fmt", "http", "os", "pprof", "runtime", "slog", "sync", "syscall", "synctest", "testing", "time", "trace"}

func checkDrift(t *tree, ignore map[string][]string) (findings []string) {
	all, byPkg, std, tests := newNames(), map[string]*names{}, map[string]bool{}, newNames()
	for _, name := range stdNames {
		std[name] = true
	}
	for _, p := range t.packages() {
		all.add(p)
		byPkg[p.dir] = newNames()
		byPkg[p.dir].add(p)
		for _, s := range slices.Concat(p.files, p.tests) {
			for imported := range s.imports {
				if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
					std[gopath.Base(imported)] = true
				}
			}
			for tag := range tags(s.file) {
				all.idents[tag] = true
				tests.idents[tag] = true
			}
		}
		for _, s := range p.tests {
			for _, decl := range s.file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
					tests.idents[f.Name.Name] = true
				}
			}
		}
		// a package may be named in any page
		all.idents[p.name] = true
		tests.idents[p.name] = true
	}
	for _, n := range byPkg {
		for name := range tests.idents {
			n.idents[name] = true
		}
	}
	inside := map[string]*names{} // the names of each nested package
	for dir, p := range t.nested {
		inside[dir] = newNames()
		inside[dir].add(p)
	}
	for _, s := range t.sources {
		dir := gopath.Dir(s.path)
		if gopath.Ext(s.path) != ".md" || dir == "docs/adr" || s.path == "CHANGELOG.md" {
			continue
		}
		p := &page{t: t, path: s.path, names: all, byPkg: byPkg, std: std, targets: makeTargets(t), ignore: ignore[s.path], used: map[string]bool{}}
		if own := byPkg[dir]; own != nil && dir != "." && !written(s.text) {
			p.own, p.names = true, own
		} else if s.nested {
			p.names, p.byPkg = nestedNames(t, dir), maps.Clone(byPkg)
			for dir, of := range inside {
				p.byPkg[dir] = of
			}
		}
		findings = append(findings, p.check(s.text)...)
		for _, word := range p.ignore {
			if !p.used[word] {
				findings = append(findings, fmt.Sprintf("driftIgnore: %q of %s is needed no more: remove it", word, s.path))
			}
		}
	}
	return findings
}

// nestedNames returns what a page in a nested module may speak of: all that the root module
// has, and what the folders at and below the page have.
func nestedNames(t *tree, dir string) *names {
	own := newNames()
	for _, p := range t.packages() {
		own.add(p)
		own.idents[p.name] = true
	}
	for at, p := range t.nested {
		if at == dir || strings.HasPrefix(at, dir+"/") {
			own.add(p)
			own.idents[p.name] = true
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
			findings = append(findings, fmt.Sprintf("%s:%d: `%s`: %s: name what exists now, or enter it in driftIgnore if it is no name of the code", p.path, line, span, why))
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
		case slices.Contains([]string{".go", ".md", ".s", ".mod"}, ext), strings.Contains(span, "/"):
			return p.wrongPath(span)
		}
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+span+"\n}", parser.SkipObjectResolution)
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
		if dir := gopath.Dir(p.path); name != "" && !p.t.has(name) && !p.t.has(gopath.Join(dir, name)) && !slices.ContainsFunc(p.t.sources, anywhere) {
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

func (n *names) missing(name string) string {
	if len(name) < 2 || strings.ToUpper(name) == name || types.Universe.Lookup(name) != nil || n.idents[name] {
		return ""
	}
	return fmt.Sprintf("there is no %s in the code", name)
}
