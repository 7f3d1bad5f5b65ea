package patience

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/spin"
)

const (
	// sleepCost is what the sleep of one costs, in nanoseconds.
	sleepCost = 200_000

	// Who launches and waits for less than briefWait nanoseconds each time has its answer before a
	// worker that wants a processor could do anything. So after briefWaits of those it spins for as
	// long though there are not enough processors. Else it would lose its own to a worker that
	// finds nothing, and get it back by the Go scheduler, with each wait.
	briefWait  = 4_000
	briefWaits = 16

	// rested is so many nanoseconds after a wait that all workers sleep when the next one begins:
	// they come through the kernel, which may put one behind whoever spins meanwhile.
	rested = 1_000_000
)

// A Patience is that of all goroutines from outside. Init comes before anything else; then any
// goroutine may call its methods, which neither wait nor allocate. What it has learnt is a hint: of
// two that learn at a time one may be lost.
type Patience struct {
	awake  atomics.Int32 // of them
	brief  atomics.Int32 // so many waits one after the other took less than briefWait
	budget spin.Budget
	ended  atomics.Int64 // when the last wait did, or 0 if that spun for too short to know
}

// Init makes p ready.
func (p *Patience) Init() { p.budget.Init(sleepCost, sleepCost/16) }

// Begin begins the spinning of w, until End.
func (p *Patience) Begin(w *spin.Wait) {
	p.awake.Add(1)
	w.Budget = &p.budget
}

// End ends the spinning of a wait. Spun or Slept follows where the wait is over.
func (p *Patience) End() { p.awake.Add(-1) }

// Judge stops w, which has spun for another round, if it is to sleep. So many runners are awake,
// beside those that wait, for so many processors.
func (p *Patience) Judge(w *spin.Wait, runners, processors int) {
	switch {
	case w.Took() < briefWait && p.brief.Load() == briefWaits:
	case p.isRested(w.Now() - w.Took()):
		w.Stop(false)
	case runners+int(p.awake.Load()) > processors:
		w.Stop(false)
	case w.IsSpent():
		w.Stop(true)
	}
}

// Spun says that w is over and has not slept.
func (p *Patience) Spun(w *spin.Wait) {
	p.learn(w.Took())
	p.endedAt(w.Now())
}

// Slept says that w is over and has slept.
func (p *Patience) Slept(w *spin.Wait) {
	w.Slept()
	if now := w.Now(); now != 0 { // else it has not spun
		end := atomics.Now()
		p.endedAt(end)
		p.learn(end - now + w.Took())
	}
}

func (p *Patience) isRested(now int64) bool {
	ended := p.ended.Load()
	return ended != 0 && now-ended > rested
}

func (p *Patience) endedAt(now int64) {
	if now != 0 || p.ended.Load() != 0 {
		p.ended.Store(now)
	}
}

func (p *Patience) learn(took int64) {
	switch n := p.brief.Load(); {
	case took >= briefWait:
		if n != 0 {
			p.brief.Store(0)
		}
	case n < briefWaits:
		p.brief.Store(n + 1)
	}
}
