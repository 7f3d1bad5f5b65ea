package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
)

// seedRule keeps chance out of the tests, those of nested modules included: a change fails because
// of what it changes, not because of what its tests draw.
var seedRule = rule{
	name: "tests draw the same numbers each time",
	check: func(t *tree) (findings []string) {
		const seeds = modulePath + "/" + aside + "/seed"
		pkgs := t.packages()
		for _, dir := range slices.Sorted(maps.Keys(t.nested)) {
			pkgs = append(pkgs, t.nested[dir])
		}
		for _, p := range pkgs {
			if p.dir == aside+"/seed" {
				continue
			}
			seeded := slices.ContainsFunc(p.tests,
				func(s *source) bool { return s.localName(seeds) != "" })
			for _, s := range p.tests {
				for imported, pos := range s.imports {
					if imported == "pgregory.net/rapid" && !seeded {
						findings = append(findings,
							fmt.Sprintf("%s: imports rapid, which draws other numbers each time: "+
								"import %s in a test of the package", t.at(pos), seeds))
						seeded = true // one finding for each package
					}
				}
				for pos, call := range unseeded(s) {
					findings = append(findings,
						fmt.Sprintf("%s: calls %s, which draws other numbers each time: take them "+
							"from seed.Rand in %s, or from a source with a fixed seed",
							t.at(pos), call, seeds))
				}
			}
		}
		return findings
	},
	bad: []badTree{
		{"rapid",
			map[string]string{
				"lockfree/x_test.go": "package lockfree\n\nimport \"pgregory.net/rapid\"\n\nfunc f() { rapid.MakeCheck(nil) }\n"},
			"lockfree/x_test.go:3: imports rapid"},
		{"a nested module",
			map[string]string{
				"bench/go.mod":    "module bench\n",
				"bench/x_test.go": "package bench\n\nimport _ \"pgregory.net/rapid\"\n"},
			"bench/x_test.go:3: imports rapid"},
		{"the common source",
			map[string]string{
				"lockfree/x_test.go": "package lockfree\n\nimport \"math/rand/v2\"\n\nvar n = rand.IntN(3)\n"},
			"lockfree/x_test.go:5: calls rand.IntN"},
		{"a seed from the clock",
			map[string]string{
				"lockfree/x_test.go": "package lockfree\n\nimport (\n\t\"math/rand\"\n\t\"time\"\n)\n\nvar n = rand.NewSource(time.Now().UnixNano())\n"},
			"lockfree/x_test.go:8: calls rand.NewSource"},
		{"testing/quick",
			map[string]string{
				"lockfree/x_test.go": "package lockfree\n\nimport \"testing/quick\"\n\nvar n = quick.Check(nil, nil)\n"},
			"lockfree/x_test.go:5: calls quick.Check"},
	},
}

// unseeded yields the calls of a file that draw numbers from a source without a fixed seed.
func unseeded(s *source) func(yield func(token.Pos, string) bool) {
	return func(yield func(token.Pos, string) bool) {
		rand := s.localName("math/rand")
		if v2 := s.localName("math/rand/v2"); v2 != "" {
			if rand = v2; rand == "v2" { // the name of the package is not the last of its path
				rand = "rand"
			}
		}
		quick, clock := s.localName("testing/quick"), s.localName("time")
		selects := func(n ast.Node, pkg string) (name string) {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && pkg != "" && x.Name == pkg {
					return sel.Sel.Name
				}
			}
			return ""
		}
		more := true
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return more
			}
			switch name := selects(call.Fun, rand); name {
			case "", "New", "NewZipf":
			case "NewSource", "NewPCG", "NewChaCha8":
				for _, arg := range call.Args {
					ast.Inspect(arg, func(n ast.Node) bool {
						if selects(n, clock) == "Now" && more {
							more = yield(call.Pos(), rand+"."+name)
						}
						return more
					})
				}
			default:
				more = more && yield(call.Pos(), rand+"."+name)
			}
			if name := selects(call.Fun, quick); name != "" {
				more = more && yield(call.Pos(), quick+"."+name)
			}
			return more
		})
	}
}
