package main

import (
	"sync"

	"github.com/bytedance/gopkg/util/gopool"
)

// gopoolSpawn needs no close: the goroutines of a gopool end when there is nothing to do.
func gopoolSpawn(workers int) (spawner, error) {
	p := gopool.NewPool("bench", int32(workers), gopool.NewConfig())
	return spawner{spawn: func(n int, f func()) error {
		var wg sync.WaitGroup
		wg.Add(n)
		body := func() { f(); wg.Done() }
		for range n {
			p.Go(body)
		}
		wg.Wait()
		return nil
	}}, nil
}
