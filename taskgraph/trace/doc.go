// Package trace records what a taskgraph.System does, cheaply enough to be left on: who ran which
// task when, what was waited for, and what made it ready. README.md says what it costs.
package trace
