package atomic

import "github.com/heddle-go/heddle/internal/atomics"

// The shared words, with the methods and the memory order of the types of sync/atomic that
// bear the same names, which in a normal build they are. The zero value is ready; a word must
// not be copied after first use.
type (
	Bool           = atomics.Bool
	Int32          = atomics.Int32
	Int64          = atomics.Int64
	Uint32         = atomics.Uint32
	Uint64         = atomics.Uint64
	Uintptr        = atomics.Uintptr
	Pointer[T any] = atomics.Pointer[T]
)

// Go starts f in a new goroutine; inside a model, as a new thread of that model. The call
// synchronizes before the start of f, as a go statement does.
func Go(f func()) { atomics.Go(f) }

// Gosched lets others run. Inside a model it says that this thread cannot get on until
// another has changed something, which keeps the checker from following a loop for ever.
func Gosched() { atomics.Gosched() }

// Pause spins for n processor pauses, n at least 1; on architectures without such an
// instruction it does nothing. Inside a model it means what Gosched means.
func Pause(n uint32) { atomics.Pause(n) }

// Now returns nanoseconds on a monotonic clock with an arbitrary origin; inside a model, on
// the clock of the model.
func Now() int64 { return atomics.Now() }
