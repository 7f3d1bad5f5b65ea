package stress_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
)

// levels is the model of a queue with priorities: a slice for each.
type levels [][]int

func (l levels) push(v, priority int) { l[priority] = append(l[priority], v) }

func (l levels) pop() (v int, ok bool) {
	for i := range l {
		if len(l[i]) > 0 {
			v, l[i] = l[i][0], l[i][1:]
			return v, true
		}
	}
	return 0, false
}

func (l levels) len() (n int) {
	for i := range l {
		n += len(l[i])
	}
	return n
}

// Without concurrency a PriorityQueue is strict.
func TestContainerPriorityQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(t, "levels")
		q, model := lockfree.NewPriorityQueue[int](n), make(levels, n)
		next := 0
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				require.Equal(t, model.len(), q.Len())
				require.Equal(t, model.len() == 0, q.Empty())
			},
			"Push": func(t *rapid.T) {
				priority := rapid.IntRange(0, n-1).Draw(t, "priority")
				for range rapid.IntRange(1, 40).Draw(t, "n") {
					q.Push(next, priority)
					model.push(next, priority)
					next++
				}
			},
			"Pop": func(t *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(t, "n") {
					v, ok := q.Pop()
					want, wantOK := model.pop()
					require.Equal(t, wantOK, ok)
					require.Equal(t, want, v)
				}
			},
			"Misuse": func(t *rapid.T) {
				priority := rapid.OneOf(rapid.IntMax(-1), rapid.IntMin(n)).Draw(t, "priority")
				require.Panics(t, func() { q.Push(next, priority) })
			},
		})
	})
}
