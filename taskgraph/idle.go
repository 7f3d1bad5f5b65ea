package taskgraph

// Idle says how long workers without work, and waits with nothing left to run, stay awake before
// they sleep.
type Idle uint8

const (
	// IdleAdaptive keeps them awake for as long as that has paid of late: some 50 µs, a wait up to a millisecond
	// while others work. A system that has nothing to do uses no processor.
	IdleAdaptive Idle = iota

	// IdleSleep lets them sleep at once. It uses the least processor time, and each wake takes some 50 µs. Nobody is awake
	// before a beat either, see [System.SleepUntil].
	IdleSleep

	// IdleAwake keeps all workers but one for each P awake until the system is shut down: the least latency, for a
	// machine that has nothing else to do. Goroutines that wait for a processor still get one.
	IdleAwake
)

// String returns the constant's name.
func (i Idle) String() string {
	switch i {
	case IdleAdaptive:
		return "IdleAdaptive"
	case IdleSleep:
		return "IdleSleep"
	case IdleAwake:
		return "IdleAwake"
	}
	return "Idle(?)"
}
