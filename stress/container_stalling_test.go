package stress_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
)

// A StallingQueue is the model of a queue with priorities, beside a set of stalled consumers
// of which each push takes out the lowest.
func TestContainerStallingQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		priorities := rapid.IntRange(1, 4).Draw(t, "priorities")
		consumers := rapid.IntRange(1, 26).Draw(t, "consumers")
		q, model := lockfree.NewStallingQueue[int](priorities, consumers), make(levels, priorities)
		stalled := make([]bool, consumers)
		woken := make([]bool, consumers) // taken out since its last stall
		lowest := func() int {
			for c := range stalled {
				if stalled[c] {
					stalled[c], woken[c] = false, true
					return c
				}
			}
			return -1
		}
		next := 0
		consumer := rapid.IntRange(0, consumers-1)
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				require.Equal(t, model.len(), q.Len())
				require.Equal(t, model.len() == 0, q.Empty())
			},
			"Push": func(t *rapid.T) {
				priority := rapid.IntRange(0, priorities-1).Draw(t, "priority")
				require.Equal(t, lowest(), q.Push(next, priority))
				model.push(next, priority)
				next++
			},
			"Wake": func(t *rapid.T) { require.Equal(t, lowest(), q.Wake()) },
			"Pop": func(t *rapid.T) {
				c, mayStall := consumer.Draw(t, "consumer"), rapid.Bool().Draw(t, "mayStall")
				if stalled[c] {
					require.Panics(t, func() { q.Pop(c, mayStall) })
					return
				}
				v, r := q.Pop(c, mayStall)
				want, ok := model.pop()
				require.Equal(t, want, v)
				switch {
				case ok:
					require.Equal(t, lockfree.PopOK, r)
				case mayStall:
					require.Equal(t, lockfree.PopStalled, r)
					stalled[c], woken[c] = true, false
				default:
					require.Equal(t, lockfree.PopEmpty, r)
				}
			},
			"Unstall": func(t *rapid.T) {
				c := consumer.Draw(t, "consumer")
				if stalled[c] || woken[c] {
					require.Equal(t, woken[c], q.Unstall(c))
					stalled[c], woken[c] = false, false
				}
			},
		})
	})
}
