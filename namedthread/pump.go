package namedthread

import (
	"math"
	"runtime/debug"
	"time"
)

// A pumpEnd says what ends a pump besides the thread's quitting.
type pumpEnd uint8

const (
	endQuit pumpEnd = iota
	endIdle
	endReturn
	endTime
	endCond
)

// A pump is the state of one call that pumps a queue. It is on that call's stack.
type pump struct {
	queue    Queue
	end      pumpEnd
	token    Token // endReturn
	deadline int64 // endTime

	cond  func() bool // endCond, and what the owner had seen before it was called last
	wakes uint64
	moves uint64

	ran      int
	clean    bool // a panic is not one of work
	err      error
	borrowed bool // a pump of the main queue is running work of the local one
	polled   bool // Options.Poll was called since the last piece of work or sleep
}

// PumpUntilIdle runs the work of queue q until there is none, and returns how many pieces it ran.
// Work that keeps posting keeps it going. The result is [ErrClosed] if the thread quits or has
// ended, and [ErrReentered] inside a pump of the same queue, which a Wait that names the local
// queue is for that one. It panics if q is no queue, or if the caller is found to be another
// thread.
//
// A pump of the main queue runs work of the local queue whenever it has none of its own, and
// then looks at its own again, unless the local queue is being pumped by a caller.
//
// If a piece of work panics, see [Options]; if it calls runtime.Goexit, an attached thread's
// goroutine ends as it would anywhere, while a started thread goes on: on a new goroutine and
// a new OS thread, under the same name and index.
func (t *Thread) PumpUntilIdle(q Queue) (int, error) {
	return t.pump("PumpUntilIdle", pump{queue: q, end: endIdle})
}

// PumpUntilReturn runs the work of queue q as it comes, sleeping while there is none, until k
// is returned by RequestReturn. For the rest it is as [Thread.PumpUntilIdle]. When it returns,
// the token has served. One token at a time for each queue costs no allocation. It panics if
// the token is not one of t.
func (t *Thread) PumpUntilReturn(q Queue, k Token) (int, error) {
	t.mustBe("PumpUntilReturn")
	t.checkToken(k)
	return t.pump("PumpUntilReturn", pump{queue: q, end: endReturn, token: k})
}

// PumpUntilQuit runs the work of queue q as it comes, sleeping while there is none, until the
// thread is told to quit, and then returns a nil error; [ErrClosed] if the thread has ended. For
// the rest it is as [Thread.PumpUntilIdle].
func (t *Thread) PumpUntilQuit(q Queue) (int, error) {
	return t.pump("PumpUntilQuit", pump{queue: q, end: endQuit})
}

// PumpFor runs the work of queue q as it comes, sleeping while there is none, until d has
// passed. The time is looked at between pieces of work, of which it begins none if d is not
// positive. For the rest it is as [Thread.PumpUntilIdle].
func (t *Thread) PumpFor(q Queue, d time.Duration) (int, error) {
	t.mustBe("PumpFor")
	now := t.now()
	deadline := now + max(int64(d), 0)
	if deadline < now {
		deadline = math.MaxInt64
	}
	return t.pump("PumpFor", pump{queue: q, end: endTime, deadline: deadline})
}

// PumpUntil runs the work of queue q as it comes, sleeping while there is none, until cond returns
// true. cond is called before each piece of work, before the thread sleeps, after each
// [Thread.Wake], and whenever work was taken from a queue inside cond. So whoever makes the
// condition true other than by work of the queue calls Wake afterwards.
//
// Other work may thus change what the caller is in the middle of. So work of the thread cannot call
// it: inside a pump or a Wait, of whatever queue, the result is [ErrReentered], hence always on a
// started thread. For the rest it is as [Thread.PumpUntilIdle]. It panics if cond is nil; a panic
// of cond goes to the caller.
func (t *Thread) PumpUntil(q Queue, cond func() bool) (int, error) {
	t.mustBe("PumpUntil")
	if cond == nil {
		panic("namedthread: PumpUntil for a nil condition")
	}
	return t.pump("PumpUntil", pump{queue: q, end: endCond, cond: cond})
}

func (t *Thread) pump(call string, p pump) (int, error) {
	t.mustBe(call)
	p.queue.check()
	if t.ended.Load() {
		return 0, ErrClosed
	}
	t.mustOwn(call)
	if t.pumping[p.queue] || p.end == endCond && t.depth > 0 {
		return 0, ErrReentered
	}
	t.serve(&p)
	return p.ran, p.err
}

// serve runs a pump that may run. If it was the outermost one of a thread that quits, it then
// cancels what is left.
func (t *Thread) serve(p *pump) {
	t.runPump(p)
	if t.depth == 0 && t.inbox.closed() {
		t.cancelRest()
	}
}

func (t *Thread) runPump(p *pump) {
	t.pumping[p.queue] = true
	t.depth++
	defer t.leave(p)
	for !t.burst(p) {
	}
	if p.end == endReturn {
		t.retire(p.token)
	}
}

// leave undoes the marks of runPump, however that ends.
func (t *Thread) leave(p *pump) {
	t.unborrow(p)
	t.pumping[p.queue] = false
	t.depth--
}

func (t *Thread) unborrow(p *pump) {
	if p.borrowed {
		p.borrowed, t.pumping[QueueLocal] = false, false
	}
}

// burst pumps until the pump is over or work has panicked. One frame that recovers serves all
// the work in between.
func (t *Thread) burst(p *pump) (over bool) {
	p.clean = false
	defer t.catch(&p.clean)
	t.unborrow(p)
	t.work(p)
	p.clean = true
	return true
}

// catch is deferred around foreign code. It deals with a panic as Options.OnPanic says and
// lets a Goexit pass.
func (t *Thread) catch(clean *bool) {
	if *clean {
		return
	}
	v := recover()
	if v == nil {
		return // Goexit: the goroutine is ending
	}
	switch {
	case t.inbox.hopeless: // the pump has panicked, not the work
		t.inbox.hopeless = false
		panic(v)
	case t.opts.OnPanic != nil:
		t.handlePanic(v, debug.Stack())
	case t.opts.Crash:
		panic(v)
	default:
		t.notePanic(v, debug.Stack())
	}
}

// handlePanic calls Options.OnPanic. A panic of OnPanic itself is kept for Err.
func (t *Thread) handlePanic(v any, stack []byte) {
	defer func() {
		if v := recover(); v != nil {
			t.notePanic(v, debug.Stack())
		}
	}()
	t.opts.OnPanic(v, stack)
}

// over reports whether the pump must begin no further work.
func (t *Thread) over(p *pump) bool {
	switch {
	case p.end == endReturn && p.token.requested():
	case p.end == endCond && t.holds(p):
	case t.inbox.closed():
		if p.end != endQuit {
			p.err = ErrClosed
		}
	case p.end == endTime && t.now() >= p.deadline:
	default:
		return false
	}
	return true
}

// holds reports whether the condition of a pump holds. It notes first what will have changed if
// something happens that the condition has not seen, as a Wait does.
func (t *Thread) holds(p *pump) bool {
	p.wakes, p.moves = t.inbox.wakes.Load(), t.inbox.moves
	p.clean = true // a panic of the condition is the caller's
	holds := p.cond()
	p.clean = false
	return holds
}

func (t *Thread) work(p *pump) {
	b := &t.inbox
	for !t.over(p) {
		if !p.polled && t.pollDue() {
			// Look again at what may end the pump, since this was foreign code. However short the
			// period, a piece of work runs between two calls.
			p.polled = true
			t.poll()
			continue
		}
		p.polled = false
		if it, ok := b.take(p.queue); ok {
			p.ran++
			it.what.RunOn(t, it.token)
			continue
		}
		stall := queueSet(1) << p.queue
		if p.queue == QueueMain && !t.pumping[QueueLocal] {
			stall = bothQueues
			if it, ok := b.take(QueueLocal); ok {
				p.ran++
				p.borrowed, t.pumping[QueueLocal] = true, true
				it.what.RunOn(t, it.token)
				t.unborrow(p)
				continue
			}
		}
		if p.end == endIdle {
			return
		}
		if b.stall(stall, &marks{}) {
			// Whatever may end the pump is set before the signal is triggered, and the signal
			// remembers the trigger; nobody has waited on the signal since over was called, but
			// perhaps a condition.
			if p.end != endCond || t.inbox.wakes.Load() == p.wakes && b.moves == p.moves {
				t.sleep(p)
			}
			b.unstall()
		}
	}
}

func (t *Thread) sleep(p *pump) {
	until := int64(math.MaxInt64)
	if p.end == endTime {
		until = p.deadline
	}
	if t.opts.Poll != nil && !t.polling {
		until = min(until, t.nextPoll)
	}
	if until == math.MaxInt64 {
		t.inbox.sleep()
		return
	}
	t.inbox.sleepFor(time.Duration(until - t.now()))
}

// cancelRest cancels what is left of a closed inbox. It may be called again if it did not
// return.
func (t *Thread) cancelRest() {
	t.depth++
	defer t.cancelled()
	for !t.cancelBurst() {
	}
}

func (t *Thread) cancelled() { t.depth-- }

// cancelBurst is the burst of cancelRest.
func (t *Thread) cancelBurst() (over bool) {
	clean := false
	defer t.catch(&clean)
	for {
		it, ok := t.inbox.next()
		if !ok {
			clean = true
			return true
		}
		if c, ok := it.what.(Canceler); ok {
			c.CancelOn(t, it.token)
		} else {
			t.dropped.Add(1)
		}
	}
}
