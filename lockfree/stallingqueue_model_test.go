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

func TestModelStallingQueue(t *testing.T) {
	t.Run("programs", testStallingQueuePrograms)
	t.Run("the owner sleeps", testStallingQueueOwnerSleeps)
	t.Run("memory", testStallingQueueMemory)
}

func testStallingQueuePrograms(t *testing.T) {
	type queue = *lockfree.StallingQueue[int64]
	popAll := func(name string, priority int) modelcheck.Op[queue] {
		return modelcheck.Op[queue]{Name: name, Who: modelcheck.First, Weight: 3 - priority,
			Do: func(q queue, l *modelcheck.Log, _ int64) {
				l.Call(history.OpPopAll, int64(priority), func() (int64, int32) {
					return history.Pack(q.PopAll(priority, nil)...), history.OK
				})
			}}
	}
	push := func(name string, weight, priority int) modelcheck.Op[queue] {
		return modelcheck.Op[queue]{Name: name, Weight: weight,
			Do: func(q queue, l *modelcheck.Log, v int64) {
				l.Call(history.OpPush, history.OfPriority(v, priority), func() (int64, int32) {
					wake, ok := q.Push(v, priority)
					return int64(status(wake)), status(ok)
				})
			}}
	}
	ops := []modelcheck.Op[queue]{
		popAll("PopAll", 0),
		popAll("PopAllNormal", 1),
		{Name: "Unstall", Who: modelcheck.First, Weight: 3,
			Do: func(q queue, l *modelcheck.Log, _ int64) {
				l.Call(history.OpUnstall, 0, func() (int64, int32) {
					return 0, status(q.Unstall())
				})
			}},
		push("Push", 4, 0),
		push("PushNormal", 2, 1),
		{Name: "Stall", Who: modelcheck.First, Weight: 3,
			Do: func(q queue, l *modelcheck.Log, _ int64) {
				l.Call(history.OpStall, 0, func() (int64, int32) {
					return 0, status(q.Stall(lockfree.Mark{}))
				})
			}},
		{Name: "Close", Weight: 1, Do: func(q queue, l *modelcheck.Log, _ int64) {
			l.Call(history.OpClose, 0, func() (int64, int32) {
				wake, ok := q.Close()
				return int64(status(wake)), status(ok)
			})
		}},
		{Name: "Closed", Weight: 1, Do: func(q queue, l *modelcheck.Log, _ int64) {
			l.Call(history.OpClosed, 0, func() (int64, int32) { return 0, status(q.Closed()) })
		}},
	}
	s := modelcheck.Structure[queue]{
		Name:  "StallingQueue",
		Ops:   ops,
		Judge: func() modelcheck.Judge { return history.NewChecker(history.StallingQueue()) },
		Drain: func(q queue, l *modelcheck.Log) {
			for i := range 3 {
				ops[i].Do(q, l, 0)
			}
		},
		CallName: history.StallingOpName,
		LockFree: true,
	}
	eachVariant(t, s,
		variant[queue]{"new", func() queue { return new(lockfree.StallingQueue[int64]) }},
		// The count of takings is about to wrap, and the nodes reach a second page.
		variant[queue]{"wrap", func() queue {
			return lockfree.NewStallingQueueFrom[int64](lockfree.TakingsLimit-2,
				lockfree.FirstPage-1)
		}},
	)
	// Nodes come back to the top while others are taken.
	s.New = func() queue { return new(lockfree.StallingQueue[int64]) }
	eachProgram(t, s,
		"Push Push | PopAll PopAll | Push Push | Push",
		"Push Push PopAll | PopAll PopAll | Push Push | Push Push",
		"Push Push PopAll Stall | Unstall PopAll | Push Push | Push",
		"Stall | Unstall Stall PopAll | Push | Push Close",
		"Push PopAll | Stall PopAll | Push | Close | Push",
		"Push PopAll Stall | Unstall PopAllNormal | PushNormal PushNormal | Push",
		"PushNormal PopAllNormal Stall | PopAll Unstall | Push | PushNormal | Close",
	)
}

// An owner that sleeps whenever nothing is new, and whom each Push and Close wakes that is told to,
// gets all that was accepted. It takes what is there at once, or only when the box is closed.
func testStallingQueueOwnerSleeps(t *testing.T) {
	for _, pushers := range []int{1, 2, 3} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprint(pushers, late), func(t *testing.T) {
				modelcheck.Check(t, modelcheck.Options{}, func(m *modelcheck.Model) {
					var q lockfree.StallingQueue[int]
					var parker park.Parker
					accepted, got := make([]bool, pushers), make([]bool, pushers)
					pop := func() {
						for _, v := range q.PopAll(1, q.PopAll(0, nil)) {
							m.Assert(!got[v], "%d came twice", v)
							got[v] = true
						}
					}
					m.Thread(func() {
						for {
							mark, closed := q.Mark(), q.Closed()
							if closed {
								pop()
								return
							}
							if !late {
								pop()
								mark = lockfree.Mark{}
							}
							if q.Stall(mark) {
								if !q.Closed() {
									parker.Park()
								}
								q.Unstall()
							}
						}
					})
					for i := range pushers {
						m.Thread(func() {
							wake, ok := q.Push(i, i%2)
							if accepted[i] = ok; wake {
								parker.Unpark()
							}
							if i == pushers-1 {
								if wake, ok := q.Close(); wake && ok {
									parker.Unpark()
								}
							}
						})
					}
					m.After(func() {
						m.Assert(fmt.Sprint(accepted) == fmt.Sprint(got), "accepted %v, got %v",
							accepted, got)
					})
				})
			})
		}
	}
}

// What was written before a Push is seen by who popped its value, or who was refused because of a
// Close that came after it was written.
func testStallingQueueMemory(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{}, func(m *modelcheck.Model) {
		const pushers = 2
		q := lockfree.NewStallingQueueFrom[int](lockfree.TakingsLimit-1, lockfree.FirstPage-1)
		var written, accepted, taken [pushers]bool
		var over atomics.Bool
		ready := false
		for i := range pushers {
			m.Thread(func() {
				written[i] = true
				if _, accepted[i] = q.Push(i, i%2); !accepted[i] {
					m.Assert(ready, "refused before anybody closed")
				}
			})
		}
		m.Thread(func() {
			ready = true
			_, ok := q.Close()
			m.Assert(ok, "somebody else closed")
			over.Store(true)
		})
		m.Thread(func() {
			for last := false; !last; {
				last = over.Load()
				for _, v := range q.PopAll(1, q.PopAll(0, nil)) {
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
