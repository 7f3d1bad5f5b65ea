package stress_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
)

// A queue with batches, for many or for one producer and consumer.
type batchQueue interface {
	Push(v int)
	PushAll(vs []int)
	Pop() (int, bool)
	PopN(buf []int) int
	Len() int
	Empty() bool
}

// Batches of a queue are loops over single calls, across any number of segments.
func TestContainerBatches(t *testing.T) {
	for name, newQueue := range map[string]func() batchQueue{
		"Queue":     func() batchQueue { return new(lockfree.Queue[int]) },
		"SPSCQueue": func() batchQueue { return new(lockfree.SPSCQueue[int]) },
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				q := newQueue()
				next, due := 0, 0 // the values are numbers in a row
				size := rapid.IntRange(0, 100)
				t.Repeat(map[string]func(*rapid.T){
					"": func(t *rapid.T) {
						require.Equal(t, next-due, q.Len())
						require.Equal(t, next == due, q.Empty())
					},
					"Push": func(t *rapid.T) {
						q.Push(next)
						next++
					},
					"PushAll": func(t *rapid.T) {
						vs := make([]int, size.Draw(t, "n"))
						for i := range vs {
							vs[i] = next
							next++
						}
						q.PushAll(vs)
					},
					"Pop": func(t *rapid.T) {
						v, ok := q.Pop()
						require.Equal(t, due < next, ok)
						if ok {
							require.Equal(t, due, v)
							due++
						}
					},
					"PopN": func(t *rapid.T) {
						buf := make([]int, size.Draw(t, "n"))
						n := q.PopN(buf)
						require.Equal(t, min(len(buf), next-due), n)
						for _, v := range buf[:n] {
							require.Equal(t, due, v)
							due++
						}
					},
				})
			})
		})
	}
}
