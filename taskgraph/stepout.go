package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/loopcost"
)

// mayStepOut reports whether p may step out of the loop for what a range has made ready: nothing of
// the program lies beneath it on the stack. A helper may, and the caller of a loop that is all of a
// task's body (LO11, LO12).
func (p *Participant) mayStepOut() bool {
	l, c := p.l, p.c
	return c != nil && c.r.depth == 1 && c.r.kind == workerRunner && l.sys.turns == nil &&
		l.isCommon() && (p.index > 0 || l.origin != nil)
}

// origin returns the loop that is the body of c, if the caller of that may step out: if the task
// may run in rounds.
func (c *Context) origin(loop any) any {
	if c.r.depth == 1 && c.fork == nil && c.graph == nil && c.group == nil && c.passage == nil {
		return loop
	}
	return nil
}

// queued returns how many tasks lie in the deque of p, which may step out.
func (p *Participant) queued() int { return p.l.sys.kern.Queued(p.c.r.Slot()) }

// stepOut has the caller step out for so many tasks (LO11), and reports whether it does: its task
// begins another round, as after [Context.Again], and its entry lies below theirs. It stays if the
// round would have to wait for anything.
func (p *Participant) stepOut(made int) bool {
	l, c := p.l, p.c
	cold := l.sys.colds.At(uint32(c.ev.Node()))
	if c.again || c.forks != nil || c.merged != nil || cold.edges != 0 || l.lent || l.cut.Load() {
		return false
	}
	cold.propsOf()
	c.again = true
	c.r.next, c.r.above = Body{l}, made
	p.c = nil
	return true
}

// goOn is the body of the caller's task in its next rounds (LO12).
func (l *loop) goOn(c *Context) error {
	origin := l.origin // l is perhaps used again by the end
	err := l.lead(c, nil, loopcost.Place{})
	if err == nil && c.again && c.r.next.f == nil {
		c.r.next = Body{origin} // a call of the body has asked for the whole loop once more
	}
	return err
}

// abandon ends a loop whose caller has stepped out and is not called any more.
func (l *loop) abandon() {
	l.fail(graphevent.ErrClosed)
	if !l.shared {
		l.free()
		return
	}
	l.crew.Close()
	l.participants[0].late()
}
