package heddlevet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// Dropped reports a launch whose event is dropped although the body can fail, in a package that
// looks at no failure elsewhere: it has no Shutdown whose result is used, and sets no
// Options.OnFailure.
var Dropped = analyzer("droppedfailure",
	"report a launch whose event, and with it the failure of its body, is dropped", runDropped)

func runDropped(p *program) {
	if p.looksAtFailures() {
		return
	}
	for cur := range p.root.Preorder((*ast.CallExpr)(nil)) {
		call := cur.Node().(*ast.CallExpr)
		f := p.called(call)
		spawns := f == (function{taskgraph, "Context", "Spawn"})
		if !spawns && f != (function{taskgraph, "Task", "Launch"}) || !p.isDropped(cur) {
			continue
		}
		begin := call
		for !spawns {
			next, ok := ast.Unparen(receiver(begin)).(*ast.CallExpr)
			if !ok {
				begin = nil // a variable, which somebody may have asked for the event
				break
			}
			if f := p.called(next); f.name == "Cases" {
				begin = nil
				break
			}
			if begin = next; p.called(begin).name == "Task" {
				break
			}
		}
		if begin == nil || len(begin.Args) != 1 || !p.canFail(begin.Args[0]) {
			continue
		}
		edits, fix := p.keepFailure(cur, call, begin, spawns)
		p.finding(call, "the body can fail, and nobody sees it: the event of the task is dropped, "+
			"and its failure is left to a Shutdown that is not here", fix, edits...)
	}
}

// looksAtFailures reports whether the package looks at the failures of tasks that nobody waits for.
func (p *program) looksAtFailures() bool {
	for cur := range p.root.Preorder((*ast.CallExpr)(nil)) {
		if p.called(cur.Node().(*ast.CallExpr)) == (function{taskgraph, "System", "Shutdown"}) &&
			!p.isDropped(cur) && cur.ParentEdgeKind() != edge.DeferStmt_Call &&
			cur.ParentEdgeKind() != edge.GoStmt_Call {
			return true
		}
	}
	for o := range p.uses {
		if v, ok := o.(*types.Var); ok && v.IsField() && v.Name() == "OnFailure" &&
			v.Pkg() != nil && v.Pkg().Path() == taskgraph {
			return true
		}
	}
	return false
}

// isDropped reports whether a call is a statement, or assigned to the blank identifier.
func (p *program) isDropped(cur inspector.Cursor) bool {
	switch cur.ParentEdgeKind() {
	case edge.ExprStmt_X:
		return true
	case edge.AssignStmt_Rhs:
		s := cur.Parent().Node().(*ast.AssignStmt)
		id, ok := s.Lhs[0].(*ast.Ident)
		return ok && len(s.Lhs) == 1 && id.Name == "_"
	}
	return false
}

// canFail reports whether a body is made of something that returns an error other than nil.
func (p *program) canFail(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	switch f := p.called(call); {
	case f.pkg != taskgraph || f.recv != "":
		return false
	case f.name == "RunJob":
		return true
	case f.name != "Try" && f.name != "Run":
		return false
	}
	lit, ok := ast.Unparen(call.Args[0]).(*ast.FuncLit)
	if !ok {
		return true
	}
	fails := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			fails = fails || len(n.Results) != 1 || !p.TypesInfo.Types[n.Results[0]].IsNil()
		}
		return true
	})
	return fails
}

// keepFailure returns what hands the failure on: to the task whose body launches, or else to the
// caller of a function that has a context and returns an error.
func (p *program) keepFailure(cur inspector.Cursor, call, begin *ast.CallExpr, spawns bool) (
	[]analysis.TextEdit, string) {
	if spawns {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return nil, ""
		}
		return []analysis.TextEdit{replace(sel.Sel, "Nest")}, "Make it part of the running task"
	}
	if cur.ParentEdgeKind() != edge.ExprStmt_X {
		return nil, ""
	}
	for at := range cur.Enclosing((*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		var signature *ast.FuncType
		switch f := at.Node().(type) {
		case *ast.FuncLit:
			if b := p.bodyAt(at); b != nil && b.context != nil && p.sees(cur, b.context) {
				return []analysis.TextEdit{
					insert(call.Pos(), b.context.Name()+".DontCompleteUntil("),
					insert(call.End(), ")"),
				}, "Let the running task fail with it"
			}
			signature = f.Type
		case *ast.FuncDecl:
			signature = f.Type
		}
		system := p.variable(receiver(begin))
		ctx := p.contextOf(signature)
		if system == nil || !isType(system.Type(), taskgraph, "System") || ctx == nil ||
			!p.sees(cur, ctx) || !p.returnsError(signature) {
			return nil, ""
		}
		return []analysis.TextEdit{
			insert(call.Pos(),
				"if err := "+system.Name()+".WaitUntilTasksComplete("+ctx.Name()+", "),
			insert(call.End(), "); err != nil {\nreturn err\n}"),
		}, "Wait, and return the failure"
	}
	return nil, ""
}

// sees reports whether the name of a variable means that variable at a node.
func (p *program) sees(cur inspector.Cursor, v *types.Var) bool {
	scope := p.Pkg.Scope().Innermost(cur.Node().Pos())
	if scope == nil {
		return false
	}
	_, found := scope.LookupParent(v.Name(), cur.Node().Pos())
	return found == v
}

// contextOf returns the parameter of a function that is a context, or nil.
func (p *program) contextOf(f *ast.FuncType) *types.Var {
	for _, field := range f.Params.List {
		for _, name := range field.Names {
			v := p.variable(name)
			if v != nil && name.Name != "_" && isType(v.Type(), "context", "Context") {
				return v
			}
		}
	}
	return nil
}

// returnsError reports whether an error is all that a function returns.
func (p *program) returnsError(f *ast.FuncType) bool {
	return f.Results.NumFields() == 1 &&
		types.Identical(p.TypesInfo.TypeOf(f.Results.List[0].Type),
			types.Universe.Lookup("error").Type())
}
