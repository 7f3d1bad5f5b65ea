package farm

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// costs is what was measured: how long jobs run, what a round trip to the server takes, and what
// else passes between a job's being queued and its result.
type costs struct {
	mu   sync.Mutex
	jobs map[jobID]*jobCost
	ask  time.Duration // one question to the server
	in   rate          // of what goes into the store
	out  rate          // of what comes out of it
	over time.Duration // of a job elsewhere, beyond its run, where nothing waits
}

type jobCost struct{ run time.Duration }

// mean moves an average a quarter of the way.
func mean(old, now time.Duration) time.Duration {
	if old == 0 {
		return max(now, 1)
	}
	return max(old+(now-old)/4, 1)
}

func (c *costs) of(id jobID) *jobCost {
	if c.jobs == nil {
		c.jobs = map[jobID]*jobCost{}
	}
	j := c.jobs[id]
	if j == nil {
		j = &jobCost{}
		c.jobs[id] = j
	}
	return j
}

func (c *costs) ran(id jobID, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	j := c.of(id)
	j.run = mean(j.run, d)
}

func (c *costs) asked(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ask = mean(c.ask, d)
}

// came is told how long a job took elsewhere altogether, and how long it ran there. What it waited
// for in the queue is in it, so the least of late counts, and rises slowly.
func (c *costs) came(id jobID, all, run time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	j := c.of(id)
	j.run = mean(j.run, run)
	if d := max(all-run, 1); c.over == 0 || d < c.over {
		c.over = d
	} else {
		c.over += min(c.over/16, d-c.over) + 1
	}
}

// A rate is how long it takes to move bytes one way. It is a mean over what was moved of late, in
// which a prior counts as much as the first bytes.
type rate struct {
	bytes int64
	took  time.Duration
}

const (
	prior   = 8 << 20                 // bytes that count as moved before anything is
	atFirst = 2500 * time.Microsecond // for a million bytes: 400 MB/s
	recent  = 64 << 20                // bytes after which what was before counts half
)

func (r rate) orPrior() rate {
	if r.bytes == 0 {
		return rate{prior, prior * atFirst / 1e6}
	}
	return r
}

func (r *rate) add(n int64, took time.Duration) {
	*r = r.orPrior()
	r.bytes += n
	r.took += took
	for r.bytes > recent {
		r.bytes, r.took = r.bytes/2, r.took/2
	}
}

// of returns what it takes to move so many bytes.
func (r rate) of(n int64) time.Duration {
	r = r.orPrior()
	return time.Duration(float64(r.took) / float64(r.bytes) * float64(n))
}

// moved is told what a transfer has taken. That each has a question of its own is not its rate.
func (c *costs) moved(r *rate, n int64, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 {
		r.add(n, max(took-c.ask, 0))
	}
}

// transfer is what it takes to move so many bytes into the store and out of it.
func (c *costs) transfer(n int64) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.in.of(n) + c.out.of(n)
}

// trivial reports whether a job runs in less time than it takes to ask for its result.
func (c *costs) trivial(id jobID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	j := c.jobs[id]
	return j != nil && j.run > 0 && j.run < c.ask
}

// A reason says why a job runs where it does.
type reason uint8

const (
	whyAlone   reason = iota // there is no farm
	whyTrivial               // it runs in less time than a question to the farm takes
	whyKept                  // there is a result
	whyShared                // another call of this process does it
	whyForced                // CallOptions.Where says so
	whyLacking               // the job is not registered here
	whyIdle                  // no worker has it
	whyNew                   // it has not been measured
	whyHere                  // it is done sooner here
	whyThere                 // it is done sooner elsewhere
	reasons
)

var reasonTexts = [reasons]string{
	"here: there is no farm",
	"here: shorter than a question to the farm",
	"kept: there is a result",
	"shared: another call does it",
	"forced: the call says where",
	"elsewhere: not registered here",
	"here: no worker has it",
	"here: not measured yet",
	"here: done sooner",
	"elsewhere: done sooner",
}

// marks are the labels of reasons in a trace.
type marks struct {
	rec    *trace.Recorder
	labels [reasons]trace.Label
}

func (m *marks) init(rec *trace.Recorder) {
	m.rec = rec
	if rec == nil {
		return
	}
	for i, text := range reasonTexts {
		m.labels[i] = rec.Label("farm: " + text)
	}
}

// explain notes why the job of a call runs where it does, and by how much that is cheaper.
func (r *Result) explain(why reason, gain time.Duration) {
	f := r.f
	text := reasonTexts[why]
	if gain > 0 {
		text += fmt.Sprintf(" by %v", gain.Round(time.Microsecond))
	}
	r.mu.Lock()
	r.why, r.reason = text, why
	r.mu.Unlock()
	if f.marks.rec != nil {
		f.marks.rec.Mark(f.marks.labels[why], uint64(max(gain, 0)/time.Microsecond))
	}
	if f.opts.Logger != nil {
		f.opts.Logger.LogAttrs(context.Background(), slog.LevelDebug, "farm: "+text,
			slog.String("job", r.id.String()))
	}
}

// place decides whether the job of a call runs in this process, and counts it there if so.
func (r *Result) place(c *taskgraph.Context) (here bool) {
	f := r.f
	registered := f.opts.Jobs.lookup(r.id) != nil
	slots := f.slotsFor(r.id)
	f.mu.Lock()
	local, waiting := f.local, f.waiting
	f.mu.Unlock()
	f.costs.mu.Lock()
	run, over := f.costs.of(r.id).run, f.costs.over
	f.costs.mu.Unlock()
	width := runtime.GOMAXPROCS(0)
	hereIn := run + run*time.Duration(local)/time.Duration(width)
	thereIn := over + run + f.costs.transfer(r.in.bytes())
	if slots > 0 {
		thereIn += run * time.Duration(waiting) / time.Duration(slots)
	}
	switch {
	case r.opts.Where == Here:
		r.explain(whyForced, 0)
		here = true
	case r.opts.Where == Remote:
		r.explain(whyForced, 0)
	case !registered:
		r.explain(whyLacking, 0)
	case slots == 0:
		r.explain(whyIdle, 0)
		here = true
	case run == 0:
		r.explain(whyNew, 0)
		here = true
	case hereIn <= thereIn:
		r.explain(whyHere, thereIn-hereIn)
		here = true
	default:
		r.explain(whyThere, hereIn-thereIn)
	}
	if here {
		f.mu.Lock()
		r.fl.here = true
		f.local++
		f.mu.Unlock()
		r.done.OnComplete(func(error) {
			f.mu.Lock()
			f.local--
			f.mu.Unlock()
		})
	}
	return here
}
