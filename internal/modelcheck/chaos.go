package modelcheck

import (
	"runtime"
	"sync/atomic"
	"time"
)

// disorder, set by Chaos, is the mean number of operations from one delay to the next, 0 for no
// delays.
var disorder atomic.Uint32

// dice is the state of the generator from which delays are drawn. It is a plain variable that all
// write without order: an atomic one would order the operations that the delays should disorder,
// and would hide races from the race detector. A lost write only makes two delays alike.
var dice uint32

// Chaos delays about one of every operations outside of models at random, until it is called with
// 0: most delays yield, some spin, a few sleep for microseconds. That opens windows that the
// machine's own timing leaves shut. The delays are drawn from the seed; the order of the operations
// decides which gets which.
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
	x := dice*1664525 + 1013904223 // Numerical Recipes' generator; its high bits are better
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
