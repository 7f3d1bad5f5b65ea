//go:build modelcheck

package graphevent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// checkFrozen is check; each thread is also suspended for ever after each of its steps, and the
// others come to their end.
func checkFrozen(t *testing.T, scenes ...scene) {
	check(t, scenes...)
	for _, s := range scenes {
		t.Run(s.name+", suspended", func(t *testing.T) {
			tally := modelcheck.Check(t,
				modelcheck.Options{LockFree: true,
					Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(1,
						modelcheck.Scaled(2_000))}}, s.program)
			require.Zero(t, tally.Failures)
		})
	}
}

// A play is a model of which some threads may be suspended for ever: what is to hold when all have
// ended is checked if they have.
type play struct {
	*modelcheck.Model
	threads int
	ended   [modelcheck.MaxThreads]bool
}

// Thread adds a thread.
func (p *play) Thread(f func()) {
	i := p.threads
	p.threads++
	p.Model.Thread(func() {
		f()
		p.ended[i] = true
	})
}

// After says what is to hold when all threads have ended.
func (p *play) After(f func()) {
	p.Model.After(func() {
		for _, ended := range p.ended[:p.threads] {
			if !ended {
				return
			}
		}
		f()
	})
}

// newForgetful returns a world whose store remembers one failure.
func newForgetful(nodes int) *world {
	w := &world{free: nodes}
	w.store = graphevent.NewSmallStore(graphevent.Options{Releaser: w, Scheduler: w,
		MaxFailures: 1}, nodes)
	return w
}

// howFailed checks how e ended, which must be want or, once it was forgotten, say so.
func howFailed(m *play, e graphevent.Event, want error) {
	if !e.IsComplete() {
		return
	}
	err := e.Err()
	m.Assert(errors.Is(err, want) || err == graphevent.ErrForgotten,
		"it failed with %v and reads as %v", want, err)
}

// unseenNow counts the failures that nobody has seen, those that are remembered and those that are
// not.
func unseenNow(m *play, s *graphevent.Store) (kept, forgotten int) {
	forgotten = s.Failures(func(e graphevent.Event, err error) bool {
		kept++
		m.Assert(e.IsComplete() && err != nil, "%v is %v, and failed with %v", e, e.State(), err)
		return true
	})
	return kept, forgotten
}

// unseenAre checks how many failures nobody has seen, at the end. All that are remembered are among
// them, and counted.
func unseenAre(m *play, s *graphevent.Store, want int) {
	kept, forgotten := unseenNow(m, s)
	m.Assert(kept == s.Remembered(), "%d are remembered, and %d counted", kept, s.Remembered())
	m.Assert(kept+forgotten == want, "%d failures and %d forgotten, of %d", kept, forgotten, want)
}

// TestModelFailures: of failures that come at once each is kept, or forgotten and counted; and
// while it is forgotten, who asks learns either.
func TestModelFailures(t *testing.T) {
	checkFrozen(t,
		scene{"two fail", true, func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newForgetful(2)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			m.Thread(func() { a.Fail(errBoom) })
			m.Thread(func() { b.Fail(errCrash) })
			m.After(func() {
				m.Assert(w.store.Remembered() == 1, "%d are remembered", w.store.Remembered())
				unseenAre(m, w.store, 2)
				howFailed(m, a, errBoom)
				howFailed(m, b, errCrash)
				w.left(m.Model)
			})
		}},
		scene{"one asks while it is forgotten", true, func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newForgetful(2)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			a.Fail(errBoom)
			m.Thread(func() { b.Fail(errCrash) })
			m.Thread(func() { howFailed(m, a, errBoom) })
			m.After(func() {
				unseenAre(m, w.store, 1) // b
				howFailed(m, a, errBoom)
				w.left(m.Model)
			})
		}},
		scene{"two ask for what is forgotten", true, func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newForgetful(2)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			a.Fail(errBoom)
			b.Fail(errCrash)
			for range 2 {
				m.Thread(func() { howFailed(m, a, errBoom) })
			}
			m.After(func() {
				unseenAre(m, w.store, 1) // b
				w.left(m.Model)
			})
		}},
		scene{"they are gone through meanwhile", true, func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newForgetful(3)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			a.Fail(errBoom)
			m.Thread(func() { b.Fail(errCrash) })
			m.Thread(func() { unseenNow(m, w.store) })
			m.After(func() {
				// One too many, at most, and the next failure makes that good.
				m.Assert(w.store.Remembered() <= 2, "%d are remembered", w.store.Remembered())
				unseenAre(m, w.store, 2)
				w.store.NewEvent().Fail(errBoom)
				m.Assert(w.store.Remembered() == 1, "%d are remembered in the end",
					w.store.Remembered())
				unseenAre(m, w.store, 3)
				w.left(m.Model)
			})
		}},
		scene{"two go through them meanwhile", false, func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newForgetful(3)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			a.Fail(errBoom)
			m.Thread(func() { b.Fail(errCrash) })
			m.Thread(func() { unseenNow(m, w.store) })
			m.Thread(func() { unseenNow(m, w.store) })
			m.After(func() {
				unseenAre(m, w.store, 2)
				w.store.NewEvent().Fail(errBoom)
				m.Assert(w.store.Remembered() == 1, "%d are remembered in the end",
					w.store.Remembered())
				unseenAre(m, w.store, 3)
				w.left(m.Model)
			})
		}},
		scene{"two fail and they are gone through", false, func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newForgetful(4)
			a, b, c := w.store.NewEvent(), w.store.NewEvent(), w.store.NewEvent()
			c.Fail(errBoom)
			m.Thread(func() { a.Fail(errBoom) })
			m.Thread(func() { b.Fail(errCrash) })
			m.Thread(func() { unseenNow(m, w.store) })
			m.After(func() {
				unseenAre(m, w.store, 3)
				w.store.NewEvent().Fail(errBoom)
				m.Assert(w.store.Remembered() == 1, "%d are remembered in the end",
					w.store.Remembered())
				unseenAre(m, w.store, 4)
				w.left(m.Model)
			})
		}},
		scene{"what follows is seen while it is forgotten", false, func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newForgetful(4)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			e := w.waiting(a)
			m.Thread(func() { a.Fail(errBoom) })
			m.Thread(func() { b.Fail(errCrash) })
			m.Thread(func() { howFailed(m, e, errBoom) })
			m.After(func() {
				howFailed(m, e, errBoom)
				howFailed(m, a, errBoom)
				kept, forgotten := unseenNow(m, w.store)
				m.Assert(kept+forgotten == 1,
					"%d failures and %d forgotten, where b alone is unseen", kept, forgotten)
				w.left(m.Model)
			})
		}},
	)
}

// TestModelWait: who waits for an event that fails is woken, and gets the failure, though that is
// forgotten at once.
func TestModelWait(t *testing.T) {
	check(t,
		scene{"one waits while it is forgotten", false, func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newForgetful(4)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			m.Thread(func() {
				err := a.Wait(context.Background())
				m.Assert(err == errBoom || err == graphevent.ErrForgotten,
					"it failed, and the wait returns %v", err)
				m.Assert(a.IsComplete(), "the wait ends too early")
			})
			m.Thread(func() { a.Fail(errBoom) })
			m.Thread(func() { b.Fail(errCrash) })
			m.After(func() {
				kept, forgotten := unseenNow(m, w.store)
				m.Assert(kept+forgotten == 1,
					"%d failures and %d forgotten, where b alone is unseen", kept, forgotten)
				w.left(m.Model)
			})
		}},
	)
}

// waiting returns a task that waits for events.
func (w *world) waiting(events ...graphevent.Event) graphevent.Event {
	n := w.store.Acquire(nil)
	e := w.store.Hold(n, 0)
	edges := uint32(0)
	for i, p := range events {
		if w.store.After(n, uint32(i), p) {
			edges++
		}
	}
	if w.store.Launch(e, edges, nil, w) == graphevent.LaunchReady {
		w.Ready(n)
	}
	return e
}

// run claims and ends a task that is ready.
func (w *world) run(m *play, e graphevent.Event) {
	n := e.Node()
	m.Assert(w.store.Event(n) == e, "its node is another's")
	m.Assert(w.store.Claim(n, nil) && w.store.EndBody(n, nil, nil, w), "it does not run")
}

// ended checks that a task was readied, and runs it then, or that it ended otherwise; once.
func (w *world) ended(m *play, e graphevent.Event, otherwise bool, err error) {
	ready := w.readied[e.Node()].Load()
	if otherwise {
		m.Assert(ready == 0 && w.finished.Load() == 1, "ready %d times, ended %d times", ready,
			w.finished.Load())
		m.Assert(e.IsComplete() && errors.Is(e.Err(), err), "it is %v, %v", e.State(), e.Err())
		return
	}
	m.Assert(ready == 1 && w.finished.Load() == 0, "ready %d times, ended %d times", ready,
		w.finished.Load())
	w.run(m, e)
	m.Assert(e.IsComplete() && e.Err() == nil, "it is %v, %v", e.State(), e.Err())
}

// TestModelAbandon: what is abandoned while the last of what it waits for completes ends once, and
// lets go what waits for it once.
func TestModelAbandon(t *testing.T) {
	checkFrozen(t,
		scene{"a task that waits", true, func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newWorld(4)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			e := w.waiting(a, b)
			e.AddSubsequent(1)
			abandoned := false
			m.Thread(func() { a.Trigger(); b.Trigger() })
			m.Thread(func() {
				if abandoned = w.store.Abandon(e, errBoom, w); abandoned {
					m.Assert(errors.Is(e.Err(), errBoom) &&
						errors.Is(e.Err(), graphevent.ErrSkipped), "abandoned, and it is %v, %v",
						e.State(), e.Err())
				}
			})
			m.After(func() {
				w.ended(m, e, abandoned, errBoom)
				m.Assert(w.released[1].Load() == 1, "released %d times", w.released[1].Load())
				w.left(m.Model)
			})
		}},
		scene{"twice", false, func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newWorld(4)
			a := w.store.NewEvent()
			e := w.waiting(a)
			var abandoned [2]bool
			m.Thread(func() { a.Fail(errCrash) })
			for i := range abandoned {
				m.Thread(func() { abandoned[i] = w.store.Abandon(e, errBoom, w) })
			}
			m.After(func() {
				m.Assert(!abandoned[0] || !abandoned[1], "abandoned twice")
				want := errCrash
				if abandoned[0] || abandoned[1] {
					want = errBoom
				}
				w.ended(m, e, true, want)
				w.left(m.Model)
			})
		}},
		scene{"a manual event that is held open", false, func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newWorld(4)
			e, other := w.store.NewEvent(), w.store.NewEvent()
			e.DontCompleteUntil(other)
			e.AddSubsequent(1)
			abandoned := false
			m.Thread(func() { e.Trigger() })
			m.Thread(func() { other.Trigger() })
			m.Thread(func() { abandoned = w.store.Abandon(e, errBoom, w) })
			m.After(func() {
				m.Assert(e.IsComplete() && (e.Err() == errBoom) == abandoned,
					"abandoned: %v, and it is %v, %v", abandoned, e.State(), e.Err())
				m.Assert(w.released[1].Load() == 1, "released %d times", w.released[1].Load())
				w.left(m.Model)
			})
		}},
	)
}

// again returns a task that was claimed, by its entry or early, and runs again after events.
func (w *world) again(m *play, early bool, events ...graphevent.Event) graphevent.Event {
	n := w.store.Acquire(nil)
	e := w.store.Start(n, 0)
	m.Assert(early && w.store.TryClaim(e) || !early && w.store.Claim(n, nil), "it is not ready")
	for i, other := range events {
		w.store.HoldOpen(n, uint32(i), other)
	}
	m.Assert(!w.store.Again(n, nil, w), "nothing holds it open")
	return e
}

// TestModelDisown: a task that waits to run again and is disowned while the last of what it waits
// for completes becomes ready, or fails as it was told.
func TestModelDisown(t *testing.T) {
	program := func(others, disowners int) func(m *modelcheck.Model) {
		return func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newWorld(4)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			e := w.again(m, false, []graphevent.Event{a, b}[:others]...)
			disowned := 0
			var said [2]bool
			m.Thread(func() {
				a.Trigger()
				b.Trigger()
			})
			for i := range disowners {
				m.Thread(func() { said[i] = w.store.Disown(e, errBoom, w) })
			}
			m.After(func() {
				for _, yes := range said {
					if yes {
						disowned++
					}
				}
				m.Assert(disowned <= 1, "disowned twice")
				w.ended(m, e, disowned > 0, errBoom)
				w.left(m.Model)
			})
		}
	}
	checkFrozen(t,
		scene{"one event", true, program(1, 1)},
		scene{"two events", true, program(2, 1)},
		scene{"twice", false, program(1, 2)},
	)
}

// TestModelInspect: a task does not become ready, and is not skipped, while somebody looks at it;
// and does afterwards, once.
func TestModelInspect(t *testing.T) {
	program := func(err error, inspectors int) func(m *modelcheck.Model) {
		return func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newWorld(4)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			e := w.waiting(a, b)
			m.Thread(func() { a.Trigger(); end(b, err) })
			for range inspectors {
				m.Thread(func() {
					w.store.Inspect(e, func() {
						was := w.readied[e.Node()].Load()
						m.Assert(was == 0 && !e.IsComplete(), "ready %d times, and it is %v", was,
							e.State())
						a.IsComplete() // a moment
						was = w.readied[e.Node()].Load()
						m.Assert(was == 0 && !e.IsComplete(),
							"ready %d times by then, and it is %v", was, e.State())
					})
				})
			}
			m.After(func() { w.ended(m, e, err != nil, err); w.left(m.Model) })
		}
	}
	check(t,
		scene{"ready", true, program(nil, 1)},
		scene{"skipped", true, program(errBoom, 1)},
		scene{"two look", false, program(nil, 2)},
	)
}

// TestModelHoldAgain: the edges of a round are used again while the events of the next complete.
// The task completes with the last of them, not before its body has returned; and a walker finds
// nothing that it does not wait for.
func TestModelHoldAgain(t *testing.T) {
	const edges = 6 // some in the node, some in the slab
	program := func(walk bool) func(m *modelcheck.Model) {
		return func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newWorld(5)
			first, next, last := w.store.NewEvent(), w.store.NewEvent(), w.store.NewEvent()
			var events [edges]graphevent.Event
			for i := range events {
				events[i] = first
			}
			e := w.again(m, false, events[:]...)
			first.Trigger()
			n := e.Node()
			m.Assert(w.readied[n].Load() == 1 && w.store.Claim(n, nil), "not ready again")
			returned := false
			var spare uint32
			m.Thread(func() {
				w.store.HoldAgain(n, 0, graphevent.Event{}, &spare)
				for i := uint32(1); i < 3; i++ {
					w.store.HoldAgain(n, i, first, &spare)
				}
				w.store.HoldAgain(n, 3, next, &spare)
				w.store.HoldAgain(n, 4, last, &spare)
				m.Assert(!e.IsComplete(), "complete while its body runs")
				returned = true
				w.store.EndBody(n, nil, nil, w)
				m.Assert(!e.IsComplete() || next.IsComplete() && last.IsComplete(),
					"complete too early")
			})
			m.Thread(func() {
				next.Trigger()
				if walk {
					for _, p := range w.store.Prerequisites(e, nil) {
						m.Assert(p == last, "it does not wait for %v", p)
					}
				}
				last.Fail(errBoom)
			})
			m.After(func() {
				m.Assert(returned && e.IsComplete() && e.Err() == errBoom, "it is %v, %v",
					e.State(), e.Err())
				w.left(m.Model)
			})
		}
	}
	check(t, scene{"two threads", true, program(false)}, scene{"a walker", true, program(true)})
}

// TestModelNotify: a function for several events that complete while it is registered is called
// once, after all of them, or refused.
func TestModelNotify(t *testing.T) {
	program := func(threads int) func(m *modelcheck.Model) {
		return func(model *modelcheck.Model) {
			m := &play{Model: model}

			w := newWorld(4)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			calls, accepted := 0, false
			m.Thread(func() {
				accepted = w.store.Notify(nil, func() {
					calls++
					m.Assert(a.IsComplete() && b.IsComplete(), "called too early")
				}, a, graphevent.Event{}, b)
				m.Assert(accepted || a.IsComplete() && b.IsComplete(),
					"refused for incomplete events")
			})
			if threads == 2 {
				m.Thread(func() { b.Fail(errBoom); a.Trigger() })
			} else {
				m.Thread(func() { b.Fail(errBoom) })
				m.Thread(func() { a.Trigger() })
			}
			m.After(func() {
				m.Assert(accepted && calls == 1 || !accepted && calls == 0,
					"%d calls, accepted: %v", calls, accepted)
				w.left(m.Model)
			})
		}
	}
	checkFrozen(t, scene{"two threads", true, program(2)},
		scene{"three threads", false, program(3)})
}

// TestModelForeign: an event that waits for events of another store completes once, with them, and
// so does what waits for it in the first store.
func TestModelForeign(t *testing.T) {
	check(t, scene{"two threads", true, func(model *modelcheck.Model) {
		m := &play{Model: model}

		w, other := newWorld(8), newWorld(8)
		a, b := w.store.NewEvent(), w.store.NewEvent()
		var back graphevent.Event
		m.Thread(func() {
			all := other.store.All(a, b)
			back = w.store.Any(all)
			m.Assert(!back.IsComplete() || a.IsComplete() && b.IsComplete(), "complete too early")
		})
		m.Thread(func() { a.Fail(errBoom); b.Trigger() })
		m.After(func() {
			m.Assert(back.IsComplete() && back.Err() == errBoom, "it is %v, %v", back.State(),
				back.Err())
			w.left(m.Model)
			other.left(m.Model)
		})
	}})
}
