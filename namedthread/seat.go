package namedthread

import (
	"fmt"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/sleepevent"
)

// In the deterministic mode of a task graph its named threads take turns with everything else in
// it. They are still goroutines on OS threads of their own, but instead of the signal they sleep on
// a parker that gives the turn away, their seat, and use its clock.
//
// The thread takes its seat, and leaves it, in work that is posted to it, hence between two waits.
// The actor that has the turn waits for that, so that later posts of actors find the seat.

func init() {
	turns.JoinThread = func(thread any, s *turns.Scheduler) error {
		return thread.(*Thread).join(s)
	}
	turns.LeaveThread = func(thread any) { thread.(*Thread).leaveTurns() }
}

// sleep waits for a trigger. On a seat it panics if no trigger can come any more.
func (b *inbox) sleep() {
	if p := b.seat.Load(); p != nil {
		woken := false
		defer func() {
			if !woken {
				b.hopeless = true
				b.unstall()
			}
		}()
		p.Park()
		woken = true
		return
	}
	b.signal.Wait()
}

// sleepFor is sleep with a time limit.
func (b *inbox) sleepFor(d time.Duration) {
	if p := b.seat.Load(); p != nil {
		p.ParkTimeout(d)
		return
	}
	b.signal.WaitTimeout(d)
}

// trigger ends the owner's sleep, or the next one.
func (b *inbox) trigger() {
	if p := b.seat.Load(); p != nil {
		p.Unpark()
		return
	}
	b.signal.Trigger()
}

// now returns the time on the clock that the thread uses. The owner calls it.
func (t *Thread) now() int64 {
	if t.actor != nil {
		return t.actor.Scheduler().Now()
	}
	return atomics.Now()
}

// join makes t take turns. The actor that has the turn calls it.
func (t *Thread) join(s *turns.Scheduler) error {
	if t.inbox.seat.Load() != nil {
		return fmt.Errorf("%v is in another simulation", t)
	}
	if owns, known := t.owns(); known && owns {
		t.takeSeat(s.Current())
		return nil
	}
	if t.attached {
		return fmt.Errorf("%v is attached by a goroutine that does not take part", t)
	}
	j := &joining{s: s, up: sleepevent.NewSignal(sleepevent.Options{Park: t.opts.Park})}
	if t.Post(QueueMain, PriorityHigh, j, 0) == nil {
		j.up.Wait()
	}
	return nil
}

func (t *Thread) takeSeat(a *turns.Actor) {
	t.actor = a
	t.inbox.seat.Store(park.New(park.Go).TakeTurns(a.Scheduler()))
}

// A joining is the work in which a thread takes its seat.
type joining struct {
	s  *turns.Scheduler
	up *sleepevent.Signal
}

func (j *joining) RunOn(t *Thread, _ uint64) {
	a := j.s.Join(t.String)
	t.takeSeat(a)
	j.up.Trigger()
	a.Begin()
	a.SetPrompt(false)
}

func (j *joining) CancelOn(*Thread, uint64) { j.up.Trigger() }

// leaveTurns ends the turns of t: at once, or as soon as it pumps.
func (t *Thread) leaveTurns() {
	switch {
	case t.inbox.seat.Load() == nil:
	case t.actor.IsMain():
		t.giveUpSeat()
	default:
		_ = t.Post(QueueMain, PriorityHigh, leaving{}, 0) // otherwise it has quit, and leaves then
	}
}

// A leaving is the work in which a thread gives up its seat.
type leaving struct{}

func (leaving) RunOn(t *Thread, _ uint64) { t.giveUpSeat() }

func (leaving) CancelOn(*Thread, uint64) {}

// giveUpSeat ends the turns of the calling thread, if it takes any.
func (t *Thread) giveUpSeat() {
	a := t.actor
	if a == nil {
		return
	}
	t.actor = nil
	t.inbox.seat.Store(nil)
	if !a.IsMain() {
		a.Leave()
	}
}
