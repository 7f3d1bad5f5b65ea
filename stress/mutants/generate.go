package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
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
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
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
var nearly = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}

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
	if lit, ok := x.Y.(*ast.BasicLit); ok && lit.Value == "1" && (x.Op == token.ADD || x.Op == token.SUB) {
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
		body = "if " + w + ".Load() != " + arg(0) + " { return false }; " + w + ".Store(" + arg(1) + "); return true"
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
		if x, ok := ast.Unparen(a).(*ast.BinaryExpr); ok && !slices.ContainsFunc(g.edits, func(e *edit) bool {
			return e.kind == kindFlag && e.file == g.file && e.at == g.offset(x.Pos()) && e.end == g.offset(x.End())
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

// result turns a truth value that a function with shared steps returns.
func (g *generator) result(r *ast.ReturnStmt) {
	fn, _ := g.info.Defs[g.fn.Name].(*types.Func)
	if !g.funcs[fn] {
		return
	}
	for _, e := range r.Results {
		if id, ok := e.(*ast.Ident); ok && g.info.Uses[id] != nil && g.info.Uses[id].Parent() == types.Universe {
			switch strings.TrimSpace(id.Name) {
			case "true":
				g.add(kindResult, r.Pos(), r.End(), g.turned(r, id, "false"), brief(g.turned(r, id, "false")))
			case "false":
				g.add(kindResult, r.Pos(), r.End(), g.turned(r, id, "true"), brief(g.turned(r, id, "true")))
			}
		}
	}
}

func (g *generator) turned(r *ast.ReturnStmt, id *ast.Ident, to string) string {
	text := g.code(r)
	at := g.offset(id.Pos()) - g.offset(r.Pos())
	return text[:at] + to + text[at+len(id.Name):]
}
