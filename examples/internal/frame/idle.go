package frame

import (
	"cmp"
	"slices"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
)

// An idleness says for how much of its frames the processors had nothing to do.
type idleness struct {
	of    *contestant
	cores int
	each  []idleFrame
	edges []callEdge // scratch
}

// An idleFrame is how long a frame took, and for how long a processor was idle meanwhile, all
// processors added up.
type idleFrame struct{ took, idle time.Duration }

// An callEdge is where a call begins or ends.
type callEdge struct {
	at   time.Duration
	more int // calls under way from then on
}

func newIdleness(c *contestant, cores, frames int) *idleness {
	c.rec.remember(recentSpans)
	return &idleness{of: c, cores: cores, each: make([]idleFrame, 0, frames),
		edges: make([]callEdge, 0, 2*recentSpans)}
}

// frame looks at a frame that has been played.
func (d *idleness) frame() {
	whole := len(d.of.plan.steps) + wholeFrame
	d.edges = d.edges[:0]
	var from, to time.Duration
	for i := range d.of.rec.lanes {
		for _, s := range d.of.rec.lanes[i].recent {
			if int(s.step) == whole {
				from, to = s.start, s.end
				continue
			}
			d.edges = append(d.edges, callEdge{s.start, 1}, callEdge{s.end, -1})
		}
	}
	d.edges = append(d.edges, callEdge{to, 0})
	slices.SortFunc(d.edges, func(a, b callEdge) int { return cmp.Compare(a.at, b.at) })
	f := idleFrame{took: to - from}
	running := 0
	for _, e := range d.edges {
		if at := min(e.at, to); at > from {
			f.idle += time.Duration(max(d.cores-running, 0)) * (at - from)
			from = at
		}
		running += e.more
	}
	d.each = append(d.each, f)
}

// share returns which share of the processors' time was idle in the quarter of the frames that took
// least. In others the machine was busy with something else, and a call that has no processor
// counts as one that runs.
func (d *idleness) share() float64 {
	each := slices.SortedFunc(slices.Values(d.each), func(a, b idleFrame) int {
		return cmp.Compare(a.took, b.took)
	})
	var all idleFrame
	for _, f := range each[:(len(each)+3)/4] {
		all.took += f.took
		all.idle += f.idle
	}
	return figures.Ratio(all.idle, time.Duration(d.cores)*all.took)
}
