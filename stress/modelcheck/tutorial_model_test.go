//go:build modelcheck

package modelcheck_test

import (
	"testing"

	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/stress/modelcheck/atomic"
)

// What tutorial.md shows stands here, with model for TestModel; pages_model_test.go runs it and
// compares.

// A Queue holds numbers, first in, first out. Many goroutines may push; one at a time may pop.
type Queue struct {
	head *link                // whose value was popped last; belongs to the goroutine that pops
	tail atomic.Pointer[link] // whose value was pushed last
}

type link struct {
	value int64
	next  atomic.Pointer[link]
}

// NewQueue returns an empty queue.
func NewQueue() *Queue {
	q := &Queue{head: new(link)}
	q.tail.Store(q.head)
	return q
}

// Push appends a value.
func (q *Queue) Push(v int64) {
	n := &link{value: v}
	last := q.tail.Swap(n)
	last.next.Store(n)
}

// Pop removes the first value. It returns false if there is none.
func (q *Queue) Pop() (v int64, ok bool) {
	next := q.head.next.Load()
	if next == nil {
		return 0, false
	}
	q.head = next
	return next.value, true
}

func modelQueue(t testing.TB) {
	modelcheck.Check(t, modelcheck.Options{}, func(m *modelcheck.Model) {
		q := NewQueue()
		m.Thread(func() { q.Push(1) })
		m.Thread(func() {
			q.Push(2)
			_, ok := q.Pop()
			m.Assert(ok, "a value was pushed, and the queue is empty")
		})
	})
}

// A WaitingQueue is a Queue whose Pop waits for the value of a Push that has begun.
type WaitingQueue struct{ *Queue }

func (q *WaitingQueue) Pop() (v int64, ok bool) {
	for q.head.next.Load() == nil {
		if q.tail.Load() == q.head {
			return 0, false
		}
		atomic.Gosched()
	}
	return q.Queue.Pop()
}

// A HelpingQueue is a Queue whose Push finishes another one that has begun.
type HelpingQueue struct{ *Queue }

func (q *HelpingQueue) Push(v int64) {
	n := &link{value: v}
	for {
		last := q.tail.Load()
		if next := last.next.Load(); next != nil {
			q.tail.CompareAndSwap(last, next)
		} else if last.next.CompareAndSwap(nil, n) {
			q.tail.CompareAndSwap(last, n)
			return
		}
	}
}

type queue interface {
	Push(v int64)
	Pop() (v int64, ok bool)
}

var push = modelcheck.Op[queue]{Name: "Push", Do: func(q queue, l *modelcheck.Log, value int64) {
	l.Call(history.OpPush, value, func() (int64, int32) {
		q.Push(value)
		return 0, history.OK
	})
}}

var pop = modelcheck.Op[queue]{
	Name: "Pop",
	Who:  modelcheck.First,
	Do: func(q queue, l *modelcheck.Log, _ int64) {
		l.Call(history.OpPop, 0, func() (int64, int32) {
			if v, ok := q.Pop(); ok {
				return v, history.OK
			}
			return 0, history.Fail
		})
	},
}

func queues(name string, make func() queue) modelcheck.Structure[queue] {
	return modelcheck.Structure[queue]{
		Name:     name,
		New:      make,
		Ops:      []modelcheck.Op[queue]{push, pop},
		Judge:    func() modelcheck.Judge { return history.NewChecker(history.FIFO()) },
		LockFree: true,
	}
}

func modelHelpingQueue(t testing.TB) {
	tally := modelcheck.Programs(t, queues("HelpingQueue", func() queue {
		return &HelpingQueue{NewQueue()}
	}), modelcheck.Budget{}, modelcheck.Options{})
	if tally.Executions < 50_000 {
		t.Error("it hardly looked:", tally)
	}
}

func modelEmptyQueue(t testing.TB) {
	modelcheck.Programs(t, queues("Queue", func() queue { return NewQueue() }),
		modelcheck.Budget{}, modelcheck.Options{})
}

func modelWaitingQueue(t testing.TB) {
	modelcheck.Programs(t, queues("WaitingQueue", func() queue {
		return &WaitingQueue{NewQueue()}
	}), modelcheck.Budget{}, modelcheck.Options{})
}
