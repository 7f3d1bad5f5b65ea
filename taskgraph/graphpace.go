package taskgraph

import (
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// A second worker can make the run of a graph of tiny tasks longer: what they touch goes to and fro between processors, which
// takes longer than they do. So a graph tries which way its short runs are over sooner: shared with
// whoever comes, or alone, hidden from thieves. Each trial measures some runs of both ways; the longer the answer stays the
// same, the less often it tries again.

// A pace is what a graph knows about that. It is of the run that goes on.
type pace struct {
	slot *kernel.Slot // whose tasks the run hides; or nil

	began int64 // when the run began that is measured; or 0
	stage stage
	slow  uint8               // of the runs alone that were measured last so many took far longer than usual
	alone bool                // the answer of the last trial
	left  int32               // runs of this stage
	rest  int32               // runs between the last two trials
	since int64               // when this stage of a trial began
	took  [2][trialRuns]int64 // of runs in the last trial: alone, shared
}

type stage uint8

const (
	settled stage = iota
	trialAlone
	trialShared
)

const (
	trialRuns   = 7       // of each way that are measured in a trial
	trialSpare  = 2       // before them that are not, and when shared more, until so long has passed since the first, in nanoseconds:
	trialWarm   = 100_000 // who sleeps needs a moment to come
	firstRest   = 64      // runs between two trials: at first,
	longShared  = 1024    // and at last, if the answer is to share,
	longAlone   = 16_384  // or not: a trial to share takes longer
	lookEvery   = 16      // of runs alone one is measured between trials, and while some take twice as long, each:
	slowRuns    = 3       // after so many comes a trial
	worthShared = 16      // what part of a run sharing must gain, for the other processor that it takes
	aloneMost   = 50_000  // runs that take twice as long alone are shared, in nanoseconds
)

// begin is for the holder of the slot of o, who has queued nothing of the run yet.
func (p *pace) begin(g *Graph, o *owner) {
	s := g.sys
	if o == nil || !s.spin || g.careful || g.others != nil || g.prio != PriorityNormal || s.kern.Workers() == 1 {
		return
	}
	if p.rest == 0 {
		p.settle(false)
	}
	if p.left--; p.left < 0 {
		p.turn()
	}
	alone := p.stage == trialAlone || p.stage == settled && p.alone
	if alone && s.kern.Hide(o.slot) {
		p.slot = o.slot
	}
	switch {
	case alone && p.slot == nil:
		if p.stage != settled {
			p.left++ // it does not count
		}
	case p.stage != settled, p.alone && (p.left%lookEvery == 0 || p.slow > 0), !p.alone && p.left == 0:
		p.began = atomics.Now()
	}
}

// turn begins the next stage.
func (p *pace) turn() {
	switch p.stage {
	case settled:
		p.stage = trialAlone
	case trialAlone:
		p.stage = trialShared
	case trialShared:
		alone, shared := median(p.took[0]), median(p.took[1])
		p.settle(alone-shared <= shared/worthShared)
		return
	}
	p.left, p.since = trialRuns+trialSpare-1, 0
}

// settle ends a trial.
func (p *pace) settle(alone bool) {
	longest := int32(longShared)
	if alone {
		longest = longAlone
	}
	if p.rest = min(2*p.rest, longest); alone != p.alone || p.rest == 0 {
		p.rest = firstRest
	}
	p.stage, p.alone, p.left = settled, alone, p.rest
}

// end is for whoever ends the run.
func (p *pace) end(k *kernel.Kernel) {
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

// learn is for a run that was measured.
func (p *pace) learn(took, now int64) {
	switch {
	case p.stage == settled && !p.alone:
		if took > 8*aloneMost {
			p.settle(false) // nobody can be hurt much
		}
	case p.stage == settled:
		if took <= 2*median(p.took[0]) {
			p.slow = 0
		} else if p.slow++; p.slow == slowRuns {
			p.slow, p.left, p.rest = 0, 0, firstRest // the tasks do more now
		}
	case p.stage == trialAlone && took > 2*aloneMost:
		p.settle(false)
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
