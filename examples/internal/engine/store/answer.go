package store

// An Answer is what became of a request.
type Answer[T any] struct {
	Request uint32
	Round   uint32
	Value   T      // the zero value if there is a fault
	Fault   *Fault // nil: none
}
