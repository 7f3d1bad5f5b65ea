package frame

import (
	"cmp"
	"slices"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
)

// A cause is what made a frame slow.
type cause uint8

const (
	causeCollector cause = iota // Go's garbage collector had processors
	causeLoader                 // the loader thread had one
	causeSteal                  // the hypervisor let another machine run
	causeWaiting                // a thread that could run had no processor
	// a processor and a worker had nothing to do while a loop had ranges
	causeLate
	causeLonger // calls took longer than those of other frames, for none of these
	causeOther  // the rest
	causes
)

var causeNames = [causes]string{"collector", "loader", "steal", "waiting", "late", "longer",
	"other"}

// ours tells whether it is the program that made it so. Threads wait for a processor when others of
// the program are too many, too; but mostly other programs have it.
func (c cause) ours() bool { return c != causeSteal && c != causeWaiting }

// A sight is what was seen of a frame.
type sight struct {
	frame int
	wall  time.Duration
	seen  [causes]time.Duration // for how long each was there; of longer calls, all calls
}

// A slow frame is one of the slowest, and where the time went that it took beyond the median.
type slowFrame struct {
	frame        int
	wall, excess time.Duration
	parts        [causes]time.Duration // add up to excess
}

// slowest returns the n slowest frames, the slowest first, and what made them so on so many
// processors. What is usual, which is the median of all frames, explains nothing.
//
// Processors that are not there, or do something else, can make a frame longer by all the time that
// is lost; what another processor could have done, by its part. The causes are looked at in the
// order of their numbers, from those that are measured to those that are concluded, and none takes
// more than is left.
func slowest(all []sight, n, processors int) []slowFrame {
	var usual [causes]time.Duration
	times := make([]time.Duration, len(all))
	median := func(of func(s *sight) time.Duration) time.Duration {
		for i := range all {
			times[i] = of(&all[i])
		}
		return figures.Quantiles(times, 0.5)[0]
	}
	wall := median(func(s *sight) time.Duration { return s.wall })
	for c := range causes {
		usual[c] = median(func(s *sight) time.Duration { return s.seen[c] })
	}
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b sight) int { return cmp.Compare(b.wall, a.wall) })
	var slow []slowFrame
	for _, s := range order[:min(n, len(order))] {
		f := slowFrame{frame: s.frame, wall: s.wall, excess: max(0, s.wall-wall)}
		left := f.excess
		take := func(c cause, d time.Duration) {
			f.parts[c] = min(max(d, 0), left)
			left -= f.parts[c]
		}
		over := func(c cause) time.Duration { return s.seen[c] - usual[c] }
		for c := causeCollector; c <= causeWaiting; c++ {
			take(c, over(c))
		}
		take(causeLate, over(causeLate)/time.Duration(processors))
		// A call that is interrupted takes longer, too.
		take(causeLonger, over(causeLonger)-f.parts[causeSteal]-f.parts[causeWaiting])
		take(causeOther, left)
		slow = append(slow, f)
	}
	return slow
}

// An edge is a moment at which something begins or ends.
type edge struct {
	at     time.Duration
	lanes  int8 // by how many more lanes are busy from then on
	worker int8 // by how many more workers
	taking int8 // by how many more loops have ranges that nobody has taken
}

// A lateness finds for how long processors had nothing to do although a worker was idle and ranges
// of a loop were not taken.
type lateness struct {
	workers, processors int
	edges               []edge
	first, last         []time.Duration // starts of the calls of a step
	calls               []int
}

func newLateness(steps, workers, processors int) *lateness {
	return &lateness{
		workers: workers, processors: processors, edges: make([]edge, 0, 1<<14),
		first: make([]time.Duration, steps), last: make([]time.Duration, steps),
		calls: make([]int, steps),
	}
}

// of returns how long that was, added up over processors. The lanes of workers are the first ones;
// a lane's calls are in its list in the order of their ends, and none lies within another.
func (l *lateness) of(lanes []lane) (late time.Duration) {
	l.edges = l.edges[:0]
	clear(l.calls)
	for i := range lanes {
		worker := int8(0)
		if i < l.workers {
			worker = 1
		}
		for _, s := range lanes[i].recent {
			k := int(s.step)
			if k >= len(l.calls) {
				continue
			}
			l.edges = append(l.edges, edge{at: s.start, lanes: 1, worker: worker},
				edge{at: s.end, lanes: -1, worker: -worker})
			if l.calls[k] == 0 {
				l.first[k], l.last[k] = s.start, s.start
			}
			l.first[k], l.last[k] = min(l.first[k], s.start), max(l.last[k], s.start)
			l.calls[k]++
		}
	}
	for k, n := range l.calls {
		if n > 1 {
			l.edges = append(l.edges, edge{at: l.first[k], taking: 1},
				edge{at: l.last[k], taking: -1})
		}
	}
	slices.SortFunc(l.edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	busy, working, loops := 0, 0, 0
	var at time.Duration
	for _, e := range l.edges {
		if free := min(l.processors-busy, l.workers-working); free > 0 && loops > 0 {
			late += time.Duration(free) * (e.at - at)
		}
		busy, working, loops, at = busy+int(e.lanes), working+int(e.worker), loops+int(e.taking),
			e.at
	}
	return late
}

// laneTime returns for how long calls of some steps were there, of those that choose returns true
// for.
func laneTime(lanes []lane, choose func(step int) bool) (d time.Duration) {
	for i := range lanes {
		for _, s := range lanes[i].recent {
			if choose(int(s.step)) {
				d += s.end - s.start
			}
		}
	}
	return d
}
