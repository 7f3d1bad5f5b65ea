package main

import (
	"fmt"
	"math"
	"sync"

	"github.com/heddle-go/heddle/taskgraph"
)

// An app is the step of a small program, with all that it keeps from one step to the next: phases,
// one after the other.
type app struct {
	phases []phase
	sum    func() uint64 // of what it keeps, bit by bit
}

// A phase is a loop, or a graph.
type phase struct {
	n    int
	body func(lo, hi int)
	// of a loop, for pools by hand; 0: some ranges for each worker
	grain int
	forks func(c *taskgraph.Context) // how Heddle does the loop, if not as one
	g     *shape                     // instead of a loop
	tasks []func()                   // of the graph
	// of each task, if that is how Heddle learns the graph's edges
	uses func(i int) (read, wrote []any)
}

// alone is a phase that one does.
func alone(f func()) phase { return phase{n: 1, body: func(_, _ int) { f() }} }

// A programCase makes programs that are all alike.
type programCase struct {
	name, title string
	n           int
	open        func() *app

	mu   sync.Mutex
	twin *app     // run serially
	sums []uint64 // what it had left after each so many steps
}

// programCheck is after how many steps sums are compared.
const programCheck = 4

func programCases(z sizes) []*programCase {
	entities, layers, width := pick(z, 2000, 2000, 50), pick(z, 8, 8, 1), pick(z, 384, 384, 32)
	depth, stars := pick(z, 6, 6, 4), pick(z, 1000, 1000, 100)
	return []*programCase{
		{name: "audio", title: "blocks of 64 frames; n is the number of nodes", n: 198,
			open: func() *app { return audioProgram(32) }},
		{name: "ecs",
			title: "frames of systems with declared reads and writes; n is the number of systems",
			n:     len(ecsSystems), open: func() *app { return ecsProgram(entities) }},
		{name: "solve", title: "sparse triangular solves; n is the number of tiles", n: 256,
			open: func() *app { return solveProgram(256, 16) }},
		{name: "decode",
			title: "tokens of a small transformer, loops in a chain; n is the number of layers",
			n:     layers, open: func() *app { return decodeProgram(layers, width) }},
		{name: "perft",
			title: "counts of games of Connect Four, by forks; n is the number of moves", n: depth,
			open: func() *app { return perftProgram(depth) }},
		{name: "nbody",
			title: "Barnes and Hut's method, a tree by forks and loops; n is the number of stars",
			n:     stars, open: func() *app { return nbodyProgram(stars) }},
	}
}

// programWorkloads measure them like steps back to back.
func programWorkloads(z sizes) []*workload {
	var all []*workload
	for _, p := range programCases(z) {
		w := &workload{name: "program-" + p.name, title: p.title, unit: "ns/step", n: p.n,
			single: true, family: stepFamily, wanted: wantUsual}
		for _, peer := range programPeers {
			w.rows = append(w.rows, row{runtime: peer.runtime, lang: langGo, free: peer.free,
				turn: func(s *session, workers int) (reading, error) {
					return p.turn(s, peer, workers)
				}})
		}
		all = append(all, w)
	}
	return all
}

// turn runs steps and compares what they leave with what a serial run leaves.
func (p *programCase) turn(s *session, peer programPeer, workers int) (r reading, err error) {
	prog := p.open()
	with, err := peer.open(prog, workers)
	if err != nil {
		return r, err
	}
	where := with.within
	if where == nil {
		where = func(loop func(run func() error) error) error { return loop(with.run) }
	}
	steps := 0
	err = where(func(run func() error) (err error) {
		one := func() error { steps++; return run() }
		if r, err = new(stepCase).measure(s, with, one); err != nil {
			return err
		}
		for steps%programCheck > 0 {
			if err := one(); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		if got, want := prog.sum(), p.want(steps); got != want {
			err = fmt.Errorf("%d steps have left %x, a serial run %x", steps, got, want)
		}
	}
	if with.close != nil {
		if closed := with.close(); err == nil {
			err = closed
		}
	}
	return r, err
}

// want returns what so many steps leave, a multiple of programCheck.
func (p *programCase) want(steps int) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.twin == nil {
		p.twin = p.open()
	}
	for len(p.sums) < steps/programCheck {
		for range programCheck {
			p.twin.serial()
		}
		p.sums = append(p.sums, p.twin.sum())
	}
	return p.sums[steps/programCheck-1]
}

// serial runs a step.
func (p *app) serial() {
	for _, ph := range p.phases {
		if ph.g == nil {
			ph.body(0, ph.n)
			continue
		}
		for _, task := range ph.tasks {
			task()
		}
	}
}

// sumOf32 is of the bits of some numbers.
func sumOf32(sum uint64, all []float32) uint64 {
	for _, v := range all {
		sum = (sum ^ uint64(math.Float32bits(v))) * 0x100000001b3
	}
	return sum
}

// dot is the inner product of vectors of the same length.
func dot(a, x []float32) float32 {
	x = x[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * x[i]
		s1 += a[i+1] * x[i+1]
		s2 += a[i+2] * x[i+2]
		s3 += a[i+3] * x[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * x[i]
	}
	return s0 + s1 + (s2 + s3)
}
