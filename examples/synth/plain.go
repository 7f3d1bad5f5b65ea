package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heddle-go/heddle/examples/synth/internal/orchestra"
)

// plain is what one would write without a library: the audio goroutine and some helpers run a job
// together. Helpers stay awake while a block is played and from a little before each beat on;
// otherwise they do the tail's work, and sleep on a channel when there is none. Alone, the audio
// goroutine does the tail's work between blocks, as serial does.
type plain struct {
	blocks, tails *job
	helpers       []helper
	alert         atomic.Int64 // until when helpers stay awake, in nanoseconds since epoch
	epoch         time.Time
	quit          atomic.Bool
	running       sync.WaitGroup

	waiting atomic.Bool // the audio goroutine sleeps until a job is done
	done    chan struct{}
}

// A helper is a goroutine of plain.
type helper struct {
	asleep atomic.Bool
	wake   chan struct{}
}

// patience is how long after a beat helpers wait for the block to begin.
const patience = 30 * time.Microsecond

func newPlain(o *orchestra.Orchestra, workers int) *plain {
	p := &plain{blocks: newJob(o.Block(), true), tails: newJob(o.Tail(), false),
		helpers: make([]helper, workers-1), epoch: time.Now(), done: make(chan struct{}, 1)}
	for i := range p.helpers {
		h := &p.helpers[i]
		h.wake = make(chan struct{}, 1)
		p.running.Go(func() { p.help(h) })
	}
	return p
}

func (p *plain) play(f func() error) error { return f() }

func (p *plain) await(beat time.Time) error {
	wallClock.until(beat, p.rouse)
	return nil
}

// rouse says that the next block begins at a certain time, which is near.
func (p *plain) rouse(beat time.Time) {
	p.alert.Store(int64(beat.Add(patience).Sub(p.epoch)))
	p.wake()
}

// wake wakes the helpers that sleep.
func (p *plain) wake() {
	for i := range p.helpers {
		if h := &p.helpers[i]; h.asleep.Load() && h.asleep.CompareAndSwap(true, false) {
			h.wake <- struct{}{}
		}
	}
}

func (p *plain) block() error {
	p.blocks.begin()
	p.wake()
	p.finish(p.blocks)
	return nil
}

// finish runs what is ready until all is done. When others take long with the rest, it sleeps, so
// that they get its processor if they have none.
func (p *plain) finish(j *job) {
	for spins := 0; !j.done(); spins++ {
		if j.step() {
			spins = 0
		}
		if spins < spinsToSleep {
			continue
		}
		p.waiting.Store(true)
		if j.done() && p.waiting.CompareAndSwap(true, false) {
			return
		}
		<-p.done
	}
}

// spinsToSleep is how often who has nothing to do looks for work before it sleeps: some
// microseconds.
const spinsToSleep = 2000

func (p *plain) between(tail bool) {
	if tail {
		p.tails.begin()
		p.wake()
	}
	if len(p.helpers) == 0 {
		p.tails.step()
	}
}

func (p *plain) settle() (ready bool, err error) {
	ready = p.tails.done()
	p.finish(p.tails)
	return ready, nil
}

// help is the life of a helper. Idle, it stays awake for some microseconds, in case that a node
// becomes ready, and before a beat. It must not do so for long while the audio goroutine has work:
// the kernel may have put both on one processor.
func (p *plain) help(h *helper) {
	for spins := 0; !p.quit.Load(); {
		if p.blocks.step() || p.tails.step() {
			spins = 0
			if p.waiting.Load() && p.waiting.CompareAndSwap(true, false) {
				p.done <- struct{}{} // it looks for itself whether all is done
				runtime.Gosched()    // and begins here at once
			}
			continue
		}
		if spins++; spins < spinsToSleep {
			continue
		}
		spins = 0
		if int64(time.Since(p.epoch)) < p.alert.Load() {
			continue
		}
		h.asleep.Store(true)
		if (p.blocks.some() || p.tails.some() || p.quit.Load()) &&
			h.asleep.CompareAndSwap(true, false) {
			continue
		}
		<-h.wake
	}
}

func (p *plain) close() error {
	p.quit.Store(true)
	p.wake()
	p.running.Wait()
	return nil
}
