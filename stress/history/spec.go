package history

// A Spec says what an object does when its operations are called one after the other. S is
// its state: small, comparable by ==, and equal if and only if the object behaves alike from
// then on (if states differ without need, a search takes longer, but is right).
//
// Step must be a function of its arguments and keep neither of them. It is given every call,
// also one that is Pending: then it returns the state after c as if c took effect in s,
// whatever c would have returned, or false if c cannot take effect there. That a pending call
// may also have no effect is the checker's business.
type Spec[S comparable] struct {
	// Init is the state at the start.
	Init S
	// Step returns the state after c in state s, and whether c may return what it did there.
	Step func(s S, c *Call) (S, bool)
	// Name describes a call in reports: "Push(3)", "Pop() = 3". Nil names it by its numbers.
	Name func(c *Call) string
}
