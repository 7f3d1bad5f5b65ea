//go:build modelcheck

package kernel_test

import (
	"testing"

	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// A castCall is a call of a worker in a play.
type castCall struct {
	kernel.Call
	came  int // by the holder of the slot
	event sleepevent.Signal
}

// call calls a worker, and sees that it comes once, or not at all if that is withdrawn.
func (p *play) call(a act) {
	c, s := &p.calls[a.n], p.k.Slots()[a.n]
	c.came = 0
	p.k.Call(s, &c.Call)
	if a.verb == recall && p.k.Withdraw(s, &c.Call) {
		p.k.CallsOver()
		p.m.Assert(c.came == 0, "worker %d has come for a call that was withdrawn", a.n)
		c.came = -1
		return
	}
	c.event.Wait()
	p.m.Assert(c.came == 1, "worker %d has come %d times", a.n, c.came)
	p.k.CallsOver()
}

// answer is what a runner does that is called.
func (p *play) answer(r *kernel.Runner) {
	s := r.Slot()
	if p.k.TakeCall(s) == nil {
		return
	}
	c := &p.calls[s.Index()]
	p.m.Assert(c.came == 0, "worker %d has come again, or too late", s.Index())
	c.came++
	c.event.Trigger()
}

// TestModelCalls: a worker that is called comes, whatever it does, sleeps or rests above the quota;
// and never when the call was withdrawn.
func TestModelCalls(t *testing.T) {
	playAll(t, []scene{
		{2, world{workers: 1, jobs: tasks(task(normal)),
			outside: outside([]act{{call, 0}, {inject, 0}})}},
		{2, world{workers: 1, jobs: tasks(task(normal)),
			outside: outside([]act{{inject, 0}, {call, 0}})}},
		{2, world{workers: 1, jobs: tasks(task(normal)),
			outside: outside([]act{{recall, 0}, {inject, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal)),
			outside: outside([]act{{recall, 0}, {call, 0}, {inject, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal)),
			outside: outside([]act{{call, 0}, {call, 0}}, []act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal)),
			outside: outside([]act{{call, 1}}, []act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal)),
			outside: outside([]act{{call, 0}, {call, 1}, {inject, 0}})}},
		// The worker's body waits: whoever gets its slot comes.
		{1, world{workers: 1, jobs: tasks(task(normal, act{wait, 0})),
			outside: outside([]act{{inject, 0}, {call, 0}, {end, 0}})}},
		// It is above the quota.
		{1, world{workers: 2, jobs: tasks(task(normal)),
			outside: outside([]act{{quota, 1}, {call, 0}, {call, 1}, {inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal)),
			outside: outside([]act{{call, 1}, {inject, 0}}, []act{{quota, 1}})}},
	})
}
