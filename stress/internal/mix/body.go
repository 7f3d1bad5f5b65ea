package mix

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// trigger completes the manual event of node m: the first who comes says how.
func (x *Run) trigger(m int, by int64) {
	st := &x.nodes[m]
	if !st.by.CompareAndSwap(0, by) {
		return
	}
	st.val = 1
	if by == 1 && x.p.nodes[m].fail != "" {
		st.ev.Fail(st.sentry)
		return
	}
	st.ev.Trigger()
}

// look reads what a node that is complete has written.
func (x *Run) look(i int, j int) {
	n, st := &x.p.nodes[j], &x.nodes[j]
	switch n.kind {
	case "manual":
		if st.val != 1 {
			x.fail("node %d sees %d untriggered", i, j)
		}
	case "all", "when":
		for _, r := range n.pre {
			x.look(i, r.node)
		}
	case "graph":
		for k := range n.graph {
			if st.ev.Err() == nil && st.graphRuns[k] != 1 {
				x.fail("node %d after task %d of graph %d ran %d times", i, k, j, st.graphRuns[k])
			}
		}
	case "task":
		if st.val != n.rounds && st.ev.Err() == nil && !n.unseen {
			x.fail("node %d sees %d after %d rounds", i, j, st.val)
		}
		held := st.hold
		// a round that is cut off has no next one
		if !errors.Is(st.ev.Err(), graphevent.ErrGoexit) {
			held = slices.Concat(held, st.next)
		}
		for _, k := range held {
			if !k.IsComplete() {
				x.fail("node %d sees %d complete, but not what held it open", i, j)
			}
		}
	}
}

func (x *Run) body(c *taskgraph.Context, i int) error {
	n, st := &x.p.nodes[i], &x.nodes[i]
	st.runs++
	for _, r := range n.pre {
		if !x.event(r).IsComplete() {
			x.fail("node %d runs before %v is complete", i, r)
		}
		x.look(i, r.node)
	}
	if c != nil {
		// What is bound to no thread runs on one that waits for it.
		if n.where > 0 && len(x.threads) >= n.where && c.Thread() != x.threads[n.where-1] &&
			!(x.p.maxTasks > 0) {
			x.fail("node %d runs on thread %v", i, c.Thread())
		}
		if c.Event() != st.ev {
			x.fail("node %d has another event", i)
		}
	}
	for _, g := range n.gates {
		switch x.p.gates[g].kind {
		case "pipe":
			x.inGate[g][0]++ // the race detector says whether it is alone
		case "limiter":
			if c != nil {
				x.inGate[g][c.Place(x.limits[g])]++
			}
		case "semaphore":
			defer x.sems[g].Release()
		}
	}
	st.hold, st.next = st.hold[:0], st.next[:0]
	last := st.runs == n.rounds
	for j := range x.nodes {
		if m := &x.p.nodes[j]; m.kind == "manual" && m.by == i && j%2 == 0 {
			x.trigger(j, 1)
		}
	}
	if c != nil {
		for k := range n.acts {
			x.act(c, i, &n.acts[k])
		}
	}
	for j := range x.nodes {
		if m := &x.p.nodes[j]; m.kind == "manual" && m.by == i {
			x.trigger(j, 1)
		}
	}
	st.val = st.runs
	if !last {
		c.Again()
		return nil
	}
	if n.cases > 0 {
		c.Choose(n.choose...)
	}
	st.body = true
	return mixEnd(c, n.fail, st.sentry)
}

// mixEnd ends a body: with err, if it is to fail.
func mixEnd(c *taskgraph.Context, fail string, err error) error {
	switch fail {
	case "error":
		return err
	case "panic":
		panic(err)
	case "goexit":
		runtime.Goexit()
	case "fork", "forkLeft", "forkExit": // in a forked call, of which another one is left over
		c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) { c.Go(func() {}) }, taskgraph.Args{})
		j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) {
			if fail == "forkExit" {
				runtime.Goexit()
			}
			panic(err)
		}, taskgraph.Args{})
		if fail != "forkLeft" {
			j.Wait()
		}
	}
	return nil
}

// kid returns a child with its body, which has children of its own and may run for a second time;
// not so in a single call.
func (x *Run) kid(i int, fails string, kids int, call bool,
	after []taskgraph.Event) (*mixKid, func(c *taskgraph.Context) error) {
	k := &mixKid{sentry: &mixError{fmt.Sprint("child of ", i)}, fails: fails, after: after,
		ctx: x.p.nodes[i].ctx}
	x.nodes[i].kids = append(x.nodes[i].kids, k)
	again := call
	return k, func(c *taskgraph.Context) error {
		k.runs++
		for _, e := range after {
			if !e.IsComplete() {
				x.fail("child of %d before its prerequisite", i)
			}
		}
		for range kids {
			sub := &mixKid{sentry: k.sentry, ctx: k.ctx}
			k.kids = append(k.kids, sub)
			sub.ev = c.Spawn(taskgraph.Do(func() { sub.runs++ }))
			if len(k.kids)%3 == 2 {
				_ = c.WaitUntilTasksComplete(c, sub.ev, k.kids[0].ev)
			}
			if len(k.kids)%3 == 1 {
				c.Blocking(func() { _ = c.WaitUntilTasksComplete(context.Background(), sub.ev) })
			}
		}
		if kids > 3 && !again {
			again = true
			k.runs--
			kids = 0
			c.Again(k.kids[1].ev)
			return nil
		}
		return mixEnd(c, fails, k.sentry)
	}
}

// tree is the number of leaves of a tree of forks.
func (x *Run) tree(c *taskgraph.Context, depth, flags int) int64 {
	return mixTree(c, &taskgraph.Args{A: int64(depth), B: int64(flags)})
}

func mixTree(c *taskgraph.Context, a *taskgraph.Args) int64 {
	depth, flags := a.A, a.B
	if depth == 0 {
		if flags&1 != 0 {
			_ = c.WaitUntilTasksComplete(c, c.Go(func() {}))
		}
		return 1
	}
	f := func(c *taskgraph.Context, a *taskgraph.Args) { a.C = mixTree(c, a) }
	one := c.Fork(f, taskgraph.Args{A: depth - 1, B: flags >> 1})
	if flags&2 != 0 { // nobody waits for it
		c.Fork(f, taskgraph.Args{A: depth - 1})
	}
	two := c.Fork(f, taskgraph.Args{A: depth - 1, B: flags >> 1})
	if flags&4 != 0 {
		one, two = two, one
	}
	return two.Wait().C + one.Wait().C
}
