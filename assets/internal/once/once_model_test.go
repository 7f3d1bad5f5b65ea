//go:build modelcheck

package once_test

import (
	"testing"

	"github.com/heddle-go/heddle/assets/internal/once"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

func explorers() []modelcheck.Explorer { return modelcheck.Portfolio(modelcheck.Scaled(20_000)) }

// A thing in the table of the models. The load and its end are steps of the checker.
type thing struct{ loads, ends atomics.Int32 }

func sameHash(int) uint64 { return 3 }

// checkBoth explores a program whose threads all end, and one in which each is suspended for ever
// after each of its steps, which says nothing about the end.
func checkBoth(t *testing.T, program func(m *modelcheck.Model, whole bool)) {
	modelcheck.Check(t, modelcheck.Options{Explorers: explorers()},
		func(m *modelcheck.Model) { program(m, true) })
	modelcheck.Check(t, modelcheck.Options{Name: t.Name() + "/suspended", LockFree: true,
		Explorers: explorers()},
		func(m *modelcheck.Model) { program(m, false) })
}

// TestModelOnce: of those that ask for one thing at the same time, which all hold it to the end,
// one loads it.
func TestModelOnce(t *testing.T) {
	checkBoth(t,
		func(m *modelcheck.Model, whole bool) {
			table := once.NewHash[int, thing](sameHash)
			var loads atomics.Int32
			got := make([]*once.Entry[thing], 3)
			for i := range got {
				m.Thread(func() {
					e, isNew, _ := table.Acquire(1, func(*once.Entry[thing]) {}, nil)
					if isNew {
						loads.Add(1)
					}
					got[i] = e
				})
			}
			if !whole {
				return
			}
			m.After(func() {
				m.Assert(loads.Load() == 1, "%d loads", loads.Load())
				m.Assert(got[0] == got[1] && got[1] == got[2], "two entries")
				m.Assert(got[0].Held() == 3, "%d holders", got[0].Held())
			})
		})
}

// TestModelReleaseAgainstLoad: threads take a thing, load it if it is new, and let it go; who lets
// it go last ends it, unless somebody takes it in between. No life is used after its end, what is
// held is what the table has, each is ended by one, and none is left.
func TestModelReleaseAgainstLoad(t *testing.T) {
	checkBoth(t,
		func(m *modelcheck.Model, whole bool) {
			table := once.NewHash[int, thing](sameHash)
			var made, ended atomics.Int32
			for range 3 {
				m.Thread(func() {
					e, isNew, _ := table.Acquire(1, func(*once.Entry[thing]) {}, nil)
					if isNew {
						made.Add(1)
						m.Assert(e.Value.loads.Add(1) == 1, "loaded twice")
					}
					m.Assert(e.Value.ends.Load() == 0, "held after its end")
					m.Assert(table.Find(1) == e, "another one in the table")
					if e.Release() && e.Kill() {
						m.Assert(e.Value.ends.Add(1) == 1, "ended twice")
						ended.Add(1)
						table.Remove(1, e)
					}
				})
			}
			if !whole {
				return
			}
			m.After(func() {
				m.Assert(made.Load() == ended.Load(), "%d made, %d ended", made.Load(),
					ended.Load())
				m.Assert(table.Len() == 0, "one is left")
			})
		})
}

// TestModelAbandon: the load asks before it goes on whether anybody wants its thing; others let go
// and take meanwhile. Either the load ends, and who comes then gets another life, or it goes on and
// they have this one.
func TestModelAbandon(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{Explorers: explorers()}, func(m *modelcheck.Model) {
		table := once.NewHash[int, thing](sameHash)
		e, _, _ := table.Acquire(1, func(*once.Entry[thing]) {}, nil)
		goesOn := false
		var got *once.Entry[thing]
		var isNew bool
		m.Thread(func() { // the load
			goesOn = !e.Kill()
			if !goesOn {
				table.Remove(1, e)
			}
		})
		m.Thread(func() { e.Release() }) // who asked for it
		m.Thread(func() {                // who comes
			got, isNew, _ = table.Acquire(1, func(*once.Entry[thing]) {}, nil)
		})
		m.After(func() {
			m.Assert(isNew == (got != e), "new is %v", isNew)
			m.Assert(goesOn || got != e, "a life that was ended is held")
			m.Assert(!got.Dead() && got.Held() == 1, "it is not held")
			m.Assert(table.Find(1) == got, "the table has another")
		})
	})
}

// TestModelMerge: a knot is made of two entries that hold each other, while others take and let go
// either. Its count is right, nobody is told to be the last before he is, and one is.
func TestModelMerge(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{Explorers: explorers()}, func(m *modelcheck.Model) {
		a, b := once.NewEntry[thing](), once.NewEntry[thing]()
		a.Acquire() // by a handle, b holds it too
		b.Acquire() // the same
		var last atomics.Int32
		m.Thread(func() {
			if once.Merge([]*once.Entry[thing]{a, b}, 2) {
				last.Add(1)
			}
		})
		m.Thread(func() {
			if a.Release() {
				m.Assert(b.Held() == 0, "not the last")
				last.Add(1)
			}
		})
		m.Thread(func() {
			_, ok := b.Acquire()
			m.Assert(ok, "dead")
			if b.Release() {
				m.Assert(false, "the handle of b is there")
			}
			if b.Release() {
				m.Assert(a.Held() == 0, "not the last")
				last.Add(1)
			}
		})
		m.After(func() {
			m.Assert(last.Load() == 1, "%d were the last", last.Load())
			m.Assert(a.Held() == 0 && b.Held() == 0, "it is held")
			m.Assert(a.Kill() && b.Dead(), "it cannot end")
		})
	})
}

// TestModelKnotDiesWhole: somebody takes one entry of a knot while another is killed: both live or
// both are dead.
func TestModelKnotDiesWhole(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{Explorers: explorers()}, func(m *modelcheck.Model) {
		a, b := once.NewEntry[thing](), once.NewEntry[thing]()
		once.Merge([]*once.Entry[thing]{a, b}, 2)
		var killed, taken bool
		m.Thread(func() { killed = a.Kill() })
		m.Thread(func() { _, taken = b.Acquire() })
		m.After(func() {
			m.Assert(killed != taken, "killed %v, taken %v", killed, taken)
			m.Assert(a.Dead() == killed && b.Dead() == killed, "a knot is torn")
		})
	})
}
