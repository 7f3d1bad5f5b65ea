//go:build race

package modelcheck

// underRace says whether the race detector is on, under which all is ten times slower.
const underRace = true
