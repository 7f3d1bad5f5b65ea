package sleepevent

// A WakeResult is the outcome of a wake. Every result means that work published before the call
// will be looked for; they differ in who does it and in what it cost.
type WakeResult uint8

const (
	// WakeNone: nobody (or not the worker named) was idle; nothing was done. Whoever runs
	// looks for work before it sleeps.
	WakeNone WakeResult = iota

	// WakeSearching: somebody is looking for work already; nothing was done.
	WakeSearching

	// WakeDrowsing: an idle worker that was awake was told; no kernel call.
	WakeDrowsing

	// WakeSleeping: a sleeping worker was woken.
	WakeSleeping
)

// Woke reports whether a worker was woken.
func (r WakeResult) Woke() bool { return r >= WakeDrowsing }

// String returns the result's word.
func (r WakeResult) String() string {
	switch r {
	case WakeNone:
		return "none"
	case WakeSearching:
		return "searching"
	case WakeDrowsing:
		return "drowsing"
	case WakeSleeping:
		return "sleeping"
	}
	return "WakeResult(?)"
}
