package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// besideFamily is the name that -only knows the workloads of goroutines beside steps by.
const besideFamily = "beside"

// A besideCase is ordinary goroutines at work while a runtime runs steps.
type besideCase struct {
	steps *stepCase
	open  func(*ordinary)
}

// besideSteps are the steps beside which goroutines work, besideWork how long such a step is.
var besideSteps = []string{"graph", "fan8"}

const (
	besideWork = 300 * time.Microsecond
	besideBeat = 4 * time.Millisecond
)

// Which of these workloads run without being named: a quick run has one, -only beside all.
var (
	quickBeside = []string{"beside-pieces-graph"}
	usualBeside = []string{"beside-pieces-graph", "beside-start-graph", "beside-timer-graph"}
)

// A besideKind is something that ordinary goroutines do.
type besideKind struct {
	name, title, unit string
	single            bool
	n                 int
	open              func(*ordinary)
}

// besideKinds are the three things that are measured.
var besideKinds = []besideKind{
	{"pieces", "pieces of 5 µs computed by 4 goroutines and passed over a channel", "ns/piece",
		false, makers, (*ordinary).pieces},
	{"start", "start a goroutine, to its first instruction, while the starter continues", "ns", true, 1,
		(*ordinary).starts},
	{"timer", "from the end of a sleep of 1 ms until a goroutine that waits at a channel is notified",
		"ns", true, 1, (*ordinary).timers},
}

// besidePeers are the rows by name, and nobody.
var besidePeers = []string{heddle, "heddle-run", heddleInsideTask, "heddle-run-beat",
	"heddle-inside-beat", "spin", "counters", "hybrid", "goroutines"}

// besideWorkloads are ordinary goroutines beside steps.
func besideWorkloads(z sizes) []*workload {
	var all []*workload
	for _, kind := range besideKinds {
		for _, steps := range besideSteps {
			for _, beat := range []time.Duration{0, besideBeat} {
				all = append(all, besideWorkload(z, kind, steps, beat))
			}
		}
	}
	return all
}

// besideWorkload is one of them; a sample is a measurement of the goroutines, not a step.
func besideWorkload(z sizes, kind besideKind, steps string, beat time.Duration) *workload {
	name := "beside-" + kind.name + "-" + steps
	pace := "back to back"
	if beat > 0 {
		name += "-" + shortTime(beat)
		pace = fmt.Sprintf("at a beat of %v", beat)
	}
	title := fmt.Sprintf("%s, beside steps of %v of work, %s; n is the number of such goroutines",
		kind.title, besideWork, pace)
	c := &besideCase{newStepCase(z, steps, besideWork, beat), kind.open}
	w := &workload{name: name, title: title, unit: kind.unit, n: kind.n, single: kind.single,
		family: besideFamily, fewer: beat > 0, wanted: besideWanted(name)}
	add := func(p stepPeer) {
		w.rows = append(w.rows, row{runtime: p.runtime, lang: langGo, free: p.free,
			turn: func(s *session, workers int) (reading, error) {
				return c.turn(s, p, workers)
			}})
	}
	add(stepPeer{runtime: nobody, free: true})
	for _, name := range besidePeers {
		if p := stepPeerOf(name); p.has(c.steps) {
			add(p)
		}
	}
	return w
}

// besideWanted says how much must be asked for until the workload runs unnamed.
func besideWanted(name string) want {
	return wantedOf(name, quickBeside, usualBeside, []string{name})
}

// turn opens a runtime, has goroutines work while it runs steps, and checks what both left.
func (c *besideCase) turn(s *session, p stepPeer, workers int) (r reading, err error) {
	// A turn of a few hundred milliseconds is enough.
	less := *s
	less.turn = s.turn * 3 / 4
	if p.open == nil {
		return c.measure(&less, stepper{}, nil)
	}
	_, err = c.steps.turnOf(p, workers, func(with stepper, run func() error) (reading, error) {
		if with.await == nil {
			with.await = awaitBeatAsGo
		}
		r, err = c.measure(&less, with, run)
		return r, err
	})
	return r, err
}

// awaitBeatAsGo is awaitBeat with the Go scheduler's own sleep: one in a system call keeps a share
// of the scheduler for up to some milliseconds, which the goroutines would lack in all rows.
func awaitBeatAsGo(at int64) error {
	time.Sleep(time.Duration(at-atomics.Now()) - beatAwake)
	for atomics.Now() < at {
		atomics.Pause(1)
	}
	return nil
}

// measure has goroutines work from before the first step until after the last, or so long without
// any.
func (c *besideCase) measure(s *session, with stepper, run func() error) (reading, error) {
	var steps reading
	var err error
	before := beginUse(with)
	o := newOrdinary()
	c.open(o)
	if run == nil {
		time.Sleep(c.steps.length(s))
	} else {
		steps, err = c.steps.measure(s, with, run)
	}
	samples, units, failed := o.end()
	if err = errors.Join(err, failed); err != nil {
		return reading{}, err
	}
	r := before.end(with, units)
	r.samples = samples
	r.use.missed = steps.use.missed
	if len(steps.samples) > 0 {
		slices.Sort(steps.samples)
		r.use.step, r.use.stepTail = finite(mean(steps.samples)),
			finite(quantileSorted(steps.samples, 0.99))
	}
	return r, nil
}
