package heddlevet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// SelfWait reports a body that waits for its own task, which cannot complete before the body has
// returned; and a call of a group that waits for the group.
var SelfWait = analyzer("selfwait",
	"report a task's body that waits for the event of its own task", runSelfWait)

func runSelfWait(p *program) {
	for b := range p.bodies() {
		mine := p.setBy(b.whole) // the event, or the task while it is held
		group := p.groupOf(b)
		for cur := range p.own(b, true) {
			call, ok := cur.Node().(*ast.CallExpr)
			if !ok {
				continue
			}
			f := p.called(call)
			if group != nil && f == (function{taskgraph, "Group", "Wait"}) &&
				p.variable(receiver(call)) == group {
				p.finding(call, "a call of group "+group.Name()+" waits for the group, "+
					"so for itself, and never ends: wait where the calls are made", "")
				continue
			}
			events, from := p.awaited(call)
			if f == (function{taskgraph, "Context", "DontCompleteUntil"}) &&
				!call.Ellipsis.IsValid() {
				events, from = call.Args, 0
			}
			for i, e := range events {
				if !p.isOwn(b, mine, e) {
					continue
				}
				message := "the body waits for its own task, which completes only after the body " +
					"has returned"
				if f.name == "DontCompleteUntil" {
					message = "the task cannot be held open by its own event: " +
						"DontCompleteUntil panics"
				}
				var edits []analysis.TextEdit
				if from >= 0 && p.stillUsed(e) {
					edits = append(edits, without(call, from+i))
				}
				p.finding(e, message, "Leave the task's own event out", edits...)
			}
		}
	}
}

// groupOf returns the group of which a body is a call, or nil.
func (p *program) groupOf(b *body) *types.Var {
	if b.begin == nil || p.called(b.begin) != (function{taskgraph, "Group", "Go"}) {
		return nil
	}
	return p.variable(receiver(b.begin))
}

// isOwn reports whether e is the event of the task that runs b, which mine holds if it is not nil.
func (p *program) isOwn(b *body, mine *types.Var, e ast.Expr) bool {
	if mine != nil && p.variable(e) == mine && isType(mine.Type(), graphevent, "Event") {
		return true
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return false
	}
	f := p.called(call)
	x := p.variable(receiver(call))
	return x != nil &&
		(x == b.context && f == function{taskgraph, "Context", "Event"} ||
			x == mine && f == function{taskgraph, "Task", "Event"} ||
			x == mine && f == function{future, "Future", "Event"})
}

// stillUsed reports whether the program still compiles without an event: a variable has to be used.
func (p *program) stillUsed(e ast.Expr) bool {
	v := p.variable(e)
	if v == nil {
		return true
	}
	reads := 0
	for _, use := range p.uses[v] {
		if use.Node().Pos() != v.Pos() && p.sets(use) == 0 {
			reads++
		}
	}
	return reads > 1
}

// without drops an argument of a call.
func without(call *ast.CallExpr, i int) analysis.TextEdit {
	from, to := call.Args[i].Pos(), call.Args[i].End()
	switch {
	case i > 0:
		from = call.Args[i-1].End()
	case len(call.Args) > 1:
		to = call.Args[1].Pos()
	}
	return analysis.TextEdit{Pos: from, End: to, NewText: nil}
}
