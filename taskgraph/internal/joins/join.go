package joins

import "github.com/heddle-go/heddle/internal/atomics"

// A Join is the state of a forked call, for which the body that forked it waits. Whoever pops the
// entry takes the call, unless the body takes it early: then the entry remains, and the place of
// the call is free only when the body and the popper have let go of it. While the body pops its own
// entries off its own deque (J1), nothing here is written.
type Join struct {
	state atomics.Uint32
}

const (
	joinTaken   uint32 = 1 << iota // by whoever popped the entry, or early
	joinEarly                      // by the body, which has not popped the entry
	joinDone                       // another has taken and run it; its results may be read
	joinWaiting                    // the body waits
	joinLeft                       // early: the first of body and popper has let go of it
)

// Take is for whoever popped the entry, unless that is the body itself. If run, its caller runs the
// call and then calls Done. Otherwise the call was taken early, and free says that the caller of
// Take must free the place.
func (j *Join) Take() (run, free bool) {
	if j.state.CompareAndSwap(0, joinTaken) { // J2, LP(Take)
		return true, false
	}
	return false, j.Leave()
}

// TakeEarly is for the body. If it returns true, the body runs the call and then calls Leave.
func (j *Join) TakeEarly() bool {
	return j.state.CompareAndSwap(0, joinTaken|joinEarly) // J3, LP(TakeEarly)
}

// Leave ends what TakeEarly began, and reports whether the body must free the place.
func (j *Join) Leave() (free bool) { return j.state.Or(joinLeft)&joinLeft != 0 } // J4

// Done says that the call was run, and reports whether the body waits and must be told. Afterwards
// the place belongs to the body.
func (j *Join) Done() (waiting bool) { return j.state.Or(joinDone)&joinWaiting != 0 } // J5

// IsDone reports whether Done was called.
func (j *Join) IsDone() bool { return j.state.Load()&joinDone != 0 }

// IsTaken reports whether somebody has taken the call.
func (j *Join) IsTaken() bool { return j.state.Load()&joinTaken != 0 }

// IsEarly reports whether the body has taken the call early.
func (j *Join) IsEarly() bool { return j.state.Load()&joinEarly != 0 }

// Await announces that the body waits, and reports whether it need not, because Done was called.
func (j *Join) Await() (done bool) { return j.state.Or(joinWaiting)&joinDone != 0 } // J6

// Reset makes the place ready for another call. It is for whoever frees it.
func (j *Join) Reset() {
	if j.state.Load() != 0 {
		j.state.Store(0)
	}
}
