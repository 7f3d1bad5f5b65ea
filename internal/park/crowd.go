package park

import "github.com/heddle-go/heddle/internal/atomics"

// MaxCrowd is how many goroutines [Enter] lets wait in the kernel at a time. The runtime ends a
// program that needs more than 10,000 threads.
const MaxCrowd = 1024

// crowd counts the goroutines between Enter and Leave, in the whole program.
var crowd atomics.Int32

// Enter returns the mode in which one more goroutine should wait, where their number is unbounded:
// OS, or Go if MaxCrowd others wait already. Leave ends it. README.md has the argument.
func Enter() Mode {
	// A model has few threads, and all of them wait through the seam.
	if !atomics.Modeled() && crowd.Add(1) > MaxCrowd {
		return Go
	}
	return OS
}

// Leave ends what Enter began.
func Leave() {
	if !atomics.Modeled() {
		crowd.Add(-1)
	}
}
