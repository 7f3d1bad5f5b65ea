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

// criticalPath returns the heaviest chain in the graph, first package first, and its weight.
func (g *graph) criticalPath(weight []time.Duration) ([]int, time.Duration) {
	if len(g.pkgs) == 0 {
		return nil, 0
	}
	// How much has to happen before the end of each package, and through which import.
	until := make([]time.Duration, len(g.pkgs))
	via := make([]int, len(g.pkgs))
	last := 0
	for i := range g.pkgs {
		via[i] = -1
		for _, imp := range g.pkgs[i].imports {
			if via[i] < 0 || until[imp] > until[via[i]] {
				via[i] = imp
			}
		}
		if via[i] >= 0 {
			until[i] = until[via[i]]
		}
		if until[i] += weight[i]; until[i] > until[last] {
			last = i
		}
	}
	var path []int
	for i := last; i >= 0; i = via[i] {
		path = append(path, i)
	}
	slices.Reverse(path)
	return path, until[last]
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

// median returns the middle value, or the mean of the two middle ones; 0 of none.
func median(values []time.Duration) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}
