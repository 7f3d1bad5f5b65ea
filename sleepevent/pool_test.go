package sleepevent_test

import (
	"sync"
	"testing"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/sleepevent"
)

var parks = []struct {
	name string
	park sleepevent.Park
}{
	{"ParkOS", sleepevent.ParkOS},
	{"ParkTwoPhase", sleepevent.ParkTwoPhase},
	{"ParkGo", sleepevent.ParkGo},
}

// eachPark runs f with every kind of parker.
func eachPark(t *testing.T, f func(t *testing.T, o sleepevent.Options)) {
	for _, p := range parks {
		t.Run(p.name, func(t *testing.T) { f(t, sleepevent.Options{Park: p.park}) })
	}
}

// nothing is a rescan that finds nothing.
func nothing() bool { return false }

// pool is the smallest user of a Group: workers that take functions from one queue, and keep
// the contract.
type pool struct {
	g    *sleepevent.Group
	rest func(worker int) // Idle, or a variant
	stop atomics.Bool
	wg   sync.WaitGroup

	mu    sync.Mutex
	queue []func()
	size  atomics.Int32
}

func newPool(workers int, o sleepevent.Options) *pool {
	return newTimedPool(workers, o, func(int) time.Duration { return -1 })
}

// newTimedPool has workers that rest with the time limits that limit says; negative: none.
func newTimedPool(workers int, o sleepevent.Options, limit func(worker int) time.Duration) *pool {
	p := &pool{g: sleepevent.NewGroup(workers, o)}
	rescan := p.more
	p.rest = func(i int) {
		if d := limit(i); d >= 0 {
			p.g.IdleTimeout(i, rescan, d)
		} else {
			p.g.Idle(i, rescan)
		}
	}
	for i := range workers {
		p.wg.Go(func() { p.work(i) })
	}
	return p
}

func (p *pool) work(i int) {
	p.g.BeginSearch()
	for {
		if f := p.pop(); f != nil {
			p.g.EndSearch()
			if p.more() {
				p.g.Wake() // ramp-up
			}
			for ; f != nil; f = p.pop() {
				f()
			}
			p.g.BeginSearch()
			continue
		}
		if p.stop.Load() {
			p.g.EndSearch()
			if p.more() {
				p.g.Wake()
			}
			return
		}
		p.rest(i)
	}
}

// push queues f and wakes nobody.
func (p *pool) push(f func()) {
	p.mu.Lock()
	p.queue = append(p.queue, f)
	p.size.Store(int32(len(p.queue)))
	p.mu.Unlock()
}

// submit queues f and calls Wake.
func (p *pool) submit(f func()) sleepevent.WakeResult {
	p.push(f)
	return p.g.Wake()
}

func (p *pool) pop() func() {
	if !p.more() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.queue)
	if n == 0 {
		return nil
	}
	f := p.queue[n-1]
	p.queue[n-1] = nil
	p.queue = p.queue[:n-1]
	p.size.Store(int32(n - 1))
	return f
}

func (p *pool) more() bool { return p.size.Load() > 0 }

// awaitSleep waits until every worker sleeps.
func (p *pool) awaitSleep() { awaitSleep(p.g) }

func awaitSleep(g *sleepevent.Group) {
	for i := range g.Workers() {
		hang.Await(func() bool { return g.State(i) == sleepevent.StateSleeping })
	}
}

// close ends the workers and waits for them.
func (p *pool) close() {
	p.stop.Store(true)
	p.g.Close()
	p.wg.Wait()
}
