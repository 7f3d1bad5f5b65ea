package history

// A Recorder writes down what threads call, each into a Log of its own, with the times of a
// monotonic clock. Calls that get equal times overlap.
//
// Make one with NewRecorder.
//
// # Concurrency
//
// Each Log is for one goroutine at a time. No Log shares memory with another, so that recording
// synchronizes nothing. Reset and Calls may be called when no Log is in use and each
// use happened before.
//
// # Cost
//
// A look at the clock before and one after each call, and no allocation as long as a Log
// does not exceed the capacity.
type Recorder struct {
	logs  []*Log
	calls []Call
}

// NewRecorder returns a Recorder for that many threads, with room for capacity calls each.
func NewRecorder(threads, capacity int) *Recorder {
	r := &Recorder{}
	for i := range threads {
		r.logs = append(r.logs, &Log{thread: int32(i), calls: make([]Call, 0, capacity)})
	}
	return r
}

// Log returns the log of a thread, 0 to threads-1.
func (r *Recorder) Log(thread int) *Log { return r.logs[thread] }

// Reset empties all logs.
func (r *Recorder) Reset() {
	for _, l := range r.logs {
		l.calls = l.calls[:0]
	}
}

// Calls returns the calls of all threads, thread by thread. It is valid until the next Calls.
func (r *Recorder) Calls() []Call {
	r.calls = r.calls[:0]
	for _, l := range r.logs {
		r.calls = append(r.calls, l.calls...)
	}
	return r.calls
}
