// Package watch says which bodies run, on which goroutines and since when, for reports of what is
// stuck and of slow bodies. README.md says what readers can rely on.
//
// A G is a whole, such as a graph, of which a body may be a part.
package watch
