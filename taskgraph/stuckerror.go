package taskgraph

import (
	"fmt"
	"strings"
)

// A StuckError is returned by [System.Shutdown] if tasks did not complete; those that had not
// started have failed with ErrClosed. The report is of the moment before. In deterministic mode a
// wait returns one, and abandons nothing.
type StuckError struct {
	StuckReport
	Cause error // of the context's end, or nil: nothing was left that could run

	goesOn bool // nothing was abandoned
}

// Error says in one line what the first tasks wait for. String says more.
func (e *StuckError) Error() string {
	const most = 8
	var b strings.Builder
	what := "shut down"
	if e.goesOn {
		what = "stuck"
	}
	fmt.Fprintf(&b, "taskgraph: %s with %d incomplete", what, len(e.Tasks)+e.More)
	if e.Cause != nil {
		fmt.Fprintf(&b, " (%v)", e.Cause)
	}
	sep := ": "
	for i := range min(len(e.Tasks), most) {
		b.WriteString(sep)
		b.WriteString(e.line(i))
		sep = "; "
	}
	if more := len(e.Tasks) + e.More - most; more > 0 {
		fmt.Fprintf(&b, "; and %d more", more)
	}
	for _, c := range e.Cycles {
		fmt.Fprintf(&b, "; cycle: %s", cycleText(c))
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *StuckError) Unwrap() error { return e.Cause }
