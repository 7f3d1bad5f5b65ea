package main

import (
	"runtime"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A stepPool is what one writes by hand for steps: helpers that wait for the next, and a caller
// that takes part. They run a job until each of them finds nothing more in it.
type stepPool struct {
	job     func()
	open    atomics.Bool
	epoch   atomics.Uint32
	stop    atomics.Bool
	awake   time.Duration // how long helpers spin before they sleep; 0: for ever
	helpers []*stepHelper
	ended   sync.WaitGroup
}

// A stepHelper has its own line.
type stepHelper struct {
	_      [64]byte
	busy   atomics.Bool
	asleep atomics.Bool
	bell   chan struct{}
	_      [64]byte
}

// newStepPool starts one helper less than there are workers.
func newStepPool(workers int, awake time.Duration) *stepPool {
	p := &stepPool{awake: awake}
	for range workers - 1 {
		p.helpers = append(p.helpers, &stepHelper{bell: make(chan struct{}, 1)})
	}
	for _, h := range p.helpers {
		p.ended.Go(func() { p.help(h) })
	}
	return p
}

func (p *stepPool) help(h *stepHelper) {
	for seen := uint32(0); ; {
		seen = p.await(h, seen)
		if p.stop.Load() {
			return
		}
		h.busy.Store(true)
		if p.open.Load() { // else the step is over, and the job may be another's
			p.job()
		}
		h.busy.Store(false)
	}
}

// await returns the number of a step after the one that was seen.
func (p *stepPool) await(h *stepHelper, seen uint32) uint32 {
	begin := atomics.Now()
	for spins := 1; ; spins++ {
		if now := p.epoch.Load(); now != seen {
			return now
		}
		if relax(spins); p.awake > 0 && spins%64 == 0 && atomics.Now()-begin > int64(p.awake) {
			h.asleep.Store(true)
			if p.epoch.Load() == seen || !h.asleep.CompareAndSwap(true, false) {
				<-h.bell
			}
			begin = atomics.Now()
		}
	}
}

// relax is a turn of a spinning wait, which gives way now and then to others on its processor.
func relax(spins int) {
	if spins%1024 == 0 {
		runtime.Gosched()
		return
	}
	atomics.Pause(1)
}

// run has everybody run the job, which is complete when done says so.
func (p *stepPool) run(job func(), done func() bool) {
	p.job = job
	p.open.Store(true)
	p.ring()
	job()
	for spins := 1; !done(); spins++ {
		relax(spins)
	}
	p.open.Store(false)
	for _, h := range p.helpers {
		for spins := 1; h.busy.Load(); spins++ {
			relax(spins)
		}
	}
}

// ring announces a step.
func (p *stepPool) ring() {
	p.epoch.Add(1)
	for _, h := range p.helpers {
		if h.asleep.Load() && h.asleep.CompareAndSwap(true, false) {
			h.bell <- struct{}{}
		}
	}
}

func (p *stepPool) close() error {
	p.stop.Store(true)
	p.ring()
	p.ended.Wait()
	return nil
}

// A poolLoop has the pieces of a loop claimed one by one.
type poolLoop struct {
	pool       *stepPool
	from, n    int64
	body       []func()
	_          [64]byte
	next, left atomics.Int64
	_          [64]byte
	job        func()
	done       func() bool
}

func newPoolLoop(p *stepPool, body []func()) *poolLoop {
	l := &poolLoop{pool: p, body: body}
	l.job = func() {
		for {
			i := l.next.Add(1) - 1
			if i >= l.n {
				return
			}
			l.body[l.from+i]()
			l.left.Add(-1)
		}
	}
	l.done = func() bool { return l.left.Load() == 0 }
	return l
}

// over runs the bodies of a range.
func (l *poolLoop) over(lo, hi int) {
	l.from, l.n = int64(lo), int64(hi-lo)
	l.next.Store(0)
	l.left.Store(l.n)
	l.pool.run(l.job, l.done)
}

// A ticketGraph is a graph by counters: each who is free takes the next ticket, and runs the task
// that becomes ready in that place.
type ticketGraph struct {
	pool       *stepPool
	g          *shape
	body       []func()
	before     []int32
	left       []atomics.Int32
	ready      []atomics.Uint32 // a task and one
	_          [64]byte
	head       atomics.Int64
	_          [64]byte
	tail, rest atomics.Int64
	_          [64]byte
	job        func()
	done       func() bool
}

func newTicketGraph(p *stepPool, g *shape, body []func()) *ticketGraph {
	t := &ticketGraph{pool: p, g: g, body: body, before: make([]int32, g.len()), left: make([]atomics.Int32, g.len()), ready: make([]atomics.Uint32, g.len())}
	for i, before := range g.preds {
		t.before[i] = int32(len(before))
	}
	t.job = t.work
	t.done = func() bool { return t.rest.Load() == 0 }
	return t
}

func (t *ticketGraph) run() {
	for i, n := range t.before {
		t.left[i].Store(n)
		t.ready[i].Store(0)
	}
	t.head.Store(0)
	t.tail.Store(0)
	t.rest.Store(int64(len(t.before)))
	for i, n := range t.before {
		if n == 0 {
			t.put(uint32(i))
		}
	}
	t.pool.run(t.job, t.done)
}

func (t *ticketGraph) put(i uint32) { t.ready[t.tail.Add(1)-1].Store(i + 1) }

// work takes tickets until there are no more.
func (t *ticketGraph) work() {
	for {
		ticket := t.head.Add(1) - 1
		if ticket >= int64(len(t.body)) {
			return
		}
		i := t.ready[ticket].Load()
		for spins := 1; i == 0; spins++ {
			relax(spins)
			i = t.ready[ticket].Load()
		}
		// Each task puts what follows in line, and has no more to do with it.
		t.body[i-1]()
		for _, next := range t.g.succs[i-1] {
			if t.left[next].Add(-1) == 0 {
				t.put(next)
			}
		}
		t.rest.Add(-1)
	}
}
