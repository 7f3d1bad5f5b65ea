package taskgraph_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// FuzzGraph builds graphs of up to 16 tasks from pairs of half bytes, cycles included: Build must
// name a cycle if there is one, and else the tasks run in order, each once a run.
func FuzzGraph(f *testing.F) {
	f.Add([]byte{0x01, 0x12, 0x23})
	f.Add([]byte{0x01, 0x10})
	f.Add([]byte{0x33})
	f.Add([]byte{0x0f, 0x1f, 0x2f, 0x3f, 0x4f, 0x5f, 0x6f, 0x7f, 0x8f, 0x9f, 0xaf, 0xbf, 0xcf, 0xdf,
		0xef, 0xef, 0x0f})
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	f.Cleanup(func() { require.NoError(f, s.Shutdown(bg)) })
	f.Fuzz(func(t *testing.T, edges []byte) {
		if len(edges) > 100 {
			return
		}
		const n = 16
		var ran [n]atomics.Int32
		var after [n][]int
		var wrong atomics.Int32
		var b taskgraph.GraphBuilder
		var tasks [n]taskgraph.GraphTask
		for i := range tasks {
			tasks[i] = b.Task(taskgraph.Do(func() {
				for _, p := range after[i] {
					if ran[p].Load() <= ran[i].Load() {
						wrong.Add(1)
					}
				}
				ran[i].Add(1)
			})).Name(fmt.Sprint(i))
		}
		for _, e := range edges {
			from, to := int(e>>4), int(e&15)
			tasks[to].After(tasks[from])
			after[to] = append(after[to], from)
		}
		g, err := b.Build()
		if ordered := isOrdered(after[:]); (err == nil) != ordered {
			t.Fatalf("Build: %v, and there is an order: %v", err, ordered)
		}
		if err != nil {
			var cycle *taskgraph.CycleError
			require.True(t, errors.As(err, &cycle))
			for i, name := range cycle.Path {
				var at, before int
				_, err := fmt.Sscanf(name, "task %q", new(string))
				require.NoError(t, err)
				fmt.Sscanf(name, `task "%d"`, &at)
				fmt.Sscanf(cycle.Path[(i+1)%len(cycle.Path)], `task "%d"`, &before)
				require.Contains(t, after[at], before, "no such order: %v", cycle.Path)
			}
			return
		}
		for run := range int32(3) {
			require.NoError(t, s.WaitUntilTasksComplete(bg, s.LaunchGraph(g)))
			for i := range ran {
				require.Equal(t, run+1, ran[i].Load())
			}
		}
		require.Zero(t, wrong.Load())
	})
}

// isOrdered reports whether tasks that wait for those that after names have an order.
func isOrdered(after [][]int) bool {
	done := make([]bool, len(after))
	for range after {
		for i := range after {
			ready := true
			for _, p := range after[i] {
				ready = ready && done[p]
			}
			done[i] = done[i] || ready
		}
	}
	for _, d := range done {
		if !d {
			return false
		}
	}
	return true
}
