package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
)

const countsThreads = "pieces of work posted to a named thread: run in order, or dropped and " +
	"counted"

// A posting is work for a thread; its token says whose it is, and which.
type posting struct {
	j    *job
	last []int // of each poster, for each queue and priority; plain: only the thread runs work
	ran  int
}

// RunOn is the work.
func (p *posting) RunOn(_ *namedthread.Thread, token uint64) {
	lane, i := int(token>>32), int(uint32(token))
	if i != p.last[lane] {
		p.j.failf("lane %d: number %d after %d", lane, i, p.last[lane]-1)
	}
	p.last[lane] = i + 1
	p.ran++
}

// runThreads has goroutines post to named threads, some of which quit meanwhile.
func runThreads(j *job) {
	posters, threads := j.between(1, 4), j.between(1, 3)
	each := j.size(j.between(2_000, 20_000))
	quitEarly := j.one(2)
	registry := namedthread.NewRegistry()
	var all sync.WaitGroup
	for k := range threads {
		th, err := registry.Start(fmt.Sprint("soak", k), namedthread.Options{Park: j.parkOf()})
		if errors.Is(err, errors.ErrUnsupported) || j.fail(err) {
			return
		}
		j.ask(th)
		rnd := j.fork()
		all.Go(func() {
			work := &posting{j: j, last: make([]int, 4*posters)}
			var accepted atomics.Int64
			var posts sync.WaitGroup
			for p := range posters {
				rnd := rand.New(rand.NewPCG(rnd.Uint64(), 0))
				posts.Go(func() {
					var next [4]uint64
					for range each {
						lane := rnd.IntN(4)
						token := uint64(4*p+lane)<<32 | next[lane]
						if th.Post(namedthread.Queue(lane&1), namedthread.Priority(lane>>1), work,
							token) != nil {
							if !quitEarly {
								j.failf("a thread refuses work before it was told to quit")
							}
							return
						}
						next[lane]++
						accepted.Add(1)
						if rnd.IntN(100) == 0 {
							for range rnd.IntN(100) {
								atomics.Gosched()
							}
						}
					}
				})
			}
			if quitEarly {
				for range rnd.IntN(5000) {
					atomics.Gosched()
				}
				th.Quit()
			}
			posts.Wait()
			th.Quit()
			<-th.Done()
			if n := uint64(work.ran) + th.Dropped(); n != uint64(accepted.Load()) {
				j.failf("%v took %d pieces, ran %d and dropped %d", th, accepted.Load(), work.ran,
					th.Dropped())
			}
			j.count(int(accepted.Load()))
		})
	}
	all.Wait()
}
