package history_test

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-go/heddle/stress/history"
)

func TestTmpSteps(t *testing.T) {
	spec := history.FIFO()
	steps := 0
	step := spec.Step
	spec.Step = func(s history.Values, c *history.Call) (history.Values, bool) { steps++; return step(s, c) }
	c := history.NewChecker(spec)
	for _, b := range [][2]int{{2, 8}, {4, 8}, {3, 24}, {4, 40}, {12, 12}} {
		rnd := rand.New(rand.NewPCG(1, 2))
		steps = 0
		for range 2000 {
			c.Linearizable(randomFIFO(rnd, b[0], b[1]))
		}
		t.Log(b, float64(steps)/2000)
	}
}
