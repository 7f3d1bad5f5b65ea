package modelcheck

import (
	"fmt"

	"github.com/heddle-go/heddle/internal/modelcheck"
)

// An Explorer is a way to choose schedules, with a limit on how many. Its zero value is not
// of use; the functions that return one say what it is good for.
type Explorer struct {
	make       func(seed uint64, limit int) modelcheck.Explorer
	limit      int
	exhaustive bool // if it comes to its end, nothing is left
	bound      int  // if it does, all executions with so many preemptions are explored; -1: no
}

// DPOR explores one execution of each class of executions that differ only in the order of
// steps that do not matter to each other, at most limit; 0: all. It is the way to be sure.
func DPOR(limit int) Explorer {
	return Explorer{func(uint64, int) modelcheck.Explorer {
		return modelcheck.NewDPOR()
	}, limit, true, -1}
}

// DepthFirst explores the executions with at most the given number of preemptions, that is,
// of switches away from a thread that could go on; at most limit, 0: all. It finds the bugs
// that need few, also in programs that are too large for DPOR. It panics if preemptions is
// negative.
func DepthFirst(preemptions, limit int) Explorer {
	if preemptions < 0 {
		panic(fmt.Sprintf("modelcheck: DepthFirst with %d preemptions", preemptions))
	}
	return Explorer{func(uint64, int) modelcheck.Explorer {
		return modelcheck.NewDepthFirst(preemptions)
	}, limit, false, preemptions}
}

// DepthFirstUpTo is DepthFirst with no preemption, then with one, and so on up to the given number,
// each with the limit: the shortest schedules come first.
func DepthFirstUpTo(preemptions, limit int) []Explorer {
	explorers := make([]Explorer, preemptions+1)
	for b := range explorers {
		explorers[b] = DepthFirst(b, limit)
	}
	return explorers
}

// Exhaustive explores every execution, at most limit; 0: all. It is for tiny programs, and to
// check the other ones.
func Exhaustive(limit int) Explorer {
	return Explorer{func(uint64, int) modelcheck.Explorer {
		return modelcheck.NewDepthFirst(modelcheck.Unbounded)
	}, limit, true, -1}
}

// RandomWalk makes n executions, each step of a thread drawn at random.
func RandomWalk(n int) Explorer {
	return Explorer{func(seed uint64, n int) modelcheck.Explorer {
		return modelcheck.NewRandomWalk(seed, n)
	}, max(n, 1), false, -1}
}

// PCT makes n executions in which threads have random priorities that change at depth-1 random
// steps; it hits a bug that needs depth orderings with a probability that can be computed.
// Depth is from 1 to 8.
func PCT(depth, n int) Explorer {
	if depth < 1 || depth > 8 {
		panic(fmt.Sprintf("modelcheck: PCT of depth %d, not 1 to 8", depth))
	}
	return Explorer{func(seed uint64, n int) modelcheck.Explorer {
		return modelcheck.NewPCT(seed, depth, n)
	}, max(n, 1), false, -1}
}

// Beyond returns explorers of n executions together that go on where no search comes to its end.
func Beyond(n int) []Explorer {
	part := n/8 + 1
	return []Explorer{DPOR(2 * part), RandomWalk(part), PCT(2, part), PCT(3, part), PCT(4, part),
		PCT(5, part), PCT(6, part)}
}

// Decisions makes one execution in which each decision takes a byte of data, and none is a
// preemption when the bytes are used up: the way to let a fuzzer or a property-based test
// draw and shrink schedules.
func Decisions(data []byte) Explorer {
	return Explorer{func(uint64, int) modelcheck.Explorer {
		return modelcheck.NewBytes(data)
	}, 0, false, -1}
}

// Portfolio returns explorers that together make about n executions of a program at most. No
// single explorer is safe: each has bugs that it misses.
func Portfolio(n int) []Explorer {
	part := max(n/8, 1)
	return []Explorer{
		DepthFirst(0, part), DepthFirst(1, part), DPOR(3 * part), DepthFirst(2, part),
		RandomWalk(part), PCT(2, part/4), PCT(3, part/4), PCT(4, part/4), PCT(6, part/4),
	}
}
