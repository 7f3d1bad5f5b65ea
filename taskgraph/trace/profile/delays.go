package profile

import (
	"maps"
	"slices"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// percentiles sorts times and returns the least that half and 99 of 100 of them do not exceed, and
// the most.
func percentiles(times []time.Duration) (p50, p99, most time.Duration) {
	if len(times) == 0 {
		return 0, 0, 0
	}
	slices.Sort(times)
	at := func(percent int) time.Duration { return times[(len(times)*percent+99)/100-1] }
	return at(50), at(99), at(100)
}

func delay(priority string, times []time.Duration) Delay {
	d := Delay{Priority: priority, Count: len(times)}
	d.P50, d.P99, d.Max = percentiles(times)
	return d
}

// fillDelays finds how long what was ready waited for a lane, and what a start cost.
func (b *builder) fillDelays(r *Report) {
	queued := map[string][]time.Duration{}
	var waited, switches, starts []time.Duration
	for i := range b.bodies {
		body := &b.bodies[i]
		since := b.readySince(i)
		if since == Unknown || since > body.begin {
			continue
		}
		priority := b.tasks[body.task].info.Priority
		queued[priority] = append(queued[priority], body.begin-since)
		switch {
		case !body.outermost:
		case since <= body.fresh && !body.parked:
			switches = append(switches, body.begin-body.fresh)
		case since > body.fresh && b.s.Lanes[body.lane].Kind != trace.LaneThread:
			starts = append(starts, body.begin-since)
		}
	}
	for i := range b.tasks {
		if t := &b.tasks[i]; t.wanted && t.launched != Unknown && t.ready >= t.launched {
			waited = append(waited, t.ready-t.launched)
		}
	}
	for _, priority := range slices.Sorted(maps.Keys(queued)) {
		r.Queued = append(r.Queued, delay(priority, queued[priority]))
	}
	r.Waited = delay("", waited)
	r.Costs.Switch, _, _ = percentiles(switches)
	r.Costs.Start, _, _ = percentiles(starts)
}
