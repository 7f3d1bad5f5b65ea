//go:build !modelcheck

package spin

// A round is about a microsecond. yieldRounds of them are about what asking the Go scheduler may
// cost: it holds its lock for a moment.
const (
	roundPauses = 60
	yieldRounds = 4
)
