package archtest

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/token"
	"maps"
	gopath "path"
	"slices"
	"strings"
	"testing"
)

// The tag modelcheck puts the checker's words in place of those of sync/atomic. What is
// checked is worth something only if nothing else changes with it.

// modelTag is the build tag of the model checker.
const modelTag = "modelcheck"

// buildConstraint returns the constraint of a file, or nil.
func buildConstraint(s *source) constraint.Expr {
	for _, group := range s.file.Comments {
		if group.Pos() > s.file.Package {
			break
		}
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) {
				if x, err := constraint.Parse(c.Text); err == nil {
					return x
				}
			}
		}
	}
	return nil
}

// onlyUnderTag reports whether a file belongs to no build without the tag modelcheck, whatever
// the other tags are: each of them is tried both ways.
func onlyUnderTag(s *source) bool {
	x := buildConstraint(s)
	if x == nil {
		return false
	}
	others := slices.Sorted(maps.Keys(tags(s.file)))
	others = slices.DeleteFunc(others, func(tag string) bool { return tag == modelTag })
	for set := range 1 << len(others) {
		if x.Eval(func(tag string) bool {
			i := slices.Index(others, tag)
			return i >= 0 && set>>i&1 == 1
		}) {
			return false
		}
	}
	return true
}

var engineRule = rule{
	name: "the engine is reached through the seam or the checker's face",
	check: func(t *tree) (findings []string) {
		const engine = modulePath + "/internal/modelcheck"
		for _, s := range t.goFiles() {
			for imported, pos := range s.imports {
				if imported != engine && !strings.HasPrefix(imported, engine+"/") {
					continue
				}
				switch dir := s.dir(); {
				case dir == "internal/modelcheck", dir == "stress/modelcheck":
				case dir == "internal/atomics" && onlyUnderTag(s):
				case dir == "internal/atomics":
					findings = append(findings,
						fmt.Sprintf("%s: imports the engine in a normal build: move it to a file "+
							"under the tag %s", t.at(pos), modelTag))
				default:
					findings = append(findings,
						fmt.Sprintf("%s: %s must not import internal/modelcheck: code uses "+
							"internal/atomics, tests use stress/modelcheck", t.at(pos), dir))
				}
			}
		}
		return findings
	},
	bad: []badTree{
		{"seam of a normal build",
			map[string]string{"internal/atomics/x.go": "package atomics\n\nimport _ \"" +
				modulePath + "/internal/modelcheck\"\n"},
			"internal/atomics/x.go:3: imports the engine in a normal build"},
		{"seam without the tag",
			map[string]string{
				"internal/atomics/x.go": "//go:build !modelcheck\n\npackage atomics\n\nimport _ \"" +
					modulePath + "/internal/modelcheck\"\n"},
			"x.go:5: imports the engine in a normal build"},
		{"seam under another tag too",
			map[string]string{
				"internal/atomics/x.go": "//go:build modelcheck || race\n\npackage atomics\n\nimport _ \"" +
					modulePath + "/internal/modelcheck\"\n"},
			"x.go:5: imports the engine in a normal build"},
		{"container",
			map[string]string{
				"lockfree/x_model.go": "//go:build modelcheck\n\npackage lockfree\n\nimport _ \"" +
					modulePath + "/internal/modelcheck\"\n"},
			"lockfree must not import internal/modelcheck"},
		{"test", map[string]string{"lockfree/x_test.go": "package lockfree\n\nimport _ \"" +
			modulePath + "/internal/modelcheck\"\n"},
			"lockfree must not import internal/modelcheck"},
		{"users' seam",
			map[string]string{
				"stress/modelcheck/atomic/x.go": "//go:build modelcheck\n\npackage atomic\n\nimport _ \"" +
					modulePath + "/internal/modelcheck\"\n"},
			"stress/modelcheck/atomic must not import internal/modelcheck"},
	},
}

// taggable lists the folders whose ordinary files may differ under the tag.
var taggable = []string{"internal/atomics", "internal/modelcheck", "internal/park"}

var tagRule = rule{
	name:  "what is checked is what ships",
	check: checkTags,
	bad: []badTree{
		{"code under the tag",
			map[string]string{
				"lockfree/x.go": "//go:build modelcheck\n\npackage lockfree\n\nfunc f() {}\n"},
			"lockfree/x.go: differs under the tag modelcheck"},
		{"code without the tag",
			map[string]string{
				"lockfree/x.go": "//go:build !modelcheck\n\npackage lockfree\n\nfunc f() {}\n"},
			"lockfree/x.go: differs under the tag modelcheck"},
		{"other conditions",
			map[string]string{
				"lockfree/x.go": "//go:build linux && !modelcheck\n\npackage lockfree\n\nconst x = 1\n"},
			"lockfree/x.go: differs under the tag modelcheck"},
		{"no pair",
			map[string]string{
				"lockfree/x_model.go": "//go:build modelcheck\n\npackage lockfree\n\nconst x = 1\n"},
			"lockfree/x_model.go: differs under the tag modelcheck"},
		{"no pair the other way",
			map[string]string{
				"lockfree/x.go": "//go:build !modelcheck\n\npackage lockfree\n\nconst x = 1\n"},
			"lockfree/x.go: differs under the tag modelcheck"},
		{"pair without a condition", map[string]string{
			"lockfree/x.go":       "package lockfree\n\nconst x = 1\n",
			"lockfree/x_model.go": "//go:build modelcheck\n\npackage lockfree\n\nconst x = 1\n",
		}, "lockfree/x_model.go: differs under the tag modelcheck"},
		{"variable in the pair", map[string]string{
			"lockfree/x.go":       "//go:build !modelcheck\n\npackage lockfree\n\nconst x = 1\n",
			"lockfree/x_model.go": "//go:build modelcheck\n\npackage lockfree\n\nconst x = 1\n\nvar y = 2\n",
		}, "lockfree/x_model.go: declares more than constants"},
		{"other constants", map[string]string{
			"lockfree/x.go":       "//go:build !modelcheck\n\npackage lockfree\n\nconst (\n\tx = 1\n\tz = 1\n)\n",
			"lockfree/x_model.go": "//go:build modelcheck\n\npackage lockfree\n\nconst (\n\tx = 1\n\ty = 2\n)\n",
		}, "lockfree/x_model.go: declares the constants x y, lockfree/x.go x z"},
		{"a switch in the pair", map[string]string{
			"lockfree/x.go":       "//go:build !modelcheck\n\npackage lockfree\n\nconst checked = false\n",
			"lockfree/x_model.go": "//go:build modelcheck\n\npackage lockfree\n\nconst checked = true\n",
		}, "checked is true or false"},
	},
}

// checkTags lets ordinary files of shipped code differ under the tag only in constants that
// tune: patience.go and patience_model.go, with the same names and other numbers.
func checkTags(t *tree) (findings []string) {
	report := func(format string, args ...any) {
		findings = append(findings, fmt.Sprintf(format, args...))
	}
	for _, s := range t.goFiles() {
		if s.test() || !shipped(s.dir()) || slices.Contains(taggable, s.dir()) ||
			!named(buildConstraint(s), modelTag) {
			continue
		}
		stem := strings.TrimSuffix(strings.TrimSuffix(s.base(), ".go"), "_model")
		normal, model := t.get(join(s.dir(), stem+".go")), t.get(join(s.dir(), stem+"_model.go"))
		if !constrained(normal, "!"+modelTag) || !constrained(model, modelTag) {
			report("%s: differs under the tag %s: the shipped algorithm is the checked one; only "+
				"constants may differ, in %s.go (!%s) and %s_model.go (%s)",
				s.path, modelTag, stem, modelTag, stem, modelTag)
			continue
		}
		names, why := constants(s)
		if why != "" {
			report("%s: %s: only numbers that tune may differ under the tag %s", s.path, why,
				modelTag)
		} else if theirs, _ := constants(normal); s == model && !slices.Equal(names, theirs) {
			report("%s: declares the constants %s, %s %s: declare the same", s.path,
				strings.Join(names, " "), normal.path, strings.Join(theirs, " "))
		}
	}
	return findings
}

// named reports whether a constraint speaks of a tag.
func named(x constraint.Expr, tag string) bool {
	switch x := x.(type) {
	case *constraint.TagExpr:
		return x.Tag == tag
	case *constraint.NotExpr:
		return named(x.X, tag)
	case *constraint.AndExpr:
		return named(x.X, tag) || named(x.Y, tag)
	case *constraint.OrExpr:
		return named(x.X, tag) || named(x.Y, tag)
	}
	return false
}

// constrained reports whether a file is there under just that condition.
func constrained(s *source, condition string) bool {
	if s == nil || s.file == nil {
		return false
	}
	x := buildConstraint(s)
	return x != nil && x.String() == condition
}

// constants returns the names of a file that declares constants only, sorted, or says what
// else it declares. A constant that is true or false would switch code on and off.
func constants(s *source) (names []string, why string) {
	for _, decl := range s.file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			return nil, "declares more than constants"
		}
		for _, spec := range d.Specs {
			spec := spec.(*ast.ValueSpec)
			for i, name := range spec.Names {
				names = append(names, name.Name)
				if i < len(spec.Values) {
					if id, ok := spec.Values[i].(*ast.Ident); ok &&
						(id.Name == "true" || id.Name == "false") {
						return nil, name.Name + " is true or false"
					}
				}
			}
		}
	}
	slices.Sort(names)
	return names, ""
}

// TestModelRulesAllow shows what the rules of this file are not against.
func TestModelRulesAllow(t *testing.T) {
	engine := "import _ \"" + modulePath + "/internal/modelcheck\"\n"
	tr := overlay(t, map[string]string{
		"internal/atomics/words.go":       "//go:build !modelcheck\n\npackage atomics\n",
		"internal/atomics/words_model.go": "//go:build modelcheck\n\npackage atomics\n\n" + engine,
		"internal/atomics/race_model.go": "//go:build modelcheck && race\n\npackage atomics\n\n" +
			engine,
		"internal/modelcheck/doc.go": "// Package modelcheck is.\npackage modelcheck\n",
		"internal/modelcheck/x.go":   "package modelcheck\n\nimport \"sync/atomic\"\n\nvar n atomic.Int32\n\n//go:norace\nfunc f(c chan int) { go f(c); <-c }\n",
		"internal/park/doc.go":       "// Package park is.\npackage park\n",
		"internal/park/locks_model.go": "//go:build modelcheck\n\npackage park\n\nimport (\n\t\"sync\"\n\t\"time\"\n\n\t_ \"" +
			modulePath +
			"/internal/atomics\"\n)\n\ntype (\n\tlock  = sync.Mutex\n\tclock = time.Timer\n)\n\nfunc after(f func()) *time.Timer { return time.AfterFunc(0, f) }\n",
		"internal/park/README.md": "It parks.\n",
		"stress/doc.go":           "// Package stress is.\npackage stress\n",
		"stress/modelcheck/x_test.go": "package modelcheck\n\nimport (\n\t_ \"" + modulePath +
			"/internal/dev/seed\"\n\t_ \"" + modulePath +
			"/lockfree\"\n\t_ \"pgregory.net/rapid\"\n)\n\n// Output is.\nfunc Example() {\n\t// Output:\n}\n",
		"stress/modelcheck/doc.go":   "// Package modelcheck is.\npackage modelcheck\n",
		"stress/modelcheck/x.go":     "package modelcheck\n\n" + engine,
		"lockfree/patience.go":       "//go:build !modelcheck\n\npackage lockfree\n\nconst (\n\tlooks  = 4\n\tpauses = 6\n)\n",
		"lockfree/patience_model.go": "//go:build modelcheck\n\npackage lockfree\n\nconst (\n\tpauses = 1\n\tlooks  = 1\n)\n",
		"lockfree/stack_model_test.go": "//go:build modelcheck\n\npackage lockfree_test\n\nimport (\n\t_ \"" +
			modulePath + "/stress/history\"\n\t_ \"" + modulePath + "/stress/modelcheck\"\n)\n",
		"lockfree/iter.go": "package lockfree\n\nimport (\n\t\"iter\"\n\n\t_ \"" +
			modulePath + "/internal/park\"\n)\n\nfunc all() iter.Seq[int] { return nil }\n",
	})
	for _, r := range rules {
		for _, finding := range r.check(tr) {
			t.Errorf("%s: %s", r.name, finding)
		}
	}
}

func TestOnlyUnderTag(t *testing.T) {
	for line, want := range map[string]bool{
		"":                                  false,
		"//go:build modelcheck":             true,
		"//go:build !modelcheck":            false,
		"//go:build linux":                  false,
		"//go:build modelcheck && linux":    true,
		"//go:build modelcheck || linux":    false,
		"//go:build !(!modelcheck || race)": true,
	} {
		tr := overlay(t, map[string]string{"lockfree/x.go": line + "\n\npackage lockfree\n"})
		if got := onlyUnderTag(tr.get(gopath.Join("lockfree", "x.go"))); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
