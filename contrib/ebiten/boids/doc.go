// Package boids simulates a flock of birds after Reynolds ("Flocks, Herds, and Schools: A
// Distributed Behavioral Model", SIGGRAPH 1987), sparks that fall, and a picture of both. It knows
// no window: what shows the picture is another package.
//
// A step is a handful of phases, each a loop over birds, rows or sparks. A [Way] says who runs
// them: one goroutine, goroutines with a wait after each phase, or a graph of a taskgraph.System.
// Each result is a function of the phase before alone, so all ways come to the same state, bit for
// bit.
package boids
