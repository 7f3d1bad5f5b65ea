package main

import (
	"sync"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/sleepevent"
)

// A Pool runs functions in a fixed number of goroutines, those of a higher priority first.
type Pool struct {
	queue *lockfree.PriorityQueue[func()]
	idle  *sleepevent.Group
	all   sync.WaitGroup
}

// NewPool starts a pool with n workers. Priorities count from 0, the highest.
func NewPool(n, priorities int) *Pool {
	p := &Pool{
		queue: lockfree.NewPriorityQueue[func()](priorities),
		idle:  sleepevent.NewGroup(n, sleepevent.Options{}),
	}
	for i := range n {
		p.all.Go(func() { p.work(i) })
	}
	return p
}

// Go has a worker call f. It must not be called after Close.
func (p *Pool) Go(priority int, f func()) {
	p.queue.Push(f, priority)
	p.idle.Wake() // after the work is in the queue
}

// Close waits until all functions have returned, and ends the workers.
func (p *Pool) Close() {
	p.idle.Close()
	p.all.Wait()
}

// work is the loop of worker number i. While a worker searches, Go wakes no other one. So a worker
// that has found something checks for more, and wakes the next worker if there is.
func (p *Pool) work(i int) {
	p.idle.BeginSearch()
	for {
		f, ok := p.queue.Pop()
		if !ok {
			if p.idle.Closed() && p.queue.Empty() {
				break
			}
			p.idle.Idle(i, func() bool { return !p.queue.Empty() })
			continue
		}
		p.idle.EndSearch()
		if !p.queue.Empty() {
			p.idle.Wake()
		}
		f()
		p.idle.BeginSearch()
	}
	p.idle.EndSearch()
}
