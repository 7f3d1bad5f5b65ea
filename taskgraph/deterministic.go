package taskgraph

import "io"

// Deterministic makes a system run its tasks one at a time, in an order that depends on nothing but
// this: the same program does the same in each run, on every platform. It is for tests: among
// all the orders that the program allows, each seed picks one, so a bug that hides in the order
// shows with some seed, and then every time.
//
// Whenever a task is launched, a wait begins or ends, a task completes, somebody is woken, or
// a loop takes its next range, it is decided who goes on: any body, any ready task of the highest
// priority that a worker without work may take, the named threads, the goroutine that started
// the system. In between nobody is interrupted. A body or a goroutine that waits keeps its
// place; Options.Workers (default 4, whatever the machine has) bodies at most are in progress.
// Otherwise everything is as usual, with these differences:
//
//   - Time is virtual. [System.Now] begins at a fixed time, and only when nothing can go on
//     does it jump to when the next delay, period or [System.WithTimeout] ends. A context of package
//     context that ends by its deadline does so in real time: that is outside.
//   - If nothing can go on and no delay is pending, the wait of the goroutine that started the
//     system returns a *[StuckError] at once, that says what waits for what. Where it waits in
//     something without an error, it panics with that.
//   - What the system cannot see stops everything: while a body waits for a channel, a mutex or
//     another goroutine, nobody else runs. A body must not hold a mutex that others want where
//     it launches, waits or triggers.
//   - Only the goroutine that called [Start], bodies, what named threads run, and functions given
//     to [System.Outside] may use the system. Of another goroutine, a wait panics, and so does
//     much else, but not all.
//   - [Context.Blocking] calls its function, and nobody runs until that returns or uses
//     the system.
//   - A [namedthread.Thread] of Options.Threads takes turns with the others, its pumps
//     included, from Start or from its first task until Shutdown returns. When it joins it must
//     be idle in a pump, or be the goroutine that calls Start.
//
// A data race is found as well as usual by the race detector where only the order of tasks keeps two
// accesses apart; it is not where they just cannot come together, so run tests without
// Deterministic too.
type Deterministic struct {
	// Seed makes all choices.
	Seed uint64

	// Schedule, if not nil, makes the first choices instead, a byte each, and then whoever runs
	// goes on and the oldest comes next. A choice among n is the byte modulo n, and 0 is the
	// one that goes on, or the oldest. So a Schedule of zeros, or of none, is the plainest order,
	// and a tool that makes inputs shorter and smaller, a fuzzer or rapid, leaves only the
	// choices that matter.
	Schedule []byte

	// Trace, if not nil, gets a line for each step: its number, which of how many choices it
	// is, and who goes on or takes what; and lines without a choice for what becomes ready,
	// who begins to wait, and the time. An error of it is ignored.
	Trace io.Writer
}
