package main

import (
	"runtime"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/sleepevent"
)

// A bed is how the workers of a crew sleep and are woken.
type bed struct {
	sleep  func(worker int) // returns when woken
	wake   func(worker int)
	locked bool // the workers must be locked to their OS threads
}

// A way makes beds for a number of workers.
type way struct {
	name string
	open func(workers int) (bed, error)
}

var (
	groupOS = way{heddle, groupBed(sleepevent.Options{Park: sleepevent.ParkOS, MaxDrowsers: -1})}
	groupGo = way{"heddle-parkgo",
		groupBed(sleepevent.Options{Park: sleepevent.ParkGo, MaxDrowsers: -1})}
	groupAwake = way{heddle, groupBed(sleepevent.Options{MaxDrowsers: 1, DrowseBudget: time.Hour})}
	signalOS   = way{"heddle-signal", signalBed(sleepevent.ParkOS)}
	twoPhase   = way{"heddle-portable", parkerBed(park.TwoPhase)}
	condWay    = way{"cond", condBed}
	chanWay    = way{"channel", chanBed}
	futexWay   = way{"futex", futexBed}
	yieldWay   = way{"gosched", spinBed(runtime.Gosched)}
	spinWay    = way{"spin", spinBed(func() { atomics.Pause(1) })}
)

// groupBed keeps the Group's contract: what a wake announces is published before it, and a
// worker looks for it before it sleeps.
func groupBed(o sleepevent.Options) func(int) (bed, error) {
	return func(workers int) (bed, error) {
		g := sleepevent.NewGroup(workers, o)
		due := make([]*atomics.Bool, workers)
		rescans := make([]func() bool, workers)
		for i := range workers {
			due[i] = new(atomics.Bool)
			rescans[i] = due[i].Load
			g.BeginSearch()
		}
		b := bed{
			sleep: func(worker int) {
				for !due[worker].Swap(false) {
					g.Idle(worker, rescans[worker])
				}
			},
			wake: func(worker int) {
				due[worker].Store(true)
				g.WakeWorker(worker)
			},
		}
		if workers == 1 {
			b.wake = func(int) {
				due[0].Store(true)
				g.Wake() // what publishers of work call
			}
		}
		return b, nil
	}
}

func signalBed(p sleepevent.Park) func(int) (bed, error) {
	return func(workers int) (bed, error) {
		signals := make([]*sleepevent.Signal, workers)
		for i := range signals {
			signals[i] = sleepevent.NewSignal(sleepevent.Options{Park: p})
		}
		return bed{
			sleep: func(worker int) { signals[worker].Wait() },
			wake:  func(worker int) { signals[worker].Trigger() },
		}, nil
	}
}

func parkerBed(mode park.Mode) func(int) (bed, error) {
	return func(workers int) (bed, error) {
		parkers := make([]*park.Parker, workers)
		for i := range parkers {
			parkers[i] = park.New(mode)
		}
		return bed{
			sleep: func(worker int) { parkers[worker].Park() },
			wake:  func(worker int) { parkers[worker].Unpark() },
		}, nil
	}
}

func condBed(workers int) (bed, error) {
	type waiter struct {
		mu    sync.Mutex
		cond  sync.Cond
		woken bool
	}
	waiters := make([]*waiter, workers)
	for i := range waiters {
		waiters[i] = new(waiter)
		waiters[i].cond.L = &waiters[i].mu
	}
	return bed{
		sleep: func(worker int) {
			w := waiters[worker]
			w.mu.Lock()
			for !w.woken {
				w.cond.Wait()
			}
			w.woken = false
			w.mu.Unlock()
		},
		wake: func(worker int) {
			w := waiters[worker]
			w.mu.Lock()
			w.woken = true
			w.mu.Unlock()
			w.cond.Signal()
		},
	}, nil
}

func chanBed(workers int) (bed, error) {
	channels := make([]chan struct{}, workers)
	for i := range channels {
		channels[i] = make(chan struct{}, 1)
	}
	return bed{
		sleep: func(worker int) { <-channels[worker] },
		wake:  func(worker int) { channels[worker] <- struct{}{} },
	}, nil
}

// futexBed is the wait as a system call like any other: what is fast about it, and what it
// does to the goroutines beside it.
func futexBed(workers int) (bed, error) {
	if !hasFutex {
		return bed{}, absent("there is no futex on " + runtime.GOOS)
	}
	words := make([]*atomics.Uint32, workers)
	for i := range words {
		words[i] = new(atomics.Uint32)
	}
	return bed{
		locked: true,
		sleep: func(worker int) {
			for words[worker].Swap(0) == 0 {
				futexWait(words[worker], 0)
			}
		},
		wake: func(worker int) {
			words[worker].Store(1)
			futexWake(words[worker])
		},
	}, nil
}

// spinBed is for workers that stay awake.
func spinBed(again func()) func(int) (bed, error) {
	return func(workers int) (bed, error) {
		words := make([]*atomics.Uint32, workers)
		for i := range words {
			words[i] = new(atomics.Uint32)
		}
		return bed{
			sleep: func(worker int) {
				for words[worker].Load() == 0 {
					again()
				}
				words[worker].Store(0)
			},
			wake: func(worker int) { words[worker].Store(1) },
		}, nil
	}
}

// A crew is a number of workers that sleep, run something when woken, and sleep again.
type crew struct {
	bed
	workers int
	asleep  atomics.Int64 // how often a worker was about to sleep
	stop    atomics.Bool
	ended   sync.WaitGroup
}

// newCrew returns when all workers are about to sleep.
func newCrew(w way, workers int, run func(worker int)) (*crew, error) {
	b, err := w.open(workers)
	if err != nil {
		return nil, err
	}
	c := &crew{bed: b, workers: workers}
	for i := range workers {
		c.ended.Go(func() {
			if b.locked {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			for {
				c.asleep.Add(1)
				b.sleep(i)
				if c.stop.Load() {
					return
				}
				run(i)
			}
		})
	}
	c.await(int64(workers))
	return c, nil
}

// await waits until workers were about to sleep that often.
func (c *crew) await(times int64) {
	for c.asleep.Load() < times {
		runtime.Gosched()
	}
}

// close ends the workers, which must be asleep or about to.
func (c *crew) close() {
	c.stop.Store(true)
	for i := range c.workers {
		c.wake(i)
	}
	c.ended.Wait()
}

// compute keeps the processor for d.
func compute(d time.Duration) {
	for end := atomics.Now() + int64(d); atomics.Now() < end; {
		atomics.Pause(4)
	}
}
