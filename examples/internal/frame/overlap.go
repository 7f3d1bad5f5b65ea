package frame

import (
	"cmp"
	"slices"
	"time"
)

// An overlap adds up what frames do beside each other: the simulation and the unrelated objects,
// and what hangs on an island and the islands that are not done yet.
type overlap struct {
	of        *contestant
	solve     int // the step that feeds the dependents
	hangs     int // and these
	frames    int
	sim       time.Duration   // from the simulation's beginning to its end
	free      time.Duration   // that unrelated objects took
	beside    time.Duration   // of sim, in which any of these ran
	allowed   time.Duration   // the most that this could be: the shorter of both, a frame each
	waits     []time.Duration // of dependents, for a worker after their island was done
	barred    []time.Duration // likewise, if they had waited for all islands
	early     int             // dependents that began before the last island was done
	own       int             // and on the worker that had done theirs
	behind    int             // dependents of islands that were not the last
	fine      int             // tasks of objects
	all       int
	islands   []span // of the frame
	unrelated []span
}

const (
	recentSpans = 1 << 12 // of a lane, in a frame
	mostWaits   = 1 << 16
)

func newOverlap(c *contestant) *overlap {
	v := &overlap{of: c, waits: make([]time.Duration, 0, mostWaits),
		barred: make([]time.Duration, 0, mostWaits)}
	for i := range c.plan.steps {
		for _, fd := range c.plan.steps[i].feeds {
			if c.plan.steps[fd.step].class == classDependent {
				v.solve, v.hangs = i, fd.step
			}
		}
	}
	v.islands = make([]span, c.world.World.Slots())
	v.unrelated = make([]span, 0, recentSpans)
	c.rec.remember(recentSpans)
	return v
}

// frame looks at a frame that has been played, and forgets its calls.
func (v *overlap) frame() {
	steps, from, to := v.of.plan.steps, time.Duration(-1), time.Duration(0)
	var last time.Duration // the end of the last island
	v.unrelated = v.unrelated[:0]
	clear(v.islands)
	v.each(func(s span) {
		switch k := int(s.step); {
		case k >= len(steps):
		case steps[k].class == classSimulated:
			if from < 0 || s.start < from {
				from = s.start
			}
			to = max(to, s.end)
			if k == v.solve {
				v.islands[s.object] = s
				last = max(last, s.end)
			}
		case steps[k].class == classUnrelated && len(v.unrelated) < cap(v.unrelated):
			v.unrelated = append(v.unrelated, s)
		}
	})
	v.frames++
	v.sim += to - from
	free := v.spread(from, to)
	v.free += free
	v.allowed += min(free, to-from)
	v.each(func(s span) {
		if int(s.step) == v.hangs {
			v.dependent(s, last)
		}
	})
	v.of.rec.forget()
	for _, t := range v.of.graph.tasks {
		for _, o := range t.objects {
			if o.frame == v.of.graph.now {
				v.fine++
			}
		}
	}
}

// putOff returns how many tasks of objects have given themselves up for something else.
func (v *overlap) putOff() (n int) {
	for _, t := range v.of.graph.tasks {
		for _, o := range t.objects {
			n += o.again
		}
	}
	return n
}

// each calls f for each recent call.
func (v *overlap) each(f func(s span)) {
	for i := range v.of.rec.lanes {
		for _, s := range v.of.rec.lanes[i].recent {
			f(s)
		}
	}
}

// spread adds for how long any unrelated object was updated between two times, and returns how long
// all of them took.
func (v *overlap) spread(from, to time.Duration) (took time.Duration) {
	slices.SortFunc(v.unrelated, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	at := from
	for _, s := range v.unrelated {
		took += s.end - s.start
		if lo, hi := max(s.start, at), min(s.end, to); hi > lo {
			v.beside += hi - lo
			at = hi
		}
	}
	return took
}

// dependent adds the update of one that hangs on an island.
func (v *overlap) dependent(s span, last time.Duration) {
	on := v.islands[v.of.world.carry.island[s.object]]
	if on.end == 0 {
		return // there was no room for its span
	}
	v.all++
	if on.end < last {
		v.behind++
	}
	if s.start < last {
		v.early++
	}
	if s.lane == on.lane {
		v.own++
	}
	if len(v.waits) < cap(v.waits) {
		v.waits = append(v.waits, s.start-on.end)
		v.barred = append(v.barred, last-on.end)
	}
}
