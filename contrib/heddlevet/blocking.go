package heddlevet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// Blocking reports what blocks in a body outside of Context.Blocking: it keeps a worker, which the
// system finds out only some milliseconds later. Bodies that run on threads are left out, since
// nobody stands in for those, and so are tests, whose bodies block in order to make an order.
var Blocking = analyzer("blockingbody",
	"report calls that block in a task's body outside of Context.Blocking", runBlocking)

// blockers are functions that block as a rule, until something outside of the program happens or
// another goroutine does something.
var blockers = []function{
	{"time", "", "Sleep"},
	{"sync", "WaitGroup", "Wait"}, {"sync", "Cond", "Wait"},
	{"os/exec", "Cmd", "Run"}, {"os/exec", "Cmd", "Wait"}, {"os/exec", "Cmd", "Output"},
	{"os/exec", "Cmd", "CombinedOutput"},
	{"net", "", "Dial"}, {"net", "", "DialTimeout"}, {"net", "Listener", "Accept"},
	{"net/http", "", "Get"}, {"net/http", "", "Head"}, {"net/http", "", "Post"},
	{"net/http", "", "PostForm"}, {"net/http", "Client", "Do"}, {"net/http", "Client", "Get"},
	{"net/http", "Client", "Head"}, {"net/http", "Client", "Post"},
	{"net/http", "Client", "PostForm"},
}

func runBlocking(p *program) {
	for b := range p.bodies() {
		if p.test(b.lit.Pos()) || !p.runsOnWorkers(b) {
			continue
		}
		reported := map[ast.Node]bool{}
		for cur := range p.own(b, false) {
			what := p.blocks(cur)
			if what == "" {
				continue
			}
			at, ok := statement(cur)
			if !ok || reported[at.Node()] {
				continue
			}
			reported[at.Node()] = true
			var edits []analysis.TextEdit
			if b.context != nil || len(reported) == 1 { // one fix alone gives the body a Context
				edits = p.wrap(b, at)
			}
			p.finding(cur.Node(), what+" blocks the worker of this body: do it in "+
				"Context.Blocking, or let a task come after what is waited for",
				"Let another worker stand in",
				edits...)
		}
	}
}

// runsOnWorkers reports whether it is plain that a task runs on a worker, and on no thread.
func (p *program) runsOnWorkers(b *body) bool {
	threads := []string{"On", "OnID", "OnOwnThread"}
	if slices.ContainsFunc(b.chain, func(m string) bool { return slices.Contains(threads, m) }) {
		return false
	}
	if b.launched || b.whole.ParentEdgeKind() == edge.ExprStmt_X {
		return true
	}
	v := p.setBy(b.whole)
	if v == nil {
		return false
	}
	for _, use := range p.uses[v] {
		if use.Node().Pos() == v.Pos() {
			continue
		}
		switch use.ParentEdgeKind() {
		case edge.AssignStmt_Lhs:
		case edge.SelectorExpr_X:
			names, _ := p.chained(use)
			if slices.ContainsFunc(names,
				func(m string) bool { return slices.Contains(threads, m) }) {
				return false
			}
		case edge.CallExpr_Args:
			if call, _ := argument(use); p.called(call).name != "After" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// blocks says what at a node blocks, or "".
func (p *program) blocks(cur inspector.Cursor) string {
	switch n := cur.Node().(type) {
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && !p.inSelect(cur) && !p.buffered(n.X) {
			return "the receive"
		}
	case *ast.SendStmt:
		if !p.inSelect(cur) && p.unbuffered(n.Chan) {
			return "the send"
		}
	case *ast.RangeStmt:
		if _, ok := p.TypesInfo.TypeOf(n.X).Underlying().(*types.Chan); ok && !p.buffered(n.X) {
			return "the loop over a channel"
		}
	case *ast.SelectStmt:
		for _, c := range n.Body.List {
			if c.(*ast.CommClause).Comm == nil {
				return ""
			}
		}
		return "the select"
	case *ast.CallExpr:
		if f := p.called(n); slices.Contains(blockers, f) && cur.ParentEdgeKind() !=
			edge.DeferStmt_Call {
			if f.recv != "" {
				return f.recv + "." + f.name
			}
			return f.pkg + "." + f.name
		}
	}
	return ""
}

// inSelect reports whether a node is in the communication of a select, which is reported itself.
func (p *program) inSelect(cur inspector.Cursor) bool {
	for at := range cur.Enclosing() {
		switch at.ParentEdgeKind() {
		case edge.CommClause_Comm:
			return true
		case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
			return false
		}
	}
	return false
}

// madeWith returns what a channel that is made once, where the package declares it, is made with:
// the call of make, or nil.
func (p *program) madeWith(channel ast.Expr) *ast.CallExpr {
	v := p.variable(channel)
	if v == nil {
		return nil
	}
	var made *ast.CallExpr
	for _, use := range p.uses[v] {
		if p.sets(use) == 0 {
			continue
		}
		var value ast.Expr
		switch s := use.Parent().Node().(type) {
		case *ast.AssignStmt:
			if len(s.Lhs) == len(s.Rhs) {
				value = s.Rhs[use.ParentEdgeIndex()]
			}
		case *ast.ValueSpec:
			if len(s.Names) == len(s.Values) {
				value = s.Values[use.ParentEdgeIndex()]
			}
		}
		call, ok := value.(*ast.CallExpr)
		if !ok || made != nil {
			return nil
		}
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok ||
			p.TypesInfo.Uses[id] != types.Universe.Lookup("make") {
			return nil
		}
		made = call
	}
	return made
}

// buffered reports whether a channel is seen to be made with room.
func (p *program) buffered(channel ast.Expr) bool {
	made := p.madeWith(channel)
	return made != nil && !p.unbuffered(channel)
}

// unbuffered reports whether a channel is seen to be made without room.
func (p *program) unbuffered(channel ast.Expr) bool {
	made := p.madeWith(channel)
	if made == nil {
		return false
	}
	if len(made.Args) < 2 {
		return true
	}
	size := p.TypesInfo.Types[made.Args[1]].Value
	return size != nil && constant.Sign(size) == 0
}

// wrap returns the edits that put a statement into Context.Blocking.
func (p *program) wrap(b *body, at inspector.Cursor) (edits []analysis.TextEdit) {
	name := "c"
	if b.context != nil {
		if name = b.context.Name(); name == "_" || !p.sees(at, b.context) {
			return nil
		}
	} else if edits = p.giveContext(b); edits == nil {
		return nil
	}
	open := name + ".Blocking(func() { "
	switch s := at.Node().(type) {
	case *ast.ExprStmt, *ast.SendStmt, *ast.IncDecStmt:
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			if len(s.Lhs) != 1 {
				return nil
			}
			v := p.variable(s.Lhs[0])
			if v == nil {
				return nil
			}
			text := p.source(v.Type(), at)
			if text == "" {
				return nil
			}
			open = "var " + v.Name() + " " + text + "\n" + open
			edits = append(edits,
				analysis.TextEdit{Pos: s.TokPos, End: s.TokPos + 2, NewText: []byte("=")})
		}
	default:
		return nil
	}
	return append(edits, insert(at.Node().Pos(), open), insert(at.Node().End(), " })"))
}

// giveContext returns the edits that make a body of Do one of Run, with a Context named c.
func (p *program) giveContext(b *body) []analysis.TextEdit {
	if b.maker == nil || p.called(b.maker).name != "Do" || b.lit.Type.Results != nil {
		return nil
	}
	plain := true
	ast.Inspect(b.lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			plain = false
		case *ast.Ident:
			plain = plain && n.Name != "c"
		}
		return plain
	})
	text := ""
	name := b.maker.Fun
	if sel, ok := name.(*ast.SelectorExpr); ok {
		name = sel.Sel
		if x, ok := sel.X.(*ast.Ident); ok {
			text = x.Name + "."
		}
	}
	if !plain || text == "" {
		return nil
	}
	return []analysis.TextEdit{
		replace(name, "Run"),
		replace(b.lit.Type, "func(c *"+text+"Context) error"),
		insert(b.lit.Body.Rbrace, "return nil\n"),
	}
}
