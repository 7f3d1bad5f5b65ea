package taskgraph

import (
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// settleDown is called when there have been enough public forks for a long time.
func (o *owner) settleDown() { o.sys.kern.EnoughForks(o.slot, o.forks.SettleDown()) }

// publishMore makes sure that there are enough public forks before the holder runs a private one.
func (o *owner) publishMore(l kernel.Level) {
	if o.slot.Forks(l) < o.slot.Enough() {
		o.publish(l)
	}
}

// publish makes private forks public, the oldest first, until there are enough: F8. It answers a
// probe of the watch.
func (o *owner) publish(l kernel.Level) {
	enough := o.forks.Enough(o.slot.Forks(l) == 0)
	o.sys.kern.EnoughForks(o.slot, enough)
	for o.slot.Forks(l) < enough {
		k := o.forks.Publish()
		if k == nil {
			return
		}
		o.show(k)
	}
}

// publishAll makes all private forks public: F7.
func (o *owner) publishAll() { o.forks.PublishAll(o.show) }

// show queues k, which is no longer private, where thieves find it: F2.
func (o *owner) show(k *fork) { o.sys.kern.PushFork(o.slot, k.In.prio.level(), k.Number()) }

// maxLeaps is how many bodies lie on a stack on which a wait leaps no more, see L3. Two workers
// that leap by turns down a chain of calls would wake each other for each of them on the way back.
const maxLeaps = 32

// awaitFork waits until another has run k. If it leaps, it runs meanwhile what that forks.
func (r *runner) awaitFork(k *fork, leaps bool) {
	r.linger.Begin()
	if r.lane != nil {
		defer r.traceWait(r.frames[r.depth-1], nil).end()
	}
	if r.onThread() {
		r.named.awaitOnThread(&k.Join)
		return
	}
	s := r.sys
	a := awaited{join: &k.Join, idle: true} // private forks stay private, as long as it is awake
	background := r.frames[r.depth-1].prio.level().IsBackground()
	if leaps && s.spin && !s.opts.IsolateWaits && !background && r.depth < maxLeaps {
		a.note = s.forks.Note(k)
	}
	r.stayAwake(nil, &a)
	if !k.Join.IsDone() {
		_ = r.sleep(s.ctx, nil, &k.Join)
	}
}

// leap runs a call that the awaited one has forked, if it finds one, and reports whether to
// look again at once. No other may run on top of this body: L1, and hence L2.
func (r *runner) leap(a *awaited) bool {
	s, slot := r.sys, r.Slot()
	n, ok, over := a.note.Leap(s.kern, slot, s.isForkOf)
	if over {
		a.note = nil
	}
	if !ok {
		return false
	}
	if k := s.forks.At(n); r.takeFork(k) {
		a.idle = false
		r.runFork(k)
		r.linger.Begin()
	}
	return true
}

// isForkOf reports whether the fork n, whose entry the caller holds, was made by the body in c,
// or needs only to be let go of: L5.
func (s *System) isForkOf(n uint32, c *Context) bool {
	k := s.forks.At(n)
	return k.In == c || k.Join.IsEarly()
}

// takeFork reports whether k, whose entry r has popped, is its to run: not if it was taken early.
func (r *runner) takeFork(k *fork) bool {
	run, free := k.Join.Take()
	if free {
		r.sys.freeFork(r.o, k)
	}
	return run
}

func (r *runner) runFork(k *fork) {
	s := r.sys
	c := r.push(k.In.ev)
	c.fork, c.ctx, c.prio, c.graph, c.node = k, k.In.ctx, k.In.prio, k.In.graph, k.In.node
	s.forks.Note(k).Begin(c, r.o.slot)
	if r.lane != nil {
		r.traceCall(c, 0, flight.NameOf(k.F, true), k.In)
	}
	r.o.running = true
	if s.checks.Load()&(checkWatched|checkLabelled) != 0 {
		_ = r.callWatched(c, Body{func() { k.F(c, &k.Args) }}, k.F)
	} else {
		k.F(c, &k.Args)
	}
	r.finish(c, nil)
}

// endFork ends the call of c, the last on the stack, which another body waits for.
func (r *runner) endFork(c *Context, err error) {
	k := c.fork
	if c.traced {
		c.traceCallEnd(err)
	}
	r.pop(c)
	waiter := k.In.r
	if err != nil {
		r.sys.forks.Fail(k, err)
	}
	if r.sys.forks.Note(k).End(&k.Join) {
		// By now it may be anywhere, also inside Blocking: only this of it never changes.
		waiter.slotWait.End()
	}
}

// freeFork makes k free, which nobody else refers to.
func (s *System) freeFork(o *owner, k *fork) {
	if o == nil {
		s.forks.Free(nil, k)
	} else {
		s.forks.Free(&o.forks, k)
	}
}

// freeFailed frees the fork of a call that the body ran and that panicked.
func (s *System) freeFailed(o *owner, k *fork) {
	if k.IsPrivate() {
		o.forks.Pop()
		return
	}
	if !k.Join.IsEarly() || k.Join.Leave() {
		s.freeFork(o, k)
	}
}
