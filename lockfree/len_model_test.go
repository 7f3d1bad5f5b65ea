//go:build modelcheck

package lockfree_test

import (
	"testing"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// With one value at most inside, Len never says more, wherever it is held up between its looks.
func TestModelLen(t *testing.T) {
	type queue interface {
		Len() int
	}
	for name, make := range map[string]func() (q queue, turn func()){
		"Queue": func() (queue, func()) {
			q := lockfree.NewQueueAt[int](0, 2)
			return q, func() { q.Push(1); q.Pop() }
		},
		"PriorityQueue": func() (queue, func()) {
			q := lockfree.NewPriorityQueueAt[int](1, 0, 2)
			return q, func() { q.Push(1, 0); q.Pop() }
		},
		"Ring": func() (queue, func()) {
			r := lockfree.NewRing[int](3)
			return r, func() { r.TryPush(1); r.TryPop() }
		},
		"SPSCRing": func() (queue, func()) {
			r := lockfree.NewSPSCRing[int](3)
			return r, func() { r.TryPush(1); r.TryPop() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := modelcheck.Options{Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0),
				modelcheck.RandomWalk(modelcheck.Scaled(2000))}}
			modelcheck.Check(t, o, func(m *modelcheck.Model) {
				q, turn := make()
				m.Thread(func() {
					for range 3 {
						turn()
					}
				})
				m.Thread(func() {
					n := q.Len()
					m.Assert(n <= 1, "Len is %d", n)
				})
			})
		})
	}
}
