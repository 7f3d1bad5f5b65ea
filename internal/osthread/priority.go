package osthread

// A Priority is how much a thread is preferred by the operating system.
type Priority int8

const (
	PriorityLow     Priority = iota - 1 // gives way to the others
	PriorityNormal                      // what a thread starts with
	PriorityHigh                        // preferred
	PriorityHighest                     // preferred strongly; still not real-time
)

// String returns the priority's word.
func (p Priority) String() string {
	switch p {
	case PriorityLow:
		return "low"
	case PriorityNormal:
		return "normal"
	case PriorityHigh:
		return "high"
	case PriorityHighest:
		return "highest"
	}
	return "Priority(?)"
}

// valid reports whether p is one of the constants.
func (p Priority) valid() bool { return p >= PriorityLow && p <= PriorityHighest }
