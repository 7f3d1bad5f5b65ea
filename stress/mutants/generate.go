package main

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/heddle-go/heddle/internal/dev/syntax"
)

// A generator makes the edits of one package.
type generator struct {
	*sharing
	edits []*edit
	same  map[string]int

	file int
	fn   *ast.FuncDecl
	in   string
}

// generate returns every edit of a package in the order of the code. Those that do not compile
// are among them.
func generate(s *source) []*edit {
	g := &generator{sharing: shared(s), same: make(map[string]int)}
	for i, file := range s.files {
		g.file = i
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				g.fn, g.in = f, funcName(f)
				ast.Inspect(f.Body, g.visit)
			}
		}
	}
	slices.SortStableFunc(g.edits, func(a, b *edit) int {
		if a.file != b.file {
			return a.file - b.file
		}
		return a.at - b.at
	})
	return g.edits
}

// funcName is "f", or "T.f" of a method.
func funcName(f *ast.FuncDecl) string {
	if of := syntax.Receiver(f); of != "" {
		return of + "." + f.Name.Name
	}
	return f.Name.Name
}

func (g *generator) offset(p token.Pos) int { return g.fset.Position(p).Offset }

// code is the text of a node.
func (g *generator) code(n ast.Node) string {
	return g.texts[g.file][g.offset(n.Pos()):g.offset(n.End())]
}

// add adds an edit that puts text in the place of what stands from one position to another.
func (g *generator) add(k kind, from, to token.Pos, text, short string) {
	e := &edit{
		pkg: g.pkg, path: g.names[g.file], in: g.in, kind: k, new: short, n: 1,
		file: g.file, at: g.offset(from), end: g.offset(to), text: text,
	}
	e.old = brief(g.texts[g.file][e.at:e.end])
	id := e.id()
	g.same[id]++
	e.n = g.same[id]
	g.edits = append(g.edits, e)
}

// replace adds an edit of a whole node.
func (g *generator) replace(k kind, n ast.Node, text string) {
	g.add(k, n.Pos(), n.End(), text, brief(text))
}

func (g *generator) visit(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.BlockStmt:
		g.block(x.List)
	case *ast.CaseClause:
		g.block(x.Body)
	case *ast.IfStmt:
		// What the if statement declares is state of its own, so the condition is looked at alone.
		g.condition(x.Cond, x.Else == nil && leaves(x.Body))
	case *ast.ForStmt:
		if x.Cond != nil && g.about(x.Cond) {
			g.parts(x.Cond)
		}
	case *ast.SwitchStmt:
		if x.Tag == nil {
			for _, c := range x.Body.List {
				for _, cond := range c.(*ast.CaseClause).List {
					g.condition(cond, true)
				}
			}
		}
	case *ast.BinaryExpr:
		g.bound(x)
		g.flag(x, false)
	case *ast.CallExpr:
		g.split(x)
	case *ast.ReturnStmt:
		g.result(x)
	}
	return true
}
