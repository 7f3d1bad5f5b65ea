package lockfree

// A StealResult tells what a Steal came to.
type StealResult uint8

const (
	// StealOK means that the Steal took an element.
	StealOK StealResult = iota
	// StealEmpty means that the deque was empty at some moment inside the Steal.
	StealEmpty
	// StealRetry means that another call took the element first; there may be more.
	StealRetry
)
