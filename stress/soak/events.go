package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

const countsEvents = "events completed, and callbacks and waits that saw it, once each and not " +
	"before"

var errEvent = errors.New("the event was told to fail")

// runEvents makes events that depend on each other, completes them by several goroutines, and looks
// at them by others.
func runEvents(j *job) {
	store := graphevent.NewStore(graphevent.Options{MaxFailures: 1 << 16})
	for range j.size(j.between(20, 60)) {
		j.events(store)
	}
}

// An eventPlan is one event.
type eventPlan struct {
	kind  string // manual, all, any
	after []int  // holds it open; of all and any: what they are of
	fails bool
}

func (j *job) events(store *graphevent.Store) {
	n := j.between(1, 80)
	plans := make([]eventPlan, n)
	for i := range plans {
		p := &plans[i]
		p.kind = []string{"manual", "manual", "manual", "all", "any"}[j.rnd.IntN(5)]
		p.fails = j.one(10)
		for range j.rnd.IntN(5) {
			if i > 0 {
				p.after = append(p.after, j.rnd.IntN(i))
			}
		}
		if len(p.after) == 0 {
			p.kind = "manual"
		}
	}
	events := make([]graphevent.Event, n)
	wrote := make([]int, n) // by who triggers, read by who is told
	for i := range plans {
		var of []graphevent.Event
		for _, k := range plans[i].after {
			of = append(of, events[k])
		}
		switch plans[i].kind {
		case "manual":
			events[i] = store.NewEvent()
		case "all":
			events[i] = store.All(of...)
		case "any":
			events[i] = store.Any(of...)
		}
	}
	j.ask(func() string {
		text := "events incomplete:"
		for i, e := range events {
			if !e.IsComplete() {
				text += fmt.Sprintf(" %d%+v", i, plans[i])
			}
		}
		return text
	})
	defer j.unask()

	var all sync.WaitGroup
	var called, registered atomics.Int64
	look := func(i int) { // what is complete was triggered
		if plans[i].kind == "manual" && wrote[i] != i+1 {
			j.failf("event %d is complete, and its trigger wrote %d", i, wrote[i])
		}
	}
	order := j.rnd.Perm(n)
	hands := j.between(1, 3)
	for h := range hands {
		all.Go(func() {
			for k := h; k < n; k += hands {
				i := order[k]
				if plans[i].kind != "manual" {
					continue
				}
				for _, before := range plans[i].after {
					if !events[i].DontCompleteUntil(events[before]) {
						j.failf("event %d was complete before its trigger", i)
					}
				}
				wrote[i] = i + 1
				first := true
				if plans[i].fails {
					first = events[i].Fail(errEvent)
				} else {
					first = events[i].Trigger()
				}
				if !first || events[i].Trigger() {
					j.failf("event %d was triggered by somebody else", i)
				}
			}
		})
	}
	watchers := j.between(1, 4)
	for range watchers {
		rnd := j.fork()
		all.Go(func() {
			for range 2 * n {
				i := rnd.IntN(n)
				var times atomics.Int64
				if events[i].OnComplete(func(err error) {
					if called.Add(1); times.Add(1) > 1 || !events[i].IsComplete() ||
						(err != nil) != (events[i].Err() != nil) {
						j.failf("event %d: a callback for the %d. time, with %v", i, times.Load(),
							err)
					}
					look(i)
				}) {
					registered.Add(1)
				} else {
					look(i)
				}
			}
			for range n / 2 {
				i := rnd.IntN(n)
				err := events[i].Wait(context.Background())
				if !events[i].IsComplete() || err != events[i].Err() {
					j.failf("a wait for event %d returns %v, and the event has %v", i, err,
						events[i].Err())
				}
				look(i)
			}
		})
	}
	all.Wait()
	for i, p := range plans {
		_ = events[i].Wait(context.Background())
		failed, allFailed := p.kind == "manual" && p.fails, len(p.after) > 0
		some := false
		for _, k := range p.after {
			some = some || events[k].Err() != nil
			allFailed = allFailed && events[k].Err() != nil
		}
		err := events[i].Err()
		switch {
		case p.kind == "any" && (allFailed && err == nil || !some && err != nil),
			p.kind != "any" && (err != nil) != (failed || some):
			j.failf("event %d %+v: %v", i, p, err)
		}
	}
	for called.Load() < registered.Load() { // the last ones may be under way
		atomics.Gosched()
	}
	if called.Load() != registered.Load() {
		j.failf("%d callbacks were registered, and %d called", registered.Load(), called.Load())
	}
	j.count(n + watchers*(2*n+n/2))
}
