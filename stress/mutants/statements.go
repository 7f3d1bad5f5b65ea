package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// block edits the statements of a list: leaves them out, returns before them, swaps them.
func (g *generator) block(stmts []ast.Stmt) {
	for i, s := range stmts {
		g.drop(s)
		g.early(s)
		if i+1 < len(stmts) {
			g.swap(s, stmts[i+1])
		}
	}
}

// drop leaves out a statement that is a call.
func (g *generator) drop(s ast.Stmt) {
	var call *ast.CallExpr
	switch x := s.(type) {
	case *ast.ExprStmt:
		call, _ = x.X.(*ast.CallExpr)
	case *ast.DeferStmt:
		call = x.Call
	}
	if call == nil || !g.steps(call) {
		return
	}
	k := kindCall
	if _, method := g.atomic(call); changing[method] {
		k = kindStore
	}
	// Not called, but all that it uses is still used.
	g.add(k, s.Pos(), s.End(), "_ = func() { "+g.code(call)+" }", "")
}

// early returns before a step, unless that is the last one of the function, which drop leaves out.
func (g *generator) early(s ast.Stmt) {
	switch x := s.(type) {
	case *ast.ExprStmt:
	case *ast.AssignStmt:
		if x.Tok == token.DEFINE {
			return
		}
	default:
		return
	}
	if last := g.fn.Body.List[len(g.fn.Body.List)-1]; s == last || !g.touches(s) || g.inLiteral(s) {
		return
	}
	results := g.fn.Type.Results
	if results != nil && len(results.List[0].Names) == 0 {
		return // the zero values would have to be spelled
	}
	g.add(kindReturn, s.Pos(), s.End(), "if true { return }; "+g.code(s), "")
}

// inLiteral reports whether a statement is inside a function literal.
func (g *generator) inLiteral(s ast.Stmt) (yes bool) {
	ast.Inspect(g.fn.Body, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok && f.Pos() <= s.Pos() && s.End() <= f.End() {
			yes = true
		}
		return !yes
	})
	return yes
}

// swap exchanges two steps of which one at least touches shared words, while the other may be a
// plain write that it publishes.
func (g *generator) swap(a, b ast.Stmt) {
	step := func(s ast.Stmt) (ok, touches bool) {
		switch x := s.(type) {
		case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.DeferStmt:
		case *ast.IfStmt:
			if x.Else != nil {
				return false, false
			}
		default:
			return false, false
		}
		touches = g.touches(s)
		return touches || g.writes(s), touches
	}
	okA, touchesA := step(a)
	okB, touchesB := step(b)
	if !okA || !okB || !touchesA && !touchesB || g.declares(a, b) {
		return
	}
	between := g.texts[g.file][g.offset(a.End()):g.offset(b.Pos())]
	g.add(kindSwap, a.Pos(), b.End(), g.code(b)+between+g.code(a), "")
}

// declares reports whether b uses what a declares.
func (g *generator) declares(a, b ast.Stmt) (yes bool) {
	declared := make(map[types.Object]bool)
	if x, ok := a.(*ast.AssignStmt); ok && x.Tok == token.DEFINE {
		for _, l := range x.Lhs {
			if id, ok := l.(*ast.Ident); ok {
				declared[g.info.Defs[id]] = true
			}
		}
	}
	delete(declared, nil)
	ast.Inspect(b, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && declared[g.info.Uses[id]] {
			yes = true
		}
		return !yes
	})
	return yes
}
