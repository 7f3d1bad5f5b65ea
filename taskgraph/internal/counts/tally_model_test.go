//go:build modelcheck

package counts_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/counts"
)

// TestModelTally: of those who report, one is told that its report is the last, and then all that
// was counted is done, and visible to it.
func TestModelTally(t *testing.T) {
	for _, reports := range [][][]int64{{{1}, {1}}, {{2, 1}, {1, 1}}, {{1}, {2}, {1}},
		{{1, 1}, {1}, {1}}} {
		t.Run(fmt.Sprint(reports), func(t *testing.T) {
			modelcheck.CheckAll(t, func(m *modelcheck.Model) {
				total := 0
				for _, mine := range reports {
					for _, n := range mine {
						total += int(n)
					}
				}
				var tally counts.Tally
				tally.Begin(total)
				var done [4]int
				var last atomics.Int32
				for i, mine := range reports {
					m.Thread(func() {
						for _, n := range mine {
							done[i] += int(n)
							if tally.Report(n) {
								last.Add(1)
								sum := 0
								for _, d := range done {
									sum += d
								}
								m.Assert(sum == total,
									"the last report comes when %d of %d are done", sum, total)
							}
						}
					})
				}
				m.After(func() {
					m.Assert(last.Load() == 1, "%d reports were the last", last.Load())
				})
			})
		})
	}
}
