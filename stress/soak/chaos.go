package main

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// The switches of -chaos.
const (
	chaosDelays = "delays" // random delays at atomic operations; only in the instrumented build
	chaosProcs  = "procs"  // GOMAXPROCS changes all the time
	chaosGC     = "gc"     // forced collections
	chaosGOGC   = "gogc"   // a collection whenever the heap has grown by 1 %
)

var switches = []string{chaosDelays, chaosProcs, chaosGC, chaosGOGC}

// A chaos disturbs a round.
type chaos struct {
	on    []string
	procs []int
	rnd   *rand.Rand
	slows int    // how many times slower a round gets
	every uint32 // see atomics.Chaos
	seed  uint64
	pause time.Duration // between two disturbances, on average
}

// newChaos draws how the switches that are on act.
func newChaos(on []string, procs []int, rnd *rand.Rand) *chaos {
	c := &chaos{on: on, procs: procs, rnd: rand.New(rand.NewPCG(rnd.Uint64(), 0)), slows: 1}
	c.pause = []time.Duration{100 * time.Microsecond, time.Millisecond,
		10 * time.Millisecond}[c.rnd.IntN(3)]
	if c.has(chaosDelays) {
		c.every = []uint32{4, 16, 64, 256}[c.rnd.IntN(4)]
		c.seed = c.rnd.Uint64()
		c.slows *= 10
	}
	if c.has(chaosGC) || c.has(chaosGOGC) {
		c.slows *= 2
	}
	return c
}

func (c *chaos) has(s string) bool { return slices.Contains(c.on, s) }

// String names what is on.
func (c *chaos) String() string {
	if len(c.on) == 0 {
		return ""
	}
	return ", chaos " + strings.Join(c.on, " ")
}

// begin disturbs until stop is called.
func (c *chaos) begin() (stop func()) {
	if c.has(chaosDelays) {
		atomics.Chaos(c.seed, c.every)
	}
	if c.has(chaosGOGC) {
		debug.SetGCPercent(1)
	}
	over := make(chan struct{})
	var all sync.WaitGroup
	disturb := func(rnd *rand.Rand, what func(rnd *rand.Rand)) {
		all.Go(func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(time.Duration(rnd.Int64N(int64(2 * c.pause)))):
					what(rnd)
				}
			}
		})
	}
	source := func() *rand.Rand { return rand.New(rand.NewPCG(c.rnd.Uint64(), 1)) }
	if c.has(chaosProcs) {
		disturb(source(), func(rnd *rand.Rand) {
			runtime.GOMAXPROCS(c.procs[rnd.IntN(len(c.procs))])
		})
	}
	if c.has(chaosGC) {
		disturb(source(), func(*rand.Rand) { runtime.GC() })
	}
	return func() {
		close(over)
		all.Wait()
		atomics.Chaos(0, 0)
	}
}
