package namedthread

// A Runnable is work for a [Thread]. One value can stand for many pieces of work, told apart
// by the token that was posted with it, so that posting need not allocate.
type Runnable interface {
	// RunOn does the work on the goroutine of t.
	RunOn(t *Thread, token uint64)
}
