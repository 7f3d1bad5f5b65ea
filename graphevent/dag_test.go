package graphevent_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

// A plan is one event of a random graph. It refers to earlier ones only.
type plan struct {
	manual   bool
	always   bool
	fails    bool
	after    []int  // prerequisites, or DontCompleteUntil of a manual event
	holdOpen []int  // by the body
	children []bool // launched by the body, which is held open for them; true: it fails
}

// An outcome is what must become of it, whatever the schedule.
type outcome struct {
	ran    bool
	failed bool
	value  int // a task: the sum of what it depends on, and 1; a manual event: 1
}

func drawPlans(t *rapid.T) []plan {
	n := rapid.IntRange(1, 24).Draw(t, "events")
	plans := make([]plan, n)
	for i := range plans {
		p := &plans[i]
		earlier := func(what string, most int) []int {
			if i == 0 {
				return nil
			}
			return rapid.SliceOfN(rapid.IntRange(0, i-1), 0, most).Draw(t, what)
		}
		p.manual = rapid.IntRange(0, 3).Draw(t, "manual") == 0
		p.fails = rapid.IntRange(0, 7).Draw(t, "fails") == 0
		p.after = earlier("after", 6)
		if !p.manual {
			p.always = rapid.IntRange(0, 4).Draw(t, "always") == 0
			p.holdOpen = earlier("held open for", 3)
			for range rapid.IntRange(0, 3).Draw(t, "children") {
				p.children = append(p.children, rapid.IntRange(0, 15).Draw(t, "child fails") == 0)
			}
		}
	}
	return plans
}

// expect says what must become of each event.
func expect(plans []plan) []outcome {
	out := make([]outcome, len(plans))
	for i, p := range plans {
		o := outcome{value: 1}
		before := false
		for _, j := range p.after {
			before = before || out[j].failed
			o.value += out[j].value
		}
		switch {
		case p.manual:
			o.value = 1
			o.failed = p.fails || before
		case before && !p.always:
			o = outcome{failed: true}
		default:
			o.ran, o.failed = true, p.fails
			for _, j := range p.holdOpen {
				o.failed = o.failed || out[j].failed
			}
			for _, fails := range p.children {
				o.failed = o.failed || fails
			}
		}
		out[i] = o
	}
	return out
}

// TestDAG builds random graphs while workers run them, events are triggered, and waiters
// claim tasks early. Each body runs once, after all that it depends on, and sees what that
// wrote in plain variables; each event ends as it must.
func TestDAG(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plans := drawPlans(t)
		order := rapid.Permutation(indices(len(plans))).Draw(t, "order of launch")
		want := expect(plans)
		for range 5 {
			runDAG(t, plans, order, want)
		}
	})
}

func indices(n int) []int {
	is := make([]int, n)
	for i := range is {
		is[i] = i
	}
	return is
}

func runDAG(t require.TestingT, plans []plan, order []int, want []outcome) {
	s := newSched()
	events := make([]graphevent.Event, len(plans))
	values := make([]int, len(plans)) // plain: events are all that orders their users
	runs := make([]atomics.Int64, len(plans))
	children := make([]atomics.Int64, len(plans))
	var wrong atomics.Pointer[string]
	complain := func(what string) { wrong.CompareAndSwap(nil, &what) }

	body := func(i int) func(*frame) error {
		p := plans[i]
		return func(f *frame) error {
			runs[i].Add(1)
			value := 1
			for _, j := range p.after {
				if !events[j].IsComplete() {
					complain("a body ran before a prerequisite had completed")
				}
				value += values[j]
			}
			values[i] = value
			for _, j := range p.holdOpen {
				f.holdOpen(events[j])
			}
			for _, fails := range p.children {
				f.holdOpen(s.task(func(*frame) error {
					children[i].Add(1)
					if fails {
						return errCrash
					}
					return nil
				}))
			}
			if p.fails {
				return errBoom
			}
			return nil
		}
	}
	// All handles exist before the first launch.
	for i, p := range plans {
		switch {
		case p.manual:
			events[i] = s.store.NewEvent()
		case p.always:
			events[i] = s.hold(graphevent.RunAlways, body(i))
		default:
			events[i] = s.hold(0, body(i))
		}
	}
	s.start(2)
	var over atomics.Bool
	var wg, early sync.WaitGroup
	wg.Go(func() { // launches
		for _, i := range order {
			if p := plans[i]; !p.manual {
				for _, j := range p.after {
					s.after(events[i], events[j])
				}
				s.launch(events[i])
			}
		}
	})
	wg.Go(func() { // triggers
		for _, i := range order {
			p := plans[i]
			if !p.manual {
				continue
			}
			for _, j := range p.after {
				if !events[i].DontCompleteUntil(events[j]) {
					complain("an event completed before its trigger")
				}
			}
			values[i] = 1
			if p.fails {
				events[i].Fail(errBoom)
			} else {
				events[i].Trigger()
			}
		}
	})
	early.Go(func() { // claims early, as a waiter does, and looks around
		var c graphevent.Cache
		var buf []graphevent.Event
		for !over.Load() {
			for _, e := range events {
				if s.store.TryClaim(e) {
					s.run(e.Node(), &c)
				}
				buf = s.store.Prerequisites(e, buf[:0])
				_ = e.State()
			}
			atomics.Gosched()
		}
		s.store.Flush(&c)
	})
	wg.Wait()
	for _, e := range events {
		_ = await(e)
	}
	over.Store(true)
	early.Wait()
	s.stop()

	if w := wrong.Load(); w != nil {
		require.Fail(t, *w)
	}
	tasks := int64(0)
	for i, o := range want {
		require.Equal(t, o.failed, events[i].Err() != nil, "event %d: %v", i, events[i].Err())
		require.Equal(t, o.value, values[i], "event %d", i)
		if plans[i].manual {
			continue
		}
		tasks++
		ran, born := int64(0), int64(0)
		if o.ran {
			ran, born = 1, int64(len(plans[i].children))
		}
		tasks += born
		require.Equal(t, ran, runs[i].Load(), "event %d", i)
		require.Equal(t, born, children[i].Load(), "event %d", i)
	}
	require.Equal(t, tasks, s.completed.Load())
	require.Zero(t, s.told.Load())
	made, free := s.store.Nodes()
	require.Equal(t, made, free+s.store.Remembered())
	if s.store.Remembered() == 0 {
		made, free = s.store.SlabEdges()
		require.Equal(t, made, free)
	}
}
