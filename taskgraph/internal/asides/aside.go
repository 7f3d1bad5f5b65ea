package asides

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/lockfree"
)

// An Aside is a goroutine that does something in the place of another, which sleeps meanwhile. A
// Goexit cannot be stopped: on an aside it ends the aside and not the other goroutine.
type Aside[W any] struct {
	Work W // what it does; of whoever has called Get, but during a Run

	pool *Pool[W]
	wake *park.Parker // of the aside
	back *park.Parker // of the goroutine that waits for the aside
	used bool         // since it was started, until End: then it has to end when it is woken
	died bool         // by a Goexit
}

// A Pool has the asides that nobody uses. The functions are set before anything else; then any
// goroutine may call Get, Run, Put and End.
type Pool[W any] struct {
	Start  func(*Aside[W])     // starts a goroutine that calls Main
	Do     func(*W)            // does the work
	Parker func() *park.Parker // makes what one sleeps on

	idle  lockfree.Stack[*Aside[W]]
	ended atomics.Bool
}

// Get returns an aside for the caller, until Put.
func (p *Pool[W]) Get() *Aside[W] {
	if a, ok := p.idle.Pop(); ok {
		return a
	}
	return &Aside[W]{pool: p}
}

// Run has a do its Work, and returns when that is over. It reports false if the work has ended its
// goroutine: then a is not used any more, and not put back.
func (a *Aside[W]) Run() (returned bool) {
	if a.used {
		a.wake.Unpark() // AS1
	} else {
		a.used, a.wake, a.back = true, a.pool.Parker(), a.pool.Parker()
		a.pool.Start(a) // AS1
	}
	a.back.Park()
	return !a.died
}

// Main is the goroutine of a.
func (a *Aside[W]) Main() {
	for a.used {
		a.run()
		a.wake.Park()
	}
}

func (a *Aside[W]) run() {
	a.died = true
	defer a.back.Unpark() // AS2
	a.pool.Do(&a.Work)
	a.died = false
}

// Put gives a back, whose last Run has returned true.
func (p *Pool[W]) Put(a *Aside[W]) {
	p.idle.Push(a)      // AS3
	if p.ended.Load() { // AS4
		p.End()
	}
}

// End ends all that nobody uses, now and later.
func (p *Pool[W]) End() {
	p.ended.Store(true) // AS5
	for a, ok := p.idle.Pop(); ok; a, ok = p.idle.Pop() {
		a.used = false
		a.wake.Unpark()
	}
}
