package profile

import (
	"slices"
	"time"
)

// A replay is a greedy list scheduler in virtual time.
type replay struct {
	r          *Report
	costs      Costs
	processors int

	now     time.Duration
	degree  []int32
	worker  []int32               // of a node that runs, who runs it; none: a point, or blocked
	free    heap[int32]           // workers, by number
	idle    []time.Duration       // since when each worker is free
	ready   heap[waiting]         // for workers
	threads map[int32]*threadLane // by lane
	lanes   []int32
	running int           // workers and threads that compute
	bodies  int           // of these, past the cost of their start
	begins  heap[ending]  // when the others are
	quiet   time.Duration // how long there were no bodies
	ends    heap[ending]
	points  []int32 // that are done at once
}

type threadLane struct {
	ready heap[waiting]
	busy  bool
	idle  time.Duration
}

// A waiting strand is ready, and not taken.
type waiting struct {
	resumed bool // goes before all else: its body has been waiting
	level   uint8
	since   time.Duration
	node    int32
}

func (a waiting) before(b waiting) bool {
	switch {
	case a.resumed != b.resumed:
		return a.resumed
	case a.level != b.level:
		return a.level < b.level
	case a.since != b.since:
		return a.since < b.since
	}
	return a.node < b.node
}

type ending struct {
	at   time.Duration
	node int32
}

func (a ending) before(b ending) bool {
	return a.at < b.at || a.at == b.at && a.node < b.node
}

// replay returns how long it takes, and for how much of that no body computes.
func (r *Report) replay(workers, processors int, costs Costs) (whole, quiet time.Duration) {
	p := &replay{r: r, costs: costs, processors: processors, degree: slices.Clone(r.dag.degree),
		worker: make([]int32, len(r.dag.nodes)), idle: make([]time.Duration, workers),
		threads: map[int32]*threadLane{}}
	p.free.before = func(a, b int32) bool { return a < b }
	p.ready.before = waiting.before
	p.ends.before = ending.before
	p.begins.before = ending.before
	for w := range workers {
		p.free.push(int32(w))
	}
	for n, d := range p.degree {
		if d == 0 {
			p.arrive(int32(n))
		}
	}
	for {
		p.settle()
		p.assign()
		if len(p.ends.all) == 0 {
			return p.now, p.quiet
		}
		p.move(p.ends.all[0].at)
		for len(p.ends.all) > 0 && p.ends.all[0].at == p.now {
			p.end(p.ends.pop().node)
		}
	}
}

// move goes to the next end of a strand.
func (p *replay) move(to time.Duration) {
	for len(p.begins.all) > 0 && p.begins.all[0].at <= to {
		p.spend(p.begins.pop().at)
		p.bodies++
	}
	p.spend(to)
}

func (p *replay) spend(to time.Duration) {
	if p.bodies == 0 {
		p.quiet += to - p.now
	}
	p.now = to
}

// thread returns the lane of the thread that a strand is for, or nil.
func (p *replay) thread(n int32) *threadLane {
	node := &p.r.dag.nodes[n]
	if pinned := p.r.pinned[node.task]; pinned != none && pinned == node.lane {
		t := p.threads[pinned]
		if t == nil {
			t = &threadLane{}
			t.ready.before = waiting.before
			p.threads[pinned] = t
			p.lanes = append(p.lanes, pinned)
		}
		return t
	}
	return nil
}

// arrive is called when nothing is left that a node has to wait for.
func (p *replay) arrive(n int32) {
	node := &p.r.dag.nodes[n]
	switch {
	case !node.strand:
		p.points = append(p.points, n)
	case node.blocked:
		p.worker[n] = none
		p.ends.push(ending{p.now + node.dur, n})
	default:
		w := waiting{node.resumes, p.r.levels[node.task], p.now, n}
		if t := p.thread(n); t != nil {
			t.ready.push(w)
			return
		}
		p.ready.push(w)
	}
}

// settle completes what takes no time.
func (p *replay) settle() {
	for len(p.points) > 0 {
		n := p.points[len(p.points)-1]
		p.points = p.points[:len(p.points)-1]
		p.leave(n, none)
	}
}

// leave tells the nodes after n, and returns the strand with which its body goes on at once, or
// none.
func (p *replay) leave(n int32, worker int32) (goesOn int32) {
	goesOn = none
	d := p.r.dag
	for _, m := range d.after(n) {
		if p.degree[m]--; p.degree[m] > 0 {
			continue
		}
		next := &d.nodes[m]
		if worker != none && goesOn == none && next.strand && !next.resumes && !next.blocked &&
			next.task == d.nodes[n].task && !next.begins && next.lane == d.nodes[n].lane {
			goesOn = m
			continue
		}
		p.arrive(m)
	}
	return goesOn
}

// end ends a strand. Whoever has run it goes on with its body, or is free.
func (p *replay) end(n int32) {
	w := p.worker[n]
	t := p.threadOf(n)
	if w == none && t == nil {
		p.leave(n, none)
		return
	}
	p.running--
	p.bodies--
	if next := p.leave(n, 0); next != none {
		p.run(next, w, 0)
		return
	}
	if t != nil {
		t.busy, t.idle = false, p.now
		return
	}
	p.idle[w] = p.now
	p.free.push(w)
}

func (p *replay) threadOf(n int32) *threadLane {
	if node := &p.r.dag.nodes[n]; !node.strand || node.blocked {
		return nil
	}
	return p.thread(n)
}

func (p *replay) run(n, worker int32, cost time.Duration) {
	p.worker[n] = worker
	p.running++
	p.begins.push(ending{p.now + cost, n})
	p.ends.push(ending{p.now + cost + p.r.dag.nodes[n].dur, n})
}

// assign gives what is ready to threads and workers that are free.
func (p *replay) assign() {
	for _, lane := range p.lanes {
		t := p.threads[lane]
		if !t.busy && len(t.ready.all) > 0 && p.processor() {
			t.busy = true
			w := t.ready.pop()
			p.run(w.node, none, p.cost(w.node, t.idle))
		}
	}
	for len(p.free.all) > 0 && len(p.ready.all) > 0 && p.processor() {
		worker := p.free.pop()
		w := p.ready.pop()
		p.run(w.node, worker, p.cost(w.node, p.idle[worker]))
	}
}

func (p *replay) processor() bool { return p.processors == 0 || p.running < p.processors }

// cost returns what it costs to begin a strand for who is free since a moment.
func (p *replay) cost(n int32, idle time.Duration) time.Duration {
	switch node := &p.r.dag.nodes[n]; {
	case idle < p.now || p.now == 0:
		return p.costs.Start
	case node.begins:
		return p.costs.Switch
	}
	return 0
}
