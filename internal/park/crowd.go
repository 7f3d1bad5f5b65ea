package park

import "github.com/heddle-go/heddle/internal/atomics"

// MaxCrowd is how many goroutines [Enter] lets wait in the kernel at a time. The runtime ends a
// program that needs more than 10,000 threads.
const MaxCrowd = 1024

// A crowd counts goroutines between enter and leave.
type crowd struct{ n atomics.Int32 }

// waiting is the crowd of the whole program.
var waiting crowd

// Enter returns the mode in which one more goroutine should wait, where their number is unbounded:
// OS, or Go if MaxCrowd others wait already. Leave ends it. README.md has the argument.
func Enter() Mode {
	// A model has few threads, and all of them wait through the seam.
	if atomics.Modeled() {
		return OS
	}
	return waiting.enter()
}

// Leave ends what Enter began.
func Leave() {
	if !atomics.Modeled() {
		waiting.leave()
	}
}

func (c *crowd) enter() Mode {
	if c.n.Add(1) > MaxCrowd {
		return Go
	}
	return OS
}

func (c *crowd) leave() { c.n.Add(-1) }
