package main

import (
	"sync"

	"github.com/heddle-go/heddle/internal/atomics"
)

// counterGraph is what one writes by hand for speed: a counter for each task, a goroutine for
// each that becomes ready beside another one, and a plain loop along the rest.
type counterGraph struct {
	bodies []func()
	succs  [][]uint32
	before []int32
	left   []atomics.Int32
	wg     sync.WaitGroup
}

func newCounterGraph(int) (grapher, error) { return new(counterGraph), nil }

func (c *counterGraph) build(g *shape, body func(i int) func()) error {
	c.bodies = make([]func(), g.len())
	c.before = make([]int32, g.len())
	c.left = make([]atomics.Int32, g.len())
	c.succs = make([][]uint32, g.len())
	for i, preds := range g.preds {
		c.bodies[i] = body(i)
		c.before[i] = int32(len(preds))
		for _, p := range preds {
			c.succs[p] = append(c.succs[p], uint32(i))
		}
	}
	return nil
}

func (c *counterGraph) run() error {
	c.wg.Add(len(c.bodies))
	for i, n := range c.before {
		c.left[i].Store(n)
	}
	for i, n := range c.before {
		if n == 0 {
			go c.from(uint32(i))
		}
	}
	c.wg.Wait()
	return nil
}

// from runs a task and what follows from it.
func (c *counterGraph) from(i uint32) {
	ran := 0
	for {
		c.bodies[i]()
		ran++
		next, more := uint32(0), false
		for _, t := range c.succs[i] {
			if c.left[t].Add(-1) > 0 {
				continue
			}
			if !more {
				next, more = t, true
			} else {
				go c.from(t)
			}
		}
		if !more {
			c.wg.Add(-ran)
			return
		}
		i = next
	}
}

func (c *counterGraph) close() error { return nil }
