// Package trace records what a taskgraph.System does, cheaply enough to be left on.
package trace
