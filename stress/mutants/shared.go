package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// modulePath is the module whose packages count as shared state when they are called.
const modulePath = "github.com/heddle-go/heddle"

// changing are the methods of an atomic word that change it.
var changing = map[string]bool{"Store": true, "Swap": true, "CompareAndSwap": true, "Add": true,
	"And": true, "Or": true}

// A sharing knows what in a package touches words that goroutines share.
type sharing struct {
	*source
	funcs map[*types.Func]bool // of this package: those that do, themselves or by what they call
	vars  map[types.Object]bool
}

// shared looks through a package until it knows all functions that touch shared words.
func shared(s *source) *sharing {
	h := &sharing{source: s, funcs: make(map[*types.Func]bool), vars: make(map[types.Object]bool)}
	for more := true; more; {
		more = false
		for _, file := range s.files {
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok || f.Body == nil {
					continue
				}
				fn, _ := s.info.Defs[f.Name].(*types.Func)
				if fn != nil && !h.funcs[fn] && h.touches(f.Body) {
					h.funcs[fn], more = true, true
				}
			}
		}
	}
	// A variable that was assigned from what touches shared words holds shared state.
	for more := true; more; {
		more = false
		for _, file := range s.files {
			ast.Inspect(file, func(n ast.Node) bool {
				a, ok := n.(*ast.AssignStmt)
				if !ok {
					return true
				}
				from := false
				for _, r := range a.Rhs {
					from = from || h.about(r)
				}
				for _, l := range a.Lhs {
					id, ok := l.(*ast.Ident)
					if !ok || !from {
						continue
					}
					if o := h.object(id); o != nil && !h.vars[o] && o.Type() != nil &&
						!isError(o.Type()) {
						h.vars[o], more = true, true
					}
				}
				return true
			})
		}
	}
	return h
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

func (h *sharing) object(id *ast.Ident) types.Object {
	if o := h.info.Defs[id]; o != nil {
		return o
	}
	return h.info.Uses[id]
}

// callee is the function that a call names, if that is known.
func (h *sharing) callee(call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		fn, _ := h.info.Uses[x].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := h.info.Uses[x.Sel].(*types.Func)
		return fn
	}
	return nil
}

// atomic returns the word and the name of the method if a call is an atomic operation.
func (h *sharing) atomic(call *ast.CallExpr) (word ast.Expr, method string) {
	fn := h.callee(call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic" {
		return nil, ""
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || fn.Signature().Recv() == nil {
		return nil, ""
	}
	return sel.X, fn.Name()
}

// steps reports whether a call touches shared words: it is an atomic operation, or calls a
// function that has one, or one of another package of the module, or of a Cond.
func (h *sharing) steps(call *ast.CallExpr) bool {
	fn := h.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	switch path := fn.Pkg().Path(); {
	case path == "sync/atomic":
		return true
	case path == "sync":
		return fn.Name() == "Signal" || fn.Name() == "Broadcast" || fn.Name() == "Wait"
	case fn.Pkg() == h.types:
		return h.funcs[fn.Origin()]
	case path == modulePath+"/internal/paged":
		return fn.Name() == "Grow" // the others say where a record lies
	default:
		return strings.HasPrefix(path, modulePath+"/") && path != modulePath+"/internal/atomics"
	}
}

// touches reports whether code touches shared words as it runs.
func (h *sharing) touches(n ast.Node) (yes bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && h.steps(call) {
			yes = true
		}
		return !yes
	})
	return yes
}

// about reports whether an expression is about shared state: it touches it, or uses what was
// read from it.
func (h *sharing) about(e ast.Expr) (yes bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			yes = yes || h.steps(x)
		case *ast.Ident:
			yes = yes || h.vars[h.object(x)]
		}
		return !yes
	})
	return yes
}

// writes reports whether a statement stores to a field, an element or what a pointer names.
func (h *sharing) writes(s ast.Stmt) bool {
	var to []ast.Expr
	switch x := s.(type) {
	case *ast.AssignStmt:
		to = x.Lhs
	case *ast.IncDecStmt:
		to = []ast.Expr{x.X}
	}
	for _, l := range to {
		switch ast.Unparen(l).(type) {
		case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
			return true
		}
	}
	return false
}
