package ark

import (
	"slices"
	"time"
)

// A pace finds out whether the frames of a set of systems are run sooner as a graph or in place,
// systems one after the other on the goroutine that calls RunFrame. It has some frames run in each
// way and their systems' time measured, then many in the way that was faster, and so on.
type pace struct {
	limit time.Duration // nothing is tried in place where the graph takes so long

	inPlace bool // how the next frame is run
	trial   bool // and whether that is to find out
	left    int  // how many more frames that holds for
	times   [trialFrames]time.Duration
	graph   time.Duration // the median of the last trial
}

const (
	trialFrames = 5   // of each way, for which a median is taken
	paceFrames  = 500 // that are then run in one way
	paceLooks   = 8   // one of so many frames in place is measured
)

func newPace(limit time.Duration) pace {
	return pace{limit: limit, trial: true, left: trialFrames}
}

// measures says whether the time of the next frame's systems is asked for.
func (p *pace) measures() bool { return p.trial || p.inPlace && p.left%paceLooks == 0 }

// ran takes note of a frame, and of how long its systems took if that was asked for.
func (p *pace) ran(d time.Duration) {
	if p.inPlace && d > p.limit { // more than it can be worth, whatever it was before
		p.hold(!p.trial, false)
		return
	}
	p.left--
	if p.trial {
		p.times[p.left] = d
	}
	if p.left > 0 {
		return
	}
	switch {
	case !p.trial:
		p.hold(true, false)
	case p.inPlace:
		p.hold(false, p.median() < p.graph)
	default:
		p.graph = p.median()
		fast := p.graph < p.limit
		p.hold(fast, fast)
	}
}

// hold has the next frames run in one way.
func (p *pace) hold(trial, inPlace bool) {
	p.trial, p.inPlace, p.left = trial, inPlace, paceFrames
	if trial {
		p.left = trialFrames
	}
}

func (p *pace) median() time.Duration {
	slices.Sort(p.times[:])
	return p.times[trialFrames/2]
}
