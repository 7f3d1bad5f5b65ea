// Package atomic is what code that is to be model-checked imports in place of sync/atomic.
//
// In a normal build its types are those of sync/atomic, not wrappers around them: a
// *Int32 of this package is a *sync/atomic.Int32, and the machine code is the same. In a
// build under the tag modelcheck the same names stand for words that the checker sees, so
// that the code that ships is the code that is checked:
//
//	import "github.com/heddle-go/heddle/stress/modelcheck/atomic" // was "sync/atomic"
//
//	type Lock struct{ held atomic.Bool }
//
//	func (l *Lock) TryLock() bool { return l.held.CompareAndSwap(false, true) }
//
// Under the tag the words are larger, and behave as ever while no model runs; while one
// does, nothing outside of it may use them.
//
// # What the checker sees
//
// It sees the operations of these types, and what is done through [Go], [Gosched], [Pause]
// and [Now]. Code under test starts goroutines with Go instead of a go statement, spins with
// Gosched or Pause, and reads the clock with Now. Plain variables are not seen: run the models
// with -race as well, and the race detector judges every schedule that the checker tries.
//
// Mutexes, channels, sync.WaitGroup, timers and system calls are not seen either. One thread
// of a model runs at a time, so a thread that blocks in one of them stops the model; the
// checker notices that no step comes, and fails the model with the stack of that thread.
//
// # What is not offered
//
// The functions of sync/atomic on plain variables (AddInt32 and the like): such a word can be
// read past the checker, so make it a value of a type. atomic.Value: use a [Pointer].
package atomic
