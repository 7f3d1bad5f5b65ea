// Package atomics is the seam between Heddle's concurrent code and the machine.
//
// Every word that two goroutines of Heddle may touch is declared with a type of this package, and
// every step by which a goroutine starts another, yields to it or spins for it goes through a
// function of this package. In a normal build the types are aliases of the types of sync/atomic, so
// they cost nothing and have exactly their memory order (sequentially consistent, and in the words
// of the Go memory model synchronizing); the functions are the runtime's.
//
// Under the build tag modelcheck the same names stand for the words and functions of
// internal/modelcheck, with the same methods: what runs in a model is then a step that the
// checker orders, and what runs outside of one behaves as in a normal build. A few
// functions are for threads of a model only, such as FutexWait.
//
// Under the build tag heddle_count the words are those of sync/atomic, but count the operations
// that change them, for tests of what a task costs.
//
// Under the build tag heddle_faults the clock can be set wrong. The other packages with files for
// that tag, internal/park and internal/paged, say what else a test can make fail.
//
// Only this package and internal/modelcheck import sync/atomic; a test checks that. So one replaced
// package lets the checker see and order every shared step of the code that ships.
package atomics
