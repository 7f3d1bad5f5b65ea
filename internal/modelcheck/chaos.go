package modelcheck

import (
	"runtime"
	"sync/atomic"
	"time"
)

// disorder is what Chaos has set: the mean number of operations from one delay to the next, 0
// for no delays.
var disorder atomic.Uint32

// dice is what delays are drawn from. It is a plain variable that all write without order: an
// atomic one would order the operations that the delays are to put in disorder, and would hide
// races from the race detector. What a lost write costs is that two delays are alike.
var dice uint32

// Chaos makes operations outside of models take longer at random, one of about every, until it is
// called with 0: most of them let others run, some spin, a few sleep for microseconds. That
// opens windows which the machine's own timing leaves shut. The delays are
// drawn from the seed; which operation gets which is up to the order in which they come.
func Chaos(seed uint64, every uint32) {
	setDice(uint32(seed ^ seed>>32))
	disorder.Store(every)
}

//go:norace
func setDice(v uint32) { dice = v }

// roll returns the next number.
//
//go:norace
func roll() uint32 {
	x := dice*1664525 + 1013904223 // Numerical Recipes' generator; its high bits are the better ones
	dice = x
	return x >> 8
}

// delay is called before each operation that no thread of a model makes.
//
//go:noinline
func delay() {
	every := disorder.Load()
	if every == 0 {
		return
	}
	x := roll()
	if x%every != 0 {
		return
	}
	switch y := roll() >> 4 & 63; {
	case y == 0:
		time.Sleep(time.Duration(1+roll()>>4%50) * time.Microsecond)
	case y < 24:
		for n := roll() >> 4 % 1000; n > 0; n-- {
			spin()
		}
	default:
		runtime.Gosched()
	}
}

//go:noinline
func spin() {}
