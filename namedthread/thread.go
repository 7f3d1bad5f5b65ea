package namedthread

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/sleepevent"
)

// A Thread is a goroutine locked to an OS thread, with a name, and two queues of work for it.
// Work of a queue is run in the order of posting, high priority first; a post that overlaps
// another, or a high one that overlaps the search for the next work, may be ordered either
// way.
//
// Threads are made by [Registry.Attach] and [Registry.Start]; the methods of another one, such as
// the zero Thread or nil, panic, but for String. A Thread must not be copied. It serves until it
// quits and can be asked about ever after.
//
// # Concurrency
//
// Post, Quit, Wake, NewToken, RequestReturn, Done and what tells about the thread may be called by
// any goroutine. The pumps, Wait and Detach are for the thread itself, and panic if the caller is
// found to be another; where OS threads have no id this is not found. A Post synchronizes before
// the RunOn or CancelOn of its work. Pieces of work of one thread are ordered one after the other.
// RequestReturn synchronizes before the return of the pump that it ends, Wake before the cond of a
// Wait or PumpUntil that it makes look again, Quit before the end of the thread, and that before a
// receive from Done completes.
//
// # Progress
//
// Post is lock-free and never waits for the thread; if the thread sleeps, Post makes the kernel
// call that wakes it. Pumps and Wait block while there is nothing to do, with no periodic wake-up
// except for Options.Poll; with more than one processor they stay awake for up to 50 µs before they
// sleep, as sleepevent.Signal does. Where sleepevent.ParkOS hands its P off, the goroutine does not
// go through the Go scheduler to sleep, which is slow for a locked one.
//
// # Cost
//
// A Post is a push to a lockfree.StallingQueue; it allocates only while more work is waiting than
// ever before. Work waits there without bound, up to the 2^28-8 pieces that such a queue holds. A
// thread that quits without being detached or pumped again keeps what it had accepted.
//
// # Linearizability
//
// Post and Quit take effect at one atomic step each, so that each Post comes before the
// first Quit and is accepted, or comes after and returns [ErrClosed].
type Thread struct {
	name     string
	registry *Registry
	opts     Options
	attached bool
	done     done

	// Set by Registry.add, before others can find the thread.
	index      int
	generation uint32 // how many threads have had the index, itself included

	before look               // of an attached thread
	mark   osthread.Mark      // of an attached thread; set before its entry in byOSThread
	up     *sleepevent.Signal // for Start, which waits for it; nil once it was triggered

	refused atomics.Pointer[error] // what the system refused; set before Attach or Start returns

	panicked atomics.Pointer[PanicError] // the first one of which nobody was told

	dropped atomics.Uint64
	ended   atomics.Bool
	spare   [queues]atomics.Pointer[tokenCell]

	inbox inbox

	// The owner's alone.
	pumping  [queues]bool // a pump of that queue, or a Wait on it, is on the stack
	depth    int          // pumps and waits on the stack
	polling  bool         // Options.Poll is on the stack
	nextPoll int64        // when Options.Poll is due
	actor    *turns.Actor // if the thread takes turns, else nil
}

func newThread(r *Registry, name string, o Options) *Thread {
	o.Affinity = slices.Clone(o.Affinity) // it is read again after a Goexit
	t := &Thread{name: name, registry: r, opts: o, nextPoll: math.MinInt64}
	t.done.init()
	t.inbox.init(o.Park)
	return t
}

// Name returns the name of the thread. The system may show only the beginning of it.
func (t *Thread) Name() string {
	t.mustBe("Name")
	return t.name
}

// Index returns the number of the thread, which no other thread of the registry has before
// this one has ended.
func (t *Thread) Index() int {
	t.mustBe("Index")
	return t.index
}

// Registry returns the registry that the thread is of, also when it has ended.
func (t *Thread) Registry() *Registry {
	t.mustBe("Registry")
	return t.registry
}

// ID returns a request for this thread and no later one: main queue, normal priority.
func (t *Thread) ID() ID {
	t.mustBe("ID")
	return MakeID(t.index, QueueMain, PriorityNormal, t.opts.Priority) | ID(t.generation)<<genShift
}

// String returns the name, quoted.
func (t *Thread) String() string {
	if t == nil {
		return "namedthread nil"
	}
	return fmt.Sprintf("namedthread %q", t.name)
}

// Refused returns what the system refused to do for the thread: to show its name, to give it
// the priority or the affinity asked for. None of that stops a thread. What the platform
// cannot do at all is errors.ErrUnsupported.
func (t *Thread) Refused() error {
	t.mustBe("Refused")
	if err := t.refused.Load(); err != nil {
		return *err
	}
	return nil
}

func (t *Thread) noteRefused(err error) {
	if err != nil {
		t.refused.Store(&err)
	}
}

// Post gives r to the thread to run, with the token, in the order of its queue and priority. It
// returns [ErrClosed], and has done nothing, once the thread has been told to quit. What was
// accepted is run, or handed to its [Canceler] or counted in Dropped when the thread quits. Post
// panics if r is nil or a nil [Func], if q or p is not a constant of its type, or if as many pieces
// wait there as a lockfree.StallingQueue holds.
func (t *Thread) Post(q Queue, p Priority, r Runnable, token uint64) error {
	t.mustBe("Post")
	q.check()
	p.check()
	if r == nil {
		panic("namedthread: Post of a nil Runnable")
	}
	if f, ok := r.(Func); ok && f == nil {
		panic("namedthread: Post of a nil Func")
	}
	if !t.inbox.post(q, p, item{what: r, token: token}) {
		return ErrClosed
	}
	return nil
}

// Wake makes the thread look again at what it waits for: a [Thread.Wait] or [Thread.PumpUntil]
// tries its condition once more. To other pumps it means nothing.
func (t *Thread) Wake() {
	t.mustBe("Wake")
	t.inbox.wake()
}

// Quit tells the thread to quit. From then on Post returns [ErrClosed]. The work that is running,
// or that the thread has just taken to run, goes on to its end, also through waits; no further work
// is begun, and the outermost pump cancels what is left and returns. It may be called any number of
// times.
func (t *Thread) Quit() {
	t.mustBe("Quit")
	t.inbox.close()
}

// Dropped returns the number of pieces of work that were accepted, then cancelled, and whose
// Runnable is no [Canceler].
func (t *Thread) Dropped() uint64 {
	t.mustBe("Dropped")
	return t.dropped.Load()
}

// Err returns nil if all went well so far. If work panicked, and Options say nothing of
// panics, the error wraps a [PanicError] with the first; if accepted work was dropped, it wraps
// [ErrDropped] and says how much.
func (t *Thread) Err() error {
	t.mustBe("Err")
	var panicked, dropped error
	if p := t.panicked.Load(); p != nil {
		panicked = p
	}
	if n := t.dropped.Load(); n > 0 {
		dropped = fmt.Errorf("%w: %v: %d", ErrDropped, t, n)
	}
	return errors.Join(panicked, dropped)
}

// mustBe panics if no Registry has made t, which could then neither sleep nor end.
func (t *Thread) mustBe(call string) {
	if t == nil || t.registry == nil {
		noThread(call)
	}
}

//go:noinline
func noThread(call string) {
	panic("namedthread: " + call + " of a Thread that no Registry has made")
}

// mustOwn panics if the caller is found not to be the thread.
func (t *Thread) mustOwn(call string) {
	if owns, known := t.owns(); known && !owns {
		panic("namedthread: " + call + " called from outside thread " + t.name)
	}
}
