package heddlehttp

import (
	"slices"
	"sync"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A Pool is a set of classes of requests that share the workers of one system. Make one with
// NewPool; it needs no closing. Any goroutine may call its methods.
type Pool struct {
	sys     *taskgraph.System
	mu      sync.Mutex // of those who add a class
	classes atomics.Pointer[[]*Class]
}

// NewPool returns a pool without classes on sys, which belongs to the program: other tasks may run
// there as well, and the program shuts it down.
func NewPool(sys *taskgraph.System) *Pool {
	if sys == nil {
		panic("heddlehttp: NewPool of a nil System")
	}
	p := &Pool{sys: sys}
	p.classes.Store(new([]*Class))
	return p
}

// NewClass adds a class to the pool. It panics if an option is out of its range.
func (p *Pool) NewClass(o Options) *Class {
	c := &Class{pool: p, options: o.validate()}
	c.launch = c.launchTask
	if c.options.MaxRunning > 0 {
		c.limiter = p.sys.NewLimiter(c.options.MaxRunning)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	old := *p.classes.Load()
	classes := append(old[:len(old):len(old)], c)
	p.classes.Store(&classes)
	return c
}

// waitsAbove reports whether a request of a priority higher than that waits for a worker.
func (p *Pool) waitsAbove(than taskgraph.Priority) bool {
	for _, c := range *p.classes.Load() {
		if rank(c.options.Priority) < rank(than) && c.waits.Load() > 0 {
			return true
		}
	}
	return false
}

// byRank has the priorities, highest first.
var byRank = [...]taskgraph.Priority{
	taskgraph.PriorityHigh, taskgraph.PriorityNormal, taskgraph.PriorityBackgroundHigh,
	taskgraph.PriorityBackgroundNormal, taskgraph.PriorityBackgroundLow,
}

// rank is the place of a priority in byRank.
func rank(p taskgraph.Priority) int { return slices.Index(byRank[:], p) }
