package heddlevet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// LoopBuffer reports a loop that gives a buffer to the tasks that it launches, and fills the buffer
// anew in its next round, while they run.
var LoopBuffer = analyzer("loopbuffer",
	"report a buffer that a loop fills anew while the tasks that it launched use it", runLoopBuffer)

// fillers are functions that fill what is given to them, by the number of that argument.
var fillers = map[function]int{
	{"io", "", "ReadFull"}:        1,
	{"io", "", "ReadAtLeast"}:     1,
	{"io", "Reader", "Read"}:      0,
	{"io", "ReaderAt", "ReadAt"}:  0,
	{"bufio", "Reader", "Read"}:   0,
	{"os", "File", "Read"}:        0,
	{"os", "File", "ReadAt"}:      0,
	{"net", "Conn", "Read"}:       0,
	{"bytes", "Reader", "Read"}:   0,
	{"strings", "Reader", "Read"}: 0,
	{"crypto/rand", "", "Read"}:   0,
}

// aliases are functions whose result is valid only until the next call.
var aliases = map[function]bool{
	{"bufio", "Scanner", "Bytes"}:    true,
	{"bufio", "Reader", "ReadSlice"}: true,
	{"bufio", "Reader", "ReadLine"}:  true,
	{"bufio", "Reader", "Peek"}:      true,
}

func runLoopBuffer(p *program) {
	for b := range p.bodies() {
		round, ok := p.loopAround(b)
		if !ok || p.waitsIn(round) || p.leaves(b.whole, round) || p.handedOn(b) {
			continue
		}
		block := round.Node().(*ast.BlockStmt)
		seen := map[*types.Var]bool{}
		for cur := range b.at.Preorder((*ast.Ident)(nil)) {
			id := cur.Node().(*ast.Ident)
			v, ok := p.TypesInfo.Uses[id].(*types.Var)
			if !ok || v.IsField() || seen[v] || v.Parent() == p.Pkg.Scope() || p.asksLength(cur) {
				continue
			}
			seen[v] = true
			how := ""
			switch {
			case v.Pos() < block.Pos() && p.isBuffer(v.Type()) && !p.loopOf(round, v):
				how = p.filledIn(round, b, v)
			case v.Pos() > block.Pos() && v.Pos() < b.lit.Pos():
				how = p.aliasOf(v)
			}
			if how != "" {
				p.finding(id, "the task that the loop launches uses "+v.Name()+", which the next "+
					"round changes while the task may run: "+how, "Give each task a copy",
					p.copyOf(b, v)...)
			}
		}
	}
}

// asksLength reports whether a use of a buffer does not look into it.
func (p *program) asksLength(use inspector.Cursor) bool {
	call, _ := argument(use)
	return call != nil && (p.isBuiltin(call, "len") || p.isBuiltin(call, "cap"))
}

// isBuiltin reports whether a call is one of a function of the language.
func (p *program) isBuiltin(call *ast.CallExpr, name string) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && p.TypesInfo.Uses[id] == types.Universe.Lookup(name)
}

// isBuffer reports whether a type is a slice, or a buffer of package bytes.
func (p *program) isBuffer(t types.Type) bool {
	_, slice := t.Underlying().(*types.Slice)
	return slice || isType(t, "bytes", "Buffer")
}

// loopAround returns the block of the innermost loop that begins a body's task.
func (p *program) loopAround(b *body) (inspector.Cursor, bool) {
	for at := range b.whole.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil),
		(*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		switch n := at.Node().(type) {
		case *ast.ForStmt:
			return at.Child(n.Body), true
		case *ast.RangeStmt:
			return at.Child(n.Body), true
		default:
			return at, false
		}
	}
	return b.at, false
}

// loopOf reports whether a loop declares a variable, for each round anew.
func (p *program) loopOf(round inspector.Cursor, v *types.Var) bool {
	return v.Pos() > round.Parent().Node().Pos()
}

// waitsIn reports whether something in a loop may wait for the tasks of the round before or of this
// one: anything about channels, and any call that has a name of one that waits.
func (p *program) waitsIn(round inspector.Cursor) bool {
	waits := false
	round.Parent().Inspect(nil, func(cur inspector.Cursor) bool {
		switch n := cur.Node().(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.UnaryExpr:
			waits = waits || n.Op == token.ARROW
		case *ast.SelectStmt, *ast.SendStmt:
			waits = true
		case *ast.RangeStmt:
			_, channel := p.TypesInfo.TypeOf(n.X).Underlying().(*types.Chan)
			waits = waits || channel
		case *ast.CallExpr:
			name := p.called(n).name
			for _, word := range []string{"Wait", "Acquire", "Until", "Shutdown", "Lock"} {
				waits = waits || strings.Contains(name, word)
			}
			switch name {
			case "Run", "RunGraph", "RunLoop", "Get":
				f := p.called(n)
				waits = waits || strings.HasPrefix(f.pkg, heddle) && f.recv != ""
			}
		}
		return !waits
	})
	return waits
}

// leaves reports whether the loop ends after a launch: nothing comes after it in its round.
func (p *program) leaves(cur, round inspector.Cursor) bool {
	for cur.Node() != round.Node() {
		at, ok := statement(cur)
		if !ok {
			return false
		}
		for next, ok := at.NextSibling(); ok; next, ok = next.NextSibling() {
			switch n := next.Node().(type) {
			case *ast.ReturnStmt:
				return true
			case *ast.BranchStmt:
				return n.Tok == token.BREAK || n.Tok == token.GOTO
			}
		}
		if at.ParentEdgeKind() != edge.BlockStmt_List && at.Parent().Node() == round.Node() {
			return false
		}
		if cur = at.Parent(); cur.Node() == round.Node() {
			return false
		}
	}
	return false
}

// handedOn reports whether what the launch returns goes to a function that may wait for it.
func (p *program) handedOn(b *body) bool {
	returned := func(cur inspector.Cursor) bool {
		call, _ := argument(cur)
		if call == nil {
			return cur.ParentEdgeKind() == edge.ReturnStmt_Results
		}
		if p.isBuiltin(call, "append") {
			return false
		}
		f := p.called(call)
		return f.pkg != taskgraph || f.name != "After" && f.name != "DontCompleteUntil"
	}
	if returned(b.whole) {
		return true
	}
	v := p.setBy(b.whole)
	if v == nil {
		return false
	}
	for _, use := range p.uses[v] {
		if returned(use) {
			return true
		}
	}
	return false
}

// filledIn says how a round of a loop fills a buffer as a whole, outside of the body that uses it,
// or "". An element that is set does not count: rounds may set different ones.
func (p *program) filledIn(round inspector.Cursor, b *body, v *types.Var) (how string) {
	whole := func(e ast.Expr) bool { // v, v[:], v[:n]
		if s, ok := ast.Unparen(e).(*ast.SliceExpr); ok && s.Low == nil {
			e = s.X
		}
		return p.variable(e) == v
	}
	round.Inspect(nil, func(cur inspector.Cursor) bool {
		switch n := cur.Node().(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if p.variable(l) != v || len(n.Lhs) != len(n.Rhs) {
					continue
				}
				r := ast.Unparen(n.Rhs[i])
				if call, ok := r.(*ast.CallExpr); ok && len(call.Args) > 0 {
					r = call.Args[0] // of append
				}
				if s, ok := r.(*ast.SliceExpr); ok && s.Low == nil && p.variable(s.X) == v {
					how = "its memory is used again"
				}
			}
		case *ast.CallExpr:
			for _, name := range []string{"copy", "clear"} {
				if p.isBuiltin(n, name) && whole(n.Args[0]) {
					how = name + " fills it"
				}
			}
			f := p.called(n)
			if i, ok := fillers[f]; ok && i < len(n.Args) && whole(n.Args[i]) {
				how = f.name + " fills it"
			}
			if f == (function{"bytes", "Buffer", "Reset"}) && p.variable(receiver(n)) == v {
				how = "Reset empties it"
			}
		}
		return how == ""
	})
	return how
}

// aliasOf says of which function a variable holds the result, if that is valid for one round only.
func (p *program) aliasOf(v *types.Var) string {
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return ""
	}
	how, sets := "", 0
	for _, use := range p.uses[v] {
		sets += p.sets(use)
		if s, ok := use.Parent().Node().(*ast.AssignStmt); ok &&
			use.ParentEdgeKind() == edge.AssignStmt_Lhs && len(s.Rhs) == 1 {
			if call, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr); ok && aliases[p.called(call)] {
				f := p.called(call)
				how = f.recv + "." + f.name + " returns memory that the next call uses again"
			}
		}
	}
	if sets > 1 {
		return "" // it may be set to a copy
	}
	return how
}

// copyOf returns the edits that give a body a copy of a slice that it only reads.
func (p *program) copyOf(b *body, v *types.Var) []analysis.TextEdit {
	at, ok := statement(b.whole)
	if _, slice := v.Type().Underlying().(*types.Slice); !ok || !slice || !p.sees(at, v) {
		return nil
	}
	text, name, set := p.source(v.Type(), at), v.Name(), " := "
	block := at.Parent().Node()
	if text == "" {
		return nil
	}
	if v.Pos() > block.Pos() && v.Pos() < block.End() {
		set = " = " // the same block declares it
	}
	var edits []analysis.TextEdit
	for _, use := range p.uses[v] {
		switch pos := use.Node().Pos(); {
		case pos > b.lit.Pos() && pos < b.lit.End():
			if p.writes(use) {
				return nil
			}
			edits = append(edits, replace(use.Node(), v.Name()+"Copy"))
		case pos > at.Node().End() && pos < block.End():
			name = v.Name() + "Copy" // what comes after the launch means the buffer itself
		}
	}
	if name == v.Name() {
		edits = nil
	} else if set = " := "; p.visible(at, name) {
		return nil
	}
	return append(edits, insert(at.Node().Pos(),
		name+set+"append("+text+"(nil), "+v.Name()+"...)\n"))
}

// visible reports whether a name means something at a node.
func (p *program) visible(at inspector.Cursor, name string) bool {
	scope := p.Pkg.Scope().Innermost(at.Node().Pos())
	if scope == nil {
		return false
	}
	_, found := scope.LookupParent(name, token.NoPos)
	return found != nil
}

// writes reports whether a use of a slice may change it or its elements.
func (p *program) writes(use inspector.Cursor) bool {
	if p.sets(use) > 0 {
		return true
	}
	cur := use
	for cur.ParentEdgeKind() == edge.IndexExpr_X || cur.ParentEdgeKind() == edge.SliceExpr_X {
		cur = cur.Parent()
	}
	if cur.Node() != use.Node() && p.sets(cur) > 0 {
		return true
	}
	call, _ := argument(cur)
	if call == nil {
		return false
	}
	return cur.ParentEdgeIndex() == 0 && (p.isBuiltin(call, "copy") || p.isBuiltin(call, "clear"))
}
