package park

import (
	"math"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/turns"
)

// The platform supplies, in word_*.go and handoff_*.go:
//
//	hasWordWait                 whether the kernel can wait on a word
//	waitWord(w, limit)          blocks through an ordinary system call while *w == inKernel,
//	                            for about limit at most; may return for no reason
//	wakeWord(w)                 wakes a thread that waits on w, if one does; never blocks
//	canHandOff()                whether waitWordHandOff may be called; always the same
//	waitWordHandOff(w, b, limit)
//	                            as waitWord, but gives the P away first and takes one again
//	                            before it returns, at the berth b; limit < 0: none
//	berth.steer()               makes the thread that waits there continue elsewhere
//
// Both waits compare and begin to wait in one atomic step with respect to wakeWord.

// The values of Parker.word.
const (
	empty    uint32 = iota // nobody waits, no permit
	permit                 // nobody waits, one permit is pending
	inKernel               // the owner waits, or is about to, on the word itself
	onCond                 // the owner waits, or is about to, on the Cond
	onTurn                 // the owner waits for a turn
)

// BriefLimit bounds the first phase of a TwoPhase wait, in which a P may be held. A longer wait
// comes to the second one, which takes a timer if it has a limit.
const BriefLimit = 1500 * time.Microsecond

// longLimit bounds one kernel wait, so that a time limit of any length fits the timespec
// of a 32-bit platform. Waits without a limit are not cut.
const longLimit = time.Hour

// SecondWaiter is what a Parker panics with when a second goroutine is caught waiting.
const SecondWaiter = "park: two goroutines wait on one Parker"

// never is the deadline of a wait without a time limit.
const never = math.MaxInt64

// A Parker holds at most one permit: Unpark leaves it, Park takes it and waits until there
// is one.
//
// The zero value is ready for use in the mode OS. A Parker must not be copied after first
// use.
//
// # Concurrency
//
// One goroutine at a time may be inside Park, ParkTimeout, TryPark, Reset, Init or TakeTurns; it
// panics where a second one is caught waiting. Unpark may be called by any number of goroutines at
// any time. An Unpark synchronizes before the return of the Park that takes its permit, and so do
// those that found the permit pending.
//
// # Progress
//
// Park blocks, with no time limit and no periodic wake-up. Unpark and TryPark are wait-free
// when nobody waits; an Unpark that wakes a waiter makes a kernel call or, on a sync.Cond,
// takes a mutex that is never held over a wait.
//
// # Cost
//
// No operation allocates, except that a ParkTimeout that waits on a sync.Cond makes a timer. A
// waiter in the kernel occupies an OS thread, see [Enter], and the runtime's detection of a program
// that is wholly asleep does not see it.
//
// # Linearizability
//
// A Parker is a semaphore with the values 0 and 1; each operation takes effect at its marked
// atomic step on the word.
type Parker struct {
	// I1 Only the owner moves the word to empty, inKernel or onCond; anyone may move it to
	//    permit, and does so by a swap, so that exactly one caller learns of a waiter.
	// I2 The owner returns from a wait only by moving the word from permit to empty, or at its time
	// limit from inKernel or onCond to empty. I3 Whoever swapped out inKernel wakes the word,
	// whoever swapped out onCond signals
	//    the Cond under mu.
	//
	// No wake is lost: the kernel compares the word with inKernel and begins to wait in one
	// step, so a swap comes before it (no wait) or after it (the wake of I3 finds the
	// waiter); on the Cond mu does the same. A wake that comes late finds a later wait or
	// none: waits loop until the word says permit.
	word atomics.Uint32
	mode Mode

	berth berth // of the owner, while it waits in the kernel without a P

	woken atomics.Int64 // when the last waiter in the kernel was woken

	turns *turns.Scheduler // nil but where goroutines take turns
	actor *turns.Actor     // the actor that waits onTurn

	mu   Mutex
	cond cond // L is set by the owner when it first waits
}

// New returns a Parker without a permit. It panics if mode is not one of the constants.
func New(mode Mode) *Parker {
	p := new(Parker)
	p.Init(mode)
	return p
}

// Init sets the mode of the waits to come. It panics if mode is not one of the constants.
func (p *Parker) Init(mode Mode) {
	if mode > TwoPhase {
		panic("park: unknown mode")
	}
	p.mode = mode
}

// TakeTurns makes the waits of a Parker that is not in use give the turn of s away, and an Unpark
// that ends one let others run. Everything is then for goroutines that take turns. Nil: as the
// mode says. The first actor of s is also woken, for no reason, when nothing else can go on. It
// returns p.
func (p *Parker) TakeTurns(s *turns.Scheduler) *Parker {
	p.turns = s
	return p
}

// Park takes the permit, and waits until there is one.
func (p *Parker) Park() {
	if !p.TryPark() {
		p.wait(-1)
	}
}

// ParkTimeout is Park with a time limit. It returns false when d had passed without a
// permit; if d is not positive it takes a permit that is there, and does not wait.
func (p *Parker) ParkTimeout(d time.Duration) bool {
	if p.TryPark() {
		return true
	}
	return d > 0 && p.wait(d)
}

// TryPark takes the permit if there is one and never waits. It reports whether it did.
func (p *Parker) TryPark() bool {
	// A swap, not a store: it must observe, and so be ordered after, an Unpark that came
	// between the load and here.
	return p.word.Load() == permit && p.word.Swap(empty) == permit // LP(Park), LP(TryPark)
}

// Reset drops a pending permit and reports whether there was one.
func (p *Parker) Reset() bool { return p.TryPark() }

// Unpark leaves the permit and wakes the waiter if there is one. A permit that is pending
// already stays one permit. The result reports whether a waiter had to be woken through the
// kernel or, in the modes that wait on a sync.Cond, through the Go scheduler.
func (p *Parker) Unpark() (kernel bool) { return p.unpark(false) }

// UnparkElsewhere is Unpark for a caller that goes on working: if [Steers] and the caller's thread
// may run on two processors, a waiter in the kernel continues on the other one. By itself a kernel
// often makes it wait for the caller's. The kernel calls for that, four of the waker's and two of
// the waiter's, take about two microseconds.
func (p *Parker) UnparkElsewhere() (kernel bool) { return p.unpark(true) }

func (p *Parker) unpark(elsewhere bool) (kernel bool) {
	switch p.word.Swap(permit) { // LP(Unpark)
	case inKernel:
		if elsewhere {
			p.berth.steer()
		}
		if atomics.Modeled() {
			atomics.FutexWake(&p.word)
		} else {
			p.woken.Store(atomics.Now())
			comesLate()
			wakeWord(&p.word)
		}
		return true
	case onCond:
		p.mu.Lock()
		p.cond.Signal()
		p.mu.Unlock()
		return true
	case onTurn:
		p.turns.Ready(p.actor)
		p.turns.Yield()
		return true
	}
	return false
}

// Woken returns when the last waiter in the kernel was woken, to learn from. A waker that is
// delayed just then notes it late.
func (p *Parker) Woken() int64 { return p.woken.Load() }

// wait waits for a permit and takes it; d < 0: without limit.
func (p *Parker) wait(d time.Duration) bool {
	if p.turns != nil {
		return p.waitTurn(int64(d))
	}
	deadline := int64(never)
	if d >= 0 {
		now := atomics.Now() // negative in a synctest bubble: its clock starts in the past
		if deadline = now + int64(d); deadline < now {
			deadline = never
		}
	}
	switch p.mode.way() {
	case wayHandOff:
		return p.waitHandOff(deadline)
	case wayTwoPhase:
		return p.waitTwoPhase(deadline)
	}
	if !p.announce(empty, onCond) {
		return true
	}
	return p.waitCond(deadline)
}

// waitTurn waits while others have their turns.
func (p *Parker) waitTurn(d int64) bool {
	p.actor = p.turns.Current()
	p.word.Store(onTurn)
	p.turns.Block(d)
	return p.word.Swap(empty) == permit
}

// announce moves the word to a waiting state. False: a permit was pending and is taken.
func (p *Parker) announce(from, to uint32) bool {
	if p.word.CompareAndSwap(from, to) {
		return true
	}
	if p.word.Load() != permit {
		panic(SecondWaiter)
	}
	p.word.Swap(empty) // LP(Park); a swap as in TryPark
	return false
}

// expire withdraws from a waiting state at the time limit. False: the permit came first and
// is taken.
func (p *Parker) expire(from uint32) bool {
	if p.word.CompareAndSwap(from, empty) { // LP(ParkTimeout, false)
		return true
	}
	p.word.Swap(empty) // LP(ParkTimeout, true)
	return false
}

// waitHandOff waits in the kernel without a P.
func (p *Parker) waitHandOff(deadline int64) bool {
	if !p.announce(empty, inKernel) {
		return true
	}
	for {
		limit := time.Duration(-1)
		if deadline != never {
			if limit = time.Duration(deadline - atomics.Now()); limit <= 0 {
				return !p.expire(inKernel)
			}
			limit = min(limit, longLimit)
		}
		if !endsEarly() {
			waitWordHandOff(&p.word, &p.berth, limit)
		}
		if p.TryPark() {
			return true
		}
	}
}

// waitTwoPhase bounds the time for which a waiting thread keeps a P: goroutines that were readied
// before run at the yield, and later ones wait for BriefLimit at most.
func (p *Parker) waitTwoPhase(deadline int64) bool {
	atomics.Gosched()
	if !p.announce(empty, inKernel) {
		return true
	}
	brief := atomics.Now() + int64(BriefLimit)
	for {
		now := atomics.Now()
		if now >= deadline {
			return !p.expire(inKernel)
		}
		if now >= brief {
			break
		}
		if limit := min(brief, deadline) - now; atomics.Modeled() {
			atomics.FutexWait(&p.word, inKernel, limit)
		} else if !endsEarly() {
			waitWord(&p.word, time.Duration(limit))
		}
		if p.TryPark() {
			return true
		}
	}
	if !p.announce(inKernel, onCond) {
		return true
	}
	return p.waitCond(deadline)
}

// waitCond waits on the Cond; the word is onCond or permit.
func (p *Parker) waitCond(deadline int64) bool {
	if deadline == never {
		p.mu.Lock()
		p.cond.L = &p.mu
		for p.word.Load() != permit {
			p.cond.Wait()
		}
		p.mu.Unlock()
		p.word.Swap(empty) // LP(Park)
		return true
	}
	return p.waitCondUntil(deadline)
}

// waitCondUntil is waitCond with a time limit. The timer belongs to the call: one that is
// kept would tie the Parker to the synctest bubble that it was made in.
func (p *Parker) waitCondUntil(deadline int64) bool {
	expired := false
	t := afterFunc(time.Duration(deadline-atomics.Now()), func() {
		p.mu.Lock()
		expired = true
		p.cond.Signal() // too late, it finds no waiter or disturbs a later wait, which loops
		p.mu.Unlock()
	})
	p.mu.Lock()
	p.cond.L = &p.mu
	for p.word.Load() != permit && !expired {
		p.cond.Wait()
	}
	p.mu.Unlock()
	t.Stop()
	return !p.expire(onCond)
}
