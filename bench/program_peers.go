package main

import (
	"context"
	"sync"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

// A programPeer is a way to run programs.
type programPeer struct {
	runtime string
	free    bool
	open    func(p *app, workers int) (stepper, error)
}

// programPeers are all rows of programs.
var programPeers = []programPeer{
	{runtime: heddle, open: heddlePrograms(heddleSystem.outside)},
	{runtime: "heddle-run", open: heddlePrograms(heddleSystem.taking)},
	{runtime: heddleInsideTask, open: heddlePrograms(heddleSystem.within)},
	{runtime: "serial", open: func(p *app, _ int) (stepper, error) {
		return stepper{run: func() error { p.serial(); return nil }}, nil
	}},
	{runtime: "spin", free: true, open: pooledProgram(0)},
	{runtime: "hybrid", free: true, open: pooledProgram(hybridAwake)},
	{runtime: "goroutines", free: true, open: goroutineProgram},
}

// ranges are calls for the ranges of a loop.
func (ph phase) ranges(workers int) (all []func()) {
	grain := ph.grain
	if grain == 0 {
		grain = max(1, ph.n/(8*workers))
	}
	for lo := 0; lo < ph.n; lo += grain {
		all = append(all, func() { ph.body(lo, min(ph.n, lo+grain)) })
	}
	return all
}

// inTurn runs what phases have become.
func inTurn(all []func() error) func() error {
	return func() error {
		for _, run := range all {
			if err := run(); err != nil {
				return err
			}
		}
		return nil
	}
}

func pooledProgram(awake time.Duration) func(*app, int) (stepper, error) {
	return func(p *app, workers int) (stepper, error) {
		pool := newStepPool(workers, awake)
		var all []func() error
		for _, ph := range p.phases {
			var run func()
			switch {
			case ph.g != nil:
				run = newCounterPool(pool, ph.g, ph.tasks).run
			case ph.n == 1:
				run = func() { ph.body(0, 1) }
			default:
				pieces := ph.ranges(workers)
				loop := newPoolLoop(pool, pieces)
				run = func() { loop.over(0, len(pieces)) }
			}
			all = append(all, func() error { run(); return nil })
		}
		return stepper{run: inTurn(all), close: pool.close}, nil
	}
}

func goroutineProgram(p *app, workers int) (stepper, error) {
	var all []func() error
	for _, ph := range p.phases {
		if ph.g != nil {
			g := new(counterGraph)
			if err := g.build(ph.g, func(i int) func() { return ph.tasks[i] }); err != nil {
				return stepper{}, err
			}
			all = append(all, g.run)
			continue
		}
		pieces := ph.ranges(workers)
		all = append(all, func() error {
			var wg sync.WaitGroup
			for _, piece := range pieces[1:] {
				wg.Go(piece)
			}
			pieces[0]()
			wg.Wait()
			return nil
		})
	}
	return stepper{run: inTurn(all)}, nil
}

// heddleGraph builds the graph of a phase.
func (ph phase) heddleGraph() (*taskgraph.Graph, error) {
	var b taskgraph.GraphBuilder
	var all []taskgraph.GraphTask
	for i, task := range ph.tasks {
		t := b.Task(taskgraph.Do(task))
		if ph.uses != nil {
			read, wrote := ph.uses(i)
			t.Reads(read...).Writes(wrote...)
		} else {
			for _, before := range ph.g.preds[i] {
				t.After(all[before])
			}
		}
		all = append(all, t)
	}
	return b.Build()
}

// heddlePhases returns a step of Heddle, and its graph if it is one and nothing else.
func heddlePhases(h heddleSystem, p *app) (step heddleStepper, only *taskgraph.Graph, err error) {
	var all []heddleStepper
	for _, ph := range p.phases {
		switch {
		case ph.g != nil:
			g, err := ph.heddleGraph()
			if err != nil {
				return nil, nil, err
			}
			if len(p.phases) == 1 {
				only = g
			}
			all = append(all, func(at placed, ctx context.Context) error {
				return at.WaitUntilTasksComplete(ctx, at.LaunchGraph(g))
			})
		case ph.n == 1:
			all = append(all, func(placed, context.Context) error { ph.body(0, 1); return nil })
		case ph.forks != nil:
			root := taskgraph.Run(func(c *taskgraph.Context) error { ph.forks(c); return nil })
			all = append(all, func(at placed, ctx context.Context) error {
				if c, inside := at.(*taskgraph.Context); inside {
					ph.forks(c)
					return nil
				}
				return at.WaitUntilTasksComplete(ctx, h.sys.Task(root).Launch())
			})
		default:
			all = append(all, func(at placed, _ context.Context) error {
				return at.ParallelFor(ph.n, 0, ph.body)
			})
		}
	}
	return func(at placed, ctx context.Context) error {
		for _, run := range all {
			if err := run(at, ctx); err != nil {
				return err
			}
		}
		return nil
	}, only, nil
}

// heddlePrograms has a way to run programs.
func heddlePrograms(way heddleWay) func(*app, int) (stepper, error) {
	return func(p *app, workers int) (stepper, error) {
		h := startHeddle(workers)
		step, graph, err := heddlePhases(h, p)
		return way(h, step, graph), err
	}
}
