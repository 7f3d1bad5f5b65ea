package dsp

import (
	"math"
	"math/rand/v2"
)

// Hall returns what is heard in one ear of a clap in a hall: some echoes from the walls, and then
// noise that fades by 60 dB in so many seconds and loses its brightness on the way. Ears of one
// hall differ in their seed. The energy is 1.
func Hall(seconds float64, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 0))
	clap := make([]float32, int(1.2*seconds*Rate))
	for range 12 { // walls
		at := (0.008 + 0.07*rng.Float64()) * Rate
		clap[int(at)] += float32((rng.Float64() - 0.5) * math.Exp(-at/Rate*10))
	}
	dull := 0.0
	const begins = 0.012 * Rate
	for i := begins; i < float64(len(clap)); i++ {
		t := i / Rate
		bright := 0.08 + 0.5*math.Exp(-t*3/seconds)
		dull += bright * (rng.Float64()*2 - 1 - dull)
		clap[int(i)] += float32(0.25 * dull * math.Pow(10, -3*t/seconds) * math.Min(1,
			(i-begins)/(0.02*Rate)))
	}
	energy := 0.0
	for _, x := range clap {
		energy += float64(x) * float64(x)
	}
	for i := range clap {
		clap[i] *= float32(1 / math.Sqrt(energy))
	}
	return clap
}
