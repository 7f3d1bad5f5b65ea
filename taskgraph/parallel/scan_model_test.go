//go:build modelcheck

package parallel_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// TestModelScan: whoever takes part, and however many blocks the caller and the helpers have when
// they meet, each element becomes what comes of all up to it, in their order. The elements are
// texts, and the operation puts them together, which is associative and not commutative; dst is src
// as well.
func TestModelScan(t *testing.T) {
	const text = "abcde"
	for _, c := range []struct{ workers, n int }{{1, 2}, {2, 2}, {2, 3}, {3, 4}, {3, 5}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			n := modelcheck.Scaled(60_000) / 20
			if race.Enabled { // each execution takes several times as long
				n /= 4
			}
			explorers := slices.Concat(modelcheck.DepthFirstUpTo(1, n+1), modelcheck.Beyond(n+1))
			modelcheck.Check(t, modelcheck.Options{Steps: 50_000, Explorers: explorers},
				func(m *modelcheck.Model) {
					var sys *taskgraph.System
					m.SetUp(func() {
						sys = taskgraph.Start(taskgraph.Options{Workers: c.workers,
							Idle: taskgraph.IdleSleep})
					})
					s := make([]string, c.n)
					for i := range s {
						s[i] = text[i : i+1]
					}
					m.Thread(func() {
						sys.Task(taskgraph.Run(func(b *taskgraph.Context) error {
							on := parallel.With(b, taskgraph.Loop{Grain: 1, Unbalanced: true})
							join := func(a, b string) string { return a + b }
							return parallel.Scan(on, s, s, join)
						})).Launch()
						err := sys.Shutdown(context.Background())
						m.Assert(err == nil, "Shutdown: %v", err)
					})
					m.After(func() {
						for i := range s {
							m.Assert(s[i] == text[:i+1], "element %d is %q", i, s[i])
						}
					})
				})
		})
	}
}
