package namedthread

// A Queue names one of the two queues of a [Thread].
type Queue uint8

const (
	// QueueMain is for ordinary work.
	QueueMain Queue = iota
	// QueueLocal is for work that belongs to what the thread is doing just now. It is run by
	// a pump or a Wait that names it, and by a pump of the main queue that has nothing else
	// to do.
	QueueLocal

	queues = 2
)

// String returns "main" or "local".
func (q Queue) String() string { return constant("Queue", q, "main", "local") }

// check panics if q is no queue.
func (q Queue) check() {
	if q >= queues {
		panic("namedthread: no such queue: " + q.String())
	}
}
