package boids

import (
	"context"
	"runtime"
	"sync"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A Way makes steps of a flock. What show shows is the flock's picture; it is called once in each
// step, as the last part of it, and returns when the picture may change again.
type Way struct {
	Name string
	Step func(ctx context.Context) error
}

// Serial makes steps on the calling goroutine.
func Serial(f *Flock, show func()) Way {
	return Way{"serial", func(context.Context) error {
		each(parts, f.bin)
		f.add()
		each(parts, f.scatter)
		f.swap()
		each(rows, f.steer)
		each(rows, f.paint)
		f.fall(0, len(f.sparks))
		f.ignite()
		f.end()
		show()
		return nil
	}}
}

// Goroutines makes steps with as many goroutines as processors for each phase, and a wait after it.
// Phases that do not depend on each other are one.
func Goroutines(f *Flock, show func()) Way {
	n := runtime.GOMAXPROCS(0)
	return Way{"goroutines", func(context.Context) error {
		spread(n, parts, f.bin)
		f.add()
		spread(n, parts, f.scatter)
		f.swap()
		spread(n, rows, func(r int) { f.steer(r); f.paint(r); f.fallPart(r) })
		f.ignite()
		f.end()
		show()
		return nil
	}}
}

// Graph makes steps by a graph of tasks of sys, of which show runs on thread; if that is nil, on
// whoever makes the step. Whoever makes the step takes part in it.
func Graph(sys *taskgraph.System, thread *namedthread.Thread, f *Flock, show func()) (Way, error) {
	var b taskgraph.GraphBuilder
	bin := b.Task(loop(parts, f.bin)).Name("bin")
	add := b.Task(taskgraph.Do(f.add)).After(bin).Name("add")
	scatter := b.Task(loop(parts, f.scatter)).After(add).Name("scatter")
	swap := b.Task(taskgraph.Do(f.swap)).After(scatter).Name("swap")
	steer := b.Task(loop(rows, f.steer)).After(swap).Name("steer")
	paint := b.Task(loop(rows, f.paint)).After(swap).Name("paint")
	fall := b.Task(loop(rows, f.fallPart)).Name("fall")
	ignite := b.Task(taskgraph.Do(f.ignite)).After(fall, paint).Name("ignite")
	// The picture is complete, and is shown while birds are still steered.
	last := b.Task(taskgraph.Do(show)).After(ignite).Name("show")
	if thread != nil {
		last.On(thread)
	}
	b.Task(taskgraph.Do(f.end)).After(steer, fall, ignite).Name("end")
	g, err := b.Build()
	if err != nil {
		return Way{}, err
	}
	return Way{"heddle", func(ctx context.Context) error { return sys.RunGraph(ctx, g) }}, nil
}

// fallPart moves the sparks that fall to cell row r.
func (f *Flock) fallPart(r int) {
	f.fall(r*len(f.sparks)/rows, (r+1)*len(f.sparks)/rows)
}

func each(n int, f func(i int)) {
	for i := range n {
		f(i)
	}
}

func loop(n int, f func(i int)) taskgraph.Body {
	return taskgraph.ParallelFor(n, 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}

// spread calls f for 0 to n-1 on g goroutines, of which each takes every g-th: neighbours cost
// alike.
func spread(g, n int, f func(i int)) {
	var wg sync.WaitGroup
	for k := range g {
		wg.Go(func() {
			for i := k; i < n; i += g {
				f(i)
			}
		})
	}
	wg.Wait()
}
