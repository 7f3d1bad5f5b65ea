package cull

// A State says what a view shows of a box.
type State uint8

// The states of a box.
const (
	Outside  State = iota // beyond a border of the view
	Crossing              // partly inside, or perhaps so
	Inside                // wholly
	Hidden                // within the borders, but behind something
)

// Seen reports whether any of the box may be seen.
func (s State) Seen() bool { return s == Crossing || s == Inside }

// All sets the states lo to hi-1 to Crossing: culling is off, all may be seen.
func All(states []State, lo, hi int) {
	for i := lo; i < hi; i++ {
		states[i] = Crossing
	}
}
