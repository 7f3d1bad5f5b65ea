package modelcheck

import "math/bits"

// A generator is xorshift64*, by Vigna.
type generator uint64

//go:norace
func (g *generator) next() uint64 {
	x := uint64(*g)
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*g = generator(x)
	return x * 0x2545f4914f6cdd1d
}

//go:norace
func (g *generator) below(n int) int { return int((g.next() >> 33) * uint64(n) >> 31) }

// seeded returns a generator; seeds that are close give sequences that are not.
func seeded(seed uint64) generator {
	seed += 0x9e3779b97f4a7c15
	seed = (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
	seed = (seed ^ seed>>27) * 0x94d049bb133111eb
	return generator(seed ^ seed>>31 | 1)
}

// nth returns the thread number i of a set.
//
//go:norace
func nth(s set, i int) int {
	for ; i > 0; i-- {
		s &= s - 1
	}
	return lowest(s)
}

// RandomWalk chooses each step at random among the enabled threads.
type RandomWalk struct {
	observer
	g    generator
	left int
}

// NewRandomWalk returns a walk of n executions.
func NewRandomWalk(seed uint64, n int) *RandomWalk { return &RandomWalk{g: seeded(seed), left: n} }

// Name implements Explorer.
func (x *RandomWalk) Name() string { return "random" }

func (x *RandomWalk) begin(*Engine) {}

//go:norace
func (x *RandomWalk) pick(_ *Engine, _ int, enabled set) int {
	n := bits.OnesCount16(enabled)
	if n == 1 {
		return lowest(enabled)
	}
	return nth(enabled, x.g.below(n))
}

//go:norace
func (x *RandomWalk) choose(_ *Engine, _ *thread, n int) int { return x.g.below(n) }

func (x *RandomWalk) end(*Engine) bool {
	x.left--
	return x.left > 0
}

// PCT gives the threads random priorities and lowers the running one's at depth-1 random
// steps (Burckhardt, Kothari, Musuvathi and Nagarakatte, "A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs", ASPLOS 2010): a bug that needs d orderings among
// k steps of n threads is hit with probability at least 1/(n k^(d-1)) in each execution.
type PCT struct {
	observer
	g        generator
	depth    int
	left     int
	longest  int // steps of the longest execution so far
	priority [MaxThreads]int
	change   [8]int // steps at which a priority is lowered
	floor    int
	step     int
}

// NewPCT returns n executions of depth 1 to 8.
func NewPCT(seed uint64, depth, n int) *PCT {
	return &PCT{g: seeded(seed), depth: min(max(depth, 1), 8), left: n, longest: 16}
}

// Name implements Explorer.
func (x *PCT) Name() string { return "pct" + itoa(x.depth) }

func (x *PCT) begin(*Engine) {
	x.step, x.floor = 0, 0
	for i := range x.priority {
		j := x.g.below(i + 1)
		x.priority[i] = x.priority[j]
		x.priority[j] = i + 1
	}
	for i := range x.depth - 1 {
		x.change[i] = 1 + x.g.below(x.longest)
	}
}

//go:norace
func (x *PCT) pick(_ *Engine, _ int, enabled set) int {
	x.step++
	best := x.best(enabled)
	for i := range x.depth - 1 {
		if x.change[i] == x.step {
			x.floor--
			x.priority[best] = x.floor
			best = x.best(enabled)
		}
	}
	return best
}

//go:norace
func (x *PCT) best(enabled set) int {
	best := lowest(enabled)
	for s := enabled & (enabled - 1); s != 0; s &= s - 1 {
		if t := lowest(s); x.priority[t] > x.priority[best] {
			best = t
		}
	}
	return best
}

//go:norace
func (x *PCT) choose(_ *Engine, _ *thread, n int) int { return x.g.below(n) }

func (x *PCT) end(*Engine) bool {
	x.longest = max(x.longest, x.step)
	x.left--
	return x.left > 0
}
