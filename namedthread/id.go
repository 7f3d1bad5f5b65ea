package namedthread

import "strconv"

// An ID is a request in one word: for which thread, in which of its queues, with which
// priority there, and, where any thread will do, on threads of which priority.
//
//	31       12 11 10   9    8   7      0
//	[   gen   | thr  | pri | q | index  ]
//
// An ID that [Thread.ID] returns has a generation: it asks for that very thread, and for none of
// those that have its index after it. One that [MakeID] returns has none and asks for whatever
// thread has the index. The zero ID asks so for thread 0, its main queue, high priority.
//
// IDs can be compared and copied. After 2^20-1 threads under one index of a [Registry] the
// generations of that index begin anew.
type ID uint32

// AnyThread is the index of an [ID] that asks for no thread in particular.
const AnyThread = 0xff

// MaxThreads is the number of threads that a [Registry] can hold; their indices are below it.
// Index 254 is kept free.
const MaxThreads = 254

// The fields of an ID.
const (
	queueShift    = 8
	priorityShift = 9
	threadShift   = 10
	genShift      = 12

	generations = 1<<(32-genShift) - 1 // numbered from 1
)

// MakeID packs a request, without a generation. It panics if the index is neither below
// [MaxThreads] nor [AnyThread], or if one of the others is not a constant of its type.
func MakeID(index int, q Queue, p Priority, tp ThreadPriority) ID {
	if (index < 0 || index >= MaxThreads) && index != AnyThread {
		panic("namedthread: no such index: " + strconv.Itoa(index))
	}
	return ID(index).WithQueue(q).WithPriority(p).WithThreadPriority(tp)
}

// Index returns the index asked for, or [AnyThread].
func (id ID) Index() int { return int(id & 0xff) }

// Any reports whether the ID asks for no thread in particular.
func (id ID) Any() bool { return id.Index() == AnyThread }

// Generation returns which of the threads that have the index, one after the other, is asked for;
// 0: the one that has it.
func (id ID) Generation() uint32 { return uint32(id >> genShift) }

// Queue returns the queue asked for.
func (id ID) Queue() Queue { return Queue(id >> queueShift & 1) }

// Priority returns the priority asked for within the queue.
func (id ID) Priority() Priority { return Priority(id >> priorityShift & 1) }

// ThreadPriority returns the priority asked for of a thread.
func (id ID) ThreadPriority() ThreadPriority { return ThreadPriority(id >> threadShift & 3) }

// Valid reports whether the ID is one that [MakeID] or [Thread.ID] may return.
func (id ID) Valid() bool {
	return id.Index() < MaxThreads || id.Any() && id.Generation() == 0
}

// WithQueue returns the ID with another queue. It panics if q is no queue.
func (id ID) WithQueue(q Queue) ID {
	q.check()
	return id&^(1<<queueShift) | ID(q)<<queueShift
}

// WithPriority returns the ID with another priority within the queue. It panics if p is no
// priority.
func (id ID) WithPriority(p Priority) ID {
	p.check()
	return id&^(1<<priorityShift) | ID(p)<<priorityShift
}

// WithThreadPriority returns the ID with another priority of a thread. It panics if tp is not
// one of the constants.
func (id ID) WithThreadPriority(tp ThreadPriority) ID {
	tp.check()
	return id&^(3<<threadShift) | ID(tp)<<threadShift
}

// String returns the fields, such as "3/main/normal/normal" or "any/local/high/low":
// index, queue, priority, priority of a thread. A generation stands behind the index:
// "3#7/main/normal/normal".
func (id ID) String() string {
	if !id.Valid() {
		return "ID(0x" + strconv.FormatUint(uint64(id), 16) + ")"
	}
	index := "any"
	if !id.Any() {
		index = strconv.Itoa(id.Index())
		if gen := id.Generation(); gen != 0 {
			index += "#" + strconv.FormatUint(uint64(gen), 10)
		}
	}
	return index + "/" + id.Queue().String() + "/" + id.Priority().String() + "/" +
		id.ThreadPriority().String()
}
