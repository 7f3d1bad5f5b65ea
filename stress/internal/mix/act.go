package mix

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/future"
)

// act does one thing of those that the body of node i does.
func (x *Run) act(c *taskgraph.Context, i int, a *mixAct) {
	s, st := x.s, &x.nodes[i]
	refs := x.events(a.refs)
	x.acts.Add(1)
	switch a.kind {
	case "spawn":
		k, f := x.kid(i, a.fail, a.n, false, nil)
		k.ev = c.Spawn(taskgraph.Run(f))
		if a.flags&1 != 0 {
			x.waitKid(c, i, k)
		}
	case "nest":
		k, f := x.kid(i, a.fail, a.n, false, nil)
		k.ev = c.Nest(taskgraph.Run(f))
		st.hold = append(st.hold, k.ev)
		if a.flags&1 != 0 {
			x.waitKid(c, i, k)
		}
	case "task":
		if a.flags&1 != 0 && len(st.kids) > 0 {
			refs = append(refs, st.kids[len(st.kids)-1].ev)
		}
		k, f := x.kid(i, a.fail, a.n/2, false, refs)
		t := c.Task(taskgraph.Run(f)).After(refs...).Priority(a.prio)
		if a.flags&2 != 0 {
			t = t.Inline()
		}
		if a.flags&4 != 0 {
			t = t.Near(a.n % x.p.workers)
		}
		k.ev = t.Launch()
		if a.flags&8 != 0 {
			x.waitKid(c, i, k)
		}
	case "hold":
		if len(st.kids) > 0 {
			refs = append(refs, st.kids[0].ev)
		}
		c.DontCompleteUntil(refs...)
		st.hold = append(st.hold, refs...)
	case "again":
		if st.runs < x.p.nodes[i].rounds {
			c.Again(refs...)
			st.next = append(st.next, refs...)
		}
	case "wait":
		x.wait(c, i, a, refs)
	case "fork":
		if got := x.tree(c, a.n, a.flags); got != 1<<a.n {
			x.fail("a tree of forks yields %d, not %d", got, 1<<a.n)
		}
	case "for":
		f, loop := c.ParallelFor, c.RunLoop
		if a.flags&1 != 0 {
			x.uncount.Store(true)
			f, loop = s.ParallelFor, s.RunLoop
		}
		if a.flags&4 != 0 { // with helpers, however little there is to do
			f = func(n, grain int, body func(lo, hi int)) error {
				return loop(taskgraph.Loop{N: n, Grain: grain, Unbalanced: true,
					Body: func(_ *taskgraph.Participant, lo, hi int) error {
						body(lo, hi)
						return nil
					}})
			}
		}
		n := a.n * 30
		seen := make([]int8, n)
		err := f(n, a.flags>>3, func(lo, hi int) {
			for k := lo; k < hi; k++ {
				seen[k]++
			}
			if a.flags&2 != 0 && lo <= n/2 && n/2 < hi {
				panic(st.sentry)
			}
		})
		if a.flags&1 == 0 && c.Err() != nil &&
			(errors.Is(err, graphevent.ErrCanceled) || errors.Is(err, graphevent.ErrClosed)) {
			return // it was left
		}
		if a.flags&2 != 0 && n > 0 {
			if !errors.Is(err, st.sentry) {
				x.fail("a loop that fails in %d: %v", i, err)
			}
		} else if err != nil || slices.Contains(seen, 0) || slices.Contains(seen, 2) {
			x.fail("a loop in %d: %v", i, err)
		}
	case "unit":
		if a.flags&2 != 0 {
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			x.aside(func() { cancel(errMixCancel) })
			if err := c.Acquire(ctx, x.units); err != nil {
				if !errors.Is(err, errMixCancel) {
					x.fail("unit: %v", err)
				}
				return
			}
		} else if err := c.Acquire(context.Background(), x.units); err != nil {
			x.fail("unit: %v", err)
			return
		}
		if n := x.inUnit.Add(1); n > 2 {
			x.fail("%d have one of two units", n)
		}
		if a.flags&1 != 0 {
			runtime.Gosched()
		}
		x.inUnit.Add(-1)
		x.units.Release()
	case "cancel":
		if len(x.ctxs) > 0 {
			k := a.n % len(x.ctxs)
			x.canceled[k].Store(true)
			x.cancels[k](errMixCancel)
		}
	case "graph":
		runs := make([]int, a.n+1)
		tasks := make([][]int, a.n+1)
		for k := range a.n {
			tasks[k+1] = []int{k * (a.flags & 1)}
		}
		k := &mixKid{sentry: st.sentry, ctx: x.p.nodes[i].ctx, runs: -1}
		st.kids = append(st.kids, k)
		k.ev = c.LaunchGraph(x.graph(tasks, -1, runs, nil, c.Thread()))
		if a.flags&2 != 0 {
			x.waitKid(c, i, k)
			for _, n := range runs {
				if k.ev.Err() == nil && n != 1 {
					x.fail("a task of a graph in %d ran %d times", i, n)
				}
			}
		}
	case "promote":
		for _, e := range refs {
			s.Promote(e, a.prio)
		}
	case "delay":
		x.sleep(c, a)
		after := []taskgraph.Event{s.AfterDelay(time.Duration(a.n) * time.Microsecond)}
		k, f := x.kid(i, "", 0, false, after)
		k.ev = c.Task(taskgraph.Run(f)).After(after...).Launch()
		if a.flags&1 != 0 && x.p.nodes[i].where <= 0 {
			x.waitKid(c, i, k)
		}
	case "async":
		k, f := x.kid(i, a.fail, a.n/2, true, nil)
		fut := future.Go(c, func(c *taskgraph.Context) (int, error) { return i, f(c) })
		k.ev = fut.Event()
		if a.flags&1 != 0 {
			v, err := fut.Get(c)
			if err == nil && v != i {
				x.fail("a future in %d has the value %d", i, v)
			}
		}
	case "retained":
		var r *taskgraph.Retained
		var k *mixKid
		body := taskgraph.Run(func(*taskgraph.Context) error { k.runs++; return nil })
		r = taskgraph.Retain(body).Priority(taskgraph.Priority(a.n % 5))
		for range 1 + a.n/2 {
			k = &mixKid{sentry: st.sentry, ctx: x.p.nodes[i].ctx}
			st.kids = append(st.kids, k)
			k.ev = r.Launch(c)
			x.waitKid(c, i, k)
		}
	}
}

var errMixCancel = errors.New("cancelled by the program")

// sleep sleeps until a moment, or says that work will come then, or neither.
func (x *Run) sleep(c *taskgraph.Context, a *mixAct) {
	at := x.s.Now().Add(time.Duration(a.n) * 30 * time.Microsecond)
	if a.flags&2 != 0 {
		if err := x.s.SleepUntil(c, at); err != nil && c.Err() == nil {
			x.fail("a sleep failed: %v", err)
		}
	}
	if a.flags&4 != 0 {
		x.s.ExpectWork(at)
	}
}

// waitKid waits for a kid.
func (x *Run) waitKid(c *taskgraph.Context, i int, k *mixKid) {
	err := c.WaitUntilTasksComplete(context.Background(), k.ev)
	if !k.ev.IsComplete() {
		x.fail("a wait in %d is over too early: %v", i, err)
	}
	if err == nil && k.runs != 1 && k.runs != -1 {
		x.fail("a child of %d that was waited for ran %d times", i, k.runs)
	}
}

// wait is one of the waits.
func (x *Run) wait(c *taskgraph.Context, i int, a *mixAct, refs []taskgraph.Event) {
	s, bg := x.s, context.Background()
	if len(refs) == 0 {
		return
	}
	var err error
	any := -1
	early := false // it may end before
	switch a.mode {
	case "ctx":
		err = c.WaitUntilTasksComplete(bg, refs...)
	case "own":
		err = c.Wait(refs...)
		early = x.p.nodes[i].ctx > 0
	case "canEnd", "cut":
		ctx, cancel := context.WithCancelCause(bg)
		defer cancel(nil)
		if a.mode == "cut" {
			early = true
			x.aside(func() { cancel(errMixCancel) })
		}
		err = c.WaitUntilTasksComplete(ctx, refs...)
	case "any":
		any, err = c.WaitAny(bg, refs...)
	case "plainAny":
		any, err = s.WaitAny(bg, refs...)
	case "plain":
		err = s.WaitUntilTasksComplete(bg, refs...)
	case "blockPlain":
		c.Blocking(func() { err = s.WaitUntilTasksComplete(bg, refs...) })
	case "blockCtx":
		c.Blocking(func() { err = c.WaitUntilTasksComplete(bg, refs...) })
	case "blockChan":
		if x.det != nil {
			c.Blocking(func() { err = s.WaitUntilTasksComplete(bg, refs...) })
			break
		}
		done := make(chan error)
		go func() { done <- s.WaitUntilTasksComplete(bg, refs...) }()
		c.Blocking(func() { err = <-done })
	}
	if errors.Is(err, errMixCancel) && early {
		return
	}
	if any >= 0 {
		if e := refs[any]; !e.IsComplete() || (e.Err() != nil) != (err != nil) {
			x.fail("WaitAny in %d: %d, %v", i, any, err)
		}
		x.look(i, a.refs[any].node)
		return
	}
	failed := false
	for k, e := range refs {
		if !e.IsComplete() {
			x.fail("a wait in %d (%s) is over before %v: %v", i, a.mode, a.refs[k], err)
			return
		}
		failed = failed || e.Err() != nil
		x.look(i, a.refs[k].node)
	}
	if failed != (err != nil) {
		x.fail("a wait in %d (%s) returns %v", i, a.mode, err)
	}
}
