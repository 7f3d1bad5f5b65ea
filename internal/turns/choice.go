package turns

import (
	"math/bits"
	"math/rand/v2"
)

// A chooser makes the choices. There are three ways:
//
//   - by a schedule, as long as it lasts; then the current actor continues, and after it the
//     oldest;
//   - evenly: the current actor continues with probability one half, else any other is next;
//   - by rank: every candidate has a random rank, the highest is next, and the current actor's rank
//     changes now and then. So a candidate can be held back for long (after Burckhardt, Kothari,
//     Musuvathi and Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of Finding
//     Bugs", ASPLOS 2010).
//
// The seed chooses between the last two.
type chooser struct {
	random *rand.PCG // of choices
	aside  *rand.PCG // of everything else
	ranked bool

	schedule  []byte
	scheduled bool
	onward    int // successive choices of the same actor, after the schedule
}

func newChooser(seed uint64, schedule []byte) chooser {
	c := chooser{
		random:    rand.NewPCG(seed, 1),
		aside:     rand.NewPCG(seed, 2),
		schedule:  schedule,
		scheduled: schedule != nil,
	}
	c.ranked = !c.scheduled && c.random.Uint64()&1 != 0
	return c
}

// below returns a number below n, the same on every platform.
func below(r *rand.PCG, n int) int {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

func (c *chooser) any(n int) int { return below(c.aside, n) }

func (c *chooser) rank() uint64 {
	if !c.ranked {
		return 0
	}
	return c.random.Uint64()
}

const (
	rerank    = 16  // one choice of so many changes the rank of the current actor
	maxOnward = 256 // then another actor gets the turn
)

// choose returns a number below n. If front is set, 0 stands for the actor that ran last and can
// continue.
func (c *chooser) choose(n int, front bool, rank func(int) *uint64) int {
	switch {
	case n == 1:
		return 0
	case c.scheduled:
		return c.byPlan(n, front)
	case c.ranked:
		if front && below(c.random, rerank) == 0 {
			*rank(0) = c.random.Uint64()
		}
		best := 0
		for k := 1; k < n; k++ {
			if *rank(k) > *rank(best) {
				best = k
			}
		}
		return best
	case front:
		if c.random.Uint64()&1 == 0 {
			return 0
		}
		return 1 + below(c.random, n-1)
	}
	return below(c.random, n)
}

func (c *chooser) byPlan(n int, front bool) int {
	if len(c.schedule) > 0 {
		k := int(c.schedule[0]) % n
		c.schedule = c.schedule[1:]
		return k
	}
	if !front {
		c.onward = 0
		return 0
	}
	if c.onward++; c.onward < maxOnward {
		return 0
	}
	c.onward = 0
	return 1
}
