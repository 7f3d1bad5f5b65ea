//go:build modelcheck

package kernel_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// TestModelProbe: a slot that was at a task boundary since the last question counts as alive, one that was not
// does not, and a slot that has answered is asked no more until the next question.
func TestModelProbe(t *testing.T) {
	looks := map[string]func(k *kernel.Kernel, s *kernel.Slot){
		"Next":     func(k *kernel.Kernel, s *kernel.Slot) { k.Next(s) },
		"Asked":    func(k *kernel.Kernel, s *kernel.Slot) { k.Asked(s) },
		"HasOther": func(k *kernel.Kernel, s *kernel.Slot) { k.HasOther(s) },
	}
	for name, look := range looks {
		for _, c := range []struct{ questions, looks, bound int }{{1, 2, 3}, {2, 3, 2}, {3, 2, 2}} {
			t.Run(fmt.Sprintf("%d questions, %d looks by %s", c.questions, c.looks, name), func(t *testing.T) {
				upTo(t, c.bound, func(m *modelcheck.Model) {
					k := newKernel(1, 0, nil)
					for n := range c.looks + 1 { // so that some are left
						k.Inject(graphevent.Node(n), bgLow)
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
							m.Assert(!again || asking.Load() > before, "a slot that has answered is asked again")
						}
					})
					m.Thread(func() {
						for i := range int32(c.questions) {
							earlier := over.Load()
							asking.Store(i + 1)
							k.Probe()
							asked.Store(i + 1)
							first := begun.Load() + 1 // the first look that surely begins after the question
							last := over.Load()
							p := k.Observe()
							m.Assert(p.Queued && p.Held == 1, "%+v", p)
							m.Assert(!p.Stuck || last < first, "a slot that was at a boundary counts as silent")
							m.Assert(p.Stuck || begun.Load() > earlier, "a slot that was at no boundary counts as alive")
						}
					})
				})
			})
		}
	}
	// The number shares a word with the bits.
	t.Run("beside pushers", func(t *testing.T) {
		upTo(t, 2, func(m *modelcheck.Model) {
			const pushed = 2
			k := newKernel(1, 0, nil)
			s := k.Slots()[0]
			var taken [pushed]int
			for n := range pushed {
				m.Thread(func() { k.Push(nil, graphevent.Node(n), high) })
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
