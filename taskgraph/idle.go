package taskgraph

// Idle says how long idle workers, and waits with nothing to run, stay awake.
type Idle uint8

// How long that is.
const (
	// IdleAdaptive: for as long as that has paid of late, some 50 µs, a wait up to a millisecond
	// while others work. A system that has nothing to do uses no processor.
	IdleAdaptive Idle = iota
	// IdleSleep: not at all, also before a beat. It uses the least processor time; each wake takes
	// some 50 µs.
	IdleSleep
	// IdleAwake: until the shutdown, all workers but one for each P. It has the least latency.
	// Goroutines that wait for a processor still get one.
	IdleAwake
)
