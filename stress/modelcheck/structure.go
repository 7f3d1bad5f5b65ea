package modelcheck

import (
	"fmt"

	"github.com/heddle-go/heddle/internal/modelcheck"
	"github.com/heddle-go/heddle/stress/history"
)

// A Judge decides whether histories are right, as history.Checker and history.LevelChecker
// do.
type Judge interface {
	// Linearizable reports whether some order of the calls explains them.
	Linearizable(calls []history.Call) bool
	// Explain draws what is wrong.
	Explain(calls []history.Call) string
}

// Who says which threads of a generated program may have an operation.
type Who uint8

const (
	// Anyone: every thread, and the set-up and the end.
	Anyone Who = iota
	// First: thread A, and the set-up and the end.
	First
	// Second: thread B.
	Second
	// NotFirst: all but thread A.
	NotFirst
)

// may reports whether a thread may have the operation; -1 stands for the set-up.
func (w Who) may(thread int) bool {
	switch w {
	case First:
		return thread <= 0
	case Second:
		return thread == 1
	case NotFirst:
		return thread > 0
	}
	return true
}

// A Structure is a type under test, with its operations.
type Structure[S any] struct {
	// Name is what the type is called in reports.
	Name string

	// New returns a new one.
	New func() S

	// Ops are its operations.
	Ops []Op[S]

	// Judge returns what decides about histories.
	Judge func() Judge

	// Drain, if there is one, is called at the end of each execution, to show by further
	// calls what is left.
	Drain func(s S, l *Log)

	// Check, if there is one, may fail an execution whose history is right; it returns what is
	// wrong, or "".
	Check func(s S, calls []history.Call) string

	// Composite says that calls are logged as several, with Also: then a history in which one
	// was suspended for ever is not judged.
	Composite bool

	// Threads bounds the number of threads. Default: 4.
	Threads int

	// CallName names a call in a trace. Default: history.OpName.
	CallName func(c *history.Call) string

	// LockFree asks for the check of Options.LockFree.
	LockFree bool
}

// An Op is an operation of a Structure.
type Op[S any] struct {
	// Name is what a program calls it.
	Name string

	// Who may call it.
	Who Who

	// Do calls it and logs that. The value is from 1 to 15, and each call of a program has
	// another one.
	Do func(s S, l *Log, value int64)

	// Weight is how often it is drawn, compared to the others. Default: 1.
	Weight int
}

// A Log is what one thread of an execution called.
type Log struct {
	thread int32
	name   func(c *history.Call) string
	clock  *int64 // in the set-up and at the end, where calls have no steps
	calls  []history.Call
}

// Thread returns the number of the thread, 0 for A; -1 in the set-up and at the end.
func (l *Log) Thread() int { return int(l.thread) }

// Call makes a call of the operation op with the argument arg: f makes it and returns what it
// returned. history says what op, ret and status are.
func (l *Log) Call(op int32, arg int64, f func() (ret int64, status int32)) {
	modelcheck.OpBegin()
	returned := false
	defer func() {
		if returned {
			return
		}
		if began, ok := modelcheck.OpStarted(); ok { // suspended for ever in the middle of f
			l.calls = append(l.calls,
				history.Call{Thread: l.thread, Op: op, Arg: arg, Status: history.Pending,
					Begin: began, End: history.Never})
		}
	}()
	ret, status := f()
	begin, end := modelcheck.OpEnd()
	returned = true
	if l.clock != nil {
		*l.clock++
		begin, end = *l.clock, *l.clock
	}
	l.calls = append(l.calls,
		history.Call{Thread: l.thread, Op: op, Arg: arg, Ret: ret, Status: status, Begin: begin,
			End: end})
	if modelcheck.Inside() {
		modelcheck.Note(func() string {
			return fmt.Sprintf("[%s]", l.name(&l.calls[len(l.calls)-1]))
		})
	}
}

// Also logs another step of the call that was logged last, over the same interval.
func (l *Log) Also(op int32, arg, ret int64, status int32) {
	c := l.calls[len(l.calls)-1]
	c.Op, c.Arg, c.Ret, c.Status = op, arg, ret, status
	l.calls = append(l.calls, c)
}

// Last returns the call that was logged last, to be changed.
func (l *Log) Last() *history.Call { return &l.calls[len(l.calls)-1] }

// Where the state spaces of small programs are used up before the budget is, more programs
// are drawn, and longer ones.
