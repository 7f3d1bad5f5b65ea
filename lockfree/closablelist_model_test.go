//go:build modelcheck

package lockfree_test

import (
	"testing"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

func TestModelClosableList(t *testing.T) {
	t.Run("programs", testClosableListPrograms)
	t.Run("nobody is forgotten", testClosableListForgetsNobody)
}

func testClosableListPrograms(t *testing.T) {
	type list = *lockfree.ClosableList[int64]
	closing := func(s list, l *modelcheck.Log, _ int64) {
		l.Call(history.OpClose, 0, func() (int64, int32) {
			items, ok := s.Close(nil)
			return history.Pack(items...), status(ok)
		})
	}
	eachVariant(t, modelcheck.Structure[list]{
		Name: "ClosableList",
		Ops: []modelcheck.Op[list]{
			pushing("TryPush", modelcheck.Anyone, 5, list.TryPush),
			{Name: "Close", Weight: 2, Do: closing},
			{Name: "Closed", Weight: 1, Do: func(s list, l *modelcheck.Log, _ int64) {
				l.Call(history.OpClosed, 0, func() (int64, int32) { return 0, status(s.Closed()) })
			}},
		},
		Judge:    func() modelcheck.Judge { return history.NewChecker(history.ClosableList()) },
		Drain:    func(s list, l *modelcheck.Log) { closing(s, l, 0); closing(s, l, 0) },
		LockFree: true,
	},
		variant[list]{"new", func() list { return new(lockfree.ClosableList[int64]) }},
		// The nodes reach a second page.
		variant[list]{"second page", func() list {
			return lockfree.NewClosableListFrom[int64](lockfree.FirstPage - 1)
		}},
	)
}

// Whoever registers and whoever closes agree on who acts: each TryPush that returned true is in
// the list that Close returns, which reads what was written before it; who was too late, or
// sees that the list is closed, reads what was written before that Close.
func testClosableListForgetsNobody(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{}, func(m *modelcheck.Model) {
		const pushers = 2
		l := lockfree.NewClosableListFrom[int](lockfree.FirstPage - 1)
		var written, accepted, taken [pushers]bool
		ready := false
		for i := range pushers {
			m.Thread(func() {
				written[i] = true
				if accepted[i] = l.TryPush(i); !accepted[i] {
					m.Assert(ready, "refused before anybody closed")
				}
			})
		}
		m.Thread(func() {
			ready = true
			items, ok := l.Close(nil)
			m.Assert(ok, "somebody else closed")
			for _, v := range items {
				m.Assert(written[v] && !taken[v], "element %d", v)
				taken[v] = true
			}
		})
		m.Thread(func() {
			if l.Closed() {
				m.Assert(ready, "closed before anybody closed")
			}
		})
		m.After(func() {
			m.Assert(accepted == taken, "accepted %v, taken %v", accepted, taken)
			m.Assert(l.Pages() == 0, "%d pages are kept", l.Pages())
		})
	})
}
