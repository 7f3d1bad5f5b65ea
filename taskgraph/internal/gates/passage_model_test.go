//go:build modelcheck

package gates_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/gates"
)

// A way is a passage of a model, through gates that are numbers, and what became of it.
type way struct {
	gates.Passage[int]
	m     *modelcheck.Model
	gates [3]int

	known atomics.Uint32 // whether somebody is told that the task is complete, and whether it is
	added int
	over  [3]atomics.Int32 // how often each gate hears that the task is over
	got   [3]atomics.Int32 // places that the task got, less those that were given back
}

const (
	wayTold     = 1
	wayComplete = 2
)

// add adds the gate i as a builder does, and reports false if the task is complete.
func (w *way) add(i int) bool {
	switch w.Add(&w.gates[i], uint64(i)) {
	case gates.AddTwice:
		w.m.Assert(false, "gate %d is there already", i)
	case gates.AddOver:
		return false
	case gates.AddBegun:
	}
	w.added++
	if w.Len() == 1 && w.known.Or(wayTold)&wayComplete != 0 {
		w.End()
	}
	if w.Added() {
		return true
	}
	for i := range w.Len() {
		w.hears(i)
	}
	return false
}

func (w *way) hears(i int) { w.over[*w.Gate(i)].Add(1) }

// complete completes the task.
func (w *way) complete() {
	if w.known.Or(wayComplete)&wayTold == 0 {
		return
	}
	passed, ok := w.End()
	if !ok {
		return
	}
	for i := range w.Len() {
		if i < passed {
			w.m.Assert(int(w.Place(i)) == 10+*w.Gate(i), "gate %d gave place %d", i, w.Place(i))
			w.got[*w.Gate(i)].Add(-1)
		}
		w.hears(i)
	}
}

// pass gets places for the task, which n gates are ahead of, and then runs it.
func (w *way) pass(n int) {
	for i := 0; ; i++ {
		at := *w.Gate(i)
		w.got[at].Add(1)
		next, ok := w.Pass(uint32(10 + at))
		if !ok {
			w.got[at].Add(-1)
			return
		}
		w.m.Assert((next == nil) == (i+1 == n), "after gate %d of %d comes %v", i, n, next)
		if next == nil {
			return
		}
		w.m.Assert(next == w.Gate(i+1), "after gate %d comes another one than the next", i)
	}
}

// settled says that each gate has heard once that the task is over, and has its place back.
func (w *way) settled() {
	over := int32(0)
	for i := range w.gates {
		w.m.Assert(w.got[i].Load() == 0, "gate %d lacks %d places", i, w.got[i].Load())
		w.m.Assert(w.over[i].Load() <= 1, "gate %d hears twice of the end", i)
		over += w.over[i].Load()
	}
	w.m.Assert(int(over) == w.added, "%d of %d gates hear of the end", over, w.added)
}

// TestModelPassage: whenever a task with gates is completed, each of them hears of it once, and has
// every place back that it gave.
func TestModelPassage(t *testing.T) {
	for _, order := range [][]int{{0}, {0, 1}, {1, 0}, {1, 2, 0}} {
		t.Run(fmt.Sprint("built ", order), func(t *testing.T) {
			modelcheck.CheckAll(t, func(m *modelcheck.Model) {
				w := &way{m: m, gates: [3]int{0, 1, 2}}
				m.Thread(func() {
					for _, i := range order {
						if !w.add(i) {
							return
						}
					}
					w.pass(len(order))
				})
				m.Thread(w.complete)
				m.After(w.settled)
			})
		})
		t.Run(fmt.Sprint("passed ", order), func(t *testing.T) {
			modelcheck.CheckAll(t, func(m *modelcheck.Model) {
				w := &way{m: m, gates: [3]int{0, 1, 2}}
				for _, i := range order {
					w.add(i)
				}
				m.Thread(func() { w.pass(len(order)) })
				m.Thread(w.complete)
				m.Thread(func() {
					gates, passed, _ := w.Shown()
					m.Assert(len(gates) == len(order) && passed <= len(order), "%d of %d gates",
						passed, len(gates))
				})
				m.After(w.settled)
			})
		})
	}
}
