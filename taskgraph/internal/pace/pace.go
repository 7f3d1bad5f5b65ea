package pace

import (
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// A Pace is what a graph has learned, and the state of its current run. The zero value has learned
// nothing.
type Pace struct {
	slot *kernel.Slot // the slot whose tasks the run hides; or nil

	began int64 // when the run began, if it is measured; or 0
	stage stage
	slow  uint8               // how many of the last measured runs alone took far longer than usual
	alone bool                // the result of the last trial
	left  int32               // runs that are left of this stage
	rest  int32               // runs between the last two trials
	since int64               // when this stage of a trial began
	took  [2][trialRuns]int64 // times of runs in the last trial: alone, shared
}

type stage uint8

const (
	settled stage = iota
	trialAlone
	trialShared
)

const (
	trialRuns   = 7       // of each way that are measured in a trial
	trialSpare  = 2       // before them that are not, and when shared more,
	trialWarm   = 100_000 // until so many nanoseconds have passed: sleepers need a moment to come
	firstRest   = 64      // runs between two trials: at first,
	longShared  = 1024    // and at last, if the answer is to share,
	longAlone   = 16_384  // or not: a trial to share takes longer
	lookEvery   = 16      // of runs alone one is measured, and while some take twice as long, each:
	slowRuns    = 3       // after so many comes a trial
	worthShared = 16      // what part of a run sharing must gain, for the processor that it takes
	aloneMost   = 50_000  // runs that take twice as long alone are shared, in nanoseconds
)

// Begin begins a run, for the holder of s, who has queued nothing of it yet.
func (p *Pace) Begin(k *kernel.Kernel, s *kernel.Slot) {
	alone := p.next()
	if alone && k.Hide(s) {
		p.slot = s
	}
	if p.isMeasured(alone, p.slot != nil) {
		p.began = atomics.Now()
	}
}

// next reports whether the run that begins should go alone.
func (p *Pace) next() (alone bool) {
	if p.rest == 0 {
		p.Settle(false)
	}
	if p.left--; p.left < 0 {
		p.turn()
	}
	return p.stage == trialAlone || p.stage == settled && p.alone
}

// isMeasured reports whether the run that begins is measured. alone says that it should go alone,
// and hidden that it does.
func (p *Pace) isMeasured(alone, hidden bool) bool {
	switch {
	case alone && !hidden:
		if p.InTrial() {
			p.left++ // this run does not count
		}
		return false
	case p.InTrial():
		return true
	case alone:
		return p.left%lookEvery == 0 || p.slow > 0
	}
	return p.left == 0
}

// IsAlone reports whether the current run is hidden.
func (p *Pace) IsAlone() bool { return p.slot != nil }

// InTrial reports whether the current run is part of a trial.
func (p *Pace) InTrial() bool { return p.stage != settled }

// Retry makes the next run begin a trial. It must not be called during a trial.
func (p *Pace) Retry() { p.slow, p.left, p.rest = 0, 0, firstRest }

// turn begins the next stage.
func (p *Pace) turn() {
	switch p.stage {
	case settled:
		p.stage = trialAlone
	case trialAlone:
		p.stage = trialShared
	case trialShared:
		alone, shared := median(p.took[0]), median(p.took[1])
		p.Settle(alone-shared <= shared/worthShared)
		return
	}
	p.left, p.since = trialRuns+trialSpare-1, 0
}

// Settle ends a trial with a result, or sets one without a trial.
func (p *Pace) Settle(alone bool) {
	longest := int32(longShared)
	if alone {
		longest = longAlone
	}
	if p.rest = min(2*p.rest, longest); alone != p.alone || p.rest == 0 {
		p.rest = firstRest
	}
	p.stage, p.alone, p.left = settled, alone, p.rest
}

// End ends the run.
func (p *Pace) End(k *kernel.Kernel) {
	if p.slot != nil {
		k.Reveal(p.slot)
		p.slot = nil
	}
	if p.began == 0 {
		return
	}
	now := atomics.Now()
	took := now - p.began
	p.began = 0
	p.learn(took, now)
}

// learn learns from a measured run.
func (p *Pace) learn(took, now int64) {
	switch {
	case p.stage == settled && !p.alone:
		if took > 8*aloneMost {
			p.Settle(false) // the runs are too long to lose much
		}
	case p.stage == settled:
		if took <= 2*median(p.took[0]) {
			p.slow = 0
		} else if p.slow++; p.slow == slowRuns {
			p.Retry() // the tasks have become longer
		}
	case p.stage == trialAlone && took > 2*aloneMost:
		p.Settle(false)
	case p.since == 0:
		p.since = now - took
	case p.left >= trialRuns || p.stage == trialShared && now-p.since < trialWarm:
		p.left = max(p.left, trialRuns)
	default:
		p.took[p.stage-trialAlone][p.left] = took
	}
}

func median(took [trialRuns]int64) int64 {
	slices.Sort(took[:])
	return took[trialRuns/2]
}
