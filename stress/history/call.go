package history

import "math"

// A Call is one operation of a history. It took effect at one moment from Begin to End, both
// included.
type Call struct {
	Thread int32 // who called; for reports only
	Op     int32 // which operation, as the Spec numbers them
	Arg    int64 // its argument
	Ret    int64 // what it returned
	Status int32 // Fail, OK, Retry or Pending, as the Spec says

	// Step, if not 0, orders what a thread did from the same Begin to the same End, see Log.Then:
	// what has a lower Step comes first.
	Step int32

	// Begin and End are times of any unit. A call precedes another if it ended before, not
	// at, the moment at which the other began.
	Begin, End int64
}

// The statuses of a Call. A Spec may use others.
const (
	Fail    = 0  // it came to nothing: empty, full, closed, or too late
	OK      = 1  // it did what it is for
	Retry   = 2  // it came to nothing because of another call, see RetryJustified
	Pending = -1 // it has not returned, and may have taken effect or not; Ret means nothing
)

// Never is the End of a pending call.
const Never = math.MaxInt64

// Precedes reports whether c ended before d began, or is an earlier step of the same thread.
func (c *Call) Precedes(d *Call) bool { return c.end() < d.Begin || c.isStepBefore(d) }

// isStepBefore reports whether both were made by one thread at one time, c first.
func (c *Call) isStepBefore(d *Call) bool {
	return c.Step != 0 && c.Step < d.Step && c.Thread == d.Thread && c.Begin == d.Begin &&
		c.End == d.End
}

// Overlaps reports whether neither call precedes the other.
func (c *Call) Overlaps(d *Call) bool { return !c.Precedes(d) && !d.Precedes(c) }

// end is End, or Never if c has not returned.
func (c *Call) end() int64 {
	if c.Status == Pending {
		return Never
	}
	return c.End
}

// RetryJustified reports whether each call with the status Retry overlaps another one that
// is a taking: a call may give up only because another took something meanwhile. isTake
// is asked about every other call, also about those that retried or have not returned.
func RetryJustified(calls []Call, isTake func(c *Call) bool) bool {
	for i := range calls {
		if calls[i].Status == Retry && !overlapsTake(calls, i, isTake) {
			return false
		}
	}
	return true
}

func overlapsTake(calls []Call, i int, isTake func(c *Call) bool) bool {
	for j := range calls {
		if j != i && calls[i].Overlaps(&calls[j]) && isTake(&calls[j]) {
			return true
		}
	}
	return false
}
