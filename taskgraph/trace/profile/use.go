package profile

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A LaneUse says what a lane spent the window on, by the clock. The times add up to the window, but
// of a lane of goroutines from outside, of which only Busy and Others are known. A spare that
// stands in for nobody has nothing to do whatever is ready.
type LaneUse struct {
	Name string         // of the lane
	Kind trace.LaneKind // whose it is
	Idle

	Bodies int           // how many bodies it has begun
	Busy   time.Duration // in bodies and ranges, each time counted once
	Others time.Duration // in those that the report is not about
}

// An Idle says why a lane did not compute.
type Idle struct {
	NothingReady time.Duration // it had nothing to do, and no task was ready
	NotWoken     time.Duration // it slept, a task was ready, and nobody had woken it yet
	Waking       time.Duration // it had been woken and was not awake yet: the kernel's time
	Searching    time.Duration // it was awake, a task was ready, and it had none yet
	Waiting      time.Duration // a body of it waited, and it ran nothing meanwhile
	Blocked      time.Duration // a body of it was in Context.Blocking
}

// Sum returns all idle time.
func (i Idle) Sum() time.Duration {
	return i.NothingReady + i.NotWoken + i.Waking + i.Searching + i.Waiting + i.Blocked
}

func (i *Idle) add(o Idle) {
	i.NothingReady += o.NothingReady
	i.NotWoken += o.NotWoken
	i.Waking += o.Waking
	i.Searching += o.Searching
	i.Waiting += o.Waiting
	i.Blocked += o.Blocked
}

// Utilization returns the share of the window in which the lane computed.
func (u LaneUse) Utilization() float64 {
	all := u.Busy + u.Others + u.Sum()
	if all == 0 {
		return 0
	}
	return float64(u.Busy+u.Others) / float64(all)
}

// laneTime is what a lane did, without what has to know of other lanes.
type laneTime struct {
	bodies                        int
	busy, others, waiting, blocks time.Duration
}

// A stay is a time in which a lane had nothing to do.
type stay struct {
	lane     int32
	asleep   bool
	from, to time.Duration
}

// account adds the time d, up to which nothing has happened on the lane, to what it was doing.
func (b *builder) account(w *laneWalker, d time.Duration) {
	u := &b.lanes[w.lane]
	if w.kind == trace.LaneOutside {
		for _, stack := range w.rows {
			if f := executing(stack); f != nil && f.task != none {
				u.busy += d
			}
		}
		return
	}
	var stack []frame
	if len(w.rows) > 0 {
		stack = w.rows[0]
	}
	if len(stack) == 0 {
		b.stays = append(b.stays, stay{w.lane, false, w.last, w.last + d})
		return
	}
	switch top := &stack[len(stack)-1]; {
	case top.kind == trace.Park && len(stack) == 1:
		b.stays = append(b.stays, stay{w.lane, true, w.last, w.last + d})
	case top.kind == trace.Blocked:
		u.blocks += d
	case !top.running:
		u.waiting += d
	case top.task == none:
		u.others += d
	default:
		u.busy += d
	}
}

// ready is how many tasks were ready for workers and not begun, over time: changes, and how long
// there were some up to each.
type ready struct {
	at    []time.Duration
	count []int32
	some  []time.Duration
}

func (b *builder) ready() *ready {
	type change struct {
		at time.Duration
		by int32
	}
	var changes []change
	for i := range b.bodies {
		body := &b.bodies[i]
		if since := b.readySince(i); since != Unknown && since < body.begin &&
			b.s.Lanes[body.lane].Kind != trace.LaneThread {
			changes = append(changes, change{since, 1}, change{body.begin, -1})
		}
	}
	slices.SortFunc(changes, func(x, y change) int { return cmp.Compare(x.at, y.at) })
	r := &ready{}
	count, some := int32(0), time.Duration(0)
	for i, c := range changes {
		if count > 0 {
			some += c.at - changes[i-1].at
		}
		count += c.by
		if n := len(r.at); n > 0 && r.at[n-1] == c.at {
			r.count[n-1] = count
			continue
		}
		r.at = append(r.at, c.at)
		r.count = append(r.count, count)
		r.some = append(r.some, some)
	}
	return r
}

// readySince returns when a body had become ready: the last time before it began.
func (b *builder) readySince(i int) time.Duration {
	body := &b.bodies[i]
	t := &b.tasks[body.task]
	if t.bodies[0] == int32(i) {
		if t.ready != Unknown {
			return t.ready
		}
		return t.launched
	}
	return body.ready
}

// until returns for how long up to a moment tasks were ready.
func (r *ready) until(at time.Duration) time.Duration {
	n := sort.Search(len(r.at), func(i int) bool { return r.at[i] > at })
	if n == 0 {
		return 0
	}
	some := r.some[n-1]
	if r.count[n-1] > 0 {
		some += at - r.at[n-1]
	}
	return some
}

// uses returns what each lane did, and what workers did not do.
func (b *builder) uses() (lanes []LaneUse, all Idle) {
	wakes := make([][]time.Duration, len(b.s.Lanes))
	for i := range b.s.Lanes {
		for _, e := range b.s.Lanes[i].Events {
			if e.Kind == trace.Wake {
				wakes[i] = append(wakes[i], e.At)
			}
		}
	}
	lanes = make([]LaneUse, len(b.s.Lanes))
	for i, t := range b.lanes {
		l := &b.s.Lanes[i]
		lanes[i] = LaneUse{Name: l.Name, Kind: l.Kind, Bodies: t.bodies, Busy: t.busy,
			Others: t.others, Idle: Idle{Waiting: t.waiting, Blocked: t.blocks}}
	}
	ready := b.ready()
	for _, s := range b.stays {
		lanes[s.lane].Idle.add(s.reason(ready, wakes[s.lane]))
	}
	for _, l := range lanes {
		if l.Kind == trace.LaneWorker {
			all.add(l.Idle)
		}
	}
	return lanes, all
}

// reason says why a lane had nothing to do.
func (s stay) reason(r *ready, wakes []time.Duration) (i Idle) {
	to := s.to
	if s.asleep {
		if n, _ := slices.BinarySearch(wakes, s.from); n < len(wakes) && wakes[n] < s.to {
			to = wakes[n]
			i.Waking = s.to - to
		}
	}
	some := r.until(to) - r.until(s.from)
	i.NothingReady = to - s.from - some
	if s.asleep {
		i.NotWoken = some
	} else {
		i.Searching = some
	}
	return i
}
