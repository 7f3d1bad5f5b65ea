//go:build modelcheck

package sleepevent

// Under the model checker a round is one look: every further one is a step that multiplies
// the schedules and can learn nothing that the first could not.
const drowseRound = 1
