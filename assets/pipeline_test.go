package assets_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/internal/dev/seed"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestBudget has pipes that take memory as they said, and others that find that they need more:
// what is taken is never above the budget, and all get through.
func TestBudget(t *testing.T) {
	const budget = 1000
	n := 2000
	if testing.Short() {
		n = 500
	}
	var taken, most atomic.Int64
	take := func(n int64) {
		now := taken.Add(n)
		for m := most.Load(); now > m && !most.CompareAndSwap(m, now); {
			m = most.Load()
		}
	}
	size := func(it *assets.Item) int64 { return 1 + int64(len(it.ID)*31+int(it.ID[4])*7)%300 }
	var mu sync.Mutex
	has := map[assets.ID]int64{}
	change := func(it *assets.Item, to int64) {
		mu.Lock()
		by := to - has[it.ID]
		has[it.ID] = to
		mu.Unlock()
		take(by)
	}
	var again atomic.Int64
	g := forest(n, 3)
	w := newWorld(t, g, worldOptions{pipeline: assets.PipelineOptions{Budget: budget,
		Plan: []assets.Pipe{
			{Name: "fetch", Lane: assets.Disk, Bytes: size, Run: func(_ context.Context,
				it *assets.Item) error {
				change(it, size(it))
				return nil
			}},
			{Name: "decode", Run: func(_ context.Context, it *assets.Item) error {
				if it.ID[5]%3 == 0 { // it finds that it needs more
					if err := it.Reserve(3 * size(it)); err != nil {
						again.Add(1)
						change(it, 0)
						return err
					}
					change(it, 3*size(it))
				}
				it.Children = g[it.ID]
				change(it, 0)
				return nil
			}},
			assets.Dependencies(),
			{Name: "after", Bytes: func(*assets.Item) int64 { return 200 },
				Run: func(_ context.Context, it *assets.Item) error {
					change(it, 200)
					change(it, 0)
					return nil
				}},
		}}})
	var handles []*assets.Handle
	for _, i := range seed.Rand(t, 0).Perm(n) {
		handles = append(handles, w.m.Acquire(name(i)))
	}
	for _, h := range handles {
		require.NoError(t, h.Wait(context.Background()))
	}
	now, peak := w.pipeline.InFlight()
	require.Zero(t, now)
	require.LessOrEqual(t, peak, int64(budget))
	require.LessOrEqual(t, most.Load(), peak)
	require.Positive(t, most.Load())
	t.Logf("%d bytes at most of %d, %d times again", peak, budget, again.Load())
}

func TestTooMuch(t *testing.T) {
	w := newWorld(t, graph{}, worldOptions{pipeline: assets.PipelineOptions{Budget: 100,
		Plan: []assets.Pipe{
			{Name: "fetch", Bytes: func(it *assets.Item) int64 { return int64(len(it.ID)) * 50 },
				Run: func(_ context.Context, it *assets.Item) error {
					if err := it.Reserve(101); !errors.Is(err, assets.ErrBudget) {
						return errBroken
					}
					return it.Reserve(100)
				}}}}})
	_, err := w.m.Load(context.Background(), "abc")
	require.ErrorIs(t, err, assets.ErrBudget)
	require.ErrorContains(t, err, "150 bytes of 100")
	w.m.Release(w.load("ab"))

	w = newWorld(t, graph{}, worldOptions{pipeline: assets.PipelineOptions{Budget: 100,
		Plan: []assets.Pipe{
			{Name: "decode", Run: func(_ context.Context,
				it *assets.Item) error {
				return it.Reserve(101)
			}}}}})
	_, err = w.m.Load(context.Background(), "a")
	require.ErrorIs(t, err, assets.ErrBudget)
}

// A limit is that of its lane, and blocked pipes of one lane hold up nobody in another.
func TestLimits(t *testing.T) {
	const disk = 3
	var inside, most, cpu atomic.Int64
	full, goOn := make(chan struct{}, 100), make(chan struct{})
	w := newWorld(t, graph{}, worldOptions{
		system: taskgraph.Options{Workers: 2},
		pipeline: assets.PipelineOptions{Limits: map[assets.Lane]int{assets.Disk: disk},
			Plan: []assets.Pipe{
				{Name: "first", Run: func(context.Context,
					*assets.Item) error {
					cpu.Add(1)
					return nil
				}},
				{Name: "fetch", Lane: assets.Disk, Run: func(context.Context, *assets.Item) error {
					most.Store(max(most.Load(), inside.Add(1)))
					full <- struct{}{}
					<-goOn
					inside.Add(-1)
					return nil
				}}}}})
	var handles []*assets.Handle
	for i := range 20 {
		handles = append(handles, w.m.Acquire(name(i)))
	}
	for range disk {
		<-full
	}
	w.settled(func() bool { return cpu.Load() == 20 })
	require.Empty(t, full, "no more than the limit")
	close(goOn)
	for _, h := range handles {
		require.NoError(t, h.Wait(context.Background()))
	}
	require.EqualValues(t, disk, most.Load())
}

func TestThreadLane(t *testing.T) {
	var threads namedthread.Registry
	render, err := threads.Start("Render", namedthread.Options{})
	require.NoError(t, err)
	defer func() { render.Quit(); <-render.Done() }()
	w := newWorld(t, graph{"a": {"b"}, "b": nil},
		worldOptions{system: taskgraph.Options{Threads: &threads},
			after: []assets.Pipe{{Name: "upload", Lane: assets.OnThread("Render"),
				Run: func(ctx context.Context, it *assets.Item) error {
					if assets.Task(ctx).Thread() != render {
						return errBroken
					}
					render.MustBeCurrent()
					if it.ID == "a" {
						v, err := it.Child("b")
						if err != nil || v.(*value).id != "b" {
							return fmt.Errorf("b is %v: %w", v, err)
						}
						_, err = it.Child("c")
						require.ErrorIs(t, err, assets.ErrUnknown)
					}
					return nil
				}}}})
	w.load("a")
	require.NoError(t, w.pipeline.Plan().Insert("", assets.Pipe{Name: "nowhere",
		Lane: assets.OnThread("Nowhere"), Run: func(context.Context,
			*assets.Item) error {
			return nil
		}}))
	require.NoError(t, w.registry.Put(assets.Info{ID: "c"}))
	_, err = w.m.Load(context.Background(), "c")
	require.ErrorContains(t, err, "no thread")
}

// The limits hold while tasks go from lane to lane with their items, whether pipes turn out to be
// quick or to block, and all items get through.
func TestLimitsOfQuickLanes(t *testing.T) {
	limits := map[assets.Lane]int{assets.CPU: 2, assets.Disk: 3, "card": 1}
	var inside, most [3]atomic.Int64
	pipe := func(name string, i int, lane assets.Lane) assets.Pipe {
		return assets.Pipe{Name: name, Lane: lane, Run: func(_ context.Context,
			it *assets.Item) error {
			now := inside[i].Add(1)
			for m := most[i].Load(); m < now && !most[i].CompareAndSwap(m, now); {
				m = most[i].Load()
			}
			if it.ID[5]%7 == 0 {
				time.Sleep(time.Millisecond) // to be taken for one that blocks
			}
			inside[i].Add(-1)
			return nil
		}}
	}
	w := newWorld(t, graph{}, worldOptions{pipeline: assets.PipelineOptions{Limits: limits,
		Plan: []assets.Pipe{pipe("find", 0, assets.CPU), pipe("fetch", 1, assets.Disk),
			pipe("decode", 0, assets.CPU), pipe("upload", 2, "card"),
			pipe("write", 1, assets.Disk), pipe("end", 0, assets.CPU)}}})
	var handles []*assets.Handle
	for i := range 500 {
		handles = append(handles, w.m.AcquireAt(name(i), []taskgraph.Priority{
			taskgraph.PriorityNormal, taskgraph.PriorityBackgroundLow,
			taskgraph.PriorityHigh}[i%3]))
	}
	for _, h := range handles {
		require.NoError(t, h.Wait(context.Background()))
	}
	for i, lane := range []assets.Lane{assets.CPU, assets.Disk, "card"} {
		require.LessOrEqual(t, most[i].Load(), int64(limits[lane]), lane)
		require.Positive(t, most[i].Load(), lane)
	}
}

// Urgent items overtake others that wait for a lane, and what they wait for does too.
func TestPriorities(t *testing.T) {
	began, goOn := make(chan assets.ID), make(chan struct{})
	g := graph{"block": nil, "parent": {"child"}, "child": nil, "low": nil, "normal": nil,
		"raised": nil}
	w := newWorld(t, g, worldOptions{pipeline: assets.PipelineOptions{Plan: []assets.Pipe{
		{Name: "children", Run: func(_ context.Context, it *assets.Item) error {
			it.Children = g[it.ID]
			return nil
		}},
		{Name: "work", Lane: "work", Run: func(_ context.Context, it *assets.Item) error {
			began <- it.ID
			<-goOn
			return nil
		}},
		assets.Dependencies()}}})
	var handles []*assets.Handle
	acquire := func(id assets.ID, p taskgraph.Priority) *assets.Handle {
		w.settled(w.m.Idle)
		n := w.pipeline.Waiting("work")
		h := w.m.AcquireAt(id, p)
		handles = append(handles, h)
		w.settled(func() bool { return w.pipeline.Waiting("work") == n+1 })
		return h
	}
	handles = append(handles, w.m.AcquireAt("block", taskgraph.PriorityNormal))
	require.Equal(t, assets.ID("block"), <-began)
	acquire("low", taskgraph.PriorityBackgroundLow)
	acquire("child", taskgraph.PriorityBackgroundLow)
	acquire("raised", taskgraph.PriorityBackgroundNormal).Promote(taskgraph.PriorityHigh)
	acquire("parent", taskgraph.PriorityNormal)
	acquire("normal", taskgraph.PriorityNormal)
	w.settled(w.m.Idle)
	var order []assets.ID
	for range 5 {
		goOn <- struct{}{}
		id := <-began
		order = append(order, id)
		if id == "normal" { // the parent is through, and has named its child
			w.settled(func() bool { return w.m.Query("parent") == assets.Waiting && w.m.Idle() })
		}
	}
	goOn <- struct{}{}
	for _, h := range handles {
		require.NoError(t, h.Wait(context.Background()))
	}
	require.Equal(t, []assets.ID{"raised", "parent", "normal", "child", "low"}, order)
}

// An item keeps the plan that it began with, and edits come at any time.
func TestPlanInFlight(t *testing.T) {
	reached, goOn := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	passed := map[assets.ID]string{}
	pipe := func(name string) assets.Pipe {
		return assets.Pipe{Name: name, Run: func(_ context.Context, it *assets.Item) error {
			mu.Lock()
			defer mu.Unlock()
			passed[it.ID] += name
			return nil
		}}
	}
	gate := assets.Pipe{Name: "gate", Lane: assets.Network, Run: func(_ context.Context,
		it *assets.Item) error {
		if it.ID == "first" {
			reached <- struct{}{}
			<-goOn
		}
		return nil
	}}
	w := newWorld(t, graph{}, worldOptions{pipeline: assets.PipelineOptions{
		Plan: []assets.Pipe{pipe("a"), gate, pipe("b"), pipe("c")}}})
	plan := w.pipeline.Plan()
	h := w.m.Acquire("first")
	<-reached
	require.NoError(t, plan.Insert("c", pipe("d")))
	w.m.Release(w.load("second"))
	require.NoError(t, plan.Move("a", ""))
	w.m.Release(w.load("third"))
	require.NoError(t, plan.Delete("d"))
	require.NoError(t, plan.Splice("b", "c", pipe("e"), pipe("f"), pipe("g")))
	w.m.Release(w.load("fourth"))
	goOn <- struct{}{}
	require.NoError(t, h.Wait(context.Background()))
	require.Equal(t, map[assets.ID]string{"first": "abc", "second": "abdc", "third": "bdca",
		"fourth": "efga"}, passed)
	for _, err := range []error{plan.Insert("x", pipe("y")), plan.Insert("", pipe("a")),
		plan.Delete("x"),
		plan.Splice("a", "e"), plan.Move("x", "a"), plan.Move("a", "x"), plan.Move("a", "a"),
		plan.Insert("", assets.Dependencies(), assets.Pipe{Name: ""}),
		plan.Insert("", assets.Dependencies(), func() assets.Pipe {
			p := assets.Dependencies()
			p.Name = "another"
			return p
		}())} {
		require.ErrorIs(t, err, assets.ErrPlan)
	}
	require.Len(t, plan.Pipes(), 5)
}

// TestPlanStorm edits the plan all the time while items pass: each passes some plan, whole.
func TestPlanStorm(t *testing.T) {
	mark := func(name string) assets.Pipe {
		return assets.Pipe{Name: name, Run: func(_ context.Context, it *assets.Item) error {
			s, _ := it.Value.(string)
			it.Value = s + name
			return nil
		}}
	}
	w := newWorld(t, graph{}, worldOptions{pipeline: assets.PipelineOptions{
		Plan: []assets.Pipe{mark("a"), mark("b")}}})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		plan := w.pipeline.Plan()
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, err := range []error{plan.Insert("b", mark("x"), mark("y")), plan.Move("a", ""),
				plan.Splice("x", "y", mark("z")), plan.Delete("z"), plan.Move("a", "b")} {
				if err != nil {
					t.Error(err)
				}
			}
		}
	})
	for i := range 2000 {
		h := w.load(name(i))
		require.Contains(t, []string{"ab", "axyb", "xyba", "zba", "ba"}, h.Value())
		w.m.Release(h)
	}
	close(stop)
	wg.Wait()
}

func TestObserve(t *testing.T) {
	var mu sync.Mutex
	var steps []assets.Step
	w := newWorld(t, graph{"a": nil}, worldOptions{pipeline: assets.PipelineOptions{
		Observe: func(s assets.Step) {
			mu.Lock()
			defer mu.Unlock()
			steps = append(steps, s)
		}}})
	w.load("a")
	mu.Lock()
	defer mu.Unlock()
	var pipes []string
	for _, s := range steps {
		require.Equal(t, assets.CPU, s.Lane)
		require.Equal(t, assets.ID("a"), s.ID)
		require.Equal(t, 1, s.Attempt)
		require.GreaterOrEqual(t, s.Waited, s.Waited*0)
		pipes = append(pipes, s.Pipe)
	}
	require.Equal(t, []string{"resolve", "select", "decode"}, pipes)
}
