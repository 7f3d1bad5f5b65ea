package main

import (
	"sync"

	"github.com/alitto/pond/v2"
)

// pondSpawn uses Go and a WaitGroup, which costs less than a group of pond's.
func pondSpawn(workers int) (spawner, error) {
	p := pond.NewPool(workers)
	return spawner{
		spawn: func(n int, f func()) error {
			var wg sync.WaitGroup
			wg.Add(n)
			body := func() { f(); wg.Done() }
			for range n {
				if err := p.Go(body); err != nil {
					return err
				}
			}
			wg.Wait()
			return nil
		},
		close: func() error { p.StopAndWait(); return nil },
	}, nil
}
