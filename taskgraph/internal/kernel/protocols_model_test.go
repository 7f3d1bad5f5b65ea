//go:build modelcheck

package kernel_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/door"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// TestModelHints: nothing is left in a shared queue with its bit clear, so that a look at the word
// of hints is enough to find it.
func TestModelHints(t *testing.T) {
	for _, c := range []struct {
		pushers, takers int
		before          bool // something was there before
		beside          int  // pushers of another level
	}{{1, 1, false, 0}, {1, 1, true, 0}, {1, 2, false, 0}, {2, 1, false, 0}, {2, 1, true, 0},
		{1, 1, true, 1}} {
		t.Run(fmt.Sprintf("%d and %d pushers, %d takers, %v", c.pushers, c.beside, c.takers,
			c.before),
			func(t *testing.T) {
				bound := 4 - c.pushers - c.beside - c.takers/2
				modelcheck.CheckUpTo(t, bound, race.Enabled, func(m *modelcheck.Model) {
					k := newKernel(c.takers, 0, nil)
					var taken [4]int
					pushed := c.pushers
					if c.before {
						k.Push(k.Slots()[0], entry.Entry(pushed), high)
						pushed++
					}
					for n := range c.pushers {
						m.Thread(func() { k.Push(nil, entry.Entry(n), high) })
					}
					for range c.beside {
						n := entry.Entry(pushed)
						pushed++
						m.Thread(func() { k.Push(nil, n, bgHigh) })
					}
					for _, s := range k.Slots() {
						m.Thread(func() {
							for range 2 {
								if n, got := k.Next(s); got == kernel.GotTask {
									taken[n]++
								}
							}
						})
					}
					m.After(func() {
						for _, n := range drain(k, k.Slots()[0]) {
							taken[n]++
						}
						for n := range pushed {
							m.Assert(taken[n] == 1, "%d was taken %d times", n, taken[n])
						}
					})
				})
			})
	}
	// Runners that wait for a slot have bits too.
	for _, c := range []struct{ enders, takers int }{{1, 1}, {2, 1}, {1, 2}} {
		t.Run(fmt.Sprintf("%d runners, %d takers", c.enders, c.takers), func(t *testing.T) {
			modelcheck.CheckUpTo(t, 2, race.Enabled, func(m *modelcheck.Model) {
				k := newKernel(c.takers+c.enders, 0, nil)
				taken := map[*kernel.Runner]int{}
				for _, s := range k.Slots()[c.takers:] {
					r := k.NewRunner(s, park.OS)
					r.PretendParked()
					taken[r] = 0
					m.Thread(r.End)
				}
				var got [2]*kernel.Runner
				for i, s := range k.Slots()[:c.takers] {
					m.Thread(func() { got[i] = k.TakeResumed(s) })
				}
				m.After(func() {
					for _, r := range got {
						if r != nil {
							taken[r]++
						}
					}
					for {
						if _, what := k.Next(k.Slots()[0]); what != kernel.GotResume {
							break
						}
						if r := k.TakeResumed(k.Slots()[0]); r != nil {
							taken[r]++
						}
					}
					for _, n := range taken {
						m.Assert(n == 1, "a runner was taken %d times", n)
					}
				})
			})
		})
	}
}

// TestModelLeft: who takes one task and looks no more leaves the others to somebody who is awake.
func TestModelLeft(t *testing.T) {
	for _, c := range []struct {
		name string
		push func(k *kernel.Kernel, n entry.Entry)
	}{
		{"shared", func(k *kernel.Kernel, n entry.Entry) { k.Inject(n, high) }},
		{"inbox", func(k *kernel.Kernel, n entry.Entry) { k.PushNear(0, n) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			modelcheck.CheckUpTo(t, 2, race.Enabled, func(m *modelcheck.Model) {
				// Who pushes after the stop spawns a runner, which would find nothing: both
				// are taken.
				k := newKernel(2, 0, func(*kernel.Slot) {})
				var taken atomics.Int32
				take := func() {
					if taken.Add(1) == 2 {
						k.Stop()
					}
				}
				c.push(k, 0)
				m.Thread(func() {
					if _, got := k.Next(k.Slots()[0]); got == kernel.GotTask {
						take()
					}
				})
				m.Thread(func() {
					for {
						if _, got := k.Search(k.Slots()[1]); got != kernel.GotTask {
							return
						}
						take()
					}
				})
				m.Thread(func() { c.push(k, 1) })
			})
		})
	}
}

// TestModelEnd: of those who end a wait at the same time one makes the runner runnable, and a wait
// that ends before the runner has given its slot away keeps it.
func TestModelEnd(t *testing.T) {
	for enders := 1; enders <= 2; enders++ {
		t.Run(fmt.Sprint(enders), func(t *testing.T) {
			modelcheck.CheckAll(t, func(m *modelcheck.Model) {
				k := newKernel(2, 0, nil)
				r := k.NewRunner(k.Slots()[1], park.OS)
				r.PretendParked()
				for range enders {
					m.Thread(r.End)
				}
				m.After(func() {
					m.Assert(r.Ended(), "the wait has not ended")
					m.Assert(k.TakeResumed(k.Slots()[0]) == r, "the runner is not runnable")
					m.Assert(k.TakeResumed(k.Slots()[0]) == nil, "the runner is runnable twice")
				})
			})
		})
	}
	// The hand-over alone: the slot passes to somebody who hands it back at once.
	for _, script := range []struct {
		name string
		ends func(r *kernel.Runner, over *atomics.Bool)
	}{
		{"once", func(r *kernel.Runner, over *atomics.Bool) { over.Store(true); r.End() }},
		{"twice", func(r *kernel.Runner, over *atomics.Bool) {
			over.Store(true)
			r.End()
			r.End()
		}},
		{"too early", func(r *kernel.Runner, over *atomics.Bool) {
			r.End()
			over.Store(true)
			r.End()
		}},
	} {
		t.Run("hand over "+script.name, func(t *testing.T) {
			modelcheck.CheckUpTo(t, 2, race.Enabled, func(m *modelcheck.Model) {
				var k *kernel.Kernel
				k = newKernel(1, 0, func(s *kernel.Slot) {
					atomics.Go(func() {
						o := k.NewRunner(s, park.OS)
						for {
							if _, got := k.Next(o.Slot()); got == kernel.GotResume {
								if !o.Yield() {
									return
								}
								continue
							}
							atomics.Gosched()
						}
					})
				})
				r := k.NewRunner(k.Slots()[0], park.OS)
				var over atomics.Bool
				m.Thread(func() {
					for r.Arm(); !over.Load(); r.Arm() {
						r.Await()
						m.Assert(r.Slot() == k.Slots()[0], "the runner goes on without the slot")
					}
					k.Stop()
				})
				m.Thread(func() { script.ends(r, &over) })
			})
		})
	}
}

// A porch is a door and a kernel whose only worker is idle.
type porch struct {
	d door.Door
	k *kernel.Kernel
}

func newPorch() *porch {
	p := &porch{}
	p.d.Init(park.New(park.OS))
	p.k = kernel.New(kernel.Config{
		Workers: 1, OnQuiet: p.d.Tell, OnIdle: func(*kernel.Slot) {}, Watch: func() {},
		Own: func(*kernel.Slot) any { return nil },
	})
	p.k.Leave()
	return p
}

// TestModelCallersQuiet: a caller whose wait has ended counts as active until it has gone on and
// left.
func TestModelCallersQuiet(t *testing.T) {
	modelcheck.CheckUpTo(t, 2, race.Enabled, func(m *modelcheck.Model) {
		p := newPorch()
		r := p.k.NewCaller(park.OS)
		r.Join()
		var over, done atomics.Bool
		m.Thread(func() {
			for r.Arm(); !over.Load(); r.Arm() {
				r.Await()
			}
			done.Store(true)
			r.Part()
		})
		m.Thread(func() {
			p.k.Enter()
			over.Store(true)
			r.End()
			p.k.Leave()
		})
		m.Thread(func() {
			if over.Load() {
				quiet, _ := p.k.Quiet()
				m.Assert(!quiet || done.Load(), "all is quiet, and a caller is about to go on")
			}
		})
		m.After(func() {
			active, _ := p.k.Activity()
			m.Assert(active == 0 && p.k.Lent() == 0, "%d slots count as active, %d are lent",
				active, p.k.Lent())
		})
	})
}

// TestModelUnwatch: work that finds every worker busy is watched, or was seen by the watch when it
// ended.
func TestModelUnwatch(t *testing.T) {
	for _, l := range []kernel.Level{high, normal, bgNormal} {
		t.Run(fmt.Sprint(l), func(t *testing.T) {
			modelcheck.CheckUpTo(t, 3, race.Enabled, func(m *modelcheck.Model) {
				watches := 0
				k := kernel.New(kernel.Config{
					Workers: 1, OnQuiet: func() {}, OnIdle: func(*kernel.Slot) {},
					Watch: func() { watches++ }, Own: func(*kernel.Slot) any { return nil },
				})
				k.Inject(0, l)
				drain(k, k.Slots()[0])
				ended := false
				m.Thread(func() { ended = k.Unwatch() })
				m.Thread(func() { k.Inject(1, l) })
				m.After(func() {
					m.Assert(!ended || watches == 2,
						"work is queued, all are busy, and nobody watches")
				})
			})
		})
	}
}

// TestModelUnwatchHidden: tasks that are hidden are watched, though none is queued yet.
func TestModelUnwatchHidden(t *testing.T) {
	modelcheck.CheckUpTo(t, 3, race.Enabled, func(m *modelcheck.Model) {
		watches := 0
		k := kernel.New(kernel.Config{
			Workers: 1, OnQuiet: func() {}, OnIdle: func(*kernel.Slot) {},
			Watch: func() { watches++ }, Own: func(*kernel.Slot) any { return nil },
		})
		k.Inject(0, normal)
		drain(k, k.Slots()[0])
		ended := false
		m.Thread(func() { ended = k.Unwatch() })
		m.Thread(func() { k.Hide(k.Slots()[0]) })
		m.After(func() { m.Assert(!ended || watches == 2, "tasks are hidden, and nobody watches") })
	})
}

// TestModelLockFree suspends each thread for ever, wherever it stands, while it queues, takes or
// ends a wait; the others come to their end.
func TestModelLockFree(t *testing.T) {
	for name, program := range map[string]func(m *modelcheck.Model, k *kernel.Kernel){
		"Inject": func(m *modelcheck.Model, k *kernel.Kernel) {
			m.Thread(func() { k.Inject(1, high); k.Inject(2, bgLow) })
			m.Thread(func() { k.Inject(3, high) })
			m.Thread(func() { drain(k, k.Slots()[0]) })
		},
		"Push": func(m *modelcheck.Model, k *kernel.Kernel) {
			m.Thread(func() {
				s := k.Slots()[0]
				k.Push(s, 1, normal)
				k.Wake(normal)
				k.Push(s, 2, normal)
				k.Wake(normal)
				k.PopIf(s, 1)
				drain(k, s)
			})
			m.Thread(func() { k.StealNormal(k.Slots()[1]) })
			m.Thread(func() { k.Inject(3, high) })
		},
		"End": func(m *modelcheck.Model, k *kernel.Kernel) {
			r := k.NewRunner(k.Slots()[1], park.OS)
			r.PretendParked()
			m.Thread(r.End)
			m.Thread(r.End)
			m.Thread(func() { k.TakeResumed(k.Slots()[0]); k.Inject(1, high) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			explorers := modelcheck.Beyond(modelcheck.Scaled(60_000) / 20)
			modelcheck.Check(t, modelcheck.Options{LockFree: true, Explorers: explorers},
				func(m *modelcheck.Model) {
					program(m, newKernel(2, 0, nil))
				})
		})
	}
}
