package main

import (
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/iter"
	"github.com/sourcegraph/conc/pool"
)

func concInside(int) (spawner, error) {
	return spawner{spawn: func(n int, f func()) error {
		var wg conc.WaitGroup
		for range n {
			wg.Go(f)
		}
		wg.Wait()
		return nil
	}}, nil
}

func concSpawn(workers int) (spawner, error) {
	return spawner{spawn: func(n int, f func()) error {
		p := pool.New().WithMaxGoroutines(workers)
		for range n {
			p.Go(f)
		}
		p.Wait()
		return nil
	}}, nil
}

func concAll(fs ...func()) error {
	var wg conc.WaitGroup
	for _, f := range fs[:len(fs)-1] {
		wg.Go(f)
	}
	fs[len(fs)-1]()
	wg.Wait()
	return nil
}

// concLoop iterates over chunks: one element of conc's loop is one call, which would be slow
// for elements of the loop itself.
func concLoop(workers int) (looper, error) {
	chunks := make([]struct{}, workers)
	over := iter.Iterator[struct{}]{MaxGoroutines: workers}
	return looper{loop: func(n int, body func(lo, hi int)) error {
		over.ForEachIdx(chunks, func(i int, _ *struct{}) { body(chunk(n, i, workers)) })
		return nil
	}}, nil
}
