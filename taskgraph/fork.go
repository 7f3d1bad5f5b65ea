package taskgraph

import (
	"fmt"

	"github.com/heddle-go/heddle/taskgraph/internal/forks"
)

// Args are the words that a forked call begins with, and leaves. For pointers there is [ForkOf].
type Args struct {
	A, B, C, D int64 // of the caller's meaning
}

// A fork is the record of a forked call. fork.md has the protocol.
type fork = forks.Call[Context, Args]

// A Join is a call made by [Context.Fork] that the body has to wait for.
type Join struct {
	in *Context
	k  *fork
}

// Fork makes a call of f that another worker may run while the body goes on; [Join.Wait] runs it in
// place if nobody has begun it. So a tree of forks runs at nearly the speed of plain calls. It is
// no task: it has no event, name or failure of its own, and allocates nothing.
//
// A worker may see the call late or never. So nothing but its Wait may wait for what it does, and a
// program must be right also if each call is made in its Wait. Waits should come in the reverse
// order of the forks; those that a body leaves out are done when it ends. Inside f, its Context
// must not be used for DontCompleteUntil, Nest, Again, Choose or Place.
func (c *Context) Fork(f func(*Context, *Args), a Args) Join {
	o := c.r.o
	if f == nil || o == nil {
		return c.forkHere(f, a)
	}
	if o.forks.IsFull() {
		o.sys.forks.Fill(&o.forks)
	}
	k := o.forks.Push() // F1
	k.Args, k.F, k.In, k.Next = a, f, c, c.forks
	c.forks = k
	if l := c.prio.level(); o.slot.Forks(l) < o.slot.Enough() {
		o.publish(l)
	} else if o.forks.IsCalm() {
		o.settleDown()
	}
	return Join{c, k}
}

// forkHere is Fork without a slot: if the thread gets none either, the call's wait will run it.
func (c *Context) forkHere(f func(*Context, *Args), a Args) Join {
	must(f != nil, "Fork of a nil function")
	c.r.mustNotBlock("Fork")
	if c.enterFor() {
		j := c.Fork(f, a)
		c.showFirst(j.k)
		return j
	}
	k := c.r.sys.forks.Get()
	k.Args, k.F, k.In, k.Next = a, f, c, c.forks
	c.forks = k
	return Join{c, k}
}

// showFirst makes k public, the only fork of a body that has a slot until it has none: its wait,
// mostly the last, looks for the end of that.
func (c *Context) showFirst(k *fork) {
	if k.IsPrivate() {
		c.r.o.publishAll()
	}
}

// Wait returns what the call has left in its arguments, and runs it if nobody has begun it. Only
// the body that forked it may call Wait, once. If the call panicked here, Wait panics with its
// value; if it panicked or ended its goroutine elsewhere, with a *graphevent.PanicError or
// graphevent.ErrGoexit. A body that recovers from that still counts as inside a forked call.
func (j Join) Wait() Args {
	c, k := j.in, j.k
	if k == nil || k.F == nil {
		panic("taskgraph: Wait for no fork, or for the second time")
	}
	o := c.r.o
	if !k.IsPrivate() || !o.forks.IsTop(k) {
		a := j.waitPublic()
		if c.lent {
			c.exitFor()
		}
		return a
	}
	// F3, as call and take do it.
	f := k.F
	k.F = nil
	if o.forks.HidesMore() {
		o.publishMore(c.prio.level())
	}
	c.depth++
	f(c, &k.Args)
	c.depth--
	if c.forks != k {
		c.settle(k)
	}
	c.forks = k.Next
	if !k.IsPrivate() { // a wait has given the slot away
		a := k.Args
		c.r.sys.freeFork(c.r.o, k)
		return a
	}
	c.r.o.forks.Pop()
	return k.Args
}

// waitPublic is Wait (F3) for a call that others may have begun, or one without a slot.
func (j Join) waitPublic() Args {
	c, k := j.in, j.k
	s := c.r.sys
	c.r.mustNotBlock("Wait of a fork")
	if k.IsPrivate() {
		c.r.o.publishAll()
	}
	if o := c.r.o; o == nil || s.kern.PopFork(o.slot, c.prio.level(), k.Number()) {
		c.call(k)
		return c.take(k)
	}
	if k.Join.TakeEarly() {
		c.call(k)
		a := k.Args
		c.unlink(k)
		if k.Join.Leave() {
			s.freeFork(c.r.o, k)
		}
		return a
	}
	c.r.awaitFork(k, true)
	if k.In == nil {
		err := s.forks.Failure(k)
		c.take(k)
		panic(err)
	}
	return c.take(k)
}

// call runs the fork k, which the body has for itself. It stays in the list meanwhile: if the
// call panics, drop finds it there, without a function.
func (c *Context) call(k *fork) {
	f := k.F
	k.F = nil
	c.depth++
	outer := c.forks
	f(c, &k.Args)
	c.depth--
	if c.forks != outer {
		c.settle(outer)
	}
}

// take frees the fork k and returns what the call has left: F5.
func (c *Context) take(k *fork) Args {
	a := k.Args
	c.unlink(k)
	c.r.sys.freeFork(c.r.o, k)
	return a
}

// unlink takes the call k out of the list of the body's forks.
func (c *Context) unlink(k *fork) {
	at := &c.forks
	for *at != k {
		if *at == nil {
			panic("taskgraph: Wait for a fork of another body, or for the second time")
		}
		at = &(*at).Next
	}
	*at = k.Next
}

// settle ends the forks made since outer that nobody waited for: a call returned without. It runs
// them, as a wait would: F6.
func (c *Context) settle(outer *fork) {
	for c.forks != outer {
		if k := c.forks; k.F == nil { // the call panicked, and the body recovered
			c.forks = k.Next
			c.depth--
			c.r.sys.freeFailed(c.r.o, k)
			continue
		}
		Join{c, c.forks}.Wait()
	}
}

// drop is settle (F6) for a body that has failed: what has not begun does not.
func (c *Context) drop() {
	s := c.r.sys
	for c.forks != nil {
		k := c.forks
		c.forks = k.Next
		o := c.r.o
		switch {
		case k.F == nil: // the call that failed
			s.freeFailed(o, k)
		case k.IsPrivate():
			k.F = nil
			o.forks.Pop()
		case o != nil && !s.kern.PopFork(o.slot, c.prio.level(), k.Number()) && k.Join.TakeEarly():
			if k.Join.Leave() {
				s.freeFork(o, k)
			}
		case o == nil || !k.Join.IsTaken():
			s.freeFork(o, k)
		default:
			// L4: this may be a deferred call, which a Goexit of what ran on top would cut off.
			c.r.awaitFork(k, false)
			s.freeFork(c.r.o, k)
		}
	}
}

// misused panics if the body is inside a forked call.
func (c *Context) misused(what string) {
	if c.fork != nil || c.depth != 0 {
		panic(fmt.Sprintf("taskgraph: %s inside a forked call", what))
	}
}

// mustNotBlock panics inside Blocking: there is no deque to take a fork from. A body that is run on
// top, by a launch, has none in any.
func (r *runner) mustNotBlock(what string) {
	if r.isBlocking() {
		panic("taskgraph: " + what + " inside Blocking")
	}
}
