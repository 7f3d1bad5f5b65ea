package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress"
	"github.com/heddle-go/heddle/stress/internal/mix"
	"github.com/heddle-go/heddle/taskgraph"
)

const (
	countsMix = "tasks and events completed, waits, loops and forks of random programs with " +
		"every fault"
	countsGraph  = "tasks of random graphs, each run once, after its prerequisites"
	countsAgain  = "tasks of a built graph that runs again and again"
	countsFork   = "forked calls of a sum that is right"
	countsSpawn  = "tasks launched by tasks, each run once before what waits for it"
	countsLoop   = "loops and calls of their bodies, which visit each element once"
	countsLaunch = "launches that race with Shutdown: accepted and run, or refused"
)

var background = context.Background()

func runMix(j *job)         { j.mix(false) }
func runMixShutdown(j *job) { j.mix(true) }

func (j *job) mix(shutdown bool) {
	for range j.size(12) {
		p := mix.Draw(j.between(5, mix.MaxLength), j.rnd.Uint64(), shutdown)
		x := mix.New(p)
		j.ask(x.String, x.Stuck)
		if j.fail(x.Do()) {
			return
		}
		j.unask()
		j.count(int(x.Ops()))
	}
}

// start starts a system; end shuts it down.
func (j *job) start() (s *taskgraph.System, end func()) {
	workers := []int{1, 2, 2, 3, 4, 8, 16}[j.rnd.IntN(7)]
	s = taskgraph.Start(taskgraph.Options{
		Workers:    workers,
		Foreground: j.between(-1, min(1, workers-1)),
		Park:       j.parkOf(),
		StuckAfter: time.Hour,
	})
	j.ask(func() string { return fmt.Sprintf("%+v", s.Stats()) }, s)
	return s, func() {
		if err := s.Shutdown(background); err != nil {
			j.failf("Shutdown: %w", err)
		}
		j.unask()
	}
}

// runGraph launches random graphs on one system, from outside and from inside.
func runGraph(j *job) {
	s, end := j.start()
	defer end()
	for range j.size(j.between(20, 60)) {
		n := j.between(1, 200)
		p := make(stress.Plan, n)
		near, most := j.between(1, n), j.between(0, 5)
		for i := range p {
			if j.one(3) {
				p[i].Priority = taskgraph.Priority(j.rnd.IntN(5))
			}
			for _, back := range j.rnd.Perm(min(near, i))[:min(near, i, j.rnd.IntN(most+1))] {
				p[i].After = append(p[i].After, i-1-back)
			}
		}
		w := stress.NewWitness(p.DAG())
		var events []taskgraph.Event
		build := s.Task
		if j.one(3) {
			err := s.WaitUntilTasksComplete(background,
				s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					events = p.Launch(w, c.Task, nil)
					return nil
				})).Launch())
			j.fail(err)
		} else {
			events = p.Launch(w, build, nil)
		}
		j.fail(s.WaitUntilTasksComplete(background, events...))
		if j.fail(w.Err()) {
			j.failf("the plan:\n%v", p)
			return
		}
		j.count(n)
	}
}

// runAgain runs built graphs again and again, some at the same time.
func runAgain(j *job) {
	s, end := j.start()
	defer end()
	var all sync.WaitGroup
	for range j.between(1, 3) {
		rnd := j.fork()
		all.Go(func() { j.again(s, rnd) })
	}
	all.Wait()
}

func (j *job) again(s *taskgraph.System, rnd *rand.Rand) {
	n := 1 + rnd.IntN(300)
	var b taskgraph.GraphBuilder
	tasks := make([]taskgraph.GraphTask, n)
	runs := make([]int, n) // plain: the graph orders who looks
	near, most := 1+rnd.IntN(n), 1+rnd.IntN(4)
	for i := range tasks {
		var before []int
		for range rnd.IntN(most + 1) {
			if i > 0 {
				before = append(before, i-1-rnd.IntN(min(near, i)))
			}
		}
		tasks[i] = b.Task(taskgraph.Do(func() {
			runs[i]++
			for _, k := range before {
				if runs[k] != runs[i] {
					j.failf(
						"task %d runs for the %d. time, and its predecessor %d has run %d times", i,
						runs[i], k, runs[k])
				}
			}
		}))
		for _, k := range before {
			tasks[i].After(tasks[k])
		}
	}
	g, err := b.Build()
	if j.fail(err) {
		return
	}
	times := 1 + j.size(30_000/n)
	for k := range times {
		j.fail(s.WaitUntilTasksComplete(background, s.LaunchGraph(g)))
		for i := range runs {
			if runs[i] != k+1 {
				j.failf("task %d has run %d times in %d runs of the graph", i, runs[i], k+1)
				return
			}
		}
	}
	j.count(n * times)
}

// runFork counts the calls of a tree of forks.
func runFork(j *job) {
	s, end := j.start()
	defer end()
	for range j.between(1, 4) {
		depth := int64(j.between(1, 17))
		if j.slow > 1 {
			depth = min(depth, 13)
		}
		got := int64(0)
		j.fail(s.WaitUntilTasksComplete(background,
			s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				got = forkTree(c, depth)
				return nil
			})).Launch()))
		if got != 1<<depth {
			j.failf("a tree of depth %d has %d leaves", depth, got)
		}
		j.count(1 << depth)
	}
}

func forkTree(c *taskgraph.Context, depth int64) int64 {
	if depth == 0 {
		return 1
	}
	right := c.Fork(func(c *taskgraph.Context, a *taskgraph.Args) { a.B = forkTree(c, a.A) },
		taskgraph.Args{A: depth - 1})
	left := forkTree(c, depth-1)
	return left + right.Wait().B
}

// runSpawn has tasks launch tasks, and be held open for them, or wait for them.
func runSpawn(j *job) {
	s, end := j.start()
	defer end()
	for range j.size(j.between(4, 20)) {
		fan, depth := j.between(1, 8), j.between(1, 4)
		how := j.rnd.IntN(3)
		var grow func(c *taskgraph.Context, depth int, sum *int) error
		grow = func(c *taskgraph.Context, depth int, sum *int) error {
			*sum = 1
			if depth == 0 {
				return nil
			}
			sums := make([]int, fan)
			events := make([]taskgraph.Event, fan)
			for k := range fan {
				body := taskgraph.Run(func(c *taskgraph.Context) error {
					return grow(c, depth-1, &sums[k])
				})
				switch how {
				case 0:
					events[k] = c.Spawn(body)
				case 1:
					events[k] = c.Nest(body)
				default:
					events[k] = c.Task(body).After(events[:k]...).Launch()
				}
			}
			if how == 1 { // the event of this one says when they are over
				event := c.Task(taskgraph.Do(func() {
					for _, n := range sums {
						*sum += n
					}
				})).After(events...).Launch()
				c.DontCompleteUntil(event)
				return nil
			}
			err := c.WaitUntilTasksComplete(background, events...)
			for _, n := range sums {
				*sum += n
			}
			return err
		}
		var all sync.WaitGroup
		for range j.between(1, 3) {
			all.Go(func() {
				sum := 0
				j.fail(s.WaitUntilTasksComplete(background,
					s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
						return grow(c, depth,
							&sum)
					})).Launch()))
				want, layer := 1, 1
				for range depth {
					layer *= fan
					want += layer
				}
				if sum != want {
					j.failf("a tree of %d tasks counts %d", want, sum)
				}
				j.count(want)
			})
		}
		all.Wait()
	}
	// And many from outside.
	n := j.size(j.between(1000, 30_000))
	ran := make([]int8, n)
	events := make([]taskgraph.Event, n)
	for i := range n {
		events[i] = s.Go(func() { ran[i]++ })
	}
	j.fail(s.WaitUntilTasksComplete(background, events...))
	for i, times := range ran {
		if times != 1 {
			j.failf("task %d ran %d times", i, times)
		}
	}
	j.count(n)
}

// runLoop visits elements, some of them in loops inside loops, and some loops end by a panic.
func runLoop(j *job) {
	s, end := j.start()
	defer end()
	for range j.size(j.between(20, 60)) {
		n, grain := j.between(0, 20_000), j.rnd.IntN(200)
		seen := make([]int8, n)
		calls := atomics.Int64{}
		bad := -1
		if j.one(5) && n > 0 {
			bad = j.rnd.IntN(n)
		}
		body := func(lo, hi int) {
			calls.Add(1)
			for i := lo; i < hi; i++ {
				seen[i]++
			}
			if lo <= bad && bad < hi {
				panic(errEvent)
			}
		}
		var err error
		if j.one(2) {
			err = s.ParallelFor(n, grain, body)
		} else {
			inner := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return c.ParallelFor(n,
					grain, body)
			})).Launch()
			err = s.WaitUntilTasksComplete(background, inner)
		}
		if (err != nil) != (bad >= 0) || bad >= 0 && !errors.Is(err, errEvent) {
			j.failf("a loop with the bad element %d returns %v", bad, err)
		}
		for i, times := range seen {
			if times > 1 || times == 0 && bad < 0 {
				j.failf("element %d was visited %d times", i, times)
				return
			}
		}
		j.count(1 + int(calls.Load()))
	}
}

// runLaunch launches while the system is shut down.
func runLaunch(j *job) {
	for range j.size(j.between(10, 40)) {
		s := taskgraph.Start(taskgraph.Options{Workers: j.between(1, 4), Park: j.parkOf(),
			StuckAfter: time.Hour})
		j.ask(s)
		var ran, accepted, launched atomics.Int64
		var all sync.WaitGroup
		for range j.between(1, 4) {
			all.Go(func() {
				count := func() { ran.Add(1) }
				var last taskgraph.Event
				for i, refused := 0, 0; refused < 3; i++ {
					switch i % 3 {
					case 0:
						last = s.Go(count)
					case 1:
						last = s.Task(taskgraph.Do(count)).After(last).Launch()
					default:
						last = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
							c.DontCompleteUntil(c.Go(count))
							return nil
						})).After(last).Launch()
					}
					launched.Add(1)
					if last.IsComplete() && errors.Is(last.Err(), graphevent.ErrClosed) {
						refused++
						last = taskgraph.Event{}
					} else if accepted.Add(1); refused > 0 {
						j.failf("a launch is accepted after one was refused")
					}
					if i > 20 {
						atomics.Gosched()
					}
				}
			})
		}
		for range j.rnd.IntN(300) {
			atomics.Gosched()
		}
		if err := s.Shutdown(background); err != nil {
			j.failf("Shutdown: %w", err)
		}
		all.Wait()
		if ran.Load() != accepted.Load() {
			j.failf("%d launches were accepted, and %d ran", accepted.Load(), ran.Load())
		}
		j.count(int(launched.Load()))
		j.unask()
	}
}
