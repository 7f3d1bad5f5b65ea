//go:build modelcheck

package spin

// Under the model checker a round is one look: further ones would multiply the schedules and find
// nothing new.
const (
	roundPauses = 1
	yieldRounds = 1
)
