package heddlevet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// ThreadWait reports waits on a named thread for what that thread itself has to run first, and
// does not run meanwhile. Two forms are seen: a body on a thread that waits for a channel, a
// WaitGroup or a manual event which only other work of the thread completes; and a function that
// attaches a thread and waits, without a pump, for a task whose body posts to the thread and waits
// for that.
var ThreadWait = analyzer("threadwait",
	"report a wait on a named thread for other work of that thread, without a pump", runThreadWait)

func runThreadWait(p *program) {
	for b := range p.bodies() {
		if thread := p.threadOf(b); thread != nil {
			p.waitsOn(b, thread)
		}
	}
	for cur := range p.root.Preorder((*ast.CallExpr)(nil)) {
		if p.called(cur.Node().(*ast.CallExpr)) == (function{named, "Registry", "Attach"}) &&
			cur.ParentEdgeKind() == edge.AssignStmt_Rhs {
			s := cur.Parent().Node().(*ast.AssignStmt)
			if v := p.variable(s.Lhs[0]); v != nil && v.Name() != "_" {
				p.attached(cur, v)
			}
		}
	}
}

// threadOf returns the variable that holds the thread which a body is for, or nil.
func (p *program) threadOf(b *body) *types.Var {
	for at := b.whole; at.Node() != ast.Node(b.begin); {
		call, ok := at.Node().(*ast.CallExpr)
		if !ok {
			return nil
		}
		if f := p.called(call); f == (function{taskgraph, "Task", "On"}) && len(call.Args) == 1 {
			return p.variable(call.Args[0])
		}
		at = at.Child(call.Fun)
		at = at.Child(at.Node().(*ast.SelectorExpr).X)
	}
	return nil
}

// A work is a function that a thread is to run: a task, or what is posted.
type work struct {
	at   inspector.Cursor // of the function literal
	task *body            // or nil
}

// given yields what a body gives to a thread to run.
func (p *program) given(b *body, thread *types.Var) (all []work) {
	for cur := range b.at.Preorder((*ast.FuncLit)(nil)) {
		if cur == b.at {
			continue
		}
		if inner := p.bodyAt(cur); inner != nil && p.threadOf(inner) == thread {
			all = append(all, work{cur, inner})
		} else if p.postedTo(b, cur, thread) {
			all = append(all, work{cur, nil})
		}
	}
	return all
}

// postedTo reports whether a function literal is posted to a thread, where it stands or, in the
// body, by way of a variable.
func (p *program) postedTo(b *body, lit inspector.Cursor, thread *types.Var) bool {
	posts := func(cur inspector.Cursor) bool {
		call, _ := argument(cur)
		return call != nil && p.called(call) == (function{named, "Thread", "Post"}) &&
			p.variable(receiver(call)) == thread
	}
	whole := lit
	if call, at := argument(lit); call != nil && len(call.Args) == 1 &&
		p.TypesInfo.Types[call.Fun].IsType() { // namedthread.Func(...)
		whole = at
	}
	if posts(whole) {
		return true
	}
	if v := p.setBy(whole); v != nil && v.Pos() > b.lit.Pos() {
		for _, use := range p.uses[v] {
			if posts(use) {
				return true
			}
		}
	}
	return false
}

// completes reports whether a function completes what a variable holds: sends to a channel or
// closes it, counts a WaitGroup down, or triggers an event.
func (p *program) completes(f inspector.Cursor, v *types.Var) bool {
	for cur := range f.Preorder((*ast.SendStmt)(nil), (*ast.CallExpr)(nil)) {
		switch n := cur.Node().(type) {
		case *ast.SendStmt:
			if p.variable(n.Chan) == v {
				return true
			}
		case *ast.CallExpr:
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok &&
				p.TypesInfo.Uses[id] == types.Universe.Lookup("close") &&
				p.variable(n.Args[0]) == v {
				return true
			}
			switch p.called(n) {
			case function{"sync", "WaitGroup", "Done"}, function{graphevent, "Event", "Trigger"},
				function{graphevent, "Event", "Fail"}:
				if p.variable(receiver(n)) == v {
					return true
				}
			}
		}
	}
	return false
}

// waited returns the variables that a node waits for.
func (p *program) waited(cur inspector.Cursor) (vars []*types.Var) {
	switch n := cur.Node().(type) {
	case *ast.UnaryExpr:
		if n.Op.String() == "<-" && !p.inSelect(cur) {
			return []*types.Var{p.variable(n.X)}
		}
	case *ast.CallExpr:
		if p.called(n) == (function{"sync", "WaitGroup", "Wait"}) {
			return []*types.Var{p.variable(receiver(n))}
		}
		if p.called(n).name == "PumpUntilTasksComplete" {
			return nil
		}
		events, _ := p.awaited(n)
		for _, e := range events {
			vars = append(vars, p.variable(e))
		}
	}
	return vars
}

// waitsOn reports the waits of a body on a thread for other work of the thread.
func (p *program) waitsOn(b *body, thread *types.Var) {
	all := p.given(b, thread)
	if len(all) == 0 {
		return
	}
	for cur := range p.own(b, true) {
		vars := p.waited(cur)
		for _, v := range vars {
			if v == nil || p.completedElsewhere(v, all) {
				continue
			}
			for _, w := range all {
				if w.at.Node().Pos() > cur.Node().Pos() || !p.completes(w.at, v) {
					continue
				}
				p.finding(cur.Node(), "the body waits on thread "+thread.Name()+" for "+v.Name()+
					", which only other work of the same thread completes, and that does not run "+
					"before the body has returned: wait for the event of a task on the thread, or "+
					"return, and go on in a task after it", "Wait for the task",
					p.waitForTask(b, w, cur, len(vars))...)
				break
			}
		}
	}
}

// completedElsewhere reports whether anything but some work may complete what a variable holds: it
// is used outside of that work other than by waits.
func (p *program) completedElsewhere(v *types.Var, all []work) bool {
uses:
	for _, use := range p.uses[v] {
		pos := use.Node().Pos()
		if pos == v.Pos() || p.sets(use) == 1 {
			continue
		}
		for _, w := range all {
			if pos > w.at.Node().Pos() && pos < w.at.Node().End() {
				continue uses
			}
		}
		switch use.ParentEdgeKind() {
		case edge.UnaryExpr_X:
			if use.Parent().Node().(*ast.UnaryExpr).Op.String() == "<-" {
				continue
			}
		case edge.SelectorExpr_X:
			switch use.Parent().Node().(*ast.SelectorExpr).Sel.Name {
			case "Wait", "Add", "IsComplete":
				continue
			}
		case edge.CallExpr_Args:
			call, _ := argument(use)
			if events, _ := p.awaited(call); len(events) > 0 {
				continue
			}
		}
		return true
	}
	return false
}

// waitForTask returns the edits that make a body wait for a task in place of what that does.
func (p *program) waitForTask(b *body, w work, wait inspector.Cursor, waits int) (
	edits []analysis.TextEdit) {
	if w.task == nil || b.context == nil || !p.sees(wait, b.context) || waits != 1 ||
		!w.task.launched || w.task.maker == nil {
		return nil
	}
	name := ""
	switch w.task.whole.ParentEdgeKind() {
	case edge.ExprStmt_X:
		name = "ran"
		if p.visible(wait, name) || w.task.whole.Parent().ParentEdgeKind() !=
			edge.BlockStmt_List || !p.sameBlock(w.task.whole, wait) {
			return nil
		}
		edits = append(edits, insert(w.task.whole.Node().Pos(), name+" := "))
	default:
		v := p.setBy(w.task.whole)
		if v == nil || !p.sees(wait, v) {
			return nil
		}
		name = v.Name()
	}
	if call, ok := wait.Node().(*ast.CallExpr); ok {
		if events, from := p.awaited(call); len(events) == 1 && from >= 0 {
			return append(edits, replace(events[0], name))
		}
	}
	if wait.ParentEdgeKind() != edge.ExprStmt_X {
		return nil
	}
	return append(edits, replace(wait.Node(), b.context.Name()+".Wait("+name+")"))
}

// sameBlock reports whether two nodes are in statements of the same block.
func (p *program) sameBlock(a, b inspector.Cursor) bool {
	s, ok := statement(a)
	t, is := statement(b)
	return ok && is && s.Parent() == t.Parent()
}

// attached reports waits without a pump of the function that attaches a thread.
func (p *program) attached(at inspector.Cursor, thread *types.Var) {
	var function inspector.Cursor
	for f := range at.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		function = f
		break
	}
	asking := map[*types.Var]bool{} // events of tasks that wait for work of the thread
	for cur := range function.Preorder((*ast.FuncLit)(nil)) {
		b := p.bodyAt(cur)
		if b == nil || !b.launched || p.threadOf(b) != nil {
			continue
		}
		if v := p.setBy(b.whole); v != nil && p.asks(b, thread) {
			asking[v] = true
		}
	}
	if len(asking) == 0 {
		return
	}
	function.Inspect(nil, func(cur inspector.Cursor) bool {
		if lit, ok := cur.Node().(*ast.FuncLit); ok && ast.Node(lit) != function.Node() {
			return false
		}
		call, ok := cur.Node().(*ast.CallExpr)
		if !ok || p.called(call).name == "PumpUntilTasksComplete" {
			return true
		}
		events, _ := p.awaited(call)
		for _, e := range events {
			if !asking[p.variable(e)] {
				continue
			}
			var edits []analysis.TextEdit
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if ok && isType(p.TypesInfo.TypeOf(sel.X), taskgraph, "System") {
				edits = []analysis.TextEdit{replace(sel.Sel, "PumpUntilTasksComplete")}
			}
			p.finding(call, "the wait runs nothing that is posted to thread "+thread.Name()+
				", and the task waits for that: use PumpUntilTasksComplete", "Pump meanwhile",
				edits...)
			return true
		}
		return true
	})
}

// asks reports whether a body posts to a thread and waits for what it posted.
func (p *program) asks(b *body, thread *types.Var) bool {
	var posted []work
	for _, w := range p.given(b, thread) {
		if w.task == nil {
			posted = append(posted, w)
		}
	}
	if len(posted) == 0 {
		return false
	}
	for cur := range p.own(b, true) {
		vars := p.waited(cur)
		for _, v := range vars {
			if v == nil || p.completedElsewhere(v, posted) {
				continue
			}
			for _, w := range posted {
				if p.completes(w.at, v) {
					return true
				}
			}
		}
	}
	return false
}
