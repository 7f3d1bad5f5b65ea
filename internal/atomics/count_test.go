//go:build heddle_count && !modelcheck

package atomics_test

import (
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
)

// integer is what the words of whole numbers have in common.
type integer[T any] interface {
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(old, v T) bool
	Add(T) T
	And(T) T
	Or(T) T
}

// TestCounted holds that each operation counts once, also one that fails, and works.
func TestCounted(t *testing.T) {
	countInteger(t, new(atomics.Int32))
	countInteger(t, new(atomics.Int64))
	countInteger(t, new(atomics.Uint32))
	countInteger(t, new(atomics.Uint64))
	countInteger(t, new(atomics.Uintptr))

	var b atomics.Bool
	counts(t, 0, 1, func() bool { b.Store(true); return b.Load() })
	counts(t, 3, 0, func() bool {
		return b.Swap(false) && !b.CompareAndSwap(true, false) && b.CompareAndSwap(false, true)
	})
	var p atomics.Pointer[int]
	x, y := new(int), new(int)
	counts(t, 0, 1, func() bool { p.Store(x); return p.Load() == x })
	counts(t, 3, 0, func() bool {
		return p.Swap(y) == x && !p.CompareAndSwap(x, y) && p.CompareAndSwap(y, x)
	})
}

func countInteger[T int32 | int64 | uint32 | uint64 | uintptr](t *testing.T, w integer[T]) {
	t.Helper()
	counts(t, 0, 1, func() bool { w.Store(1); return w.Load() == 1 })
	counts(t, 6, 0, func() bool {
		return w.Swap(2) == 1 && !w.CompareAndSwap(1, 3) && w.CompareAndSwap(2, 3) &&
			w.Add(4) == 7 && w.And(6) == 7 && w.Or(1) == 6
	})
}

// counts fails unless f does what it should, by so many changes and stores.
func counts(t *testing.T, changes, stores uint64, f func() bool) {
	t.Helper()
	before := atomics.Counted()
	if !f() {
		t.Error("a word does not do what it should")
	}
	after := atomics.Counted()
	if got := (atomics.Count{Changes: after.Changes - before.Changes,
		Stores: after.Stores - before.Stores}); got != (atomics.Count{Changes: changes,
		Stores: stores}) {
		t.Errorf("counted %+v, want %d changes and %d stores", got, changes, stores)
	}
}
