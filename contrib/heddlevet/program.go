package heddlevet

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// The packages whose calls the analyzers know.
const (
	heddle     = "github.com/heddle-go/heddle/"
	taskgraph  = heddle + "taskgraph"
	future     = heddle + "taskgraph/future"
	graphevent = heddle + "graphevent"
	named      = heddle + "namedthread"
)

// A program is one package under analysis.
type program struct {
	*analysis.Pass
	root inspector.Cursor
	uses map[types.Object][]inspector.Cursor // identifiers, by what they name
}

// newProgram returns nil for a package that does not import taskgraph.
func newProgram(pass *analysis.Pass) *program {
	imports := false
	for _, p := range pass.Pkg.Imports() {
		imports = imports || p.Path() == taskgraph
	}
	if !imports {
		return nil
	}
	p := &program{
		Pass: pass,
		root: pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root(),
		uses: map[types.Object][]inspector.Cursor{},
	}
	for cur := range p.root.Preorder((*ast.Ident)(nil)) {
		if o := pass.TypesInfo.ObjectOf(cur.Node().(*ast.Ident)); o != nil {
			p.uses[o] = append(p.uses[o], cur)
		}
	}
	return p
}

// A function names what is called: its package, the type that it is a method of, or "", and itself.
type function struct{ pkg, recv, name string }

// called returns what a call calls, or the zero function.
func (p *program) called(call *ast.CallExpr) function {
	f, ok := typeutil.Callee(p.TypesInfo, call).(*types.Func)
	if !ok || f.Pkg() == nil {
		return function{}
	}
	got := function{pkg: f.Pkg().Path(), name: f.Name()}
	if recv := f.Signature().Recv(); recv != nil {
		got.recv = typeName(recv.Type())
	}
	return got
}

// typeName returns the name of a type that is defined, or of what it points to.
func typeName(t types.Type) string {
	if pt, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pt.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// isType reports whether t is the type pkg.name or a pointer to it.
func isType(t types.Type, pkg, name string) bool {
	if pt, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pt.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg
}

// variable returns the variable that an expression is the plain name of, or nil.
func (p *program) variable(e ast.Expr) *types.Var {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		v, _ := p.TypesInfo.ObjectOf(id).(*types.Var)
		return v
	}
	return nil
}

// receiver returns what a method is called of.
func receiver(call *ast.CallExpr) ast.Expr {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		return sel.X
	}
	return nil
}

// A body is a function literal that a task runs.
type body struct {
	at      inspector.Cursor // of lit
	lit     *ast.FuncLit
	maker   *ast.CallExpr // of Do, Try or Run, or nil
	context *types.Var    // its parameter of type *taskgraph.Context, or nil

	begin    *ast.CallExpr    // what begins the task: Task, Go, Spawn and so on
	chain    []string         // the methods of the task that are called on that, in this order
	whole    inspector.Cursor // begin with its chain
	launched bool             // by begin or the chain
}

// bodies yields the function literals that are given to tasks where these begin.
func (p *program) bodies() iter.Seq[*body] {
	return func(yield func(*body) bool) {
		for cur := range p.root.Preorder((*ast.FuncLit)(nil)) {
			if b := p.bodyAt(cur); b != nil && !yield(b) {
				return
			}
		}
	}
}

// argument returns the call of which an expression is an argument.
func argument(cur inspector.Cursor) (*ast.CallExpr, inspector.Cursor) {
	if cur.ParentEdgeKind() != edge.CallExpr_Args {
		return nil, cur
	}
	return cur.Parent().Node().(*ast.CallExpr), cur.Parent()
}

// bodyAt returns the body that a function literal is, or nil.
func (p *program) bodyAt(cur inspector.Cursor) *body {
	b := &body{at: cur, lit: cur.Node().(*ast.FuncLit)}
	call, at := argument(cur)
	if call == nil {
		return nil
	}
	f := p.called(call)
	if f.pkg == taskgraph && f.recv == "" &&
		(f.name == "Do" || f.name == "Try" || f.name == "Run") {
		b.maker = call
		if call, at = argument(at); call == nil {
			return nil
		}
		f = p.called(call)
		if f.pkg != taskgraph {
			return nil
		}
		switch f.name {
		case "Task": // of a System, a Context, a Participant, a Launcher or a GraphBuilder
		case "Spawn", "Nest", "Every":
			b.launched = true
		default:
			return nil
		}
	} else if f.name == "Go" && (f.pkg == taskgraph || f.pkg == future) {
		b.launched = true
	} else {
		return nil
	}
	b.begin = call
	for _, field := range b.lit.Type.Params.List {
		for _, name := range field.Names {
			if isType(p.TypesInfo.TypeOf(field.Type), taskgraph, "Context") {
				b.context = p.variable(name)
			}
		}
	}
	b.chain, b.whole = p.chained(at)
	b.launched = b.launched || len(b.chain) > 0 && b.chain[len(b.chain)-1] == "Launch"
	return b
}

// chained returns the methods that are called on a call, each on the result of the one before.
func (p *program) chained(cur inspector.Cursor) (names []string, whole inspector.Cursor) {
	for cur.ParentEdgeKind() == edge.SelectorExpr_X &&
		cur.Parent().ParentEdgeKind() == edge.CallExpr_Fun {
		names = append(names, cur.Parent().Node().(*ast.SelectorExpr).Sel.Name)
		cur = cur.Parent().Parent()
	}
	return names, cur
}

// own yields what a body does on its goroutine: its nodes, but for those in functions that are not
// called where they stand. What is inside Context.Blocking counts if blocking is true.
func (p *program) own(b *body, blocking bool) iter.Seq[inspector.Cursor] {
	return func(yield func(inspector.Cursor) bool) {
		done := false
		b.at.Inspect(nil, func(cur inspector.Cursor) bool {
			if done {
				return false
			}
			switch cur.Node().(type) {
			case *ast.GoStmt:
				return false
			case *ast.FuncLit:
				if cur != b.at && !p.calledHere(cur, blocking) {
					return false
				}
			}
			done = !yield(cur)
			return !done
		})
	}
}

// calledHere reports whether a function literal is called where it stands.
func (p *program) calledHere(cur inspector.Cursor, blocking bool) bool {
	if cur.ParentEdgeKind() == edge.CallExpr_Fun {
		return true
	}
	call, _ := argument(cur)
	return blocking && call != nil &&
		p.called(call) == function{taskgraph, "Context", "Blocking"}
}

// setBy returns the variable that the result of an expression is assigned to or declares, if no
// other assignment sets it.
func (p *program) setBy(cur inspector.Cursor) *types.Var {
	var v *types.Var
	switch cur.ParentEdgeKind() {
	case edge.AssignStmt_Rhs:
		if s := cur.Parent().Node().(*ast.AssignStmt); len(s.Lhs) == len(s.Rhs) {
			v = p.variable(s.Lhs[cur.ParentEdgeIndex()])
		}
	case edge.ValueSpec_Values:
		if s := cur.Parent().Node().(*ast.ValueSpec); len(s.Names) == len(s.Values) {
			v = p.variable(s.Names[cur.ParentEdgeIndex()])
		}
	}
	if v == nil || v.Name() == "_" {
		return nil
	}
	sets := 0
	for _, use := range p.uses[v] {
		if sets += p.sets(use); sets > 1 {
			return nil
		}
	}
	return v
}

// sets returns how often a use of a variable changes it, two for as often as one likes.
func (p *program) sets(use inspector.Cursor) int {
	switch use.ParentEdgeKind() {
	case edge.AssignStmt_Lhs:
		return 1
	case edge.ValueSpec_Names:
		if len(use.Parent().Node().(*ast.ValueSpec).Values) > 0 {
			return 1
		}
	case edge.RangeStmt_Key, edge.RangeStmt_Value, edge.IncDecStmt_X:
		return 2
	case edge.UnaryExpr_X:
		if use.Parent().Node().(*ast.UnaryExpr).Op == token.AND {
			return 2
		}
	}
	return 0
}

// awaited returns the events that a call waits for, and the call's arguments from which on they
// stand; Event.Wait has its event before it.
func (p *program) awaited(call *ast.CallExpr) (events []ast.Expr, from int) {
	f := p.called(call)
	if f == (function{graphevent, "Event", "Wait"}) {
		return []ast.Expr{receiver(call)}, -1
	}
	if f.pkg != taskgraph {
		return nil, 0
	}
	switch {
	case f.recv == "Context" && f.name == "Wait":
	case f.name == "WaitUntilTasksComplete" || f.name == "PumpUntilTasksComplete":
		from = 1
	default:
		return nil, 0
	}
	if len(call.Args) < from || call.Ellipsis.IsValid() {
		return nil, 0
	}
	return call.Args[from:], from
}

// statement returns the statement that stands in a list of statements around a node.
func statement(cur inspector.Cursor) (inspector.Cursor, bool) {
	for at := range cur.Enclosing() {
		switch at.ParentEdgeKind() {
		case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
			return at, true
		}
	}
	return cur, false
}

// test reports whether a position is in a test.
func (p *program) test(pos token.Pos) bool {
	return strings.HasSuffix(p.Fset.Position(pos).Filename, "_test.go")
}

// source returns the text of a type as a file may write it that is in this package, or "" where a
// package of it is not imported there.
func (p *program) source(t types.Type, at inspector.Cursor) string {
	var file *ast.File
	for f := range at.Enclosing((*ast.File)(nil)) {
		file = f.Node().(*ast.File)
	}
	ok := true
	text := types.TypeString(t, func(pkg *types.Package) string {
		if pkg == p.Pkg {
			return ""
		}
		for _, spec := range file.Imports {
			if name := p.TypesInfo.PkgNameOf(spec); name != nil && name.Imported() == pkg {
				return name.Name()
			}
		}
		ok = false
		return ""
	})
	if !ok {
		return ""
	}
	return text
}

// finding reports something with one fix, if there are edits for one.
func (p *program) finding(at ast.Node, message, fix string, edits ...analysis.TextEdit) {
	d := analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Message: message}
	if len(edits) > 0 {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: fix, TextEdits: edits}}
	}
	p.Report(d)
}

// insert and replace are edits.
func insert(pos token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: pos, End: pos, NewText: []byte(text)}
}

func replace(n ast.Node, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: n.Pos(), End: n.End(), NewText: []byte(text)}
}
