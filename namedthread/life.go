package namedthread

import (
	"runtime"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/sleepevent"
)

// Attach makes the calling goroutine a named thread: it locks it to its OS thread and shows the
// name there. The goroutine then runs what is posted whenever it calls one of the pumps, and
// must call [Thread.Detach] in the end, best by a defer: the thread of one that ends without keeps
// its name and its index for good, and what is posted to it is neither run nor cancelled.
//
// Some window systems and frameworks want the program's first thread. The main goroutine is on
// it, and stays there if it is locked before main begins:
//
//	func init() { runtime.LockOSThread() }
//
//	func main() {
//		game, err := registry.Attach("Game", namedthread.Options{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer game.Detach()
//		// Start what posts to game, and then:
//		game.Run(ctx)
//	}
//
// The error is [ErrName], [ErrNameTaken], [ErrRegistryFull], [ErrAttached], or says which field
// of the Options is out of range.
func (r *Registry) Attach(name string, o Options) (*Thread, error) {
	if err := o.validate(true); err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	t, err := r.attach(name, o)
	if err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	return t, nil
}

func (r *Registry) attach(name string, o Options) (*Thread, error) {
	id, idErr := osID()
	if idErr == nil && onOSThread(id) != nil {
		return nil, ErrAttached
	}
	t := newThread(r, name, o)
	t.attached = true
	if err := r.add(t); err != nil {
		return nil, err
	}
	t.noteRefused(t.setUpAttached())
	if idErr == nil {
		t.mark = osthread.NewMark()
		setOSThread(id, t)
	}
	return t, nil
}

// Detach ends an attached thread: it quits, cancels what is left, gives the OS thread back the
// name and the processors it had, where these can be asked for, and unlocks the goroutine. It
// returns what [Thread.Err] does, [ErrNotAttached] if the thread was made by Start,
// [ErrReentered] inside a pump or a Wait of the thread, and [ErrClosed] if the thread was
// detached before.
func (t *Thread) Detach() error {
	t.mustBe("Detach")
	switch {
	case !t.attached:
		return ErrNotAttached
	case t.ended.Load():
		return ErrClosed
	}
	t.mustOwn("Detach")
	if t.depth > 0 {
		return ErrReentered
	}
	t.inbox.close()
	t.cancelRest()
	t.restore()
	if id, err := osID(); err == nil {
		setOSThread(id, nil)
		t.mark.Drop()
	}
	t.end()
	t.inbox.seat.Store(nil)
	t.actor = nil
	runtime.UnlockOSThread()
	return t.Err()
}

// Start makes a named thread: a goroutine on an OS thread of its own, which pumps the main
// queue until it is told to quit, then cancels what is left and ends, and its OS thread with
// it. When Start returns, the system shows the name and [Current] knows the thread.
//
// The error is [ErrName], [ErrNameTaken], [ErrRegistryFull], or says which field of the Options
// is out of range. What the system refuses is no error; see [Thread.Refused].
func (r *Registry) Start(name string, o Options) (*Thread, error) {
	if err := o.validate(false); err != nil {
		return nil, err
	}
	t := newThread(r, name, o)
	up := sleepevent.NewSignal(sleepevent.Options{Park: o.Park})
	t.up = up
	if err := r.add(t); err != nil {
		return nil, err
	}
	atomics.Go(t.begin)
	up.Wait()
	return t, nil
}

// begin is the whole life of a started thread, or the rest of it after a Goexit.
func (t *Thread) begin() {
	runtime.LockOSThread()
	id, err := osID()
	if err == nil && id == mainThread {
		// This is the program's first thread, which the runtime does not let end. Hold it until the
		// other goroutine has got another thread.
		moved := sleepevent.NewSignal(sleepevent.Options{Park: t.opts.Park})
		atomics.Go(func() {
			runtime.LockOSThread()
			moved.Trigger()
			t.live()
		})
		moved.Wait()
		runtime.UnlockOSThread()
		return
	}
	t.live()
}

// live serves on the OS thread to which the goroutine is locked for ever.
func (t *Thread) live() {
	refused := t.setUp()
	id, idErr := osID()
	if idErr == nil {
		setOSThread(id, t)
	}
	if up := t.up; up != nil {
		t.up = nil
		t.noteRefused(refused)
		up.Trigger()
	}
	quit := false
	defer func() {
		v := recover()
		if idErr == nil {
			setOSThread(id, nil)
		}
		switch {
		case v != nil:
			panic(v)
		case quit:
			t.end()
			t.giveUpSeat()
		default:
			// Work called Goexit, which nothing can stop: the named thread continues on a new
			// goroutine.
			if t.actor != nil {
				t.actor.Rename()
			}
			atomics.Go(t.begin)
		}
	}()
	t.PumpUntilQuit(QueueMain)
	quit = true
}

// end frees the name of a thread that has done all accepted work.
func (t *Thread) end() {
	t.ended.Store(true)
	t.registry.remove(t)
	t.done.set()
}
