package main

import (
	"fmt"
	"slices"
)

// A grapher runs graphs of func() in one way.
type grapher interface {
	// build makes a graph ready to run, with the body of each task, in place of the one before.
	build(g *shape, body func(i int) func()) error

	// run runs it once, and may be called again.
	run() error

	close() error
}

// A graphPeer is a runtime that has one.
type graphPeer struct {
	runtime string
	free    bool
	open    func(workers int) (grapher, error)
	rerun   bool // it can build once and run again; else each run builds
	inside  bool // it is an insider, and the loop is to run as a task
}

// graphPeers are those for every graph.
var graphPeers = []graphPeer{
	{runtime: heddle, open: newHeddleGraph, rerun: true},
	{runtime: heddleTasks, open: newHeddleTasks},
	{runtime: "goroutines", free: true, open: newGoroutineGraph},
	{runtime: "counters", free: true, open: newCounterGraph, rerun: true},
	{runtime: "channel-workers", open: newChannelGraph, rerun: true},
	{runtime: "go-taskflow", open: newTaskflowGraph, rerun: true},
}

// An insider is a grapher that can have its runs started, one after the other, by a task.
type insider interface {
	// inside calls loop as a task, and run in it is like grapher.run.
	inside(loop func(run func() error) error) error
}

// looped calls the loop where the peer wants it.
func (p graphPeer) looped(with grapher, loop func(run func() error) error) error {
	if p.inside {
		return with.(insider).inside(loop)
	}
	return loop(with.run)
}

// frequentPeers are those for graphs that are run again and again by one loop: there Heddle has
// one more row, whose loop is a task. As in C++, who waits for a run is then one of the workers.
func frequentPeers() []graphPeer {
	inside := graphPeer{runtime: heddleInsideTask, open: newHeddleGraph, rerun: true, inside: true}
	return slices.Insert(slices.Clone(graphPeers), 1, inside)
}

// graphWorkloads run graphs of empty tasks: built before and run again, and built each time.
func graphWorkloads(z sizes) []*workload {
	side, depth := pick(z, 256, 81, 12), pick(z, 18, 15, 7)
	var all []*workload
	for _, g := range []struct {
		title string
		shape *shape
	}{
		{"a chain of empty tasks", chainShape(z.of(100_000))},
		{fmt.Sprintf("a binary tree of empty tasks, %d levels, from the root", depth),
			treeShape(depth)},
		{fmt.Sprintf("a grid of empty tasks, %d by %d, each after its left and its upper neighbour",
			side, side), wavefrontShape(side)},
		{"a random graph of empty tasks with up to 4 predecessors", dagShape(z.of(100_000))},
	} {
		rerun := &workload{name: g.shape.name + "-rerun", title: g.title +
			", built once and run again", unit: "ns/task", n: g.shape.len()}
		build := &workload{name: g.shape.name + "-build", title: g.title + ", built and run",
			unit: "ns/task", n: g.shape.len()}
		for _, p := range graphPeers {
			if p.rerun {
				rerun.rows = append(rerun.rows, p.row(g.shape, false))
			}
			build.rows = append(build.rows, p.row(g.shape, true))
		}
		rerun.rows = append(rerun.rows, tbb.row(g.shape.len(), graphJob("graph-rerun", g.shape, 0)))
		build.rows = append(build.rows, tbb.row(g.shape.len(), graphJob("graph-build", g.shape, 0)))
		all = append(all, rerun, build)
	}
	return all
}

// row is the peer's row for a shape.
func (p graphPeer) row(g *shape, anew bool) row {
	return row{runtime: p.runtime, lang: langGo, free: p.free,
		turn: func(s *session, workers int) (r reading, err error) {
			with, err := p.open(workers)
			if err != nil {
				return reading{}, err
			}
			pass := with.run
			if anew {
				pass = func() error {
					if err := with.build(g, empty); err != nil {
						return err
					}
					return with.run()
				}
			} else if err := with.build(g, empty); err != nil {
				return reading{}, err
			}
			if r, err = s.passes(g.len(), pass); err != nil {
				return reading{}, err
			}
			if err := checkGraph(with, g, !anew); err != nil {
				return reading{}, err
			}
			return r, with.close()
		}}
}

// checkGraph runs the shape with bodies that note what runs; twice, if that is what was
// measured.
func checkGraph(with grapher, g *shape, again bool) error {
	body, check := g.checked()
	if err := with.build(g, body); err != nil {
		return err
	}
	for range 2 {
		if err := with.run(); err != nil {
			return err
		}
		if err := check(); err != nil || !again {
			return err
		}
	}
	return nil
}

// graphJob makes the line of a job about a shape; a body computes so many rounds of the kernel.
func graphJob(name string, g *shape, rounds int) func(s *session, workers int) (string, error) {
	return func(s *session, workers int) (string, error) {
		path, err := s.files.path(g)
		if err != nil {
			return "", err
		}
		line, err := plainJob(name, g.len())(s, workers)
		return fmt.Sprintf("%s rounds=%d frames=%d file=%s", line, rounds, s.frames, path), err
	}
}
