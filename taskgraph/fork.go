package taskgraph

import (
	"fmt"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// Args are the words that a forked call begins with and the words that it leaves: arguments and
// results, without a closure or a pointer. What needs pointers is a [Job].
type Args [4]int64

// A fork is a forked call. Its memory is used for ever again, never for anything else.
type fork struct {
	args Args
	f    func(*Context, *Args)
	in   *Context // of the body that made it
	join kernel.Join
	next uint32 // the body's fork before this one, or the next free one
	err  *error // why the call failed, if another ran it
}

// A Join is a forked call that the body has to wait for.
type Join struct {
	in *Context
	n  uint32
}

// Fork makes a call of f that another worker may run while the body goes on, at the price of a
// few atomic operations and without an allocation. [Join.Wait] runs it in place if nobody else
// has begun it, so a tree of forks runs at nearly the speed of plain calls. It is not a task:
// it has no event, no name and no failure of its own; a panic is passed on to the body that
// waits.
//
// Waits should come in the reverse order of the forks. A body that ends without them runs them
// then. Inside f, the Context is that of the body or one like it; it must not be used for
// DontCompleteUntil.
//
// After Lea, "A Java Fork/Join Framework", 2000, and Blumofe and Leiserson, "Scheduling
// Multithreaded Computations by Work Stealing", 1999.
func (c *Context) Fork(f func(*Context, *Args), a Args) Join {
	r := c.r
	if f == nil {
		panic("taskgraph: Fork of a nil function")
	}
	o := r.owner()
	n := r.sys.newFork(o)
	k := r.sys.forks.At(n)
	k.args, k.f, k.in, k.next = a, f, c, c.forks
	c.forks = n
	if o != nil {
		r.sys.kern.PushFork(o.slot, c.prio.level(), n)
	}
	return Join{c, n}
}

// Wait returns what the call has left in its arguments. It runs the call if nobody has begun it.
// Only the body that forked it may call Wait, once. If the call panicked or ended its
// goroutine elsewhere, Wait panics with a *graphevent.PanicError or graphevent.ErrGoexit.
func (j Join) Wait() Args {
	c, n := j.in, j.n
	s := c.r.sys
	k := s.forks.At(n)
	if o := c.r.owner(); o == nil || s.kern.PopFork(o.slot, c.prio.level(), n) {
		c.call(n, k)
		return c.take(n, k)
	}
	if k.join.TakeEarly() {
		c.call(n, k)
		a := k.args
		c.unlink(n, k)
		if k.join.Leave() {
			s.freeFork(c.r.owner(), n, k)
		}
		return a
	}
	c.r.awaitJoin(&k.join)
	if err := k.err; err != nil {
		c.take(n, k)
		panic(*err)
	}
	return c.take(n, k)
}

// call runs the fork n, which the body has for itself. It stays in the list meanwhile: if the
// call panics, drop finds it there, without a function.
func (c *Context) call(n uint32, k *fork) {
	f, outer := k.f, c.forks
	k.f = nil
	c.depth++
	f(c, &k.args)
	c.depth--
	if c.forks != outer {
		c.settle(outer)
	}
}

// take frees the fork n and returns what the call has left.
func (c *Context) take(n uint32, k *fork) Args {
	a := k.args
	c.unlink(n, k)
	c.r.sys.freeFork(c.r.owner(), n, k)
	return a
}

// awaitJoin waits until another has run the call.
func (r *runner) awaitJoin(j *kernel.Join) {
	for range waitSpins {
		if j.IsDone() {
			return
		}
		atomics.Pause(30)
	}
	r.Arm()
	if j.Await() {
		return
	}
	for !j.IsDone() {
		r.ownerSet(false)
		r.Await()
		r.ownerSet(true)
		r.Arm()
	}
}

// unlink takes the call n out of the list of the body's forks. It panics if it is not there.
func (c *Context) unlink(n uint32, k *fork) {
	if c.forks == n {
		c.forks = k.next
		return
	}
	forks := &c.r.sys.forks
	for m := c.forks; m != 0; {
		p := forks.At(m)
		if p.next == n {
			p.next = k.next
			return
		}
		m = p.next
	}
	panic("taskgraph: Wait for a fork of another body, or for the second time")
}

// settle ends the forks made since outer that nobody waited for: a call returned, or panicked,
// without. It runs them, as a wait would.
func (c *Context) settle(outer uint32) {
	for c.forks != outer {
		Join{c, c.forks}.Wait()
	}
}

// drop is settle for a body that has failed: what has not begun does not.
func (c *Context) drop() {
	s := c.r.sys
	for c.forks != 0 {
		n := c.forks
		k := s.forks.At(n)
		c.forks = k.next
		o := c.r.owner()
		switch {
		case k.f == nil && !k.join.IsEarly(): // the call that failed
			s.freeFork(o, n, k)
		case k.f == nil, o != nil && !s.kern.PopFork(o.slot, c.prio.level(), n) && k.join.TakeEarly():
			if k.join.Leave() {
				s.freeFork(o, n, k)
			}
		case o == nil || !k.join.IsTaken():
			s.freeFork(o, n, k)
		default:
			c.r.awaitJoin(&k.join)
			s.freeFork(c.r.owner(), n, k)
		}
	}
}

// stolen runs the call n, whose entry the runner has popped, unless its body has taken it early.
func (r *runner) stolen(n uint32) {
	s := r.sys
	k := s.forks.At(n)
	run, free := k.join.Take()
	if !run {
		if free {
			s.freeFork(r.owner(), n, k)
		}
		return
	}
	c := r.push(k.in.ev)
	c.fork, c.ctx, c.prio = n, k.in.ctx, k.in.prio
	r.owner().running = true
	k.f(c, &k.args)
	r.finish(c, nil)
}

// endFork ends the call of c, the last on the stack, which another body waits for.
func (r *runner) endFork(c *Context, err error) {
	k := r.sys.forks.At(c.fork)
	r.pop(c)
	if o := r.owner(); o != nil {
		o.running = r.depth > 0
	}
	k.err = nil
	if err != nil {
		k.err = &err
	}
	waiter := k.in.r
	if k.join.Done() {
		waiter.End()
	}
}

// misused panics if the body is inside a forked call.
func (c *Context) misused(what string) {
	if c.fork != 0 || c.depth != 0 {
		panic(fmt.Sprintf("taskgraph: %s inside a forked call", what))
	}
}

// forkCache is how many free forks a slot keeps.
const forkCache = 64

// newFork returns a free fork, from the slot of o if there is one.
func (s *System) newFork(o *owner) uint32 {
	if o != nil && o.freeFork != 0 {
		n := o.freeFork
		o.freeFork = s.forks.At(n).next
		o.freeForks--
		return n
	}
	if n, ok := s.freeForks.Pop(); ok {
		return n
	}
	n := s.freshFork.Add(1)
	s.forks.Grow(n)
	return n
}

// freeFork gives a fork back, which nobody else refers to.
func (s *System) freeFork(o *owner, n uint32, k *fork) {
	k.f, k.in, k.err = nil, nil, nil
	k.join.Reset()
	if o == nil || o.freeForks == forkCache {
		s.freeForks.Push(n)
		return
	}
	k.next = o.freeFork
	o.freeFork = n
	o.freeForks++
}
