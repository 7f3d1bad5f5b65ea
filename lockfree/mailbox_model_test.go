//go:build modelcheck

package lockfree_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

func TestModelMailbox(t *testing.T) {
	t.Run("programs", testMailboxPrograms)
	t.Run("the owner sleeps", testMailboxOwnerSleeps)
	t.Run("memory", testMailboxMemory)
}

func testMailboxPrograms(t *testing.T) {
	type mailbox = *lockfree.Mailbox[int64]
	ops := []modelcheck.Op[mailbox]{
		{Name: "PopAll", Who: modelcheck.First, Weight: 4, Do: func(m mailbox, l *modelcheck.Log, _ int64) {
			l.Call(history.OpPopAll, 0, func() (int64, int32) { return history.Pack(m.PopAll(nil)...), history.OK })
		}},
		{Name: "Unstall", Who: modelcheck.First, Weight: 3, Do: func(m mailbox, l *modelcheck.Log, _ int64) {
			l.Call(history.OpUnstall, 0, func() (int64, int32) { return 0, status(m.Unstall()) })
		}},
		{Name: "Push", Weight: 6, Do: func(m mailbox, l *modelcheck.Log, v int64) {
			l.Call(history.OpPush, v, func() (int64, int32) {
				wake, ok := m.Push(v)
				return int64(status(wake)), status(ok)
			})
		}},
		{Name: "Stall", Who: modelcheck.First, Weight: 3, Do: func(m mailbox, l *modelcheck.Log, _ int64) {
			l.Call(history.OpStall, 0, func() (int64, int32) { return 0, status(m.Stall(lockfree.Mark{})) })
		}},
		{Name: "Close", Weight: 1, Do: func(m mailbox, l *modelcheck.Log, _ int64) {
			l.Call(history.OpClose, 0, func() (int64, int32) {
				wake, ok := m.Close()
				return int64(status(wake)), status(ok)
			})
		}},
		{Name: "Closed", Weight: 1, Do: func(m mailbox, l *modelcheck.Log, _ int64) {
			l.Call(history.OpClosed, 0, func() (int64, int32) { return 0, status(m.Closed()) })
		}},
	}
	s := modelcheck.Structure[mailbox]{
		Name:  "Mailbox",
		Ops:   ops,
		Judge: func() modelcheck.Judge { return history.NewChecker(history.Mailbox()) },
		Drain: func(m mailbox, l *modelcheck.Log) {
			ops[0].Do(m, l, 0)
			ops[1].Do(m, l, 0)
		},
		CallName: history.MailboxOpName,
		LockFree: true,
	}
	eachVariant(t, s,
		variant[mailbox]{"new", func() mailbox { return new(lockfree.Mailbox[int64]) }},
		// The count of takings is about to wrap, and the nodes reach a second page.
		variant[mailbox]{"wrap", func() mailbox {
			return lockfree.NewMailboxFrom[int64](lockfree.TakingsLimit-2, lockfree.FirstPage-1)
		}},
	)
	// Nodes come back to the top while others are taken.
	s.New = func() mailbox { return new(lockfree.Mailbox[int64]) }
	eachProgram(t, s,
		"Push Push | PopAll PopAll | Push Push | Push",
		"Push Push PopAll | PopAll PopAll | Push Push | Push Push",
		"Push Push PopAll Stall | Unstall PopAll | Push Push | Push",
		"Stall | Unstall Stall PopAll | Push | Push Close",
		"Push PopAll | Stall PopAll | Push | Close | Push",
	)
}

// An owner that sleeps whenever nothing is new, and whom each Push and Close wakes that is told to, gets
// all that was accepted. It takes what is there at once, or only when the box is closed.
func testMailboxOwnerSleeps(t *testing.T) {
	for _, pushers := range []int{1, 2, 3} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprint(pushers, late), func(t *testing.T) {
				modelcheck.Check(t, modelcheck.Options{}, func(m *modelcheck.Model) {
					var box lockfree.Mailbox[int]
					var parker park.Parker
					accepted, got := make([]bool, pushers), make([]bool, pushers)
					pop := func() {
						for _, v := range box.PopAll(nil) {
							m.Assert(!got[v], "%d came twice", v)
							got[v] = true
						}
					}
					m.Thread(func() {
						for {
							mark, closed := box.Mark(), box.Closed()
							if closed {
								pop()
								return
							}
							if !late {
								pop()
								mark = lockfree.Mark{}
							}
							if box.Stall(mark) {
								if !box.Closed() {
									parker.Park()
								}
								box.Unstall()
							}
						}
					})
					for i := range pushers {
						m.Thread(func() {
							wake, ok := box.Push(i)
							if accepted[i] = ok; wake {
								parker.Unpark()
							}
							if i == pushers-1 {
								if wake, ok := box.Close(); wake && ok {
									parker.Unpark()
								}
							}
						})
					}
					m.After(func() { m.Assert(fmt.Sprint(accepted) == fmt.Sprint(got), "accepted %v, got %v", accepted, got) })
				})
			})
		}
	}
}

// What was written before a Push is seen by who popped its value, or who was refused because of a Close
// that came after it was written.
func testMailboxMemory(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{}, func(m *modelcheck.Model) {
		const pushers = 2
		box := lockfree.NewMailboxFrom[int](lockfree.TakingsLimit-1, lockfree.FirstPage-1)
		var written, accepted, taken [pushers]bool
		var over atomics.Bool
		ready := false
		for i := range pushers {
			m.Thread(func() {
				written[i] = true
				if _, accepted[i] = box.Push(i); !accepted[i] {
					m.Assert(ready, "refused before anybody closed")
				}
			})
		}
		m.Thread(func() {
			ready = true
			_, ok := box.Close()
			m.Assert(ok, "somebody else closed")
			over.Store(true)
		})
		m.Thread(func() {
			for last := false; !last; {
				last = over.Load()
				for _, v := range box.PopAll(nil) {
					m.Assert(written[v] && !taken[v], "value %d", v)
					taken[v] = true
				}
				if !last {
					atomics.Gosched()
				}
			}
		})
		m.After(func() { m.Assert(accepted == taken, "accepted %v, taken %v", accepted, taken) })
	})
}
