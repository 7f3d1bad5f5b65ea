package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// leaves reports whether a block ends by leaving the code around it.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// condition edits a condition on shared state.
func (g *generator) condition(cond ast.Expr, mayDrop bool) {
	if !g.about(cond) {
		return
	}
	g.replace(kindNegate, cond, "!("+g.code(cond)+")")
	if mayDrop {
		g.replace(kindCheck, cond, "false && ("+g.code(cond)+")")
	}
	g.parts(cond)
}

// parts leaves out one side of a condition that has two.
func (g *generator) parts(cond ast.Expr) {
	x, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || x.Op != token.LAND && x.Op != token.LOR {
		return
	}
	neutral := "true"
	if x.Op == token.LOR {
		neutral = "false"
	}
	for _, side := range []ast.Expr{x.X, x.Y} {
		if g.about(side) {
			// The side stays, so that what it uses is used.
			g.add(kindCheck, side.Pos(), side.End(), "("+neutral+" || ("+g.code(side)+"))", neutral)
			if neutral == "false" {
				g.edits[len(g.edits)-1].text = "(false && (" + g.code(side) + "))"
			}
		}
		g.parts(side)
	}
}

// nearly is for each ordering the one that differs only where both sides are equal.
var nearly = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR}

func (g *generator) integer(e ast.Expr) bool {
	t := g.info.Types[e].Type
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// bound moves a bound by one: a comparison, or a literal 1 that is added or subtracted.
func (g *generator) bound(x *ast.BinaryExpr) {
	if g.info.Types[x].Value != nil || !g.integer(x.X) {
		return
	}
	if op, ok := nearly[x.Op]; ok {
		g.replace(kindBound, x, g.code(x.X)+" "+op.String()+" "+g.code(x.Y))
		return
	}
	if lit, ok := x.Y.(*ast.BasicLit); ok && lit.Value == "1" &&
		(x.Op == token.ADD || x.Op == token.SUB) {
		g.replace(kindBound, x, g.code(x.X))
	}
}

// flag leaves a constant out of a word, or of what an atomic operation writes any part.
func (g *generator) flag(x *ast.BinaryExpr, written bool) {
	if g.info.Types[x].Value != nil || !g.integer(x) {
		return
	}
	switch x.Op {
	case token.OR, token.AND_NOT, token.ADD, token.SUB:
	default:
		return
	}
	if _, literal := x.Y.(*ast.BasicLit); literal && (x.Op == token.ADD || x.Op == token.SUB) {
		return // a bound
	}
	isConst := func(e ast.Expr) bool {
		v := g.info.Types[e].Value
		return v != nil && v.Kind() == constant.Int
	}
	if isConst(x.Y) || written && x.Op == token.OR {
		g.replace(kindFlag, x, g.code(x.X))
	}
	if x.Op == token.OR && (isConst(x.X) || written) {
		g.replace(kindFlag, x, g.code(x.Y))
	}
}

// result turns a truth value that a function with shared steps returns.
func (g *generator) result(r *ast.ReturnStmt) {
	fn, _ := g.info.Defs[g.fn.Name].(*types.Func)
	if !g.funcs[fn] {
		return
	}
	for _, e := range r.Results {
		if id, ok := e.(*ast.Ident); ok && g.info.Uses[id] != nil &&
			g.info.Uses[id].Parent() == types.Universe {
			switch strings.TrimSpace(id.Name) {
			case "true":
				g.add(kindResult, r.Pos(), r.End(), g.turned(r, id, "false"),
					brief(g.turned(r, id, "false")))
			case "false":
				g.add(kindResult, r.Pos(), r.End(), g.turned(r, id, "true"),
					brief(g.turned(r, id, "true")))
			}
		}
	}
}

func (g *generator) turned(r *ast.ReturnStmt, id *ast.Ident, to string) string {
	text := g.code(r)
	at := g.offset(id.Pos()) - g.offset(r.Pos())
	return text[:at] + to + text[at+len(id.Name):]
}
