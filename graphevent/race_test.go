//go:build race

package graphevent_test

const raceEnabled = true
