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

// NewPool starts a pool with so many workers. Priorities are from 0, the highest.
func NewPool(workers, priorities int) *Pool {
	p := &Pool{
		queue: lockfree.NewPriorityQueue[func()](priorities),
		idle:  sleepevent.NewGroup(workers, sleepevent.Options{}),
	}
	for i := range workers {
		p.all.Go(func() { p.work(i) })
	}
	return p
}

// Go has a worker call f. It must not be called after Close.
func (p *Pool) Go(priority int, f func()) {
	p.queue.Push(f, priority)
	p.idle.Wake() // after the work is in the queue
}

// Close waits until all is done, and ends the workers.
func (p *Pool) Close() {
	p.idle.Close()
	p.all.Wait()
}

// work is the life of worker number i. While it searches, those who bring work leave it alone; so
// when it has found something, it looks whether there is more, and brings up another one.
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
