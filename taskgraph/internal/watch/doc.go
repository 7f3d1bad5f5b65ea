// Package watch says which bodies run, on which goroutines and since when, for those who look on:
// reports of what is stuck, and of bodies that take long. README.md says what they can rely on.
//
// A G is what a body may be a part of, besides having a reference.
package watch
