package main

import (
	"sync"

	"github.com/heddle-go/heddle/internal/atomics"
)

// The pool that one writes without a library: workers that range over a channel.

// workerChannel is how many things to do its channel holds.
const workerChannel = 1024

// startWorkers starts workers for a channel; they end when it is closed.
func startWorkers[T any](workers, size int, do func(T)) (in chan T, ended *sync.WaitGroup) {
	in, ended = make(chan T, size), new(sync.WaitGroup)
	for range workers {
		ended.Go(func() {
			for x := range in {
				do(x)
			}
		})
	}
	return in, ended
}

func channelSpawn(workers int) (spawner, error) {
	var left sync.WaitGroup
	in, ended := startWorkers(workers, workerChannel, func(f func()) {
		f()
		left.Done()
	})
	return spawner{
		spawn: func(n int, f func()) error {
			left.Add(n)
			for range n {
				in <- f
			}
			left.Wait()
			return nil
		},
		close: func() error {
			close(in)
			ended.Wait()
			return nil
		},
	}, nil
}

func channelLoop(workers int) (looper, error) {
	type part struct {
		lo, hi int
		body   func(lo, hi int)
	}
	var left sync.WaitGroup
	in, ended := startWorkers(workers-1, workers, func(p part) {
		p.body(p.lo, p.hi)
		left.Done()
	})
	return looper{
		loop: func(n int, body func(lo, hi int)) error {
			left.Add(workers - 1)
			for i := range workers - 1 {
				lo, hi := chunk(n, i, workers)
				in <- part{lo, hi, body}
			}
			body(chunk(n, workers-1, workers))
			left.Wait()
			return nil
		},
		close: func() error {
			close(in)
			ended.Wait()
			return nil
		},
	}, nil
}

// channelGraph has a counter for each task and a channel of those that are ready, large enough
// for all of them.
type channelGraph struct {
	workers int
	shape   *shape
	bodies  []func()
	left    []atomics.Int32
	ready   chan uint32
	ended   *sync.WaitGroup
	runs    sync.WaitGroup
}

func newChannelGraph(workers int) (grapher, error) { return &channelGraph{workers: workers}, nil }

func (c *channelGraph) build(g *shape, body func(i int) func()) error {
	if c.shape != g { // as a user would: the workers stay as long as the channel is large enough
		if err := c.close(); err != nil {
			return err
		}
		c.shape = g
		c.ready, c.ended = startWorkers(c.workers, g.len(), c.do)
	}
	c.bodies = make([]func(), g.len())
	c.left = make([]atomics.Int32, g.len())
	for i := range c.bodies {
		c.bodies[i] = body(i)
	}
	return nil
}

func (c *channelGraph) do(i uint32) {
	c.bodies[i]()
	for _, t := range c.shape.succs[i] {
		if c.left[t].Add(-1) == 0 {
			c.ready <- t
		}
	}
	c.runs.Done()
}

func (c *channelGraph) run() error {
	c.runs.Add(len(c.bodies))
	for i, preds := range c.shape.preds {
		c.left[i].Store(int32(len(preds)))
	}
	for i, preds := range c.shape.preds {
		if len(preds) == 0 {
			c.ready <- uint32(i)
		}
	}
	c.runs.Wait()
	return nil
}

func (c *channelGraph) close() error {
	if c.ready != nil {
		close(c.ready)
		c.ended.Wait()
		c.ready = nil
	}
	return nil
}
