package taskgraph

import (
	"fmt"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// Args are the words that a forked call begins with and the words that it leaves: arguments and
// results, without a closure or a pointer. What needs pointers is a [Job].
type Args struct {
	A int64 // of the caller's meaning
	B int64 // as A
	C int64 // as A
	D int64 // as A
}

// A fork is a forked call. Its memory is used for ever again, never for anything else.
type fork struct {
	args Args
	f    func(*Context, *Args)
	in   *Context // of the body that made it
	next *fork    // the one that the body made before
	err  *error   // why the call failed, if another ran it
	n    uint32   // its number, for the entry
	join kernel.Join
}

// A Join is a forked call that the body has to wait for.
type Join struct {
	in *Context
	k  *fork
}

// Fork makes a call of f that another worker may run while the body goes on, at the price of a
// few atomic operations and without an allocation. [Join.Wait] runs it in place if nobody else
// has begun it, so a tree of forks runs at nearly the speed of plain calls. It is not a task:
// it has no event, no name and no failure of its own; a panic is passed on to the body that
// waits.
//
// Waits should come in the reverse order of the forks. A body that ends without them runs them
// then. Inside f, the Context is that of the body or one like it; it must not be used for
// DontCompleteUntil, Nest, Again, Choose or Place.
//
// After Lea, "A Java Fork/Join Framework", 2000, and Blumofe and Leiserson, "Scheduling
// Multithreaded Computations by Work Stealing", 1999.
func (c *Context) Fork(f func(*Context, *Args), a Args) Join {
	r := c.r
	if f == nil {
		panic("taskgraph: Fork of a nil function")
	}
	r.mustNotBlock("Fork")
	o := r.o
	k := r.sys.newFork(o)
	k.args, k.f, k.in, k.next = a, f, c, c.forks
	c.forks = k
	if o != nil {
		r.sys.kern.PushFork(o.slot, c.prio.level(), k.n)
	}
	return Join{c, k}
}

// Wait returns what the call has left in its arguments. It runs the call if nobody has begun it.
// Only the body that forked it may call Wait, once. If the call panicked or ended its
// goroutine elsewhere, Wait panics with a *graphevent.PanicError or graphevent.ErrGoexit; if it
// panicked here, with the panic's own value. A body that recovers from that can go on, but after a
// panic here it still counts as inside a forked call, see [Context.Fork].
func (j Join) Wait() Args {
	c, k := j.in, j.k
	if k == nil || k.f == nil {
		panic("taskgraph: Wait for no fork, or for the second time")
	}
	s := c.r.sys
	c.r.mustNotBlock("Wait of a fork")
	if o := c.r.o; o == nil || s.kern.PopFork(o.slot, c.prio.level(), k.n) {
		c.call(k)
		return c.take(k)
	}
	if k.join.TakeEarly() {
		c.call(k)
		a := k.args
		c.unlink(k)
		if k.join.Leave() {
			s.freeFork(c.r.o, k)
		}
		return a
	}
	c.r.awaitJoin(&k.join)
	if err := k.err; err != nil {
		c.take(k)
		panic(*err)
	}
	return c.take(k)
}

// call runs the fork k, which the body has for itself. It stays in the list meanwhile: if the
// call panics, drop finds it there, without a function.
func (c *Context) call(k *fork) {
	f := k.f
	k.f = nil
	c.depth++
	outer := c.forks
	f(c, &k.args)
	c.depth--
	if c.forks != outer {
		c.settle(outer)
	}
}

// take frees the fork k and returns what the call has left.
func (c *Context) take(k *fork) Args {
	a := k.args
	c.unlink(k)
	c.r.sys.freeFork(c.r.o, k)
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
	r.flush()
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

// unlink takes the call k out of the list of the body's forks. It panics if it is not there.
func (c *Context) unlink(k *fork) {
	if c.forks == k {
		c.forks = k.next
		return
	}
	for m := c.forks; m != nil; m = m.next {
		if m.next == k {
			m.next = k.next
			return
		}
	}
	panic("taskgraph: Wait for a fork of another body, or for the second time")
}

// settle ends the forks made since outer that nobody waited for: a call returned without. It runs
// them, as a wait would.
func (c *Context) settle(outer *fork) {
	for c.forks != outer {
		if k := c.forks; k.f == nil { // the call panicked, and the body recovered
			c.forks = k.next
			c.depth--
			c.r.sys.freeFailed(c.r.o, k)
			continue
		}
		Join{c, c.forks}.Wait()
	}
}

// freeFailed frees the fork of a call that the body ran and that panicked.
func (s *System) freeFailed(o *owner, k *fork) {
	if !k.join.IsEarly() || k.join.Leave() {
		s.freeFork(o, k)
	}
}

// drop is settle for a body that has failed: what has not begun does not.
func (c *Context) drop() {
	s := c.r.sys
	for c.forks != nil {
		k := c.forks
		c.forks = k.next
		o := c.r.o
		switch {
		case k.f == nil: // the call that failed
			s.freeFailed(o, k)
		case o != nil && !s.kern.PopFork(o.slot, c.prio.level(), k.n) && k.join.TakeEarly():
			if k.join.Leave() {
				s.freeFork(o, k)
			}
		case o == nil || !k.join.IsTaken():
			s.freeFork(o, k)
		default:
			c.r.awaitJoin(&k.join)
			s.freeFork(c.r.o, k)
		}
	}
}

// stolen runs the call number n, whose entry the runner has popped, unless its body has taken it
// early.
func (r *runner) stolen(n uint32) {
	s := r.sys
	k := s.forks.At(n / forkBatch)[n%forkBatch]
	run, free := k.join.Take()
	if !run {
		if free {
			s.freeFork(r.o, k)
		}
		return
	}
	c := r.push(k.in.ev)
	c.fork, c.ctx, c.prio, c.graph, c.node = k, k.in.ctx, k.in.prio, k.in.graph, k.in.node
	r.o.running = true
	k.f(c, &k.args)
	r.finish(c, nil)
}

// endFork ends the call of c, the last on the stack, which another body waits for.
func (r *runner) endFork(c *Context, err error) {
	k := c.fork
	r.pop(c)
	r.o.running = r.depth > 0
	k.err = nil
	if err != nil {
		k.err = &err
	}
	waiter := k.in.r
	if k.join.Done() {
		// By now it may be anywhere, also inside Blocking: only this of it never changes.
		waiter.slotWait.end()
	}
}

// mustNotBlock panics inside Blocking: there is no deque to take a fork from. A body that is run on
// top, by a launch, has none in any.
func (r *runner) mustNotBlock(what string) {
	if r.detached != nil && r.depth == r.detachedAt {
		panic("taskgraph: " + what + " inside Blocking")
	}
}

// misused panics if the body is inside a forked call.
func (c *Context) misused(what string) {
	if c.fork != nil || c.depth != 0 {
		panic(fmt.Sprintf("taskgraph: %s inside a forked call", what))
	}
}

const (
	forkBatch = 32 // forks are made so many at a time
	forkCache = 64 // free ones that a slot keeps at most
)

// newFork returns a free fork, from the slot of o if there is one.
func (s *System) newFork(o *owner) *fork {
	if o == nil {
		if k, ok := s.freeForks.Pop(); ok {
			return k
		}
	} else if n := len(o.forks); n > 0 {
		k := o.forks[n-1]
		o.forks = o.forks[:n-1]
		return k
	}
	return s.moreForks(o)
}

// moreForks is newFork where the slot has none.
func (s *System) moreForks(o *owner) *fork {
	for o != nil && len(o.forks) < forkBatch {
		k, ok := s.freeForks.Pop()
		if !ok {
			break
		}
		o.forks = append(o.forks, k)
	}
	if o == nil || len(o.forks) == 0 {
		batch := s.freshFork.Add(1) - 1
		if batch >= maxGraph/forkBatch {
			panic("taskgraph: more than 2^28 forks at a time")
		}
		places := s.forks.Grow(batch)
		made := new([forkBatch]fork)
		for i := range made {
			k := &made[i]
			k.n = batch*forkBatch + uint32(i)
			places[i] = k
			if o == nil {
				s.freeForks.Push(k)
			} else {
				o.forks = append(o.forks, k)
			}
		}
	}
	return s.newFork(o)
}

// freeFork gives a fork back, which nobody else refers to.
func (s *System) freeFork(o *owner, k *fork) {
	k.f, k.in, k.err = nil, nil, nil
	k.join.Reset()
	if o == nil || len(o.forks) == forkCache {
		s.freeForks.Push(k)
		return
	}
	o.forks = append(o.forks, k)
}
