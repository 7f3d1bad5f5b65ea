//go:build heddle_faults

package park

import "github.com/heddle-go/heddle/internal/atomics"

// Faults are what the kernel does wrong. Any goroutine may call the functions.
type Faults struct {
	Early func() bool // whether a wait on a word returns before it has begun; nil: none does
	Late  func()      // is called between a permit and the wake for it; nil: nothing is
}

var faults atomics.Pointer[Faults]

// SetFaults makes f happen, and nil nothing any more.
func SetFaults(f *Faults) { faults.Store(f) }

// endsEarly reports whether a wait on the word is over before it has begun.
func endsEarly() bool {
	f := faults.Load()
	return f != nil && f.Early != nil && f.Early()
}

// comesLate delays a wake of the word.
func comesLate() {
	if f := faults.Load(); f != nil && f.Late != nil {
		f.Late()
	}
}
