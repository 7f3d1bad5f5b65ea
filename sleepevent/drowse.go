//go:build !modelcheck

package sleepevent

// drowseRound is how many pauses, each of which ends in a look at the drowser's own line, come between two
// yields of the drowse loop: a few microseconds.
const drowseRound = 64
