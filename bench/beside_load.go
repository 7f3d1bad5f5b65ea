package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// An ordinary is a program's own goroutines at work, until they are told to end. Each kind of work
// goes on until it has measured something.
type ordinary struct {
	over  atomics.Bool
	ended sync.WaitGroup

	// These are one goroutine's until all have ended.
	samples []float64
	units   int
	failed  error
}

func newOrdinary() *ordinary { return &ordinary{samples: make([]float64, 0, maxSamples)} }

// end returns what was measured, and how many units of work there were.
func (o *ordinary) end() (samples []float64, units int, err error) {
	o.over.Store(true)
	o.ended.Wait()
	return o.samples, o.units, o.failed
}

// note keeps a sample of so many units.
func (o *ordinary) note(sample float64, units int) {
	o.units += units
	if len(o.samples) < maxSamples {
		o.samples = append(o.samples, sample)
	}
}

// Work by pieces.
const (
	makers    = 4
	pieceTime = 5 * time.Microsecond
	window    = 64 // pieces for each of which a sample has the mean time
)

// A piece is what a goroutine has computed: which one, the how manyth, and the result.
type piece struct {
	maker, number int
	result        uint64
}

// pieces has some goroutines compute, and one collect what they pass on.
func (o *ordinary) pieces() {
	rounds := int(int64(roundsPerMillisecond()) * int64(pieceTime) / int64(time.Millisecond))
	want := kernel(rounds)
	passed := make(chan piece)
	var makersEnded sync.WaitGroup
	for maker := range makers {
		makersEnded.Go(func() {
			for number := 0; number < window || !o.over.Load(); number++ {
				passed <- piece{maker, number, kernel(rounds)}
			}
		})
	}
	o.ended.Go(func() {
		makersEnded.Wait()
		close(passed)
	})
	o.ended.Go(func() { o.collect(passed, want) })
}

// collect checks pieces, which come in order from each maker.
func (o *ordinary) collect(passed <-chan piece, want uint64) {
	var next [makers]int
	count, last := 0, atomics.Now()
	for p := range passed {
		if p.result != want || p.number != next[p.maker] {
			o.failed = fmt.Errorf("piece %d of goroutine %d came as number %d with the result %d",
				p.number, p.maker, next[p.maker], p.result)
		}
		next[p.maker]++
		if count++; count == window {
			now := atomics.Now()
			o.note(float64(now-last)/window, window)
			count, last = 0, now
		}
	}
}

// probeRest is how long those sleep who measure latencies. The timers of an idle process end sleeps
// of whole milliseconds in time, and others up to a millisecond late.
const probeRest = time.Millisecond

// goesOn is for how long at most who has started a goroutine goes on, before it waits for that.
const goesOn = 2 * time.Millisecond

// starts starts one goroutine after the other, from one that goes on.
func (o *ordinary) starts() {
	o.ended.Go(func() {
		for again := true; again; again = !o.over.Load() {
			time.Sleep(probeRest)
			var stamp atomics.Int64
			begin := atomics.Now()
			go func() { stamp.Store(atomics.Now()) }()
			for stamp.Load() == 0 {
				if atomics.Pause(1); atomics.Now()-begin > int64(goesOn) {
					runtime.Gosched()
				}
			}
			o.note(float64(stamp.Load()-begin), 1)
		}
	})
}

// timers sleeps and sends when it was to wake to a goroutine that waits for that.
func (o *ordinary) timers() {
	due := make(chan int64)
	o.ended.Go(func() {
		defer close(due)
		for again := true; again; again = !o.over.Load() {
			at := atomics.Now() + int64(probeRest)
			time.Sleep(probeRest)
			due <- at
		}
	})
	o.ended.Go(func() {
		for at := range due {
			late := atomics.Now() - at
			if late < 0 {
				o.failed = errors.New("a sleep ended early")
				late = 0
			}
			o.note(float64(late), 1)
		}
	})
}
