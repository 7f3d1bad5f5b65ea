package archtest

import (
	"fmt"
	"go/ast"
	"slices"
)

// shortRule asks the tests of a package that have a short form to run in it unless they are asked
// for the long one. rapid has one by itself: a fifth of its checks.
var shortRule = rule{
	name: "tests are short unless they are asked to be long",
	check: func(t *tree) (findings []string) {
		const short = modulePath + "/" + aside + "/short"
		for _, p := range t.packages() {
			if slices.ContainsFunc(p.tests,
				func(s *source) bool { return s.localName(short) != "" }) {
				continue
			}
			for _, s := range p.tests {
				if n := asksForShort(s); n != nil {
					findings = append(findings,
						fmt.Sprintf("%s: has a short form, but runs in the long one if nothing "+
							"is said: "+
							"import %s in a test of the package", t.at(n.Pos()), short))
					break
				}
			}
		}
		return findings
	},
	bad: []badTree{
		{"short form",
			map[string]string{
				"lockfree/x_test.go": "package lockfree\n\nimport \"testing\"\n\nvar n = testing.Short()\n"},
			"lockfree/x_test.go:5: has a short form"},
		{"rapid",
			map[string]string{
				"lockfree/x_test.go": "package lockfree\n\nimport \"pgregory.net/rapid\"\n\nfunc f() { rapid.Check(nil, nil) }\n"},
			"lockfree/x_test.go:5: has a short form"},
	},
}

// asksForShort returns a call of a file whose outcome depends on the form, or nil.
func asksForShort(s *source) (call ast.Node) {
	calls := map[string]string{"Short": s.localName("testing"),
		"Check": s.localName("pgregory.net/rapid")}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name != "" && calls[sel.Sel.Name] == x.Name {
				call = n
			}
		}
		return call == nil
	})
	return call
}
