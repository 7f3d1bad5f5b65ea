package main

import "sync"

// The textbook: a goroutine for each thing to do, and a WaitGroup or a channel to wait for it.

// goroutineAll runs the functions beside each other, the last one here.
func goroutineAll(fs ...func()) error {
	var wg sync.WaitGroup
	for _, f := range fs[:len(fs)-1] {
		wg.Go(f)
	}
	fs[len(fs)-1]()
	wg.Wait()
	return nil
}

func goroutineSpawn(int) (spawner, error) {
	return spawner{spawn: func(n int, f func()) error {
		var wg sync.WaitGroup
		wg.Add(n)
		for range n {
			go func() {
				f()
				wg.Done()
			}()
		}
		wg.Wait()
		return nil
	}}, nil
}

func goroutineFib(n int) int {
	if n < 2 {
		return n
	}
	left := make(chan int, 1)
	go func() { left <- goroutineFib(n - 1) }()
	right := goroutineFib(n - 2)
	return <-left + right
}

// goroutineLoop has a goroutine for each chunk, one chunk a worker.
func goroutineLoop(workers int) (looper, error) {
	return looper{loop: func(n int, body func(lo, hi int)) error {
		var wg sync.WaitGroup
		for i := range workers - 1 {
			wg.Go(func() { body(chunk(n, i, workers)) })
		}
		body(chunk(n, workers-1, workers))
		wg.Wait()
		return nil
	}}, nil
}

// chunk returns the bounds of one of several equal parts of [0, n).
func chunk(n, i, parts int) (lo, hi int) { return n * i / parts, n * (i + 1) / parts }

// goroutineGraph has a goroutine for each task, which waits for the channel of each predecessor
// and closes its own.
type goroutineGraph struct {
	shape *shape
	body  func(i int) func()
}

func newGoroutineGraph(int) (grapher, error) { return new(goroutineGraph), nil }

func (g *goroutineGraph) build(s *shape, body func(i int) func()) error {
	g.shape, g.body = s, body
	return nil
}

func (g *goroutineGraph) run() error {
	done := make([]chan struct{}, g.shape.len())
	var wg sync.WaitGroup
	wg.Add(len(done))
	for i, preds := range g.shape.preds {
		done[i] = make(chan struct{})
		f := g.body(i)
		go func() {
			for _, p := range preds {
				<-done[p]
			}
			f()
			close(done[i])
			wg.Done()
		}()
	}
	wg.Wait()
	return nil
}

func (g *goroutineGraph) close() error { return nil }
