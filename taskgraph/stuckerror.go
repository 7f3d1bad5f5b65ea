package taskgraph

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
	what := "shut down"
	if e.goesOn {
		what = "stuck"
	}
	return e.found().Brief(what, e.Cause)
}

// Unwrap returns the cause.
func (e *StuckError) Unwrap() error { return e.Cause }
