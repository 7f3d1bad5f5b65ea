package main

import "golang.org/x/sync/errgroup"

// errgroupInside has no limit: a goroutine of the group that waited for others of it would hang
// with one.
func errgroupInside(int) (spawner, error) {
	return spawner{spawn: func(n int, f func()) error {
		var g errgroup.Group
		body := func() error { f(); return nil }
		for range n {
			g.Go(body)
		}
		return g.Wait()
	}}, nil
}

func errgroupSpawn(workers int) (spawner, error) {
	return spawner{spawn: func(n int, f func()) error {
		var g errgroup.Group
		g.SetLimit(workers)
		body := func() error { f(); return nil }
		for range n {
			g.Go(body)
		}
		return g.Wait()
	}}, nil
}

func errgroupAll(fs ...func()) error {
	var g errgroup.Group
	for _, f := range fs[:len(fs)-1] {
		g.Go(func() error { f(); return nil })
	}
	fs[len(fs)-1]()
	return g.Wait()
}

func errgroupLoop(workers int) (looper, error) {
	return looper{loop: func(n int, body func(lo, hi int)) error {
		var g errgroup.Group
		for i := range workers - 1 {
			g.Go(func() error { body(chunk(n, i, workers)); return nil })
		}
		body(chunk(n, workers-1, workers))
		return g.Wait()
	}}, nil
}
