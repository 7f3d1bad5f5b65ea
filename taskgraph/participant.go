package taskgraph

import (
	"context"
)

// A Participant is one of those who run a loop: the caller, or a helper. It is valid during a call of the
// loop's body, and only on the goroutine that makes the call.
type Participant struct {
	l     *loop
	c     *Context // nil: a caller from outside
	index int
}

// Index returns the participant's number in this loop. The caller is 0, the helpers are numbered
// from 1 in the order of their launch; all numbers are less than [System.LoopLimit], and than
// Loop.Limit if that is set. Two calls of the body at the same time have different
// numbers, and calls with the same number come one after the other: what the earlier one did
// synchronizes before the later one.
func (p *Participant) Index() int { return p.index }

// Context returns the Context of the task in which the participant runs. It is nil if that is the
// caller and no body: a goroutine that called a method of the [System].
func (p *Participant) Context() *Context { return p.c }

// System returns the system of the loop.
func (p *Participant) System() *System { return p.l.sys }

// Stopped reports whether the loop has been ended early, by an error, by [ErrStopLoop], a panic or a
// cancellation. A call that takes long may ask, and return.
func (p *Participant) Stopped() bool { return p.l.cut.Load() || p.c != nil && p.c.stopped() != nil }

// ParallelFor runs a loop inside the loop, see [Context.ParallelFor].
func (p *Participant) ParallelFor(n, grain int, body func(lo, hi int)) error {
	return result(p.l.sys.parallelFor(p.c, n, grain, body))
}

// RunLoop runs a loop inside the loop, see [Context.RunLoop].
func (p *Participant) RunLoop(l Loop) error {
	return result(p.l.sys.loop(p.c, &l))
}

// help is the body of a helper. Each helper launches the next, so that wake-ups form a chain.
func (p *Participant) help(c *Context) error {
	l := p.l
	if !l.crew.Join() { // LO4
		p.late()
		return nil
	}
	c.reported = true
	joined, again := true, false
	defer func() {
		if !joined {
			return
		}
		p.c = nil
		if again {
			l.queue(p, c)
		}
		if l.crew.Leave() { // LO8
			l.done.Trigger()
			l.left.Unpark()
		}
		p.late()
	}()
	for loops := 0; joined; loops++ {
		p.c = c
		l.launch(c)
		again = p.share()
		if loops == maxInPlace || !p.mayStay(c) {
			break
		}
		p.c = nil
		round := l.crew.Number()
		if !l.crew.Stay() {
			break
		}
		joined = l.stay(c, round)
	}
	return nil
}

// late drops the reference of a helper that has left the loop, comes too late, or does not run.
func (p *Participant) late() {
	if l := p.l; l.crew.Drop() {
		l.free(nil)
	}
}

// share takes ranges until none is left. It reports whether it stopped earlier, to continue later.
func (p *Participant) share() (again bool) {
	over := false
	defer p.caught(&over)
	until := int64(0)
	if p.l.yields && p.c.r.onSlot() {
		until = p.l.sys.now() + backgroundTurn
	}
	for {
		from, to, ok := p.l.take()
		if !ok || !p.run(from, to) {
			break
		}
		if until != 0 && p.l.sys.now() > until && p.l.crew.Left(p.l.units) {
			again = true
			break
		}
	}
	over = true
	return again
}

// caught ends the loop if a panic or a Goexit has cut off the participant.
func (p *Participant) caught(over *bool) {
	if *over {
		return
	}
	p.l.fail(thrown(recover()))
}

// run calls the body for the units of a range, and reports whether the loop continues.
func (p *Participant) run(from, to uint64) bool {
	l := p.l
	if l.grain == 0 {
		return p.call(int(from), int(to))
	}
	for ; from < to; from++ {
		lo := int(from) * l.grain
		if !p.call(lo, lo+min(l.grain, l.n-lo)) {
			return false
		}
	}
	return true
}

func (p *Participant) call(lo, hi int) bool {
	l := p.l
	if p.c != nil {
		if err := p.c.stopped(); err != nil {
			l.fail(err)
			return false
		}
	}
	if l.plain != nil {
		l.plain(lo, hi)
		return true
	}
	err := l.body(p, lo, hi)
	if err != nil {
		l.fail(err)
	}
	return err == nil
}

// Task begins a task, like [Context.Task] or, for a caller from outside, [System.Task].
func (p *Participant) Task(b Body) Task {
	if p.c != nil {
		return p.c.Task(b)
	}
	return p.l.sys.Task(b)
}

// WaitUntilTasksComplete waits for events, like [Context.WaitUntilTasksComplete] or, for a caller from
// outside, [System.WaitUntilTasksComplete].
func (p *Participant) WaitUntilTasksComplete(ctx context.Context, events ...Event) error {
	if p.c != nil {
		return p.c.WaitUntilTasksComplete(ctx, events...)
	}
	return p.l.sys.WaitUntilTasksComplete(ctx, events...)
}
