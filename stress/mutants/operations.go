package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// split makes a load and a store of one atomic step.
func (g *generator) split(call *ast.CallExpr) {
	word, method := g.atomic(call)
	if word == nil || !changing[method] || method == "Store" {
		return
	}
	sig := g.callee(call).Signature()
	file := g.types
	result := ""
	if sig.Results().Len() > 0 {
		result = types.TypeString(sig.Results().At(0).Type(), func(p *types.Package) string {
			if p == file {
				return ""
			}
			return p.Name()
		})
	}
	if method == "Swap" { // of a Pointer, the type has an argument that only the expression knows
		result = types.TypeString(g.info.Types[call].Type, types.RelativeTo(file))
	}
	w := g.code(word)
	arg := func(i int) string { return g.code(call.Args[i]) }
	var body string
	switch method {
	case "CompareAndSwap":
		body = "if " + w + ".Load() != " + arg(0) + " { return false }; " + w + ".Store(" + arg(1) +
			"); return true"
		result = "bool"
	case "Swap":
		body = "o := " + w + ".Load(); " + w + ".Store(" + arg(0) + "); return o"
	case "Add":
		body = "o := " + w + ".Load() + (" + arg(0) + "); " + w + ".Store(o); return o"
	case "Or":
		body = "o := " + w + ".Load(); " + w + ".Store(o | (" + arg(0) + ")); return o"
	case "And":
		body = "o := " + w + ".Load(); " + w + ".Store(o & (" + arg(0) + ")); return o"
	}
	g.add(kindSplit, call.Pos(), call.End(), "func() "+result+" { "+body+" }()", "")
	for _, a := range call.Args {
		if x, ok := ast.Unparen(a).(*ast.BinaryExpr); ok &&
			!slices.ContainsFunc(g.edits, func(e *edit) bool {
				return e.kind == kindFlag && e.file == g.file && e.at == g.offset(x.Pos()) &&
					e.end == g.offset(x.End())
			}) {
			g.written(x)
		}
	}
}

// written leaves out parts of what an atomic operation writes that are not constants.
func (g *generator) written(x *ast.BinaryExpr) {
	if x.Op != token.OR || g.info.Types[x.X].Value != nil || g.info.Types[x.Y].Value != nil {
		return
	}
	g.flag(x, true)
}
