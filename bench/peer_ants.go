package main

import (
	"sync"
	"time"

	"github.com/panjf2000/ants/v2"
)

func antsSpawn(workers int) (spawner, error) {
	p, err := ants.NewPool(workers)
	if err != nil {
		return spawner{}, err
	}
	return spawner{
		spawn: func(n int, f func()) error {
			var wg sync.WaitGroup
			wg.Add(n)
			body := func() { f(); wg.Done() }
			for range n {
				if err := p.Submit(body); err != nil {
					return err
				}
			}
			wg.Wait()
			return nil
		},
		close: func() error { return p.ReleaseTimeout(10 * time.Second) },
	}, nil
}
