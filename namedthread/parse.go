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
// one ID and each valid ID has one text. A text that is kept for another run of the program should
// have no generation. The error wraps [ErrID] and names what is wrong.
func ParseID(text string) (ID, error) {
	fail := func(format string, args ...any) (ID, error) {
		return 0, fmt.Errorf("%w: %q: %s", ErrID, text, fmt.Sprintf(format, args...))
	}
	parts := strings.Split(text, "/")
	if len(parts) != 4 {
		return fail("want index/queue/priority/thread priority")
	}
	index, gen := AnyThread, 0
	if parts[0] != "any" {
		number, of, has := strings.Cut(parts[0], "#")
		var ok bool
		if index, ok = canonical(number, 0, MaxThreads-1); !ok {
			return fail("index %q is neither any nor 0 to %d", number, MaxThreads-1)
		}
		if gen, ok = canonical(of, 1, generations); has && !ok {
			return fail("generation %q is not 1 to %d", of, generations)
		}
	}
	for q := range Queue(queues) {
		for p := range Priority(priorities) {
			for tp := range ThreadPriority(threadPriorities) {
				if q.String() == parts[1] && p.String() == parts[2] && tp.String() == parts[3] {
					return MakeID(index, q, p, tp) | ID(gen)<<genShift, nil
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

// canonical reads a number from low to high that is written as strconv writes it, else 0.
func canonical(text string, low, high int) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high || strconv.Itoa(n) != text {
		return 0, false
	}
	return n, true
}
