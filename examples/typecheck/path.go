package main

import (
	"slices"
	"time"
)

// remaining returns for each package the weight of the heaviest chain of packages that
// starts with it and goes on through its importers. Nothing can end sooner after the
// start of a package than that, however many workers there are.
func (g *graph) remaining(weight []time.Duration) []time.Duration {
	rest := make([]time.Duration, len(g.pkgs))
	for i := len(g.pkgs) - 1; i >= 0; i-- { // importers have higher numbers
		rest[i] += weight[i]
		for _, imp := range g.pkgs[i].imports {
			rest[imp] = max(rest[imp], rest[i])
		}
	}
	return rest
}

// shares are the borders between the priorities, highest first: a package whose remaining
// chain is longer than this share of the longest one goes before those below the border.
var shares = [...]float64{0.6, 0.35, 0.2, 0.08}

// ranks gives each package a priority by how long a chain of importers waits for it, 0 the
// highest. Before the first run the size of the sources has to stand for the time.
func (g *graph) ranks() []int {
	size := make([]time.Duration, len(g.pkgs))
	for i := range g.pkgs {
		size[i] = time.Duration(g.pkgs[i].bytes)
	}
	rest := g.remaining(size)
	ranks := make([]int, len(rest))
	for i := range rest {
		for _, share := range shares {
			if float64(rest[i]) <= share*float64(slices.Max(rest)) {
				ranks[i]++
			}
		}
	}
	return ranks
}
