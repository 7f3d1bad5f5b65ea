package history_test

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-go/heddle/stress/history"
)

// BenchmarkChecker judges histories of 8 calls of 2 and of 4 threads, that are right and that are
// not, and one in which all of 12 calls overlap.
func BenchmarkChecker(b *testing.B) {
	for _, bench := range []struct {
		name    string
		threads int
		calls   int
		mutate  bool
	}{{"right/2x4", 2, 8, false}, {"right/4x2", 4, 8, false}, {"right/3x8", 3, 24, false},
		{"wrong/2x4", 2, 8, true}, {"wrong/4x2", 4, 8, true}, {"right/12x1", 12, 12, false}} {
		b.Run(bench.name, func(b *testing.B) {
			c := history.NewChecker(history.FIFO())
			rnd := rand.New(rand.NewPCG(1, 2))
			var histories [][]history.Call
			for len(histories) < 100 {
				h := randomFIFO(rnd, bench.threads, bench.calls)
				if bench.mutate {
					mutate(rnd, h)
				}
				if c.Linearizable(h) != bench.mutate {
					histories = append(histories, h)
				}
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				c.Linearizable(histories[i%len(histories)])
				i++
			}
		})
	}
}
