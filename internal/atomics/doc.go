// Package atomics is the seam between Heddle's concurrent code and the machine.
//
// Every word that two goroutines of Heddle may touch is declared with a type of this
// package, and every step by which one may start, yield to or spin for another goes through
// a function of it. In a normal build the types are aliases of the types of sync/atomic, so
// they cost nothing and have exactly their memory order (sequentially consistent, and in
// the words of the Go memory model synchronizing); the functions are the runtime's.
//
// No other package of the module imports sync/atomic; a test holds that. So one replaced
// package lets a tool see and order every shared step of the code that ships.
package atomics
