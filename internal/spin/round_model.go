//go:build modelcheck

package spin

// Under the model checker a round is one look: every further one is a step that multiplies
// the schedules and can learn nothing that the first could not.
const (
	roundPauses = 1
	yieldRounds = 1
)
