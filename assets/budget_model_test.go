//go:build modelcheck

package assets

import (
	"testing"

	"github.com/heddle-go/heddle/assets/internal/turn"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

func explorers() []modelcheck.Explorer { return modelcheck.Portfolio(modelcheck.Scaled(20_000)) }

// waiter returns a flight that needs so many bytes.
func waiter(need int64) *flight {
	l := new(life)
	l.urgency.Store(1)
	return &flight{it: &Item{life: l}, need: need}
}

// TestModelBudget: flights ask for bytes and give them back; who has to wait gets them from another
// thread, and gives them back there. The budget is never exceeded, and nobody waits for ever.
func TestModelBudget(t *testing.T) {
	for name, needs := range map[string][]int64{"two of three": {2, 2}, "all": {3, 3, 1},
		"mixed": {1, 3, 2}} {
		t.Run(name, func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{Explorers: explorers()},
				func(m *modelcheck.Model) {
					var out atomics.Int64
					served := make([]bool, len(needs))
					flights := make([]*flight, len(needs))
					b := &budget{max: 3}
					use := func(f *flight) {
						m.Assert(f.has == f.need, "has %d of %d", f.has, f.need)
						m.Assert(out.Add(f.has) <= b.max, "over the budget")
						for i := range flights {
							if flights[i] == f {
								m.Assert(!served[i], "served twice")
								served[i] = true
							}
						}
						out.Add(-f.has)
						b.give(f)
					}
					b.granted = use
					b.turn = turn.New(func(struct{}) { b.serve() }, func() { b.turn.Drain() })
					for i, need := range needs {
						flights[i] = waiter(need)
						m.Thread(func() {
							if b.ask(flights[i]) {
								use(flights[i])
							}
						})
					}
					m.After(func() {
						for i := range served {
							m.Assert(served[i], "flight %d waits for ever", i)
						}
						m.Assert(b.used.Load() == 0, "%d bytes are gone", b.used.Load())
					})
				})
		})
	}
}

// TestModelPromote: a flight begins to wait while its priority rises. Who takes then finds it
// before one that is less urgent, and once.
func TestModelPromote(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{Explorers: explorers()}, func(m *modelcheck.Model) {
		var u urgent
		f, other := waiter(0), waiter(0)
		f.it.life.urgency.Store(3)
		m.Thread(func() { // lane.enqueue
			u.push(f, f.number.Add(1))
		})
		m.Thread(func() { // life.promote, Pipeline.Promote
			if f.it.life.raise(0) {
				if n := f.number.Load(); n%2 == 1 {
					u.push(f, n)
				}
			}
		})
		m.Thread(func() { u.push(other, other.number.Add(1)) })
		m.After(func() {
			m.Assert(u.take() == f, "it was not promoted")
			m.Assert(u.take() == other, "the other is lost")
			m.Assert(u.take() == nil, "taken twice")
		})
	})
}

// TestModelPlan: edits of a plan come together with an item that begins. None is lost, and the item
// has the plan of one moment.
func TestModelPlan(t *testing.T) {
	pipe := func(name string) Pipe { return Pipe{Name: name, awaits: true} }
	none := func(name string) Pipe {
		p := pipe(name)
		p.awaits, p.Run = false, Select().Run
		return p
	}
	program := func(m *modelcheck.Model, whole bool) {
		p, err := NewPlan(none("a"), none("b"))
		m.Assert(err == nil, "%v", err)
		names := func(l []Pipe) (s string) {
			for _, p := range l {
				s += p.Name
			}
			return s
		}
		m.Thread(func() { m.Assert(p.Insert("b", none("c")) == nil, "no b") })
		m.Thread(func() { m.Assert(p.Move("a", "") == nil, "no a") })
		m.Thread(func() {
			l := p.now()
			first := names(l)
			switch first {
			case "ab", "acb", "ba", "cba":
			default:
				m.Assert(false, "the item has the plan %s", first)
			}
			p.now()
			m.Assert(names(l) == first, "the plan of the item was changed")
		})
		m.After(func() {
			n := names(p.now())
			m.Assert(n == "cba" || !whole, "the plan is %s", n)
		})
	}
	modelcheck.Check(t, modelcheck.Options{Explorers: explorers()},
		func(m *modelcheck.Model) { program(m, true) })
	modelcheck.Check(t, modelcheck.Options{Name: t.Name() + "/suspended", LockFree: true,
		Explorers: explorers()},
		func(m *modelcheck.Model) { program(m, false) })
}
