package main

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// A stepper runs steps.
type stepper struct {
	run func() error
	// instead of run, where the loop has a place of its own
	within func(loop func(run func() error) error) error
	await  func(beat int64) error // instead of awaitBeat
	// sleeping workers woken so far; nil if nobody counts
	wakes func() uint64
	close func() error
}

// A stepPeer is a runtime that has steps.
type stepPeer struct {
	runtime string
	free    bool
	paced   bool   // only at a beat
	only    string // classes of shapes, if not all
	open    func(c *stepCase, b *taskBench, workers int) (stepper, error)
}

// has reports whether the runtime has steps of this kind.
func (p stepPeer) has(c *stepCase) bool {
	return (!p.paced || c.beat > 0) && (p.only == "" || strings.Contains(p.only, stepClass(c.kind)))
}

// stepPeerOf returns the one of that name, which must be there.
func stepPeerOf(runtime string) stepPeer {
	return stepPeers[slices.IndexFunc(stepPeers, func(p stepPeer) bool {
		return p.runtime == runtime
	})]
}

// hybridAwake is how long the helpers of the hybrid pool spin.
const hybridAwake = 50 * time.Microsecond

// stepPeers are all rows of steps. A new way of Heddle to run a step is one more line here.
var stepPeers = []stepPeer{
	{runtime: heddle, open: heddleSteps(heddleSystem.outside)},
	{runtime: "heddle-run", open: heddleSteps(heddleSystem.taking)},
	{runtime: heddleInsideTask, open: heddleSteps(heddleSystem.within)},
	{runtime: "heddle-thread", open: heddleStepsOnThread},
	{runtime: "heddle-run-beat", paced: true, open: heddleSteps(heddleSystem.takingAtBeat)},
	{runtime: "heddle-inside-beat", paced: true, open: heddleSteps(heddleSystem.withinAtBeat)},
	{runtime: "serial", open: serialSteps},
	{runtime: "spin", free: true, only: "fan chain", open: pooledSteps(0)},
	{runtime: "counters", free: true, only: "graph forks", open: pooledSteps(0)},
	{runtime: "hybrid", free: true, open: pooledSteps(hybridAwake)},
	{runtime: "goroutines", free: true, open: goroutineSteps},
	{runtime: "conc", free: true, only: "fan chain forks", open: concSteps},
}

// bodies are those of all tasks.
func (b *taskBench) bodies() []func() {
	all := make([]func(), b.shape.len())
	for i := range all {
		all[i] = b.body(i)
	}
	return all
}

func serialSteps(_ *stepCase, b *taskBench, _ int) (stepper, error) {
	all := b.bodies()
	return stepper{run: func() error {
		for _, body := range all {
			body()
		}
		return nil
	}}, nil
}

// A placed is where a step of Heddle is launched: a System, or the Context of a task.
type placed interface {
	taskgraph.Launcher
	ParallelFor(n, grain int, body func(lo, hi int)) error
	LaunchGraph(g *taskgraph.Graph, after ...taskgraph.Event) taskgraph.Event
	WaitUntilTasksComplete(ctx context.Context, events ...taskgraph.Event) error
}

// heddleStep returns how Heddle runs a step, and its graph where it is one.
func heddleStep(h heddleSystem, c *stepCase,
	b *taskBench) (step heddleStepper, g *taskgraph.Graph, err error) {
	all := b.bodies()
	switch stepClass(c.kind) {
	case "fan":
		group := h.sys.NewGroup()
		return func(at placed, ctx context.Context) error {
			for _, body := range all {
				group.Go(at, body)
			}
			return group.Wait(ctx)
		}, nil, nil
	case "chain":
		base := 0
		part := func(lo, hi int) {
			for i := lo; i < hi; i++ {
				all[base+i]()
			}
		}
		return func(at placed, _ context.Context) error {
			for base = 0; base < len(all); base += chainPieces {
				if err := at.ParallelFor(chainPieces, 1, part); err != nil {
					return err
				}
			}
			return nil
		}, nil, nil
	case "forks":
		var visit func(c *taskgraph.Context, a *taskgraph.Args)
		visit = func(c *taskgraph.Context, a *taskgraph.Args) {
			all[a.A]()
			next := b.shape.succs[a.A]
			if len(next) == 0 {
				return
			}
			var few [8]taskgraph.Join
			joins := few[:0]
			for _, i := range next[1:] {
				joins = append(joins, c.Fork(visit, taskgraph.Args{A: int64(i)}))
			}
			a.A = int64(next[0])
			visit(c, a)
			for i := len(joins) - 1; i >= 0; i-- {
				joins[i].Wait()
			}
		}
		first := new(taskgraph.Args)
		whole := func(c *taskgraph.Context) error {
			first.A = 0
			visit(c, first)
			return nil
		}
		root, run := taskgraph.Run(whole), make([]taskgraph.Event, 1)
		return func(at placed, ctx context.Context) error {
			if c, inside := at.(*taskgraph.Context); inside {
				return whole(c)
			}
			run[0] = h.sys.Task(root).Launch()
			return at.WaitUntilTasksComplete(ctx, run...)
		}, nil, nil
	}
	graph := &heddleGraph{heddleSystem: h}
	if err := graph.build(c.g, b.body); err != nil {
		return nil, nil, err
	}
	// a slice made for the call of an interface would be allocated
	run := make([]taskgraph.Event, 1)
	return func(at placed, ctx context.Context) error {
		if c, inside := at.(*taskgraph.Context); inside {
			return h.sys.RunGraph(c, graph.graph)
		}
		run[0] = at.LaunchGraph(graph.graph)
		return at.WaitUntilTasksComplete(ctx, run...)
	}, graph.graph, nil
}

func (h heddleSystem) kernelWakes() uint64 { return h.sys.Stats().KernelWakes }

// A heddleStepper is a step of Heddle, at a place.
type heddleStepper = func(at placed, ctx context.Context) error

// A heddleWay says how a step of Heddle is run. The graph is the step's, if it is one.
type heddleWay = func(h heddleSystem, step heddleStepper, graph *taskgraph.Graph) stepper

// heddleSteps has a way to run steps.
func heddleSteps(way heddleWay) func(*stepCase, *taskBench, int) (stepper, error) {
	return func(c *stepCase, b *taskBench, workers int) (stepper, error) {
		h := startHeddle(workers)
		step, graph, err := heddleStep(h, c, b)
		return way(h, step, graph), err
	}
}

// outside launches from outside and waits there.
func (h heddleSystem) outside(step heddleStepper, _ *taskgraph.Graph) stepper {
	return stepper{
		run:   func() error { return step(h.sys, context.Background()) },
		wakes: h.kernelWakes, close: h.close,
	}
}

// taking has the goroutine outside take part.
func (h heddleSystem) taking(step heddleStepper, graph *taskgraph.Graph) stepper {
	run := func() error { return h.sys.RunGraph(context.Background(), graph) }
	if graph == nil {
		whole := taskgraph.Run(func(c *taskgraph.Context) error { return step(c, c) })
		run = func() error { return h.sys.Run(context.Background(), whole) }
	}
	return stepper{run: run, wakes: h.kernelWakes, close: h.close}
}

// within has the loop run as a task.
func (h heddleSystem) within(step heddleStepper, _ *taskgraph.Graph) stepper {
	return stepper{
		within: func(loop func(run func() error) error) error {
			return h.inside(func(c *taskgraph.Context) error {
				return loop(func() error { return step(c, c) })
			})
		},
		wakes: h.kernelWakes, close: h.close,
	}
}

// sleepUntil is how a row waits for the beat by Heddle itself.
func (h heddleSystem) sleepUntil(ctx context.Context, beat int64) error {
	left := time.Duration(beat - atomics.Now()) // first: who is held up after it is late, not early
	return h.sys.SleepUntil(ctx, time.Now().Add(left))
}

// takingAtBeat is taking, and waits for the beat by Heddle.
func (h heddleSystem) takingAtBeat(step heddleStepper, graph *taskgraph.Graph) stepper {
	with := h.taking(step, graph)
	with.await = func(beat int64) error { return h.sleepUntil(context.Background(), beat) }
	return with
}

// withinAtBeat is within, and waits for the beat by Heddle.
func (h heddleSystem) withinAtBeat(step heddleStepper, graph *taskgraph.Graph) stepper {
	with := h.within(step, graph)
	var in *taskgraph.Context
	with.within = func(loop func(run func() error) error) error {
		return h.inside(func(c *taskgraph.Context) error {
			in = c
			return loop(func() error { return step(c, c) })
		})
	}
	with.await = func(beat int64) error { return h.sleepUntil(in, beat) }
	return with
}

// heddleStepsOnThread has the loop run as a task on a named thread.
func heddleStepsOnThread(c *stepCase, b *taskBench, workers int) (stepper, error) {
	var (
		registry *namedthread.Registry
		th       *namedthread.Thread
		err      error
	)
	if registry, th, err = startNamed(sleepevent.ParkOS); err != nil {
		return stepper{}, err
	}
	h := heddleSystem{taskgraph.Start(taskgraph.Options{Workers: workers, Threads: registry})}
	step, _, err := heddleStep(h, c, b)
	return stepper{
		within: func(loop func(run func() error) error) error {
			body := taskgraph.Run(func(c *taskgraph.Context) error {
				return loop(func() error { return step(c, c) })
			})
			return h.sys.WaitUntilTasksComplete(context.Background(),
				h.sys.Task(body).On(th).Launch())
		},
		wakes: h.kernelWakes,
		close: func() error {
			if err := h.close(); err != nil {
				return err
			}
			return endNamed(th)
		},
	}, err
}

// pooledSteps run on a pool by hand, whose helpers spin for so long, or for ever.
func pooledSteps(awake time.Duration) func(*stepCase, *taskBench, int) (stepper, error) {
	return func(c *stepCase, b *taskBench, workers int) (stepper, error) {
		pool := newStepPool(workers, awake)
		all := b.bodies()
		var step func()
		switch stepClass(c.kind) {
		case "graph", "forks":
			step = newCounterPool(pool, c.g, all).run
		default:
			loop := newPoolLoop(pool, all)
			step = func() { c.loops(len(all), loop.over) }
		}
		return stepper{run: func() error { step(); return nil }, close: pool.close}, nil
	}
}

// loops calls f for the range of each loop, of which a fan has one.
func (c *stepCase) loops(n int, f func(lo, hi int)) {
	size := n
	if c.kind == "chain" {
		size = chainPieces
	}
	for lo := 0; lo < n; lo += size {
		f(lo, lo+size)
	}
}

// goroutineSteps start a goroutine for each task beside another.
func goroutineSteps(c *stepCase, b *taskBench, _ int) (stepper, error) {
	switch stepClass(c.kind) {
	case "graph":
		g := new(counterGraph)
		return stepper{run: g.run}, g.build(c.g, b.body)
	case "forks":
		return forkedSteps(b, goroutineAll), nil
	}
	all := b.bodies()
	var wg sync.WaitGroup
	return stepper{run: func() error {
		c.loops(len(all), func(lo, hi int) {
			for _, body := range all[lo : hi-1] {
				wg.Go(body)
			}
			all[hi-1]()
			wg.Wait()
		})
		return nil
	}}, nil
}

func concSteps(c *stepCase, b *taskBench, _ int) (stepper, error) {
	if c.kind == "forks" {
		return forkedSteps(b, concAll), nil
	}
	all := b.bodies()
	return stepper{run: func() error {
		c.loops(len(all), func(lo, hi int) {
			var wg conc.WaitGroup
			for _, body := range all[lo : hi-1] {
				wg.Go(body)
			}
			all[hi-1]()
			wg.Wait()
		})
		return nil
	}}, nil
}

// forkedSteps visit a tree by calls beside each other.
func forkedSteps(b *taskBench, beside func(fs ...func()) error) stepper {
	bodies := b.bodies()
	visits := make([]func(), len(bodies))
	children := make([][]func(), len(bodies))
	for i := range visits {
		visits[i] = func() {
			bodies[i]()
			if len(children[i]) > 0 {
				_ = beside(children[i]...) // it fails only if one of them does
			}
		}
	}
	for i, next := range b.shape.succs {
		for _, n := range next {
			children[i] = append(children[i], visits[n])
		}
	}
	return stepper{run: func() error { visits[0](); return nil }}
}
