//go:build !race

package main

// buildSlows is how many times slower this build is than an ordinary one.
const buildSlows = 1
