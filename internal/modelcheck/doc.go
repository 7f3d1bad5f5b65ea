// Package modelcheck is the engine of Heddle's model checker: it runs a small concurrent
// program again and again, each time in another order of its steps, and says what went wrong
// in which.
//
// A program's shared words have the instrumented types of this package, [Uint64] and its
// kin. Inside a model each operation on one is a step: the thread announces it, the engine
// decides which thread moves, and only then is it carried out, on a real atomic word. Outside
// a model the types are the atomic words that they contain.
//
// README.md beside the code holds the design of the engine and of its explorers.
package modelcheck
