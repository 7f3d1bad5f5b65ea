//go:build modelcheck

package kernel_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// TestModelForksGoOn: forks whose body looked whether there are enough since the last question are
// not stuck, others are, and so are all where a task lies beside them.
func TestModelForksGoOn(t *testing.T) {
	for _, c := range []struct {
		questions, looks, bound int
		beside                  bool
	}{{1, 2, 3, false}, {2, 3, 2, false}, {3, 2, 2, false}, {2, 2, 2, true}} {
		t.Run(fmt.Sprintf("%d questions, %d looks, beside a task %v", c.questions, c.looks,
			c.beside), func(t *testing.T) {
			modelcheck.CheckUpTo(t, c.bound, race.Enabled, func(m *modelcheck.Model) {
				k := newKernel(1, 0, nil)
				s := k.Slots()[0]
				if c.beside {
					k.Spawn(s, 7)
				}
				k.PushFork(s, normal, 0)
				k.Probe()
				var begun, over atomics.Int32
				m.Thread(func() {
					for i := range int32(c.looks) {
						begun.Store(i + 1)
						if s.Forks(normal) < s.Enough() {
							k.EnoughForks(s, 1)
						}
						over.Store(i + 1)
					}
				})
				m.Thread(func() {
					for range c.questions {
						earlier := over.Load()
						k.Probe()
						first := begun.Load() + 1
						last := over.Load()
						p := k.Observe()
						m.Assert(p.Queued && p.Held == 1, "%+v", p)
						m.Assert(!p.Stuck || c.beside || last < first,
							"forks that went on count as stuck")
						m.Assert(p.Stuck || !c.beside && begun.Load() > earlier,
							"what did not go on counts as alive")
					}
				})
			})
		})
	}
}

// TestModelProbe: a slot that was at a task boundary since the last question counts as alive, one
// that was not does not, and a slot that has answered is asked no more until the next question.
func TestModelProbe(t *testing.T) {
	looks := map[string]func(k *kernel.Kernel, s *kernel.Slot){
		"Next":     func(k *kernel.Kernel, s *kernel.Slot) { k.Next(s) },
		"Asked":    func(k *kernel.Kernel, s *kernel.Slot) { k.Asked(s) },
		"HasOther": func(k *kernel.Kernel, s *kernel.Slot) { k.HasOther(s) },
	}
	for name, look := range looks {
		for _, c := range []struct{ questions, looks, bound int }{{1, 2, 3}, {2, 3, 2}, {3, 2, 2}} {
			t.Run(fmt.Sprintf("%d questions, %d looks by %s", c.questions, c.looks, name),
				func(t *testing.T) {
					modelcheck.CheckUpTo(t, c.bound, race.Enabled, func(m *modelcheck.Model) {
						k := newKernel(1, 0, nil)
						for n := range c.looks + 1 { // so that some are left
							k.Inject(entry.Entry(n), bgLow)
						}
						k.Probe() // so that an answer is due
						s := k.Slots()[0]
						var asking, asked atomics.Int32 // further questions begun and over
						var begun, over atomics.Int32   // looks
						m.Thread(func() {
							for i := range int32(c.looks) {
								before := asked.Load()
								begun.Store(i + 1)
								look(k, s)
								over.Store(i + 1)
								again := k.IsAsked(s)
								m.Assert(!again || asking.Load() > before,
									"a slot that has answered is asked again")
							}
						})
						m.Thread(func() {
							for i := range int32(c.questions) {
								earlier := over.Load()
								asking.Store(i + 1)
								k.Probe()
								asked.Store(i + 1)
								// the first look that surely begins after the question
								first := begun.Load() + 1
								last := over.Load()
								p := k.Observe()
								m.Assert(p.Queued && p.Held == 1, "%+v", p)
								m.Assert(!p.Stuck || last < first,
									"a slot that was at a boundary counts as silent")
								m.Assert(p.Stuck || begun.Load() > earlier,
									"a slot that was at no boundary counts as alive")
							}
						})
					})
				})
		}
	}
	// The number shares a word with the bits.
	t.Run("beside pushers", func(t *testing.T) {
		modelcheck.CheckUpTo(t, 2, race.Enabled, func(m *modelcheck.Model) {
			const pushed = 2
			k := newKernel(1, 0, nil)
			s := k.Slots()[0]
			var taken [pushed]int
			for n := range pushed {
				m.Thread(func() { k.Push(nil, entry.Entry(n), high) })
			}
			m.Thread(func() { k.Probe(); k.Probe() })
			m.Thread(func() {
				for range 2 {
					if n, got := k.Next(s); got == kernel.GotTask {
						taken[n]++
					}
				}
			})
			m.After(func() {
				m.Assert(k.Probes() == 2, "a question is lost")
				for _, n := range drain(k, s) {
					taken[n]++
				}
				for n := range taken {
					m.Assert(taken[n] == 1, "%d was taken %d times", n, taken[n])
				}
			})
		})
	})
}
