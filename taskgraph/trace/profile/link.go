package profile

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// link makes the edges that need to know of all lanes.
func (b *builder) link() {
	for t := range b.tasks {
		if b.tasks[t].wanted {
			b.linkTask(int32(t))
		}
	}
	for _, m := range b.readies {
		b.linkMoment(m)
	}
	for _, m := range b.holds {
		b.linkMoment(m)
		if m.other != none {
			b.edge(complete(m.other), complete(m.task))
		}
	}
	for _, s := range b.scopes {
		b.linkWaits(s)
	}
	for _, h := range b.helpers {
		b.linkHelper(h)
	}
	b.linkOutside()
}

// linkTask makes the edges of what is known of a task: its prerequisites, its rounds one after
// another, who launched it if that was not seen, and the run that it is of: R2, R3, R6, R7.
func (b *builder) linkTask(n int32) {
	t := &b.tasks[n]
	b.edge(start(n), complete(n))
	for _, a := range t.info.After {
		if o := b.of(a); o != none {
			b.edge(complete(o), start(n))
		}
	}
	slices.SortStableFunc(t.bodies, func(x, y int32) int {
		return cmp.Compare(b.bodies[x].begin, b.bodies[y].begin)
	})
	before := start(n)
	for _, body := range t.bodies {
		b.edge(before, b.bodies[body].first)
		b.nodes[b.bodies[body].first].begins = true
		before = b.bodies[body].last
	}
	b.edge(before, complete(n))
	if run := b.of(t.info.Run); run != none && run != n {
		b.edge(start(run), start(n))
		b.edge(complete(n), complete(run))
	}
	if parent := b.of(t.info.Parent); parent != none && t.launched == Unknown {
		b.edge(start(parent), start(n))
	}
	at := b.when(t)
	b.nodes[start(n)].at = at
	b.nodes[complete(n)].at = max(at, b.finish(t))
}

// when returns the first that is known of a task.
func (b *builder) when(t *task) time.Duration {
	switch {
	case t.launched != Unknown:
		return t.launched
	case t.ready != Unknown:
		return t.ready
	case len(t.bodies) > 0:
		return b.bodies[t.bodies[0]].begin
	}
	return max(t.done, b.from)
}

// finish returns when a task was over: when its last body had ended, or its event had completed.
func (b *builder) finish(t *task) time.Duration {
	end := t.done
	if n := len(t.bodies); n > 0 {
		end = max(end, b.bodies[t.bodies[n-1]].end)
	}
	return end
}

// linkMoment has the next round of a task come after what it is held by, or made ready by: R6.
func (b *builder) linkMoment(m moment) {
	bodies := b.tasks[m.task].bodies
	next := sort.Search(len(bodies), func(i int) bool { return b.bodies[bodies[i]].begin >= m.at })
	first := start(m.task)
	if next > 0 {
		if next == len(bodies) {
			return
		}
		b.bodies[bodies[next]].ready = m.at
		first = b.bodies[bodies[next]].first
	}
	if m.other != none && m.other != m.task {
		b.edge(complete(m.other), first)
	}
}

// linkWaits has what a body does after a wait come after what it has waited for: the task, or what
// it had launched before and was over: R4.
func (b *builder) linkWaits(s scope) {
	open := heap[child]{before: child.before}
	for _, op := range s {
		switch {
		case op.child != none:
			open.push(child{b.over(op.child), op.child})
		case op.other != none:
			if over := b.over(op.other); over <= op.at || !b.tasks[op.other].hasBody {
				b.edge(complete(op.other), op.node)
			}
		default:
			for len(open.all) > 0 && open.all[0].over <= op.at {
				b.edge(complete(open.pop().task), op.node)
			}
		}
	}
}

// over returns when a task was first known to be over: who waits may go on before its completion
// has been written down.
func (b *builder) over(n int32) time.Duration {
	t := &b.tasks[n]
	end := never
	if len(t.bodies) > 0 && !t.held {
		end = b.bodies[t.bodies[len(t.bodies)-1]].end
	}
	if t.done != Unknown {
		end = min(end, t.done)
	}
	return end
}

const never = time.Duration(1<<63 - 1)

// A child is a task that a body has launched, and when it was over.
type child struct {
	over time.Duration
	task int32
}

func (c child) before(o child) bool {
	return c.over < o.over || c.over == o.over && c.task < o.task
}

// linkHelper puts a range that ran elsewhere between the beginning of its loop and what its body
// did after the loop: R5.
func (b *builder) linkHelper(h helper) {
	bodies := b.tasks[h.task].bodies
	n := sort.Search(len(bodies), func(i int) bool { return b.bodies[bodies[i]].begin > h.begin })
	if n == 0 {
		b.edge(start(h.task), h.first)
		b.edge(h.last, complete(h.task))
		return
	}
	body := &b.bodies[bodies[n-1]]
	body.time += h.time
	loop := sort.Search(len(body.loops), func(i int) bool { return body.loops[i].at > h.begin })
	if loop > 0 {
		b.edge(body.loops[loop-1].fork, h.first)
	} else {
		m := sort.Search(len(body.main), func(i int) bool { return body.main[i].at > h.begin })
		b.edge(body.main[max(m-1, 0)].node, h.first)
	}
	m := sort.Search(len(body.main), func(i int) bool { return body.main[i].at >= h.end })
	if m < len(body.main) {
		b.edge(h.last, body.main[m].node)
		return
	}
	b.edge(h.last, complete(h.task))
}

// linkOutside puts what is launched by no body in order: after what the same lane has waited for
// outside of bodies, and, where nothing at all was going on, after everything before: R8.
func (b *builder) linkOutside() {
	all := make([]int32, 0, len(b.tasks))
	for n := range b.tasks {
		if t := &b.tasks[n]; t.wanted && (len(t.bodies) > 0 || t.done != Unknown) {
			all = append(all, int32(n))
		}
	}
	slices.SortStableFunc(all, func(x, y int32) int {
		return cmp.Compare(b.nodes[start(x)].at, b.nodes[start(y)].at)
	})
	slices.SortStableFunc(b.outside, func(x, y outsideOp) int { return cmp.Compare(x.at, y.at) })
	lanes := make([]int32, len(b.s.Lanes)) // the node after which a lane goes on
	for i := range lanes {
		lanes[i] = none
	}
	barrier := int32(none)
	phase := 0 // from all[phase] on, tasks are of the phase
	over := b.from
	ops := b.outside
	for i, n := range all {
		at := b.nodes[start(n)].at
		if b.tasks[n].root && at > over && i > phase {
			after := b.point(at)
			b.edge(barrier, after)
			for _, p := range all[phase:i] {
				b.edge(complete(p), after)
			}
			barrier, phase = after, i
			b.phases++
			b.idleTime(over, at)
		} else if i == 0 {
			b.idleTime(b.from, at)
		}
		for ; len(ops) > 0 && ops[0].at <= at; ops = ops[1:] {
			b.linkOutsideOp(ops[0], lanes)
		}
		b.edge(barrier, start(n))
		over = max(over, b.nodes[complete(n)].at)
	}
	for ; len(ops) > 0; ops = ops[1:] {
		b.linkOutsideOp(ops[0], lanes)
	}
	if len(all) > 0 {
		b.phases++
		b.idleTime(over, b.to)
	}
	b.active += b.to - b.from
}

// idleTime takes the time from a moment to another one, in which nothing was going on, from the
// active time.
func (b *builder) idleTime(from, to time.Duration) {
	if to > from {
		b.active -= to - from
	}
}

func (b *builder) point(at time.Duration) int32 {
	b.nodes = append(b.nodes, node{task: none, lane: none, at: at})
	return int32(len(b.nodes) - 1)
}

func (b *builder) linkOutsideOp(op outsideOp, lanes []int32) {
	if !op.wait {
		b.edge(lanes[op.lane], start(op.task))
		return
	}
	if b.over(op.task) <= op.at || !b.tasks[op.task].hasBody {
		after := b.point(op.at)
		b.edge(lanes[op.lane], after)
		b.edge(complete(op.task), after)
		lanes[op.lane] = after
	}
}
