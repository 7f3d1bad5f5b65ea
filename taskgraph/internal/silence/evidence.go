package silence

// How many ticks are enough. Each at which some goroutine is seen to block counts a half, and each
// at which all may be computing counts a hundredth: a goroutine outside of the system can hide a
// body that blocks, so even the latter is enough in the end. If callers keep a worker asleep it
// only has to be woken, and a tick counts a tenth; a single one may mean only that the caller had
// no processor.
const (
	Blocked = 2
	KeptOut = 10
	Hidden  = 100
)

// Evidence is of bodies that block, in parts of Hidden. It is 0 after each sign of life.
type Evidence int

// Add adds the evidence of a tick, and reports whether there is enough to let one more run; then it
// begins anew.
func (e *Evidence) Add(keptOut, mayCompute bool) bool {
	switch {
	case !mayCompute:
		*e += Hidden / Blocked
	case keptOut:
		*e += Hidden / KeptOut
	default:
		*e++
	}
	if *e < Hidden {
		return false
	}
	*e = 0
	return true
}
