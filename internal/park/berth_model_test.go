//go:build modelcheck

package park

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// TestModelBerth has a thread wait twice, with wakers that steer it at any time and a kernel that
// may refuse. A waker may be as late as it likes: at no berth, in the other wait, after both.
func TestModelBerth(t *testing.T) {
	const thread, mask = 7, 3
	for _, refuses := range []bool{false, true} {
		tally := modelcheck.Check(t,
			modelcheck.Options{Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0),
				modelcheck.DPOR(0)}}, func(m *modelcheck.Model) {
				var b berth
				var affinity atomics.Uint32 // what the kernel knows: 1 is bound
				look := func(id uint32) (uint64, bool) {
					m.Assert(id == thread, "it looks at no thread")
					return mask, affinity.Load() == 0
				}
				m.Thread(func() {
					for range 2 {
						b.enter(thread)
						for done := false; !done; {
							var wasBound bool
							if done, wasBound = b.leave(); wasBound {
								m.Assert(affinity.Load() == 1 && b.mask == mask,
									"there is nothing to take off, or it cannot know what")
								affinity.Store(0)
							}
							if !done {
								atomics.Gosched()
							}
						}
						m.Assert(affinity.Load() == 0, "the thread goes on bound")
					}
				})
				for i := range 2 {
					m.Thread(func() {
						b.steerBy(look, func(id uint32, _ uint64) bool {
							if refuses && i == 0 {
								return false
							}
							m.Assert(affinity.Swap(1) == 0, "two bind at a time")
							return true
						})
					})
				}
				m.After(func() {
					m.Assert(affinity.Load() == 0 && b.word.Load() == nobody,
						"the thread is left bound")
				})
			})
		require.Equal(t, 1, tally.Complete)
	}
}
