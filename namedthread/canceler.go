package namedthread

// A Canceler is a [Runnable] that wants to know of work that its thread accepted and will not
// run because it quits. Work whose Runnable is no Canceler is counted in [Thread.Dropped].
type Canceler interface {
	// CancelOn is called on the goroutine of t instead of RunOn. What it posts to t is
	// refused. A panic is treated as one of work, see [Options].
	CancelOn(t *Thread, token uint64)
}
