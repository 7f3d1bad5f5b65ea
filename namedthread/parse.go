package namedthread

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrID is wrapped by the error of [ParseID].
var ErrID = errors.New("namedthread: no ID")

// ParseID reads what [ID.String] writes of a valid ID, such as "3/main/high/normal" or
// "any/local/normal/low": index, queue, priority, priority of a thread. Each text stands for
// one ID and each valid ID has one text. The error wraps [ErrID] and names what is wrong.
func ParseID(text string) (ID, error) {
	fail := func(format string, args ...any) (ID, error) {
		return 0, fmt.Errorf("%w: %q: %s", ErrID, text, fmt.Sprintf(format, args...))
	}
	parts := strings.Split(text, "/")
	if len(parts) != 4 {
		return fail("want index/queue/priority/thread priority")
	}
	index := AnyThread
	if parts[0] != "any" {
		n, err := strconv.ParseUint(parts[0], 10, 8)
		if err != nil || n >= MaxThreads || strconv.FormatUint(n, 10) != parts[0] {
			return fail("index %q is neither any nor 0 to %d", parts[0], MaxThreads-1)
		}
		index = int(n)
	}
	for q := range Queue(queues) {
		for p := range Priority(priorities) {
			for tp := range ThreadPriority(threadPriorities) {
				if q.String() == parts[1] && p.String() == parts[2] && tp.String() == parts[3] {
					return MakeID(index, q, p, tp), nil
				}
			}
		}
	}
	switch {
	case parts[1] != QueueMain.String() && parts[1] != QueueLocal.String():
		return fail("queue %q is neither main nor local", parts[1])
	case parts[2] != PriorityHigh.String() && parts[2] != PriorityNormal.String():
		return fail("priority %q is neither high nor normal", parts[2])
	}
	return fail("thread priority %q is none of low, normal, high and highest", parts[3])
}
