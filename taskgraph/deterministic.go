package taskgraph

import "io"

// A Deterministic makes a system run its tasks one at a time, in an order that depends on nothing
// but this: the same program does the same in each run, on every platform. It is for tests: a bug
// that depends on the order shows with some seed, and then every time.
//
// Who goes on is decided whenever a task is launched or completes, a wait begins or ends, somebody
// is woken, or a loop takes its next range; in between nobody is interrupted. Options.Workers
// bodies at most are in progress. What differs from the usual:
//
//   - Time is virtual. [System.Now] begins at a fixed time, and jumps to the end of the next delay,
//     period or [System.WithTimeout] when nothing else can go on. Deadlines of package context end
//     in real time.
//   - If nothing can go on and no delay is pending, the wait of the goroutine that called Start
//     returns a *[StuckError], or panics with it where it returns no error.
//   - While a body waits for what the system cannot see, a channel, a mutex, Context.Blocking,
//     nobody else runs. So it must not hold a mutex that others want where it launches, waits or
//     triggers.
//   - Only the goroutine that called Start, bodies, what named threads run, and functions given to
//     [System.Outside] may use the system; others panic, if noticed.
//   - A thread of Options.Threads takes turns from Start, or from its first task, until Shutdown
//     returns. It must then be idle in a pump, or be the goroutine that calls Start.
//
// Accesses that just cannot meet here are no race to the race detector: run tests without it too.
type Deterministic struct {
	Seed uint64 // makes all choices

	// Schedule, if not nil, makes the first choices instead, a byte each, and then whoever runs
	// goes on and the oldest comes next. A choice among n is the byte modulo n; 0 is the one that
	// goes on, or the oldest. So zeros are the plainest order, and what shrinks inputs, a fuzzer or
	// rapid, leaves only the choices that matter.
	Schedule []byte

	// Trace, if not nil, gets a line for each step: its number, which of how many choices it is,
	// and who goes on or takes what; and lines for what becomes ready, who begins to wait, and the
	// time. An error of it is ignored.
	Trace io.Writer
}
