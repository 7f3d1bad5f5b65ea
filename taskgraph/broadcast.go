package taskgraph

import (
	"context"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// Broadcast calls f once for each worker, on the goroutine that is that worker at that moment, and
// once on each named thread of the registry, and returns when all calls have returned. f gets the
// worker's number and a nil thread, or -1 and the thread. It must not broadcast, wait for tasks or
// use a Context.
//
// A worker comes at the end of its task, or when that waits through its [Context]; those that stand
// in for bodies that block are not called. A thread comes when it pumps its main queue, not in a
// wait. A caller that is a thread or a body takes its own part.
//
// If ctx ends first, those that have not come are not called any more and the error is a
// *[BroadcastError]. If calls panic or end their goroutines, the others go on, and the error joins
// those of all. After a Shutdown has begun it is ErrClosed. Broadcasts take place one after the
// other, make garbage, and wake every worker.
func (s *System) Broadcast(ctx context.Context, f func(worker int, th *namedthread.Thread)) error {
	return s.broadcast(ctx, f, false)
}

// Rendezvous is [System.Broadcast] with a meeting: f is called when all have come, and not at all
// if ctx ends before. Who has come waits for the others.
func (s *System) Rendezvous(ctx context.Context, f func(worker int, th *namedthread.Thread)) error {
	return s.broadcast(ctx, f, true)
}

// A broadcast is a broadcast that is under way. broadcast.md has the protocol.
type broadcast struct {
	sys   *System
	f     func(int, *namedthread.Thread)
	meet  bool
	parts []*castPart
	over  Event // completes when each part has ended: then the next may begin
	end   context.CancelCauseFunc

	gate atomics.Uint64 // parts that have not come, and castFailed
	left atomics.Int64  // parts that have not ended
	errs lockfree.Stack[error]
}

const castFailed = 1 << 63

// A castPart is the part of one worker or thread, which takes it once, unless the part is
// withdrawn.
type castPart struct {
	b      *broadcast
	worker int
	slot   *kernel.Slot        // or nil
	thread *namedthread.Thread // or nil
	call   kernel.Call
	state  atomics.Uint32
	self   bool // the caller's own
	rest   *park.Parker
}

const (
	castCalled uint32 = iota
	castCame
	castWithdrawn
	castEnded // after the worker or thread came
)

var (
	_ namedthread.Runnable = (*castPart)(nil)
	_ namedthread.Canceler = (*castPart)(nil)
)

// begin makes the parts, of which self may be the caller's own.
func (b *broadcast) begin(own *kernel.Slot, th *namedthread.Thread) (self *castPart) {
	s := b.sys
	for _, slot := range s.kern.Slots() {
		b.parts = append(b.parts,
			&castPart{b: b, worker: slot.Index(), slot: slot, self: slot == own})
	}
	if s.opts.Threads != nil {
		for _, t := range s.opts.Threads.Threads() {
			b.parts = append(b.parts, &castPart{b: b, worker: -1, thread: t, self: t == th})
		}
	}
	b.gate.Store(uint64(len(b.parts)))
	b.left.Store(int64(len(b.parts)) + 1) // and one for us, until all are invited: see broadcast
	for _, p := range b.parts {
		p.rest = s.newParker(s.mode)
		p.call.What = p
		if p.self {
			self = p
		}
	}
	return self
}

// invite tells all but the caller: BR3. It is called once the broadcast is in System.cast.
func (b *broadcast) invite() {
	s := b.sys
	for _, p := range b.parts {
		switch {
		case p.self:
		case p.slot != nil:
			s.kern.Call(p.slot, &p.call)
			if p.state.Load() == castWithdrawn {
				s.kern.Withdraw(p.slot, &p.call) // whoever withdrew it did not find it there
			}
		default:
			s.threadRunner(p.thread).cast.Store(p)
			if p.thread.Post(namedthread.QueueMain, namedthread.PriorityHigh, p, 0) != nil {
				p.CancelOn(p.thread, 0)
			}
		}
	}
}

// RunOn is called by the thread, when it pumps.
func (p *castPart) RunOn(*namedthread.Thread, uint64) { p.come() }

// CancelOn is called when the thread has quit: then it takes no part.
func (p *castPart) CancelOn(*namedthread.Thread, uint64) {
	if p.state.CompareAndSwap(castCalled, castCame) {
		p.b.arrive()
		p.ended()
	}
}

// The worker or thread of the part calls come (BR4). It does nothing if the part was withdrawn.
func (p *castPart) come() {
	if !p.state.CompareAndSwap(castCalled, castCame) { // LP(come)
		return
	}
	b := p.b
	if p.thread != nil {
		b.sys.threadRunner(p.thread).cast.CompareAndSwap(p, nil)
		b.sys.kern.Enter()
		defer b.sys.kern.Leave()
	}
	late := b.arrive()
	if late {
		p.state.Store(castWithdrawn)
	}
	if b.meet && (late || !p.await()) {
		p.ended()
		return
	}
	clean := false
	defer func() {
		if !clean {
			b.errs.Push(thrown(recover())) // a Goexit ends the runner, and the body on it
		}
		p.ended()
	}()
	b.f(p.worker, p.thread)
	clean = true
}

// arrive counts a part that has come: BR5. The last one releases all. A part is late if the meeting
// has been called off.
func (b *broadcast) arrive() (late bool) {
	v := b.gate.Add(^uint64(0)) // LP(Rendezvous)
	if v == 0 && b.meet {
		b.unpark()
	}
	return b.meet && v&castFailed != 0
}

// await waits until all have come, and reports false if the meeting was called off.
func (p *castPart) await() bool {
	for {
		switch v := p.b.gate.Load(); {
		case v&castFailed != 0:
			return false
		case v == 0:
			return true
		}
		p.rest.Park()
	}
}

func (b *broadcast) unpark() {
	for _, p := range b.parts {
		p.rest.Unpark()
	}
}

// ended counts a part that is over: BR6. The last one ends the broadcast.
func (p *castPart) ended() {
	p.state.CompareAndSwap(castCame, castEnded)
	p.b.leave()
}

func (b *broadcast) leave() {
	if b.left.Add(-1) != 0 {
		return
	}
	b.sys.kern.CallsOver()
	b.sys.cast.CompareAndSwap(b, nil)
	b.over.Trigger()
}

// withdraw takes back the calls that nobody has answered: BR7. Anybody may call it, any number of
// times.
func (b *broadcast) withdraw() {
	for {
		// One step decides whether the meeting takes place.
		v := b.gate.Load()
		if v == 0 || v&castFailed != 0 || b.gate.CompareAndSwap(v, v|castFailed) {
			break
		}
	}
	b.unpark()
	for _, p := range b.parts {
		if !p.state.CompareAndSwap(castCalled, castWithdrawn) { // LP(withdraw)
			continue
		}
		if p.slot != nil {
			b.sys.kern.Withdraw(p.slot, &p.call)
		} else {
			b.sys.threadRunner(p.thread).cast.CompareAndSwap(p, nil)
		}
		p.ended()
	}
}

func (r *runner) answer(slot *kernel.Slot) {
	if c := r.sys.kern.TakeCall(slot); c != nil {
		c.What.(*castPart).come()
	}
}
