// Package turns lets goroutines take turns: of those that take part exactly one runs at a time,
// and at each step a choice that depends on a seed alone says which goes on. Time is virtual
// and passes when nothing else is left to do. So a run is repeated by its seed.
//
// It is what the deterministic mode of package taskgraph stands on.
package turns
