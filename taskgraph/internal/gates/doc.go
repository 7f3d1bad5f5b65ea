// Package gates lets entries through as long as it has places for them, and knows the way of a task
// through several gates.
package gates
