package main

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/sleepevent"
)

const (
	countsSignal   = "triggers and waits that hand a plain variable over"
	countsGroup    = "pieces of work, each found once by sleepers that were woken"
	countsStalling = "values, each popped once by consumers that stall and are woken"
)

// parkOf draws how sleepers wait.
func (j *job) parkOf() sleepevent.Park {
	if j.one(3) {
		return sleepevent.ParkGo
	}
	return sleepevent.ParkOS
}

// runSignal hands a plain variable to and fro. Each wait needs its trigger, and is the only order
// there is: the race detector says if it is none.
func runSignal(j *job) {
	o := sleepevent.Options{Park: j.parkOf()}
	ping, pong := sleepevent.NewSignal(o), sleepevent.NewSignal(o)
	limits := j.one(3)
	wait := func(s *sleepevent.Signal, rnd *rand.Rand) {
		if !limits {
			s.Wait()
			return
		}
		for !s.WaitTimeout(time.Duration(rnd.IntN(100)) * time.Microsecond) {
			atomics.Gosched()
		}
	}
	n := j.size(j.between(1000, 6000))
	ball := 0
	idle := j.rnd.IntN(40)
	other := j.fork()
	var all sync.WaitGroup
	all.Go(func() {
		for i := range n {
			wait(ping, other)
			if ball != 2*i+1 {
				j.failf("round %d: the ball is at %d", i, ball)
			}
			ball++
			for range other.IntN(idle + 1) {
				atomics.Gosched()
			}
			pong.Trigger()
		}
	})
	rnd := j.fork()
	for i := range n {
		ball++
		ping.Trigger()
		wait(pong, rnd)
		if ball != 2*i+2 {
			j.failf("round %d comes back at %d", i, ball)
		}
	}
	all.Wait()
	j.count(4 * n)
}

// runGroup has workers sleep and be woken by the contract of a Group.
func runGroup(j *job) {
	workers := j.between(1, 12)
	g := sleepevent.NewGroup(workers, sleepevent.Options{Park: j.parkOf(), MaxDrowsers: j.between(-1, 4)})
	var q lockfree.Queue[int]
	var stop atomics.Bool
	var left atomics.Int64
	n := j.size(j.between(5_000, 40_000))
	found := make([]int8, n) // plain: a piece is one worker's
	left.Store(int64(n))
	j.ask(func() string {
		return fmt.Sprintf("group: %d of %d left, %d queued, %d idle, %d search, %+v", left.Load(), n, q.Len(), g.IdleCount(), g.Searching(), g.Stats())
	})
	limits := j.one(3)
	var all sync.WaitGroup
	for i := range workers {
		rnd := j.fork()
		all.Go(func() {
			more := func() bool { return !q.Empty() }
			g.BeginSearch()
			for {
				if v, ok := q.Pop(); ok {
					g.EndSearch()
					if more() {
						g.Wake()
					}
					for ; ok; v, ok = q.Pop() {
						found[v]++
						left.Add(-1)
					}
					g.BeginSearch()
					continue
				}
				if stop.Load() {
					g.EndSearch()
					if more() {
						g.Wake()
					}
					return
				}
				if limits {
					g.IdleTimeout(i, more, time.Duration(rnd.IntN(200))*time.Microsecond)
				} else {
					g.Idle(i, more)
				}
			}
		})
	}
	producers := j.between(1, 3)
	var posts sync.WaitGroup
	for p := range producers {
		rnd := j.fork()
		posts.Go(func() {
			for v := p; v < n; {
				burst := 1 + rnd.IntN(20)
				pushed := 0
				for ; pushed < burst && v < n; pushed++ {
					q.Push(v)
					v += producers
					if burst <= 5 {
						g.Wake()
					}
				}
				switch {
				case burst > 18:
					g.WakeAll()
				case burst > 5:
					g.WakeN(pushed)
				}
				if rnd.IntN(3) == 0 { // let them fall asleep
					for range rnd.IntN(200) {
						atomics.Gosched()
					}
				}
			}
		})
	}
	posts.Wait()
	for left.Load() > 0 { // nobody but the wakes above helps
		atomics.Gosched()
	}
	stop.Store(true)
	g.Close()
	all.Wait()
	for v, times := range found {
		if times != 1 {
			j.failf("piece %d was found %d times", v, times)
		}
	}
	j.count(n)
}

// runStalling has consumers of a StallingQueue stall and be woken by pushes, each by a Signal.
func runStalling(j *job) {
	consumers, levels := j.between(1, maxThreads), j.between(1, 4)
	q := lockfree.NewStallingQueue[int](levels, consumers)
	signals := make([]*sleepevent.Signal, consumers)
	n := j.size(j.between(10_000, 60_000))
	found := make([]int8, n)
	o := sleepevent.Options{Park: j.parkOf()}
	var all sync.WaitGroup
	for i := range consumers {
		signals[i] = sleepevent.NewSignal(o)
	}
	var ended atomics.Int64
	j.ask(func() string {
		return fmt.Sprintf("stalling: %d queued, %d of %d consumers ended", q.Len(), ended.Load(), consumers)
	})
	for i := range consumers {
		all.Go(func() {
			defer ended.Add(1)
			for {
				switch v, r := q.Pop(i, true); {
				case r == lockfree.PopStalled:
					signals[i].Wait()
				case r != lockfree.PopOK:
				case v < 0:
					return
				default:
					found[v]++
				}
			}
		})
	}
	push := func(v, level int) {
		if wake := q.Push(v, level); wake >= 0 {
			signals[wake].Trigger()
		}
	}
	producers := j.between(1, 3)
	var posts sync.WaitGroup
	for p := range producers {
		rnd := j.fork()
		posts.Go(func() {
			for v := p; v < n; v += producers {
				push(v, rnd.IntN(levels))
				if rnd.IntN(20) == 0 {
					for range rnd.IntN(50) {
						atomics.Gosched()
					}
				}
			}
		})
	}
	posts.Wait()
	for range consumers { // the last of the lowest level, one for each
		push(-1, levels-1)
	}
	all.Wait()
	if !q.Empty() {
		j.failf("%d values are left", q.Len())
	}
	for v, times := range found {
		if times != 1 {
			j.failf("value %d was popped %d times", v, times)
		}
	}
	j.count(n)
}
