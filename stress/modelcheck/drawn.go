package modelcheck

import "math/rand/v2"

// Drawn calls f for each of the programs that a test draws itself, with its number and what to draw
// it from: for 40, or as many as the environment's MODELCHECK_PROGRAMS says. The sources are the
// same each time, and others for another MODELCHECK_SEED. Executions is how many each may take, of
// 60,000 in all or of the environment's MODELCHECK_EXECUTIONS.
func Drawn(f func(i int, source *rand.Rand, executions int)) {
	programs, err := number("MODELCHECK_PROGRAMS", 40)
	if err != nil {
		panic(err)
	}
	seed, err := number("MODELCHECK_SEED", 1)
	if err != nil {
		panic(err)
	}
	programs = max(programs, 1)
	for i := range programs {
		f(i, rand.New(rand.NewPCG(uint64(seed), uint64(i))), Scaled(60_000)/programs)
	}
}
