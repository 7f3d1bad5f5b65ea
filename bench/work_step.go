package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// stepFamily is the name that -only knows the workloads of steps by.
const stepFamily = "step"

// A stepCase is a step: so much work in pieces, again and again or once at each beat.
type stepCase struct {
	kind string
	work time.Duration // serial, of one step
	beat time.Duration // 0: back to back
	g    *shape
	part []int // of the work for each task
}

var (
	stepKinds = []string{"fan2", "fan8", "fan64", "graph", "chain", "forks"}
	stepWorks = []time.Duration{2 * time.Microsecond, 5 * time.Microsecond, 20 * time.Microsecond,
		100 * time.Microsecond, 300 * time.Microsecond, time.Millisecond, 5 * time.Millisecond}
	stepBeats = []time.Duration{0, 1330 * time.Microsecond, 4 * time.Millisecond,
		16700 * time.Microsecond}
)

// Which step workloads run without being named: a quick run has few, -only step has more.
var (
	quickSteps = strings.Fields("step-graph-300us")
	usualSteps = strings.Fields("step-fan8-100us step-graph-300us step-chain-300us " +
		"step-forks-1ms step-graph-300us-1.33ms")
	onlySteps = strings.Fields(
		`step-fan2-100us step-fan8-20us step-fan8-100us step-fan8-300us step-fan8-1ms step-fan8-5ms step-fan64-100us
		step-graph-20us step-graph-100us step-graph-300us step-graph-1ms step-graph-5ms
		step-chain-20us step-chain-100us step-chain-300us step-chain-1ms step-chain-5ms
		step-forks-20us step-forks-100us step-forks-300us step-forks-1ms step-forks-5ms
		step-fan8-100us-1.33ms step-graph-300us-1.33ms step-graph-300us-4ms step-graph-1ms-16.7ms`)
)

// beatWork is the least work of a step at a beat. Less is there to see that a worker more does no
// harm.
const beatWork = 20 * time.Microsecond

// stepWorkloads are all steps, at beats those whose work fits in their beat.
func stepWorkloads(z sizes) []*workload {
	var all []*workload
	for _, kind := range stepKinds {
		for _, work := range stepWorks {
			for _, beat := range stepBeats {
				if beat == 0 || beatWork <= work && work < beat {
					all = append(all, stepWorkload(z, kind, work, beat))
				}
			}
		}
	}
	return all
}

// stepWorkload is one of them; a sample is a step.
func stepWorkload(z sizes, kind string, work, beat time.Duration) *workload {
	name := "step-" + kind + "-" + shortTime(work)
	title := fmt.Sprintf("steps of %v of work, back to back; n is the number of tasks in a step",
		work)
	if beat > 0 {
		name += "-" + shortTime(beat)
		title = fmt.Sprintf("steps of %v of work at a beat of %v, from the beat to the end; n is "+
			"the number of tasks in a step", work, beat)
	}
	c := newStepCase(z, kind, work, beat)
	w := &workload{name: name, title: title, unit: "ns/step", n: c.g.len(), single: true,
		family: stepFamily, fewer: beat > 0, wanted: stepWanted(name)}
	for _, p := range stepPeers {
		if !p.has(c) {
			continue
		}
		w.rows = append(w.rows, row{runtime: p.runtime, lang: langGo, free: p.free,
			turn: func(s *session, workers int) (reading, error) {
				return c.turn(s, p, workers)
			}})
	}
	for _, p := range []cppPeer{tbb, openmpAwake, openmpSleep} {
		w.rows = append(w.rows, row{runtime: p.runtime, lang: langCPP,
			turn: func(s *session, workers int) (reading, error) {
				return c.foreignTurn(s, p, workers)
			}})
	}
	return w
}

// newStepCase returns a step of so much work.
func newStepCase(z sizes, kind string, work, beat time.Duration) *stepCase {
	shrink := pick(z, 1, 1, 20) // tests look at results, not at times
	c := &stepCase{kind: kind, work: work / time.Duration(shrink),
		beat: beat / time.Duration(shrink)}
	c.g, c.part = stepShape(kind, work)
	return c
}

// stepWanted says how much must be asked for until the workload runs unnamed.
func stepWanted(name string) want { return wantedOf(name, quickSteps, usualSteps, onlySteps) }

// wantedOf returns the first level whose names have this one.
func wantedOf(name string, levels ...[]string) want {
	for level, names := range levels {
		if slices.Contains(names, name) {
			return want(level)
		}
	}
	return wantNamed
}

// stepClass is the kind of a shape without its number.
func stepClass(kind string) string { return strings.TrimRight(kind, "0123456789") }

// shortTime writes 1.33ms, 20us.
func shortTime(d time.Duration) string { return strings.ReplaceAll(d.String(), "µ", "u") }

// chainLoops and chainPieces are the loops of a chain, and the elements of each.
const (
	chainLoops  = 20
	chainPieces = 8
	stepNodes   = 200
	forkGrain   = time.Microsecond // about what each fork of a search computes
)

// stepShape returns the tasks of a step, and their parts of its work.
func stepShape(kind string, work time.Duration) (g *shape, part []int) {
	random := rand.New(rand.NewPCG(18, 64))
	var preds [][]uint32
	add := func(weight int, before ...uint32) {
		preds, part = append(preds, before), append(part, weight)
	}
	switch kind {
	case "graph":
		for i := range stepNodes {
			var before []uint32
			for range min(i, 1+random.IntN(3)) {
				before = append(before, uint32(max(0, i-24)+random.IntN(min(i, 24))))
			}
			if i < chainPieces {
				before = nil
			}
			add(1+random.IntN(8)*random.IntN(8), unique(before)...)
		}
	case "chain":
		for loop := range chainLoops {
			for range chainPieces {
				var before []uint32
				for k := range chainPieces * min(loop, 1) {
					before = append(before, uint32((loop-1)*chainPieces+k))
				}
				add(1, before...)
			}
		}
	case "forks":
		nodes := int(work / forkGrain)
		add(1)
		for i := 1; i < nodes; i++ {
			// The larger of two: branches go deep here and there.
			add(1, uint32(max(random.IntN(i), random.IntN(i))))
		}
	default:
		var n int
		fmt.Sscanf(kind, "fan%d", &n)
		for range n {
			add(1)
		}
	}
	// The C++ programs read the parts where the shapes of Task Bench have a step.
	g = newShape(kind, preds)
	for i, p := range part {
		g.at = append(g.at, point{p, i})
	}
	return g, part
}

// unique drops what is there twice.
func unique(all []uint32) (kept []uint32) {
	seen := map[uint32]bool{}
	for _, v := range all {
		if !seen[v] {
			seen[v] = true
			kept = append(kept, v)
		}
	}
	return kept
}

// roundsPerMillisecond is how fast this machine computes the kernel, the best of a few tries.
var roundsPerMillisecond = sync.OnceValue(func() int {
	const rounds = 100_000
	best := time.Duration(1 << 62)
	for range 9 {
		begin := atomics.Now()
		if kernel(rounds) == 0 {
			panic("the kernel has no zero")
		}
		best = min(best, time.Duration(atomics.Now()-begin))
	}
	return int(rounds * int64(time.Millisecond) / max(1, int64(best)))
})

// bench returns the tasks with their rounds.
func (c *stepCase) bench() *taskBench {
	sum := 0
	for _, p := range c.part {
		sum += p
	}
	b := newTaskBench(c.g)
	b.each = make([]int, len(c.part))
	total := float64(roundsPerMillisecond()) * float64(c.work) / float64(time.Millisecond)
	for i, p := range c.part {
		b.each[i] = int(total * float64(p) / float64(sum))
	}
	return b
}

// turn opens a runtime, runs steps and checks what they left.
func (c *stepCase) turn(s *session, p stepPeer, workers int) (reading, error) {
	return c.turnOf(p, workers, func(with stepper, run func() error) (reading, error) {
		return c.measure(s, with, run)
	})
}

// turnOf opens a runtime, has measure run steps and checks what they left.
func (c *stepCase) turnOf(p stepPeer, workers int,
	measure func(with stepper, run func() error) (reading, error)) (r reading, err error) {
	b := c.bench()
	with, err := p.open(c, b, workers)
	if err != nil {
		return r, err
	}
	where := with.within
	if where == nil {
		where = func(loop func(run func() error) error) error { return loop(with.run) }
	}
	err = where(func(run func() error) (err error) {
		r, err = measure(with, func() error { b.run++; return run() })
		return err
	})
	if err == nil {
		err = b.check()
	}
	if err == nil {
		err = b.checkResults()
	}
	if with.close != nil {
		if closed := with.close(); err == nil {
			err = closed
		}
	}
	return r, err
}

// beatAwake is how long before a beat the goroutine that waits for it is awake.
const beatAwake = 200 * time.Microsecond

// awaitBeat sleeps until shortly before a beat and spins for the rest, as what must be in time
// does: how late a sleeper gets its processor, which differs from turn to turn, is then in no row.
func awaitBeat(at int64) error {
	sleepExactly(time.Duration(at-atomics.Now()) - beatAwake)
	for atomics.Now() < at {
		atomics.Pause(1)
	}
	return nil
}

// length is how long a turn runs steps. At a beat there are fewer samples.
func (c *stepCase) length(s *session) time.Duration {
	if c.beat > 0 {
		return max(4*s.turn, 3*c.beat)
	}
	return 2 * s.turn
}

// measure runs steps, back to back or at their beat, which all rows wait for in the same way, but
// those whose own way it is. Where a step ends after the next beat, that beat is missed and left
// out.
func (c *stepCase) measure(s *session, with stepper, run func() error) (reading, error) {
	for range 3 {
		if err := run(); err != nil {
			return reading{}, err
		}
	}
	await := with.await
	if await == nil {
		await = awaitBeat
	}
	length := c.length(s)
	samples := make([]float64, 0, maxSamples)
	missed, due := 0, 0
	before, counted := beginUse(with), mallocs()
	start := atomics.Now()
	for beat := start; len(samples) < maxSamples; {
		begin := atomics.Now()
		if begin-start >= int64(length) && len(samples) > 0 {
			break
		}
		if c.beat > 0 {
			beat += int64(c.beat)
			if err := await(beat); err != nil {
				return reading{}, err
			}
			begin = beat
		}
		if err := run(); err != nil {
			return reading{}, err
		}
		end := atomics.Now()
		samples = append(samples, float64(end-begin))
		due++
		for c.beat > 0 && end > beat+int64(c.beat) {
			beat += int64(c.beat)
			missed++
			due++
		}
	}
	allocs := float64(mallocs()-counted) / float64(len(samples))
	r := before.end(with, len(samples))
	r.samples, r.allocs = samples, &allocs
	if c.beat > 0 {
		r.use.missed = finite(float64(missed) / float64(due))
	}
	return r, nil
}

// foreignTurn has a C++ program do all that turn does. It finds out itself how many rounds of the
// kernel the work is.
func (c *stepCase) foreignTurn(s *session, p cppPeer, workers int) (r reading, err error) {
	answer, err := p.ask(s, workers, func(s *session, workers int) (string, error) {
		path, err := s.files.path(c.g)
		return fmt.Sprintf("steps workers=%d kind=%s pieces=%d work=%d beat=%d turn=%d awake=%d "+
			"most=%d file=%s", workers, stepClass(c.kind),
			chainPieces, c.work, c.beat, c.length(s), beatAwake, maxSamples, path), err
	})
	const heads = 6
	if err == nil && len(answer) < heads {
		err = errors.New("the C++ program's answer is too short")
	}
	if err != nil {
		return r, err
	}
	for _, ns := range answer[heads:] {
		r.samples = append(r.samples, float64(ns))
	}
	if c.beat > 0 {
		r.use.missed = finite(float64(answer[0]) / float64(answer[1]))
	}
	by := func(v int64, whole float64) *float64 {
		if v < 0 {
			return nil // the program could not tell
		}
		return finite(float64(v) / whole)
	}
	wall := float64(answer[2])
	r.use.cpus, r.switches, r.use.waiting = by(answer[3], wall),
		by(answer[4], float64(len(r.samples))), by(answer[5], wall)
	return r, nil
}
