// Package turns makes goroutines take turns: exactly one of those that take part runs at a time,
// and at each step a choice that depends only on a seed says which. Time is virtual and passes when
// nothing else is left to do. So the seed reproduces the run.
//
// The deterministic mode of package taskgraph uses it.
package turns
