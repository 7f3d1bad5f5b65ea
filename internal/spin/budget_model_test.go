//go:build modelcheck

package spin_test

import (
	"testing"

	"github.com/heddle-go/heddle/internal/spin"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// TestModelBudget: waits of several goroutines learn at a time. Whatever is lost, the budget is
// never outside its limits; a wait that would have been spared restores all of it unless a long one
// learns at the same time, and one that learns alone is not lost.
func TestModelBudget(t *testing.T) {
	const most, least = 1600, 100
	for name, took := range map[string][3][]int64{
		"both long":           {{most + 1, most + 1}, {most + 1}, {}},
		"long and spared":     {{most + 1, most + 1}, {most}, {}},
		"spared twice":        {{0}, {most}, {most + 1}},
		"three, all long":     {{most + 1}, {most + 1}, {most + 1}},
		"as short as it gets": {{most + 1, most + 1}, {most + 1}, {most + 1}},
	} {
		t.Run(name, func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{Explorers: []modelcheck.Explorer{
				modelcheck.DPOR(modelcheck.Scaled(200_000))}}, func(m *modelcheck.Model) {
				var b spin.Budget
				b.Init(most, least)
				if name == "as short as it gets" {
					for b.Time() > least {
						b.Learn(most + 1)
					}
				}
				spared := 0
				for _, all := range took {
					for _, one := range all {
						if one <= most {
							spared++
						}
					}
					m.Thread(func() {
						for _, one := range all {
							before := b.Time()
							b.Learn(one)
							now := b.Time()
							m.Assert(before >= least && before <= most, "before: %d", before)
							m.Assert(now >= least && now <= most, "now: %d", now)
						}
					})
				}
				m.After(func() {
					m.Assert(spared > 0 || name == "as short as it gets" || b.Time() < most,
						"nobody has learned")
					b.Learn(most)
					m.Assert(b.Time() == most, "alone it restores %d", b.Time())
					b.Learn(most + 1)
					m.Assert(b.Time() == most*3/4, "alone it leaves %d", b.Time())
				})
			})
		})
	}
}
