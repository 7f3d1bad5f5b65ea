package mix

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// from reports whether err says the same as the failure of one of events.
func (x *Run) from(err error, events []taskgraph.Event) bool {
	for _, e := range events {
		for _, r := range x.roots {
			if errors.Is(e.Err(), r) && errors.Is(err, r) {
				return true
			}
		}
		// The failure of a child.
		var k, of *mixError
		if errors.As(e.Err(), &k) && errors.As(err, &of) && k == of {
			return true
		}
	}
	return false
}

func anyFailed(events []taskgraph.Event) bool {
	return slices.ContainsFunc(events, func(e taskgraph.Event) bool { return e.Err() != nil })
}

// mayCancel reports whether err is that of a cancellation by the context of that number.
func (x *Run) mayCancel(err error, ctx int) bool {
	return ctx > 0 && x.canceled[ctx-1].Load() && errors.Is(err, graphevent.ErrCanceled) &&
		errors.Is(err, errMixCancel)
}

func (x *Run) check(i int) {
	n, st := &x.p.nodes[i], &x.nodes[i]
	if !st.ev.IsComplete() {
		x.fail("node %d is incomplete", i)
		return
	}
	if n.unseen {
		if !st.refused && st.runs != 1 {
			x.fail("node %d ran %d times", i, st.runs)
		}
		return
	}
	err := st.ev.Err()
	pre := x.events(n.pre)
	bad := func(why string) {
		x.fail("node %d (%s): ran %d times, failed with %v, its prerequisites %v", i, why, st.runs,
			err, x.errsOf(pre))
	}
	switch n.kind {
	case "manual":
		if (err != nil) != (st.by.Load() == 1 && n.fail != "") ||
			err != nil && !errors.Is(err, st.sentry) {
			bad("manual")
		}
		return
	case "delay":
		if err != nil && !(x.p.shutdown >= 0 && errors.Is(err, graphevent.ErrClosed)) {
			bad("delay")
		}
		return
	case "every":
		if !(st.refused && st.runs == 0) && !(errors.Is(err, st.sentry) && st.runs == n.rounds) &&
			!(x.p.shutdown >= 0 && err == nil && st.runs < n.rounds) {
			bad("every")
		}
		return
	case "all", "when":
		if (err != nil) != anyFailed(pre) || err != nil && !x.from(err, pre) {
			bad(n.kind)
		}
		return
	case "any":
		ok := err != nil && x.from(err, pre)
		for _, e := range pre {
			ok = ok || err == nil && e.Err() == nil
		}
		if !ok {
			bad("any")
		}
		return
	}
	for k, e := range st.cases {
		if !e.IsComplete() || (e.Err() == nil) != (err == nil && slices.Contains(n.choose, k)) {
			x.fail("case %d of node %d: %v, the node: %v", k, i, e.Err(), err)
		}
		if err == nil && e.Err() != nil && !errors.Is(e.Err(), taskgraph.ErrNotChosen) {
			x.fail("case %d of node %d that is not chosen: %v", k, i, e.Err())
		}
	}
	ran := st.runs
	if n.kind == "graph" {
		ran = slices.Max(st.graphRuns)
	}
	switch {
	case st.refused:
		if ran != 0 {
			bad("refused")
		}
		return
	case anyFailed(pre) && !n.always:
		if ran != 0 || !errors.Is(err, graphevent.ErrSkipped) || !x.from(err, pre) {
			bad("to be skipped")
		}
		return
	case n.kind == "graph":
		x.checkGraph(i)
		return
	case ran == 0:
		if !x.mayCancel(err, n.ctx) {
			bad("did not run")
		}
		return
	}
	if n.ctx > 0 {
		for _, r := range n.pre {
			for _, a := range x.p.nodes[r.node].acts {
				if a.kind == "cancel" && a.n%len(x.ctxs) == n.ctx-1 && x.nodes[r.node].body {
					bad("ran although it was cancelled")
				}
			}
		}
	}
	switch {
	case st.runs > n.rounds:
		bad("ran too often")
	case !st.body && x.p.goexit && errors.Is(err, graphevent.ErrGoexit):
		// Cut off by what it ran in a wait, or it waits for more rounds and what it waits for was.
	case st.runs < n.rounds:
		held := slices.Concat(st.hold, st.next)
		if !(anyFailed(held) && x.from(err, held)) && !x.mayCancel(err, n.ctx) {
			bad("stopped between two rounds")
		}
	case !st.body:
		bad("did not come to its end")
	case n.fail == "goexit" || n.fail == "forkExit":
		if !errors.Is(err, graphevent.ErrGoexit) {
			bad("exited")
		}
	case n.fail != "":
		if !errors.Is(err, st.sentry) {
			bad("failed")
		}
	case (err != nil) != anyFailed(st.hold) || err != nil && !x.from(err, st.hold):
		bad(fmt.Sprint("held by ", x.errsOf(st.hold)))
	}
}

func (x *Run) errsOf(events []taskgraph.Event) (errs []error) {
	for _, e := range events {
		errs = append(errs, e.Err())
	}
	return errs
}

func (x *Run) checkGraph(i int) {
	n, st := &x.p.nodes[i], &x.nodes[i]
	fails := make([]bool, len(n.graph))
	for k, preds := range n.graph {
		skip := slices.ContainsFunc(preds, func(j int) bool { return fails[j] })
		fails[k] = skip || k == n.bad
		if want := map[bool]int{true: 0, false: 1}[skip]; st.graphRuns[k] != want {
			x.fail("task %d of graph %d ran %d times", k, i, st.graphRuns[k])
		}
	}
	if err := st.ev.Err(); (err != nil) != (n.bad >= 0) ||
		err != nil && !errors.Is(err, st.sentry) {
		x.fail("graph %d: %v", i, err)
	}
}

func (x *Run) checkKid(i int, k *mixKid) {
	err := k.ev.Err()
	for _, sub := range k.kids {
		x.checkKid(i, sub)
	}
	full := errors.Is(err, graphevent.ErrFull) && x.p.maxTasks > 0 &&
		x.p.full == taskgraph.FullError
	switch {
	case !k.ev.IsComplete():
		x.fail("a child of %d is incomplete", i)
	case anyFailed(k.after) && !full:
		if k.runs != 0 || !errors.Is(err, graphevent.ErrSkipped) || !x.from(err, k.after) {
			x.fail("a child of %d to be skipped ran %d times: %v", i, k.runs, err)
		}
	case full && k.runs <= 0, x.mayCancel(err, k.ctx) && k.runs <= 0:
	case (k.fails == "goexit" || k.fails == "forkExit") && errors.Is(err, graphevent.ErrGoexit) &&
		k.runs == 1:
	case k.fails != "" && errors.Is(err, k.sentry) && k.runs == 1:
	case k.fails != "" || err != nil || k.runs != 1 && k.runs != -1:
		x.fail("a child of %d (%q) ran %d times: %v", i, k.fails, k.runs, err)
	}
}

// checkGate waits until every place has come back. Whoever completes a task gives them back
// after that, so this can take a moment longer.
func (x *Run) checkGate(g int) {
	bg := context.Background()
	switch places := x.p.gates[g].places; x.p.gates[g].kind {
	case "pipe":
		_ = x.s.WaitUntilTasksComplete(bg, x.pipes[g].Idle())
	case "limiter":
		_ = x.s.WaitUntilTasksComplete(bg, x.limits[g].Idle())
	case "semaphore":
		for range places {
			_ = x.sems[g].Acquire(bg)
		}
		if x.sems[g].TryAcquire() {
			x.fail("semaphore %d has a unit too many", g)
		}
	}
}

func (x *Run) checkShutdown(err error) {
	var want []error
	for i := range x.nodes {
		if x.p.nodes[i].unseen && !x.nodes[i].refused {
			want = append(want, x.nodes[i].sentry)
		}
	}
	var all []error
	if err != nil {
		all = err.(interface{ Unwrap() []error }).Unwrap()
	}
	// else not all have been looked at
	if len(all) != len(want) && len(want) <= 16 && x.p.shutdown < 0 {
		x.fail("Shutdown returns %v, not %v", err, want)
	}
	if len(all) <= 16 {
		for _, w := range want {
			if !errors.Is(err, w) {
				x.fail("Shutdown returns %v without %v", err, w)
			}
		}
	}
	st := x.s.Stats()
	if st.Live != 0 || st.Completed < uint64(x.launched)+st.Launched ||
		st.Completed != uint64(x.launched)+st.Launched && !x.uncount.Load() {
		x.fail("Stats: %d live, %d completed, %d launched from inside, %d from outside", st.Live,
			st.Completed, st.Launched, x.launched)
	}
	if e := x.s.Go(func() {}); !errors.Is(e.Err(), graphevent.ErrClosed) {
		x.fail("a launch after the end: %v", e.Err())
	}
}
