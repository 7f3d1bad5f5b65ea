package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/watch"
)

// A workload uses one part of the library for a tenth of a second or so, and checks what it did.
type workload struct {
	name   string
	counts string // what an operation is
	weight int    // how often it is drawn, relative to others
	run    func(j *job)
}

// A job is a run of a workload in a round. What is random about it comes from rnd.
type job struct {
	workload
	seed uint64
	rnd  *rand.Rand
	slow int // how many times slower than usual the build and the switches are

	ops atomics.Int64

	mu     sync.Mutex
	wrong  []error
	report []any // what watch.Dump asks if the round hangs
}

// size makes a number of operations fit the build.
func (j *job) size(n int) int { return max(1, n/j.slow) }

// between draws a number, both ends included.
func (j *job) between(lo, hi int) int { return lo + j.rnd.IntN(hi-lo+1) }

// one is true once in n times.
func (j *job) one(n int) bool { return j.rnd.IntN(n) == 0 }

// fork returns a source of its own for one goroutine of the job.
func (j *job) fork() *rand.Rand { return rand.New(rand.NewPCG(j.rnd.Uint64(), j.rnd.Uint64())) }

// count adds operations that have been checked.
func (j *job) count(n int) { j.ops.Add(int64(n)) }

// failf notes something wrong. Any goroutine may call it.
func (j *job) failf(format string, args ...any) { j.fail(fmt.Errorf(format, args...)) }

// fail notes an error, if it is one, and reports whether it is.
func (j *job) fail(err error) bool {
	if err == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.wrong) < 5 {
		j.wrong = append(j.wrong, err)
	}
	return true
}

// ask adds something to what is asked for a report if the round hangs.
func (j *job) ask(what ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.report = append(j.report, what...)
}

// unask takes back what was given to ask.
func (j *job) unask() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.report = nil
}

// A round is some jobs at the same time, all of it drawn from one seed.
type round struct {
	seed  uint64
	procs int
	jobs  []*job
	chaos *chaos
}

// newRound draws the round of a seed.
func newRound(o *options, seed uint64) *round {
	rnd := rand.New(rand.NewPCG(seed, 0x736f616b))
	r := &round{seed: seed, procs: o.procs[rnd.IntN(len(o.procs))]}
	all := o.workloads()
	total := 0
	for _, w := range all {
		total += w.weight
	}
	r.chaos = newChaos(o.chaos, o.procs, rnd)
	for range []int{1, 2, 2, 3}[rnd.IntN(4)] {
		at := rnd.IntN(total)
		for _, w := range all {
			if at -= w.weight; at < 0 {
				s := rnd.Uint64()
				r.jobs = append(r.jobs, &job{
					workload: w, seed: s, rnd: rand.New(rand.NewPCG(s, 0)),
					slow: buildSlows() * r.chaos.slows,
				})
				break
			}
		}
	}
	return r
}

// String says what the round is.
func (r *round) String() string {
	var names []string
	for _, j := range r.jobs {
		names = append(names, j.name)
	}
	return fmt.Sprintf("seed %d: %s, GOMAXPROCS %d%v", r.seed, strings.Join(names, " + "), r.procs,
		r.chaos)
}

// do runs the jobs and returns what is wrong. Between rounds nothing is left of them.
func (r *round) do() error {
	runtime.GOMAXPROCS(r.procs)
	leaked := watch.Leaks()
	stop := r.chaos.begin()
	var all sync.WaitGroup
	for _, j := range r.jobs {
		all.Go(func() { j.do() })
	}
	all.Wait()
	stop()
	var wrong []error
	for _, j := range r.jobs {
		for _, err := range j.wrong {
			wrong = append(wrong, fmt.Errorf("%s: %w", j.name, err))
		}
	}
	if err := leaked(); err != nil {
		wrong = append(wrong, fmt.Errorf("left over: %w", err))
	}
	return errors.Join(wrong...)
}

// do runs the workload. A panic on this goroutine is one more thing that is wrong.
func (j *job) do() {
	defer func() {
		if v := recover(); v != nil {
			j.failf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	j.run(j)
}

// dump is what is known of a round that hangs.
func (r *round) dump() string {
	what := []any{r}
	for _, j := range r.jobs {
		j.mu.Lock()
		what = append(what, j.report...)
		j.mu.Unlock()
	}
	return watch.Dump(what...)
}

// buildSlows returns how many times slower this build is than an ordinary one.
func buildSlows() int {
	if race.Enabled {
		return 10
	}
	return 1
}
