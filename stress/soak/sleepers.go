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
	countsSignal = "triggers and waits that hand a plain variable over"
	countsGroup  = "pieces of work, each found once by sleepers that were woken"
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
	g := sleepevent.NewGroup(workers,
		sleepevent.Options{Park: j.parkOf(), MaxDrowsers: j.between(-1, 4)})
	var q lockfree.Queue[int]
	var stop atomics.Bool
	var left atomics.Int64
	n := j.size(j.between(5_000, 40_000))
	found := make([]int8, n) // plain: a piece is one worker's
	left.Store(int64(n))
	j.ask(func() string {
		return fmt.Sprintf("group: %d of %d left, %d queued, %d idle, %d search, %+v", left.Load(),
			n, q.Len(), g.IdleCount(), g.Searching(), g.Stats())
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
