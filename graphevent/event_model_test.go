//go:build modelcheck

package graphevent_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// A scene is a program written by hand: it makes a world and adds threads.
type scene struct {
	name    string
	whole   bool // all orders are explored; otherwise those with two preemptions, and some
	program func(m *modelcheck.Model)
}

// check explores scenes.
func check(t *testing.T, scenes ...scene) {
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			o := modelcheck.Options{Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(1, 0),
				modelcheck.DPOR(0)}}
			preemptions := 2
			if !s.whole {
				n := modelcheck.Scaled(8_000)
				if race.Enabled { // each execution takes several times as long
					n, preemptions = n/4, 1
				}
				o = modelcheck.Options{
					Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(preemptions, 0),
						modelcheck.DPOR(n / 2), modelcheck.PCT(4, n/4),
						modelcheck.RandomWalk(n / 4)}}
			}
			tally := modelcheck.Check(t, o, s.program)
			if s.whole {
				require.Equal(t, 1, tally.Complete)
			} else {
				require.GreaterOrEqual(t, tally.Bound, preemptions)
			}
		})
	}
}

// A world is a store with what its events and nodes told, for one execution.
type world struct {
	store *graphevent.Store
	free  int // nodes that are free when nothing is left

	released [16]atomics.Int32 // calls of Release with each token
	order    []uint32          // tokens of one event, in the order of release: its completer writes
	errs     [16]error
	readied  [8]atomics.Int32 // calls of Ready for each node
	finished atomics.Int32    // by Completed
}

func newWorld(nodes int) *world {
	w := &world{free: nodes}
	w.store = graphevent.NewSmallStore(graphevent.Options{Releaser: w, Scheduler: w}, nodes)
	return w
}

func (w *world) Release(token uint32, err error) {
	w.released[token].Add(1)
	w.errs[token] = err
	w.order = append(w.order, token)
}

func (w *world) Ready(n graphevent.Node)   { w.readied[n].Add(1) }
func (w *world) Completed(graphevent.Node) { w.finished.Add(1) }
func (w *world) Finished(int)              {}

// left says what was not given back.
func (w *world) left(m *modelcheck.Model) {
	m.Assert(w.store.Free()+w.store.Remembered() == w.free, "%d nodes are free, of %d",
		w.store.Free()+w.store.Remembered(), w.free)
	if w.store.Remembered() == 0 {
		made, free := w.store.SlabEdges()
		m.Assert(made == free, "%d slab edges are free, of %d", free, made)
	}
}

// Events of the generated programs: main, which the others hold open, and other.
const (
	evMain = iota
	evOther
)

// What the generated programs do with an event. The Arg of each is the event. A call that takes
// several steps, between which others may look, is logged as those.
const (
	evTrigger = 300 + iota // OK: it was the one that counts
	evFail                 // likewise
	// of a Trigger or Fail that counted: the event's own reason to stay open is gone
	evEnd
	evClose    // who took the last reason away completes the event
	evRelease  // who completed other takes its edges off main
	evHold     // of main.DontCompleteUntil(other), OK: it is counted
	evRegister // of the same: it is in other's list, or not counted any more
	evAdd      // AddSubsequent or OnComplete
	evComplete // IsComplete
	evErr      // Ret is 0: none, 1 + e: the failure of event e
)

// An eventState is the state of main and other.
type eventState struct {
	decided, failed, ended [2]bool
	over, complete         [2]bool  // no reason is left; it shows
	closer                 [2]int32 // who took the last one away
	counted, registered    int8     // holds of main that are not in a list, and those that are
	caused                 bool     // main takes over a failure
}

// taken looks whether a thread has taken the last reason of an event away.
func (s eventState) taken(e int64, thread int32) eventState {
	if s.ended[e] && !s.over[e] && (e == evOther || s.counted == 0 && s.registered == 0) {
		s.over[e], s.closer[e] = true, thread
	}
	return s
}

func eventSpec() history.Spec[eventState] {
	return history.Spec[eventState]{
		Step: func(s eventState, c *history.Call) (eventState, bool) {
			ok := c.Status == history.OK
			e := c.Arg
			switch c.Op {
			case evTrigger, evFail:
				if s.decided[e] {
					return s, !ok
				}
				s.decided[e], s.failed[e] = true, c.Op == evFail
				return s, ok
			case evEnd:
				s.ended[e] = true
				return s.taken(e, c.Thread), s.decided[e]
			case evClose:
				if s.over[e] && s.closer[e] == c.Thread {
					s.complete[e] = true
				}
				return s, true
			case evRelease:
				if !s.complete[evOther] {
					return s, false
				}
				s.caused = s.caused || s.registered > 0 && s.failed[evOther]
				s.registered = 0
				return s.taken(evMain, c.Thread), true
			case evHold:
				if s.over[evMain] {
					return s, !ok
				}
				s.counted++
				return s, ok
			case evRegister:
				if s.counted == 0 {
					return s, false
				}
				s.counted--
				if !s.complete[evOther] {
					s.registered++
					return s, true
				}
				s.caused = s.caused || s.failed[evOther]
				return s.taken(evMain, c.Thread), true
			case evAdd:
				return s, s.complete[e] != ok
			case evComplete:
				return s, s.complete[e] == ok
			case evErr:
				var want int64
				switch {
				case !s.complete[e]:
				case s.failed[e]:
					want = 1 + e
				case e == evMain && s.caused:
					want = 1 + evOther
				}
				return s, c.Ret == want
			}
			panic("unknown operation")
		},
		Name: eventCallName,
	}
}

func eventCallName(c *history.Call) string {
	e := [...]string{"main", "other"}[c.Arg]
	if c.Op == evErr {
		return fmt.Sprintf("%s.Err() = %d", e, c.Ret)
	}
	name := [...]string{"Trigger", "Fail", "(end)", "(close)", "(release)", "DontCompleteUntil",
		"(register)", "AddSubsequent", "IsComplete"}[c.Op-evTrigger]
	return fmt.Sprintf("%s.%s = %s", e, name,
		map[int32]string{history.OK: "yes", history.Fail: "no", history.Pending: "?"}[c.Status])
}

// An eventPair is what generated programs work on.
type eventPair struct {
	*world
	events [2]graphevent.Event
	added  [16]int32 // what AddSubsequent and OnComplete of each token said: 1 accepted, 2 refused
	to     [16]int   // the event
}

func (s *eventPair) Release(token uint32, err error) {
	s.released[token].Add(1)
	s.errs[token] = err
}

func newEventPair() *eventPair {
	s := &eventPair{world: &world{free: 8}}
	s.store = graphevent.NewSmallStore(graphevent.Options{Releaser: s, Scheduler: s.world}, s.free)
	s.events = [2]graphevent.Event{s.store.NewEvent(), s.store.NewEvent()}
	return s
}

var eventErrs = [...]error{errBoom, errCrash}

func verdict(ok bool) int32 {
	if ok {
		return history.OK
	}
	return history.Fail
}

func (s *eventPair) trigger(l *modelcheck.Log, e int, fail bool) {
	op, ok := int32(evTrigger), false
	if fail {
		op = evFail
	}
	l.Call(op, int64(e), func() (int64, int32) {
		if fail {
			ok = s.events[e].Fail(eventErrs[e])
		} else {
			ok = s.events[e].Trigger()
		}
		return 0, verdict(ok)
	})
	if !ok {
		return
	}
	l.Also(evEnd, int64(e), 0, history.OK)
	l.Also(evClose, int64(e), 0, history.OK)
	if e == evOther {
		l.Also(evRelease, evOther, 0, history.OK)
		l.Also(evClose, evMain, 0, history.OK)
	}
}

func (s *eventPair) isComplete(l *modelcheck.Log, e int) {
	l.Call(evComplete, int64(e), func() (int64, int32) {
		return 0, verdict(s.events[e].IsComplete())
	})
}

// check holds what was released against what was accepted.
func (s *eventPair) check(calls []history.Call) string {
	for token, said := range s.added {
		if said == 0 {
			continue
		}
		done := s.events[s.to[token]].IsComplete()
		want := int32(0)
		if said == 1 && done {
			want = 1
		}
		if got := s.released[token].Load(); got != want {
			return fmt.Sprintf("token %d was released %d times, not %d", token, got, want)
		}
		if want == 1 && !errors.Is(s.errs[token], s.events[s.to[token]].Err()) {
			return fmt.Sprintf("token %d got the failure %v", token, s.errs[token])
		}
	}
	return ""
}

// TestModelEvent: calls of all kinds on two events of which one holds the other open have an
// order that explains what they returned, and what was accepted is released once.
func TestModelEvent(t *testing.T) {
	type op = modelcheck.Op[*eventPair]
	var ops []op
	for e, name := range []string{"main", "other"} {
		ops = append(ops,
			op{Name: name + ".Trigger", Weight: 3,
				Do: func(s *eventPair, l *modelcheck.Log, _ int64) { s.trigger(l, e, false) }},
			op{Name: name + ".Fail", Do: func(s *eventPair, l *modelcheck.Log, _ int64) {
				s.trigger(l, e, true)
			}},
			op{Name: name + ".AddSubsequent", Weight: 2,
				Do: func(s *eventPair, l *modelcheck.Log, v int64) {
					s.to[v] = e
					l.Call(evAdd, int64(e), func() (int64, int32) {
						ok := s.events[e].AddSubsequent(uint32(v))
						s.added[v] = 2
						if ok {
							s.added[v] = 1
						}
						return 0, verdict(ok)
					})
				}},
			op{Name: name + ".OnComplete", Do: func(s *eventPair, l *modelcheck.Log, v int64) {
				s.to[v] = e
				l.Call(evAdd, int64(e), func() (int64, int32) {
					ok := s.events[e].OnComplete(func(err error) { s.Release(uint32(v), err) })
					s.added[v] = 2
					if ok {
						s.added[v] = 1
					}
					return 0, verdict(ok)
				})
			}},
			op{Name: name + ".IsComplete", Do: func(s *eventPair, l *modelcheck.Log, _ int64) {
				s.isComplete(l, e)
			}},
			op{Name: name + ".Err", Do: func(s *eventPair, l *modelcheck.Log, _ int64) {
				l.Call(evErr, int64(e), func() (int64, int32) {
					return int64(1 + slices.Index(eventErrs[:], s.events[e].Err())), history.OK
				})
			}},
		)
	}
	ops = append(ops, op{Name: "main.DontCompleteUntil", Weight: 4,
		Do: func(s *eventPair, l *modelcheck.Log, _ int64) {
			ok := false
			l.Call(evHold, evMain, func() (int64, int32) {
				ok = s.events[evMain].DontCompleteUntil(s.events[evOther])
				return 0, verdict(ok)
			})
			if ok {
				l.Also(evRegister, evMain, 0, history.OK)
				l.Also(evClose, evMain, 0, history.OK)
			}
		}})
	modelcheck.Programs(t, modelcheck.Structure[*eventPair]{
		Name:  "Event",
		New:   newEventPair,
		Ops:   ops,
		Judge: func() modelcheck.Judge { return history.NewChecker(eventSpec()) },
		Check: (*eventPair).check,
		Drain: func(s *eventPair, l *modelcheck.Log) {
			for e := range s.events {
				s.isComplete(l, e)
			}
		},
		Composite: true,
		CallName:  eventCallName,
		LockFree:  true,
	}, modelcheck.Budget{Executions: modelcheck.Scaled(20_000)}, modelcheck.Options{})
}

// add registers a token, and reports what is wrong at once: who is refused sees the event
// complete.
func (w *world) add(m *modelcheck.Model, e graphevent.Event, token uint32, accepted *[16]bool) {
	accepted[token] = e.AddSubsequent(token)
	m.Assert(accepted[token] || e.IsComplete(), "token %d was refused by an incomplete event",
		token)
}

// releasedOnce holds what was released against what was accepted.
func (w *world) releasedOnce(m *modelcheck.Model, accepted *[16]bool, err error) {
	for token, ok := range accepted {
		want := int32(0)
		if ok {
			want = 1
		}
		m.Assert(w.released[token].Load() == want, "token %d was released %d times, not %d", token,
			w.released[token].Load(), want)
		m.Assert(!ok || w.errs[token] == err, "token %d got the failure %v", token, w.errs[token])
	}
}

// TestModelAddSubsequent: every registration that was accepted is released once, in order, and
// every other one sees a complete event.
func TestModelAddSubsequent(t *testing.T) {
	program := func(adders, each int, err error) scene {
		return scene{fmt.Sprintf("%d adders, %v", adders, err), adders == 1,
			func(m *modelcheck.Model) {
				w := newWorld(1)
				e := w.store.NewEvent()
				var accepted [16]bool
				for a := range adders {
					m.Thread(func() {
						for i := range each {
							w.add(m, e, uint32(a*each+i), &accepted)
						}
					})
				}
				m.Thread(func() { end(e, err) })
				m.After(func() {
					w.releasedOnce(m, &accepted, err)
					for a := range adders {
						var mine []uint32
						for _, token := range w.order {
							if int(token)/each == a {
								mine = append(mine, token)
							}
						}
						m.Assert(slices.IsSorted(mine), "released in the order %v", w.order)
					}
					w.left(m)
				})
			}}
	}
	check(t, program(1, 2, nil), program(1, 2, errBoom), program(2, 1, nil))
}

// TestModelOnComplete: a callback that was accepted is called once, with the outcome, on a
// complete event.
func TestModelOnComplete(t *testing.T) {
	check(t, scene{"two threads", true, func(m *modelcheck.Model) {
		w := newWorld(3)
		e := w.store.NewEvent()
		var calls [2]int
		var accepted [2]bool
		m.Thread(func() {
			for i := range calls {
				accepted[i] = e.OnComplete(func(err error) {
					calls[i]++
					m.Assert(e.IsComplete() && err == errBoom, "called with %v", err)
				})
				m.Assert(accepted[i] || e.IsComplete(), "refused by an incomplete event")
			}
		})
		m.Thread(func() { e.Fail(errBoom) })
		m.After(func() {
			for i := range calls {
				m.Assert((calls[i] == 1) == accepted[i] && calls[i] < 2,
					"callback %d: %d calls, accepted: %v", i, calls[i], accepted[i])
			}
			w.left(m)
		})
	}})
}

// TestModelDontCompleteUntil: an event that was held open in time completes with the last of
// what it waits for, and never before.
func TestModelDontCompleteUntil(t *testing.T) {
	check(t,
		scene{"two threads", true, func(m *modelcheck.Model) {
			w := newWorld(2)
			main, other := w.store.NewEvent(), w.store.NewEvent()
			m.Thread(func() {
				m.Assert(main.DontCompleteUntil(other), "refused before the trigger")
				m.Assert(main.Trigger(), "triggered by somebody else")
				m.Assert(!main.IsComplete() || other.IsComplete(), "complete too early")
			})
			m.Thread(func() { other.Fail(errBoom) })
			m.After(func() {
				m.Assert(main.IsComplete() && main.Err() == errBoom, "it is %v, %v", main.State(),
					main.Err())
				w.left(m)
			})
		}},
		scene{"three threads", false, func(m *modelcheck.Model) {
			w := newWorld(2)
			main, other := w.store.NewEvent(), w.store.NewEvent()
			held := false
			m.Thread(func() {
				if held = main.DontCompleteUntil(other); held {
					m.Assert(!main.IsComplete() || other.IsComplete(), "complete too early")
				}
			})
			m.Thread(func() { main.Trigger() })
			m.Thread(func() { other.Fail(errBoom) })
			m.After(func() {
				m.Assert(main.IsComplete() && (main.Err() != nil) == held,
					"held: %v, and it is %v, %v", held, main.State(), main.Err())
				w.left(m)
			})
		}},
	)
}

// TestModelAny: of events that complete at once, also while they are registered, one decides,
// and what waits for it is released once; a loser finds nobody else's event in the node.
func TestModelAny(t *testing.T) {
	check(t,
		scene{"two complete at once", true, func(m *modelcheck.Model) {
			w := newWorld(3)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			first := w.store.Any(a, b)
			first.AddSubsequent(1)
			m.Thread(func() {
				a.Trigger()
				m.Assert(first.IsComplete() || b.IsComplete(), "not decided")
			})
			m.Thread(func() {
				b.Fail(errBoom)
				m.Assert(first.IsComplete() || a.IsComplete(), "not decided")
			})
			m.After(func() {
				m.Assert(first.IsComplete(), "it is %v", first.State())
				m.Assert(w.released[1].Load() == 1 && w.errs[1] == first.Err(),
					"released %d times, with %v", w.released[1].Load(), w.errs[1])
				w.left(m)
			})
		}},
		scene{"one completes while they are registered", true, func(m *modelcheck.Model) {
			w := newWorld(3)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			var first graphevent.Event
			m.Thread(func() {
				first = w.store.Any(a, b)
				m.Assert(!first.IsComplete() || b.IsComplete(), "complete too early")
			})
			m.Thread(func() { b.Fail(errBoom) })
			m.After(func() {
				m.Assert(first.IsComplete() && first.Err() == errBoom, "it is %v, %v",
					first.State(), first.Err())
				a.Trigger()
				w.left(m)
			})
		}},
		scene{"the winner's node lives again", false, func(m *modelcheck.Model) {
			w := newWorld(3)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			first := w.store.Any(a, b)
			m.Thread(func() {
				a.Trigger()
				next := w.store.NewEvent()
				m.Assert(next.Node() == first.Node() || b.IsComplete() || !first.IsComplete(),
					"the node was not free")
				m.Assert(!next.IsComplete(), "decided by the loser of another event")
				m.Assert(next.Trigger() && next.IsComplete(), "triggered by somebody else")
			})
			m.Thread(func() { b.Trigger() })
			m.After(func() { m.Assert(first.IsComplete(), "it is %v", first.State()); w.left(m) })
		}},
		scene{"three threads", false, func(m *modelcheck.Model) {
			w := newWorld(3)
			a := w.store.NewEvent()
			first := w.store.Any(a)
			var accepted [16]bool
			m.Thread(func() { w.add(m, first, 1, &accepted) })
			m.Thread(func() { a.Trigger() })
			m.Thread(func() { first.Trigger() }) // by hand
			m.After(func() {
				m.Assert(first.IsComplete(), "it is %v", first.State())
				w.releasedOnce(m, &accepted, nil)
				w.left(m)
			})
		}},
	)
}

// TestModelAll: an event of others that complete while they are registered completes with the
// last of them, with the failure that there is.
func TestModelAll(t *testing.T) {
	program := func(threads int) scene {
		return scene{fmt.Sprintf("%d threads", threads), threads == 2, func(m *modelcheck.Model) {
			w := newWorld(3)
			a, b := w.store.NewEvent(), w.store.NewEvent()
			var all graphevent.Event
			m.Thread(func() {
				all = w.store.All(a, b)
				m.Assert(!all.IsComplete() || a.IsComplete() && b.IsComplete(),
					"complete too early")
			})
			if threads == 2 {
				m.Thread(func() { b.Fail(errBoom); a.Trigger() })
			} else {
				m.Thread(func() { b.Fail(errBoom) })
				m.Thread(func() { a.Trigger() })
			}
			m.After(func() {
				m.Assert(all.IsComplete() && all.Err() == errBoom, "it is %v, %v", all.State(),
					all.Err())
				w.left(m)
			})
		}}
	}
	check(t, program(2), program(3))
}

// TestModelStaleHandle: while a node goes on to its next life, a handle of the last one reads
// as complete, and touches nothing.
func TestModelStaleHandle(t *testing.T) {
	lives := func(threads int, held bool,
		stale func(m *modelcheck.Model, w *world, e graphevent.Event,
			accepted *[16]bool)) func(m *modelcheck.Model) {
		return func(m *modelcheck.Model) {
			w := newWorld(2)
			e := w.store.NewEvent()
			var accepted [16]bool
			m.Thread(func() {
				m.Assert(e.Trigger(), "triggered by somebody else")
				f := w.store.NewEvent()
				m.Assert(f.Node() == e.Node() || held, "the node was not free")
				m.Assert(f.AddSubsequent(15), "refused")
				accepted[15] = true
				m.Assert(!f.IsComplete(), "completed by a stale handle")
				m.Assert(f.Trigger() && f.IsComplete(), "triggered by a stale handle")
			})
			for range threads - 1 {
				m.Thread(func() { stale(m, w, e, &accepted) })
			}
			m.After(func() {
				w.releasedOnce(m, &accepted, nil)
				for token := range accepted[:15] {
					m.Assert(!accepted[token] || w.order[0] == uint32(token),
						"released by the next life: %v", w.order)
				}
				w.left(m)
			})
		}
	}
	check(t,
		scene{"looking", true, lives(2, false,
			func(m *modelcheck.Model, w *world, e graphevent.Event, _ *[16]bool) {
				was := e.IsComplete()
				m.Assert(e.Err() == nil, "it failed")
				m.Assert(e.IsComplete() || !was, "complete no more")
				if e.State() == graphevent.StateCompleted {
					m.Assert(e.IsComplete(), "completed and not complete")
				}
			})},
		scene{"AddSubsequent", true,
			lives(2, false,
				func(m *modelcheck.Model, w *world, e graphevent.Event, accepted *[16]bool) {
					w.add(m, e, 3, accepted)
				})},
		scene{"DontCompleteUntil and TryClaim", true,
			lives(2, true, func(m *modelcheck.Model, w *world, e graphevent.Event, _ *[16]bool) {
				e.DontCompleteUntil(graphevent.Event{})
				m.Assert(!w.store.TryClaim(e), "claimed a manual event")
			})},
		scene{"OnComplete of another life's node", true, func(m *modelcheck.Model) {
			w := newWorld(2)
			e := w.store.NewEvent()
			calls, accepted := 0, false
			m.Thread(func() {
				e.Trigger()
				f := w.store.NewEvent()
				f.Fail(errBoom)
			})
			m.Thread(func() {
				accepted = e.OnComplete(func(err error) {
					calls++
					m.Assert(err == nil, "called with %v", err)
				})
			})
			m.After(func() {
				m.Assert(calls == 1 && accepted || calls == 0 && !accepted,
					"%d calls, accepted: %v", calls, accepted)
				w.left(m)
			})
		}},
		scene{"two stale handles", false,
			lives(3, true,
				func(m *modelcheck.Model, w *world, e graphevent.Event, accepted *[16]bool) {
					e.DontCompleteUntil(graphevent.Event{})
					m.Assert(e.Err() == nil, "it failed")
				})},
	)
}

// TestModelPrerequisites: a task whose prerequisites complete while it is built and launched
// becomes ready once, after both; or is skipped once.
func TestModelPrerequisites(t *testing.T) {
	program := func(threads int, err error) scene {
		return scene{fmt.Sprintf("%d threads, %v", threads, err), threads == 2,
			func(m *modelcheck.Model) {
				w := newWorld(3)
				a, b := w.store.NewEvent(), w.store.NewEvent()
				n := w.store.Acquire(nil)
				var e graphevent.Event
				m.Thread(func() {
					e = w.store.Hold(n, 0)
					edges := uint32(0)
					for i, p := range []graphevent.Event{a, b} {
						if w.store.After(n, uint32(i), p) {
							edges++
						}
					}
					m.Assert(w.store.Held(e) && w.readied[n].Load() == 0, "ready before the launch")
					if w.store.Launch(e, edges, nil, w) == graphevent.LaunchReady {
						m.Assert(a.IsComplete() && b.IsComplete(), "ready before its prerequisites")
						w.Ready(n)
					}
				})
				if threads == 2 {
					m.Thread(func() { a.Trigger(); end(b, err) })
				} else {
					m.Thread(func() { a.Trigger() })
					m.Thread(func() { end(b, err) })
				}
				m.After(func() {
					if err != nil {
						m.Assert(w.readied[n].Load() == 0 && w.finished.Load() == 1,
							"ready %d times, skipped %d times", w.readied[n].Load(),
							w.finished.Load())
						m.Assert(errors.Is(e.Err(), err), "failed with %v", e.Err())
					} else {
						m.Assert(w.readied[n].Load() == 1 && w.finished.Load() == 0,
							"ready %d times, skipped %d times", w.readied[n].Load(),
							w.finished.Load())
						m.Assert(w.store.Claim(n, nil) && w.store.EndBody(n, nil, nil, w),
							"it does not run")
					}
					w.left(m)
				})
			}}
	}
	check(t, program(2, nil), program(2, errBoom), program(3, nil), program(3, errBoom))
}

// TestModelClaim: of those who want to run a ready task, by its queue entry or before that is
// popped, one does. The node lives again when the entry was popped and the task is over, not
// before and not twice.
func TestModelClaim(t *testing.T) {
	program := func(early int, err error, again bool) scene {
		return scene{fmt.Sprintf("%d early, %v, again %v", early, err, again), early == 1,
			func(m *modelcheck.Model) {
				w := newWorld(2)
				n := w.store.Acquire(nil)
				e := w.store.Start(n, 0)
				ran := 0
				var next graphevent.Event
				run := func() {
					m.Assert(w.store.Event(n) == e, "somebody else's task")
					ran++
					m.Assert(w.store.EndBody(n, err, nil, w), "held open")
				}
				m.Thread(func() { // the worker that has popped the entry
					if w.store.Claim(n, nil) {
						run()
					}
				})
				for range early {
					m.Thread(func() {
						if !w.store.TryClaim(e) {
							return
						}
						run()
						if again {
							// on the same node if that is free
							next = w.store.Start(w.store.Acquire(nil), 0)
						}
					})
				}
				m.After(func() {
					m.Assert(ran == 1, "it ran %d times", ran)
					m.Assert(e.IsComplete() && e.Err() == err, "it is %v, %v", e.State(), e.Err())
					if next != (graphevent.Event{}) {
						m.Assert(next.State() == graphevent.StateReady, "the next task is %v",
							next.State())
						m.Assert(w.store.Claim(next.Node(), nil) &&
							w.store.EndBody(next.Node(), nil, nil, w), "it does not run")
					}
					w.left(m)
				})
			}}
	}
	check(t, program(1, nil, false), program(1, nil, true), program(1, errBoom, true),
		program(2, nil, true))
}

// TestModelAgain: a task that was run early and becomes ready once more while its old entry is
// popped has exactly one entry afterwards: that one, or a new one.
func TestModelAgain(t *testing.T) {
	check(t, scene{"two threads", true, func(m *modelcheck.Model) {
		w := newWorld(2)
		n := w.store.Acquire(nil)
		e := w.store.Start(n, 0)
		hold := w.store.NewEvent()
		if !w.store.TryClaim(e) {
			panic("not ready")
		}
		w.store.HoldOpen(n, 0, hold)
		if w.store.Again(n, nil, w) {
			panic("nothing holds it open")
		}
		claimed := false
		m.Thread(func() { hold.Trigger() })
		m.Thread(func() { claimed = w.store.Claim(n, nil) })
		m.After(func() {
			m.Assert(claimed == (w.readied[n].Load() == 0), "claimed: %v, and queued %d times",
				claimed, w.readied[n].Load())
			m.Assert(claimed || w.store.Claim(n, nil), "its entry runs nothing")
			m.Assert(w.store.EndBody(n, nil, nil, w) && e.IsComplete(), "it does not end")
			w.left(m)
		})
	}})
}
