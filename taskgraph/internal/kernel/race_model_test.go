//go:build modelcheck && race

package kernel_test

// raceEnabled: the race detector makes each execution take several times as long.
const raceEnabled = true
