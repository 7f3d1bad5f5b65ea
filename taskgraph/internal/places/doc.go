// Package places gives stretches of indices to what runs for a while, a run of a graph for one, so
// that an entry leads to it. It does not know what that is.
package places
