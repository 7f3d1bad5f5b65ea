package modelcheck

import "sync/atomic"

// A meta is what the engine knows of a word: its number in the current execution, given when
// a thread first announces a step on it.
type meta struct {
	epoch uint32
	id    uint16
}

// A Bool is an instrumented atomic.Bool.
type Bool struct {
	v atomic.Bool
	m meta
}

// Load is a step that reads.
func (x *Bool) Load() bool {
	t := current()
	if t == nil {
		return x.v.Load()
	}
	t.step(&x.m, opLoad)
	r := x.v.Load()
	t.did(false, 0, 0, bit64(r))
	t.mark(formBool)
	return r
}

// Store is a step that writes.
func (x *Bool) Store(v bool) {
	t := current()
	if t == nil {
		x.v.Store(v)
		return
	}
	t.step(&x.m, opStore)
	was := t.look(func() uint64 { return bit64(x.v.Load()) })
	x.v.Store(v) // not Swap, which would acquire as well
	t.did(true, bit64(v), was, 0)
	t.mark(formBool)
}

// Swap is a step that writes.
func (x *Bool) Swap(v bool) bool {
	t := current()
	if t == nil {
		return x.v.Swap(v)
	}
	t.step(&x.m, opSwap)
	old := x.v.Swap(v)
	t.did(old != v, bit64(v), 0, bit64(old))
	t.mark(formBool)
	return old
}

// CompareAndSwap is a step that writes if it succeeds, and else reads.
func (x *Bool) CompareAndSwap(old, v bool) bool {
	t := current()
	if t == nil {
		return x.v.CompareAndSwap(old, v)
	}
	t.step(&x.m, opCAS)
	ok := x.v.CompareAndSwap(old, v)
	found := t.look(func() uint64 { return bit64(x.v.Load()) })
	t.didCAS(ok, old != v, bit64(old), bit64(v), found)
	t.mark(formBool)
	return ok
}

func bit64(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
