//go:build modelcheck && !wasm

package yield

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// TestModelAsk: whoever asks at a time, one reads, and who does not is told that nobody waits;
// after that there is a right to read again. Whoever stands still for ever, also while reading, the
// others go on.
func TestModelAsk(t *testing.T) {
	for _, asks := range [][]int{{1, 1}, {2, 1}, {2, 2}, {1, 1, 1}, {1, 2, 1}} {
		t.Run(fmt.Sprint(asks), func(t *testing.T) {
			tally := modelcheck.Check(t, modelcheck.Options{LockFree: true,
				Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(1, 0), modelcheck.DPOR(0)}},
				func(m *modelcheck.Model) {
					var inside, begun atomics.Int32
					reads := 0 // plain: one read happens before the next
					a := asker{read: func() (running, ready int, ok bool) {
						m.Assert(inside.Add(1) == 1, "two read at a time")
						reads++
						inside.Add(-1)
						return 1 << 20, 1, true
					}}
					wanted := make([]int, len(asks))
					for i, n := range asks {
						m.Thread(func() {
							for range n {
								first := begun.Add(1) == 1
								is, full := a.ask()
								m.Assert(is == full, "an answer of two reads")
								m.Assert(is || !first || begun.Load() > 1,
									"one who asks alone is not answered")
								if is {
									wanted[i]++
								}
							}
						})
					}
					m.After(func() {
						if a.asking.Load() {
							return // one stands still and has the right
						}
						sum := 0
						for _, n := range wanted {
							sum += n
						}
						m.Assert(sum <= reads, "%d answers of %d reads", sum, reads)
						is, _ := a.ask()
						m.Assert(is, "nobody asks, and one who does is not answered")
					})
				})
			if tally.Complete != 1 {
				t.Fatal("some executions were left out")
			}
		})
	}
}
