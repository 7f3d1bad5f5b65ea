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
	job   func()
	open  atomics.Bool
	epoch atomics.Uint32
	stop  atomics.Bool
	awake time.Duration // how long helpers spin before they sleep; 0: for ever
	// After so many turns a wait gives way.
	patience int
	helpers  []*stepHelper
	ended    sync.WaitGroup
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
	p := &stepPool{awake: awake, patience: 1 << 16}
	if workers > runtime.GOMAXPROCS(0) {
		p.patience = 1 << 10
	}
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
		if p.relax(spins); p.awake > 0 && spins%64 == 0 && atomics.Now()-begin > int64(p.awake) {
			h.asleep.Store(true)
			if p.epoch.Load() == seen || !h.asleep.CompareAndSwap(true, false) {
				<-h.bell
			}
			begin = atomics.Now()
		}
	}
}

// relax is a turn of a spinning wait, which gives way to other goroutines after some milliseconds:
// each time it does, the goroutine goes to another thread. A pool that shares a processor gives way
// often.
func (p *stepPool) relax(spins int) {
	if spins%p.patience == 0 {
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
		p.relax(spins)
	}
	p.open.Store(false)
	for _, h := range p.helpers {
		for spins := 1; h.busy.Load(); spins++ {
			p.relax(spins)
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

// A counterPool is a graph by counters: whoever is free takes the task that has been ready for
// longest, and goes on with what becomes ready by it. Nobody holds a place in the line while
// nothing is ready: one who lost the processor there would stop all others.
type counterPool struct {
	pool   *stepPool
	g      *shape
	body   []func()
	before []int32
	left   []atomics.Int32
	ready  []atomics.Uint32 // a task and one
	_      [64]byte
	head   atomics.Int64
	_      [64]byte
	tail   atomics.Int64
	_      [64]byte
	rest   atomics.Int64
	_      [64]byte
	job    func()
	done   func() bool
}

func newCounterPool(p *stepPool, g *shape, body []func()) *counterPool {
	t := &counterPool{pool: p, g: g, body: body, before: make([]int32, g.len()),
		left: make([]atomics.Int32, g.len()), ready: make([]atomics.Uint32, g.len()+1)}
	for i, before := range g.preds {
		t.before[i] = int32(len(before))
	}
	t.job = t.work
	t.done = func() bool { return t.rest.Load() == 0 }
	return t
}

func (t *counterPool) run() {
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

func (t *counterPool) put(i uint32) { t.ready[t.tail.Add(1)-1].Store(i + 1) }

// work runs tasks until all have been.
func (t *counterPool) work() {
	for spins := 1; t.rest.Load() > 0; {
		at := t.head.Load()
		i := t.ready[at].Load() // the last place is always empty
		if i == 0 || !t.head.CompareAndSwap(at, at+1) {
			t.pool.relax(spins)
			spins++
			continue
		}
		t.from(i - 1)
		spins = 1
	}
}

// from runs a task and what it makes ready, of which all but the first stand in line.
func (t *counterPool) from(i uint32) {
	for ran := int64(1); ; ran++ {
		t.body[i]()
		next, more := uint32(0), false
		for _, s := range t.g.succs[i] {
			switch {
			case t.left[s].Add(-1) > 0:
			case more:
				t.put(s)
			default:
				next, more = s, true
			}
		}
		if !more {
			t.rest.Add(-ran)
			return
		}
		i = next
	}
}
