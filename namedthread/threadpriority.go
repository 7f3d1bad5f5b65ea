package namedthread

import "github.com/heddle-go/heddle/internal/osthread"

// A ThreadPriority says how the system should schedule an OS thread. Many systems reserve the
// two high ones for privileged programs; see [Thread.Refused].
type ThreadPriority uint8

const (
	// ThreadNormal is what threads have by default.
	ThreadNormal ThreadPriority = iota
	// ThreadHigh is preferred to normal.
	ThreadHigh
	// ThreadHighest is preferred strongly, though not real-time: for short work with a
	// deadline, such as audio.
	ThreadHighest
	// ThreadLow gives way to the others.
	ThreadLow

	threadPriorities = 4
)

// String returns "normal", "high", "highest" or "low".
func (p ThreadPriority) String() string {
	return constant("ThreadPriority", p, "normal", "high", "highest", "low")
}

// check panics if p is not one of the constants.
func (p ThreadPriority) check() {
	if p >= threadPriorities {
		panic("namedthread: no such thread priority: " + p.String())
	}
}

// os returns what the system is asked for.
func (p ThreadPriority) os() osthread.Priority {
	return [threadPriorities]osthread.Priority{
		ThreadNormal:  osthread.PriorityNormal,
		ThreadHigh:    osthread.PriorityHigh,
		ThreadHighest: osthread.PriorityHighest,
		ThreadLow:     osthread.PriorityLow,
	}[p]
}
