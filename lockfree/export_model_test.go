//go:build modelcheck

package lockfree

import "github.com/heddle-go/heddle/internal/atomics"

// More hooks of the model tests: containers that come to their seams within a few calls.

// NewStackFrom is NewStackAt for a Stack that has made some nodes, which are lost to it.
func NewStackFrom[T any](count uint64, nodes uint32) *Stack[T] {
	s := NewStackAt[T](count)
	s.nodes.fresh.Store(nodes)
	return s
}

// NewStallingQueueFrom is NewStallingQueueAt for one that has made some nodes, which are lost to
// it.
func NewStallingQueueFrom[T any](count uint64, nodes uint32) *StallingQueue[T] {
	q := NewStallingQueueAt[T](count)
	q.nodes.fresh.Store(nodes)
	return q
}

// NewClosableListFrom returns a ClosableList that has made some nodes, which are lost to it.
func NewClosableListFrom[T any](nodes uint32) *ClosableList[T] {
	l := new(ClosableList[T])
	l.nodes.fresh.Store(nodes)
	return l
}

// NewDequeOf is NewDequeAt with a buffer of the given length, a power of two.
func NewDequeOf[T ~uint32 | ~uint64 | ~uintptr](pos uint64, length int) *Deque[T] {
	d := NewDequeAt[T](pos)
	slots := make([]atomics.Uint64, length)
	d.slots = slots
	d.buffer.Store(&slots)
	return d
}

// NewPointerDequeOf is NewPointerDequeAt with a buffer of the given length, a power of two.
func NewPointerDequeOf[T any](pos uint64, length int) *PointerDeque[T] {
	d := NewPointerDequeAt[T](pos)
	slots := make([]atomics.Pointer[T], length)
	d.slots = slots
	d.buffer.Store(&slots)
	return d
}

// NewSPSCQueueOf is NewSPSCQueueAt with a first segment of the given length.
func NewSPSCQueueOf[T any](pos uint64, length int) *SPSCQueue[T] {
	q := NewSPSCQueueAt[T](pos)
	q.write = &spscSegment[T]{slots: make([]T, length)}
	q.read = q.write
	return q
}
