package history

import "github.com/heddle-go/heddle/internal/cacheline"

// A Log is the part of a Recorder that belongs to one thread.
//
// # Concurrency
//
// For one goroutine at a time.
type Log struct {
	_      cacheline.Pad
	calls  []Call
	thread int32
	beat   int64 // if not 0, most calls begin soon after a multiple of that, a power of two
	_      cacheline.Pad
}

// Thread returns the number of the thread.
func (l *Log) Thread() int { return int(l.thread) }

// Begin writes down that a call begins now: call it just before.
func (l *Log) Begin(op int32, arg int64) {
	l.calls = append(l.calls, Call{Thread: l.thread, Op: op, Arg: arg, Status: Pending, End: Never})
	begin := &l.calls[len(l.calls)-1].Begin
	*begin = now()
	if l.beat != 0 && (len(l.calls)+int(l.thread))%3 != 0 {
		for *begin&(l.beat-1) > l.beat/4 {
			*begin = now()
		}
	}
	// A processor goes on while it reads its clock, so the call's first looks could be older than
	// its begin. The next reading waits for this one to be over, and what comes after it waits,
	// too.
	now()
}

// End writes down that the call that began last has returned: call it just after.
func (l *Log) End(ret int64, status int32) {
	end := now()
	c := &l.calls[len(l.calls)-1]
	c.Ret, c.Status, c.End = ret, status, end
}

// Also adds a call with the begin and the end of the one that ended last: another step of it.
func (l *Log) Also(op int32, arg, ret int64, status int32) {
	last := l.calls[len(l.calls)-1]
	l.calls = append(l.calls,
		Call{Thread: l.thread, Op: op, Arg: arg, Ret: ret, Status: status, Begin: last.Begin,
			End: last.End})
}

// Then is Also for a step that comes after the one that was written last.
func (l *Log) Then(op int32, arg, ret int64, status int32) {
	n := len(l.calls)
	if last := &l.calls[n-1]; last.Step == 0 {
		last.Step = int32(n)
	}
	l.Also(op, arg, ret, status)
	l.calls[n].Step = int32(n + 1)
}

// Change gives the call that began last another operation and argument, where only its result
// tells what it was.
func (l *Log) Change(op int32, arg int64) {
	c := &l.calls[len(l.calls)-1]
	c.Op, c.Arg = op, arg
}

// Calls returns what was written, in the order of begin. It is valid until the Recorder is
// reset.
func (l *Log) Calls() []Call { return l.calls }
