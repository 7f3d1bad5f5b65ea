//go:build modelcheck

package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

const (
	high     = kernel.High
	normal   = kernel.Normal
	bgHigh   = kernel.BackgroundHigh
	bgNormal = kernel.BackgroundNormal
	bgLow    = kernel.BackgroundLow
)

// A scene is a world and how many preemptions are explored wholly.
type scene struct {
	bound int
	world
}

// task returns a task that does these acts.
func task(l kernel.Level, acts ...act) job { return job{l, acts} }

func tasks(jobs ...job) []job { return jobs }

func outside(threads ...[]act) [][]act { return threads }

// playAll explores scenes: all executions with at most so many preemptions as they say, and others
// at random.
func playAll(t *testing.T, scenes []scene) {
	n := modelcheck.Scaled(60_000) / len(scenes)
	for _, s := range scenes {
		t.Run(fmt.Sprint(s.world), func(t *testing.T) {
			var explorers []modelcheck.Explorer
			bound := s.bound
			if race.Enabled { // each execution takes several times as long
				bound = 0
				explorers = append(explorers, modelcheck.DepthFirst(1, 5000))
			}
			explorers = append(explorers, modelcheck.DepthFirstUpTo(bound, 0)...)
			tally := modelcheck.Check(t,
				modelcheck.Options{Timers: s.timers,
					Explorers: append(explorers, modelcheck.Beyond(n)...)},
				s.program)
			require.GreaterOrEqual(t, tally.Bound, bound)
		})
	}
}

// TestModelSearch: what is queued is taken, exactly once, though nobody looks again by himself:
// a worker that sleeps while something is queued for it is a deadlock here.
func TestModelSearch(t *testing.T) {
	playAll(t, []scene{
		// One worker that runs dry while somebody brings work.
		{2, world{workers: 1, jobs: tasks(task(normal)), outside: outside([]act{{inject, 0}})}},
		{2, world{workers: 1, jobs: tasks(task(normal), task(high)),
			outside: outside([]act{{inject, 0}, {inject, 1}})}},
		{1, world{workers: 1, jobs: tasks(task(bgLow), task(bgHigh)),
			outside: outside([]act{{inject, 0}, {inject, 1}})}},
		{1, world{workers: 1, jobs: tasks(task(high), task(high)),
			outside: outside([]act{{inject, 0}}, []act{{inject, 1}})}},
		{1, world{workers: 1, jobs: tasks(task(normal)), outside: outside([]act{{inject, 0}}),
			apart: true}},

		// Two workers: what one queues in its own deque the other one may take.
		{1, world{workers: 2, jobs: tasks(task(normal)), outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{push, 1}), task(normal)),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{push, 1}, act{keep, 2}), task(normal),
			task(normal)), outside: outside([]act{{inject, 0}})}},

		// A foreground worker and a background-capable one.
		{1, world{workers: 2, foreground: 1, jobs: tasks(task(normal)),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, foreground: 1, jobs: tasks(task(bgNormal)),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, foreground: 1, jobs: tasks(task(bgHigh), task(high)),
			outside: outside([]act{{inject, 0}, {inject, 1}})}},
	})
}

// TestModelAnnounced: a task in a queue has been announced, or somebody who will look at it is
// awake. Bodies that block until another task has run show it: nobody else comes and looks.
func TestModelAnnounced(t *testing.T) {
	blocks, ends := task(normal, act{block, 0}), task(normal, act{end, 0})
	playAll(t, []scene{
		{1, world{workers: 2, jobs: tasks(blocks, ends),
			outside: outside([]act{{inject, 0}, {inject, 1}})}},
		{1, world{workers: 2, jobs: tasks(blocks, ends),
			outside: outside([]act{{inject, 0}}, []act{{inject, 1}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{push, 1}, act{block, 0}), ends),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{pushes, 1}), ends, blocks),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{push, 1}, act{push, 2}, act{block, 0}),
			task(normal), ends), outside: outside([]act{{inject, 0}})}},
		// What was kept for oneself is left when something else goes before.
		{1, world{workers: 2, jobs: tasks(task(normal, act{keep, 1}), ends,
			task(high, act{block, 0})), outside: outside([]act{{inject, 0}, {inject, 2}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{keep, 1}, act{end, 1}), ends,
			task(normal, act{wait, 1}, act{block, 0})),
			outside: outside([]act{{inject, 2}, {inject, 0}})}},
	})
}

// TestModelStolenBatch: of what is stolen at once, the part that the thief does not run yet is in
// reach of others, and one of them knows.
func TestModelStolenBatch(t *testing.T) {
	brings := task(normal, act{pushes, 1}, act{push, 3})
	playAll(t, []scene{
		{1, world{workers: 2, jobs: tasks(brings, task(normal, act{block, 0}),
			task(normal, act{end, 0}), task(normal)), outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(brings, task(normal, act{wait, 0}),
			task(normal, act{block, 1}), task(normal, act{end, 0}, act{end, 1})),
			outside: outside([]act{{inject, 0}})}},
	})
}

// TestModelPutBack: a task that PopIf, PopFork or TakeShared takes out only to look at is not lost
// on a worker that goes to sleep meanwhile.
func TestModelPutBack(t *testing.T) {
	ends := task(normal, act{end, 0})
	playAll(t, []scene{
		{1, world{workers: 2, jobs: tasks(task(normal, act{push, 1}, act{popIf, 7}, act{block, 0}),
			ends), outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{fork, 1}, act{fork, 2}, act{join, 1},
			act{join, 2}), task(normal, act{block, 0}), ends),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{look, 0}, act{block, 0}), ends),
			outside: outside([]act{{inject, 0}, {inject, 1}})}},
	})
}

// TestModelSink: what is out of the deque while its order is changed is not lost on a worker that
// goes to sleep meanwhile, and neither lost nor taken twice while a thief takes from below.
func TestModelSink(t *testing.T) {
	ends, more := task(normal, act{end, 0}), task(normal)
	playAll(t, []scene{
		{1, world{workers: 2, jobs: tasks(task(normal, act{push, 1}, act{sink, 1}, act{block, 0}),
			ends), outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{push, 1}, act{push, 2}, act{sink, 1},
			act{block, 0}), ends, more), outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{push, 1}, act{push, 2}, act{push, 3},
			act{sink, 2}, act{block, 0}), more, more, ends), outside: outside([]act{{inject, 0}})}},
	})
}

// TestModelHide: what is hidden is within reach again when its holder says so, or the watch, and
// one who sleeps then is woken; what the holder takes itself runs once.
func TestModelHide(t *testing.T) {
	ends, more := task(normal, act{end, 0}), task(normal)
	playAll(t, []scene{
		{1, world{workers: 2, jobs: tasks(task(normal, act{hide, 0}, act{tuck, 1}, act{reveal, 0},
			act{block, 0}), ends), outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{hide, 0}, act{tuck, 1}), ends),
			outside: outside([]act{{inject, 0}, {expose, 0}})}},
		// The watch does it, before, while or after the task is queued.
		{1, world{workers: 2, jobs: tasks(task(normal, act{hide, 0}, act{end, 1}, act{tuck, 1},
			act{block, 0}), ends), outside: outside([]act{{inject, 0}, {block, 1}, {expose, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{hide, 0}, act{end, 1}, act{tuck, 2},
			act{block, 0}), more, ends),
			outside: outside([]act{{inject, 0}, {inject, 1}, {block, 1}, {expose, 0}})}},
		// Both do it, and the holder hides again.
		{1, world{workers: 2, jobs: tasks(task(normal, act{hide, 0}, act{end, 1}, act{reveal, 0},
			act{hide, 0}, act{tuck, 1}, act{reveal, 0}, act{block, 0}), ends),
			outside: outside([]act{{inject, 0}, {block, 1}, {expose, 0}})}},
	})
}

// TestModelNear: a task that a certain worker should run is taken, by that worker or another one.
func TestModelNear(t *testing.T) {
	ends := task(normal, act{end, 0})
	playAll(t, []scene{
		{2, world{workers: 1, jobs: tasks(task(normal)), outside: outside([]act{{near0, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal), task(normal)),
			outside: outside([]act{{near0, 0}}, []act{{near0, 1}})}},
		{1, world{workers: 2, jobs: tasks(task(normal)), outside: outside([]act{{near1, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(high, act{block, 0}), ends),
			outside: outside([]act{{inject, 0}, {near1, 1}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{block, 0}), ends),
			outside: outside([]act{{near1, 0}, {near1, 1}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{block, 0}), ends),
			outside: outside([]act{{near1, 0}}, []act{{inject, 1}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{block, 0}), ends),
			outside: outside([]act{{near1, 0}}, []act{{near1, 1}})}},
	})
}

// TestModelQuota: while the number of workers changes nothing that is queued is lost.
func TestModelQuota(t *testing.T) {
	playAll(t, []scene{
		{1, world{workers: 2, jobs: tasks(task(normal)),
			outside: outside([]act{{quota, 1}, {inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal)),
			outside: outside([]act{{quota, 1}, {near1, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal)),
			outside: outside([]act{{quota, 1}}, []act{{near1, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal)),
			outside: outside([]act{{quota, 1}, {quota, 2}, {quota, 1}}, []act{{near1, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal)),
			outside: outside([]act{{quota, 1}, {quota, 2}}, []act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal)),
			outside: outside([]act{{quota, 1}, {quota, 2}, {near1, 0}, {quota, 1}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{block, 0}), task(normal, act{end, 0})),
			outside: outside([]act{{quota, 1}, {inject, 0}, {quota, 2}, {inject, 1}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{wait, 0})),
			outside: outside([]act{{quota, 1}, {inject, 0}, {end, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal)),
			outside: outside([]act{{quota, 1}, {inject, 0}, {stop, 0}})}},
	})
}

// TestModelSlots: a runner whose wait ends gets a slot, whenever that is; no slot has two holders,
// and none is lost.
func TestModelSlots(t *testing.T) {
	waits := task(normal, act{wait, 0})
	playAll(t, []scene{
		{2, world{workers: 1, jobs: tasks(waits), outside: outside([]act{{inject, 0}, {end, 0}})}},
		{1, world{workers: 1, jobs: tasks(waits),
			outside: outside([]act{{inject, 0}, {nudge, 0}})}},
		{1, world{workers: 1, jobs: tasks(waits),
			outside: outside([]act{{inject, 0}, {alarm, 0}, {end, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{wait, 0}, act{wait, 1})),
			outside: outside([]act{{inject, 0}, {end, 0}}, []act{{end, 1}})}},
		{1, world{workers: 1, jobs: tasks(waits), outside: outside([]act{{inject, 0}, {end, 0}}),
			apart: true}},
		// Two that wait, and one slot; one that waits for a task of its own.
		{1, world{workers: 1, jobs: tasks(waits, task(normal, act{wait, 1})),
			outside: outside([]act{{inject, 0}, {inject, 1}, {end, 0}, {end, 1}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{push, 1}, act{wait, 0}),
			task(normal, act{end, 0})), outside: outside([]act{{inject, 0}})}},
		// Two slots, one of which may be idle.
		{1, world{workers: 2, jobs: tasks(waits), outside: outside([]act{{inject, 0}, {end, 0}})}},
		{1, world{workers: 2, foreground: 1, jobs: tasks(task(bgNormal, act{wait, 0})),
			outside: outside([]act{{inject, 0}, {end, 0}})}},
		// Leaving a slot to do something else.
		{1, world{workers: 1, jobs: tasks(task(normal, act{detach, 0})),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{detach, 0}), task(normal)),
			outside: outside([]act{{inject, 0}, {inject, 1}})}},
		// A spare slot comes, and its holder rests.
		{1, world{workers: 1, jobs: tasks(waits),
			outside: outside([]act{{inject, 0}, {spare, 0}, {end, 0}})}},
	})
}

// TestModelReplacement: a body that blocks and says so is stood in for by another runner, and goes
// on with a slot when it comes back; a runner that stands in leaves a spare slot when it is asked
// to, or finds nothing to do, and what it leaves there is run; and while any of them is about to go
// on, it is not over.
func TestModelReplacement(t *testing.T) {
	plain, leaves, brings := task(normal), task(normal, act{detach, 0}), task(normal, act{push, 2})
	playAll(t, []scene{
		{1, world{workers: 1, jobs: tasks(task(normal, act{detach, 0}, act{detach, 0})),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 1, jobs: tasks(leaves, leaves),
			outside: outside([]act{{inject, 0}, {inject, 1}})}},
		{1, world{workers: 1, door: true, jobs: tasks(leaves, plain),
			outside: outside([]act{{inject, 0}}, []act{{inject, 1}})}},
		{1, world{workers: 1, jobs: tasks(leaves, plain),
			outside: outside([]act{{inject, 0}, {spare, 0}, {inject, 1}})}},
		// Spare slots come while all may be over.
		{1, world{workers: 1, door: true, jobs: tasks(plain),
			outside: outside([]act{{inject, 0}}, []act{{spare, 0}})}},
		{1, world{workers: 1, jobs: tasks(plain),
			outside: outside([]act{{inject, 0}, {spare, 0}}, []act{{spare, 0}})}},
		{1, world{workers: 1, door: true, jobs: tasks(plain, plain),
			outside: outside([]act{{inject, 0}}, []act{{spare, 0}, {inject, 1}})}},
		{1, world{workers: 1, door: true, jobs: tasks(plain, plain),
			outside: outside([]act{{spare, 0}, {inject, 0}, {spare, 0}, {inject, 1}})}},
		// Who stands in is asked to leave, also in the middle of what it brings.
		{1, world{workers: 1, jobs: tasks(plain, brings, plain),
			outside: outside([]act{{spare, 0}, {inject, 1}, {inject, 0}}, []act{{leave, 0}})}},
		{1, world{workers: 1, door: true, jobs: tasks(plain, brings, plain),
			outside: outside([]act{{spare, 0}, {inject, 1}}, []act{{leave, 0}, {inject, 0}})}},
	})
}

// TestModelStop: nobody hangs, whenever the stop comes, and what is queued is taken, before and
// after it.
func TestModelStop(t *testing.T) {
	waits, plain, brings := task(normal, act{wait, 0}), task(normal), task(normal, act{push, 1})
	ends := []act{{stop, 0}, {sweep, 0}}
	playAll(t, []scene{
		{2, world{workers: 1, jobs: tasks(task(normal)),
			outside: outside([]act{{inject, 0}, {stop, 0}})}},
		{2, world{workers: 1, jobs: tasks(waits), outside: outside([]act{{inject, 0}, {stop, 0}})}},
		{1, world{workers: 1, jobs: tasks(waits),
			outside: outside([]act{{inject, 0}, {stop, 0}}, []act{{end, 0}})}},
		{1, world{workers: 1, jobs: tasks(waits),
			outside: outside([]act{{inject, 0}, {end, 0}}, []act{{stop, 0}})}},
		{1, world{workers: 1, jobs: tasks(waits, task(normal, act{wait, 1})),
			outside: outside([]act{{inject, 0}, {inject, 1}, {stop, 0}})}},
		{1, world{workers: 1, jobs: tasks(waits),
			outside: outside([]act{{inject, 0}, {spare, 0}, {stop, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{detach, 0})),
			outside: outside([]act{{inject, 0}, {stop, 0}})}},
		{1, world{workers: 1, jobs: tasks(waits),
			outside: outside([]act{{inject, 0}, {stop, 0}}, []act{{stop, 0}})}},
		{1, world{workers: 2, jobs: tasks(waits), outside: outside([]act{{inject, 0}, {stop, 0}})}},
		{1, world{workers: 2, foreground: 1, jobs: tasks(task(bgNormal, act{wait, 0})),
			outside: outside([]act{{inject, 0}, {stop, 0}})}},
		// The only slot is held by a body that blocks until the one whose wait ends has gone on.
		{1, world{workers: 1, jobs: tasks(task(normal, act{wait, 0}, act{end, 1}),
			task(normal, act{block, 1})),
			outside: outside([]act{{inject, 0}, {inject, 1}, {stop, 0}}, []act{{end, 0}})}},
		// Something is queued meanwhile: from outside, for a worker, on a slot that is lent and
		// left, by a worker that may not take it, by one that stands in and is asked to leave.
		{1, world{workers: 1, jobs: tasks(plain), outside: outside(ends, []act{{inject, 0}})}},
		{1, world{workers: 1, jobs: tasks(plain, plain),
			outside: outside(ends, []act{{inject, 0}}, []act{{inject, 1}})}},
		{1, world{workers: 1, jobs: tasks(plain), outside: outside(ends, []act{{near0, 0}})}},
		{1, world{workers: 1, jobs: tasks(brings, plain),
			outside: outside(ends, []act{{visit, 0}})}},
		{1, world{workers: 2, foreground: 1, jobs: tasks(brings, task(bgNormal)),
			outside: outside([]act{{inject, 0}, ends[0], ends[1]})}},
		{1, world{workers: 1, jobs: tasks(brings, plain),
			outside: outside([]act{{inject, 0}, {spare, 0}, ends[0], ends[1]}, []act{{leave, 0}})}},
		{0, world{workers: 1, jobs: tasks(brings, plain),
			outside: outside(ends, []act{{spare, 0}, {inject, 0}}, []act{{leave, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{detach, 0}, act{push, 1}), plain),
			outside: outside([]act{{inject, 0}, ends[0], ends[1]})}},
	})
}

// TestModelFork: calls that a body forks run once, and the body's waits end, with the slots that
// change hands meanwhile.
func TestModelFork(t *testing.T) {
	playAll(t, []scene{
		{1, world{workers: 2, jobs: tasks(task(normal, act{fork, 1}, act{join, 1}), task(normal)),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{fork, 1}, act{fork, 2}, act{join, 1},
			act{join, 2}), task(normal), task(normal)), outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{fork, 1}, act{wait, 0}, act{join, 1}),
			task(normal)), outside: outside([]act{{inject, 0}, {end, 0}})}},
	})
}

// TestModelLeapPutsBack: what a wait for a call finds where that runs, and is not forked by that,
// is not lost on a worker that goes to sleep meanwhile; what is forked by it runs once.
func TestModelLeapPutsBack(t *testing.T) {
	ends := task(normal, act{end, 0})
	playAll(t, []scene{
		{1, world{workers: 2, jobs: tasks(task(normal, act{fork, 1}, act{leap, 1}, act{block, 0},
			act{join, 1}), task(normal, act{push, 2}), ends),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{fork, 1}, act{leap, 1}, act{join, 1}),
			task(normal, act{fork, 2}, act{join, 2}), task(normal)),
			outside: outside([]act{{inject, 0}})}},
	})
}

// TestModelShutdown: launches from outside are waited for, with what they launch, or refused; and
// the one who waits is told when all is over.
func TestModelShutdown(t *testing.T) {
	playAll(t, []scene{
		{2, world{workers: 1, door: true, jobs: tasks(task(normal)),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 1, door: true, jobs: tasks(task(normal)),
			outside: outside([]act{{inject, 0}}), apart: true}},
		{1, world{workers: 1, door: true, jobs: tasks(task(normal, act{keep, 1}), task(normal)),
			outside: outside([]act{{inject, 0}}), apart: true}},
		{1, world{workers: 1, door: true, jobs: tasks(task(normal), task(normal)),
			outside: outside([]act{{inject, 0}}, []act{{inject, 1}})}},
		{1, world{workers: 2, door: true, jobs: tasks(task(normal, act{push, 1}), task(normal)),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 1, door: true, jobs: tasks(task(normal, act{detach, 0})),
			outside: outside([]act{{inject, 0}})}},
		{1, world{workers: 1, door: true, jobs: tasks(task(normal, act{wait, 0}), task(normal)),
			outside: outside([]act{{inject, 0}}, []act{{inject, 1}, {end, 0}})}},
	})
}

// TestModelCallers: what callers leave queued, and what others did not wake anybody for on their
// account, is run, whenever they come, wait and leave.
func TestModelCallers(t *testing.T) {
	plain, brings := task(normal), task(normal, act{push, 1})
	ends := task(normal, act{end, 0})
	playAll(t, []scene{
		// One worker. A caller leaves its work behind, or runs it unless the worker is faster.
		{2, world{workers: 1, jobs: tasks(brings, plain), outside: outside([]act{{visit, 0}})}},
		{2, world{workers: 1, jobs: tasks(brings, plain), outside: outside([]act{{stay, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{push, 1}, act{keep, 2}), plain, plain),
			outside: outside([]act{{visit, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{push, 1}), task(bgLow)),
			outside: outside([]act{{stay, 0}})}},
		{1, world{workers: 1, jobs: tasks(brings, plain), outside: outside([]act{{visit, 0}}),
			apart: true}},
		// Others bring work while it comes and goes.
		{1, world{workers: 1, jobs: tasks(plain, plain),
			outside: outside([]act{{visit, 0}}, []act{{inject, 1}})}},
		{1, world{workers: 1, jobs: tasks(plain, plain),
			outside: outside([]act{{visit, 0}}, []act{{near0, 1}})}},
		{1, world{workers: 1, jobs: tasks(plain, task(bgHigh)),
			outside: outside([]act{{visit, 0}, {inject, 1}})}},
		// Two workers: what one of them brings is left to a caller that leaves.
		{1, world{workers: 2, jobs: tasks(brings, plain), outside: outside([]act{{visit, 0}})}},
		{1, world{workers: 2, jobs: tasks(brings, plain, plain),
			outside: outside([]act{{visit, 2}}, []act{{inject, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{push, 1}, act{block, 0}), ends, plain),
			outside: outside([]act{{visit, 2}}, []act{{inject, 0}})}},
		{1, world{workers: 2, foreground: 1, jobs: tasks(brings, task(bgNormal)),
			outside: outside([]act{{visit, 0}})}},
		// Two callers, and the slot that one of them leaves to the next.
		{1, world{workers: 1, jobs: tasks(plain, plain),
			outside: outside([]act{{visit, 0}, {visit, 1}})}},
		{1, world{workers: 2, jobs: tasks(brings, plain, plain),
			outside: outside([]act{{visit, 0}}, []act{{visit, 2}})}},
		{1, world{workers: 1, jobs: tasks(brings, plain, plain),
			outside: outside([]act{{stay, 0}}, []act{{visit, 2}})}},
		// A caller waits: for work of its own, for somebody outside, and more than once.
		{2, world{workers: 1, jobs: tasks(task(normal, act{push, 1}, act{wait, 0}), ends),
			outside: outside([]act{{visit, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{push, 1}, act{wait, 0}), ends),
			outside: outside([]act{{visit, 0}})}},
		{2, world{workers: 1, jobs: tasks(task(normal, act{wait, 0})),
			outside: outside([]act{{visit, 0}}, []act{{end, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{wait, 0})),
			outside: outside([]act{{visit, 0}}, []act{{alarm, 0}, {nudge, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{wait, 0}, act{push, 1}, act{wait, 1}),
			task(normal, act{end, 1})), outside: outside([]act{{visit, 0}}, []act{{end, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{wait, 0}), plain),
			outside: outside([]act{{visit, 0}}, []act{{inject, 1}, {end, 0}})}},
		{1, world{workers: 2, jobs: tasks(task(normal, act{wait, 0}), task(normal, act{end, 0}),
			task(normal, act{push, 1})), outside: outside([]act{{visit, 0}}, []act{{visit, 2}})}},
		// A worker's wait ends while a caller is in; a caller steals what waits.
		{1, world{workers: 1, jobs: tasks(task(normal, act{wait, 0}), task(normal, act{end, 0})),
			outside: outside([]act{{inject, 0}}, []act{{visit, 1}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{push, 1}, act{push, 2}), plain, plain,
			plain), outside: outside([]act{{inject, 0}}, []act{{stay, 3}})}},
		// It leaves its slot to do something else.
		{2, world{workers: 1, jobs: tasks(task(normal, act{push, 1}, act{detach, 0}), plain),
			outside: outside([]act{{visit, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{detach, 0}), plain),
			outside: outside([]act{{visit, 0}}, []act{{inject, 1}})}},
		// The number of workers changes.
		{1, world{workers: 2, jobs: tasks(brings, plain),
			outside: outside([]act{{quota, 1}, {visit, 0}})}},
		// A stop, whenever it comes.
		{1, world{workers: 1, jobs: tasks(brings, plain),
			outside: outside([]act{{visit, 0}}, []act{{stop, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{wait, 0})),
			outside: outside([]act{{visit, 0}}, []act{{stop, 0}})}},
		{1, world{workers: 1, jobs: tasks(task(normal, act{detach, 0})),
			outside: outside([]act{{visit, 0}}, []act{{stop, 0}})}},
		// The shutdown waits for who is in, and for what he brought.
		{1, world{workers: 1, door: true, jobs: tasks(brings, plain),
			outside: outside([]act{{visit, 0}}), apart: true}},
		{1, world{workers: 1, door: true, jobs: tasks(plain, plain),
			outside: outside([]act{{visit, 0}}, []act{{inject, 1}})}},
		{1, world{workers: 1, door: true, jobs: tasks(plain, plain),
			outside: outside([]act{{visit, 0}}, []act{{visit, 1}})}},
		{1, world{workers: 1, door: true,
			jobs:    tasks(task(normal, act{push, 1}, act{wait, 0}), ends),
			outside: outside([]act{{visit, 0}}), apart: true}},
		{1, world{workers: 1, door: true, jobs: tasks(task(normal, act{detach, 0})),
			outside: outside([]act{{visit, 0}}), apart: true}},
	})
}

// TestModelDrawn draws worlds. MODELCHECK_PROGRAMS says how many.
func TestModelDrawn(t *testing.T) {
	modelcheck.Drawn(func(i int, source *rand.Rand, n int) {
		explorers := append([]modelcheck.Explorer{modelcheck.DepthFirst(0, n/8+1),
			modelcheck.DepthFirst(1, n/8+1)}, modelcheck.Beyond(3*n/4)...)
		w := randomWorld(source)
		t.Run(fmt.Sprintf("%d: %v", i, w), func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{Explorers: explorers}, w.program)
		})
	})
}

// randomWorld draws a world that comes to its end: a task waits only for what somebody outside
// makes happen, or the first act of a task that it has pushed itself.
func randomWorld(r *rand.Rand) world {
	maybe := func(in int) bool { return r.IntN(in) == 0 }
	w := world{workers: 1 + r.IntN(2), apart: maybe(4), outside: make([][]act, 1+r.IntN(2))}
	if w.workers == 2 && maybe(3) {
		w.foreground = 1
	}
	stops := maybe(4)
	w.door = !stops && maybe(3)
	level := func() kernel.Level {
		if maybe(2) {
			return normal
		}
		return kernel.Level(r.IntN(kernel.Levels))
	}
	from := func() *[]act { return &w.outside[r.IntN(len(w.outside))] }
	events, roots := 0, 1+r.IntN(2)
	for range roots {
		to := from()
		*to = append(*to, act{inject, len(w.jobs)})
		w.jobs = append(w.jobs, task(level()))
	}
	for i := range roots {
		j := w.jobs[i]
		switch r.IntN(7) {
		case 0:
		case 1: // wait for somebody outside
			j.acts = append(j.acts, act{wait, events})
			to := from()
			if stops && maybe(2) {
				break // by the stop
			}
			*to = append(*to, act{[...]verb{end, end, nudge}[r.IntN(3)], events})
			if maybe(3) {
				to := from()
				*to = append(*to, act{alarm, events})
			}
		case 2: // wait for a task of one's own
			j.acts = append(j.acts, act{push, len(w.jobs)}, act{wait, events})
			w.jobs = append(w.jobs, task(level(), act{end, events}))
		case 3: // two tasks
			j.acts = append(j.acts, act{push, len(w.jobs)}, act{keep, len(w.jobs) + 1})
			w.jobs = append(w.jobs, task(level()), task(level()))
		case 4:
			n := len(w.jobs)
			j.acts = append(j.acts, act{push, n}, act{popIf, n - r.IntN(2)})
			w.jobs = append(w.jobs, task(normal))
		default:
			if w.door {
				break
			}
			n := len(w.jobs)
			j.acts = append(j.acts, act{fork, n}, act{fork, n + 1})
			if maybe(2) {
				j.acts = append(j.acts, act{join, n}, act{join, n + 1})
			} else {
				j.acts = append(j.acts, act{join, n + 1}, act{join, n})
			}
			w.jobs = append(w.jobs, task(j.level), task(j.level))
		}
		w.jobs[i] = j
		if len(j.acts) > 0 && j.acts[len(j.acts)-1].verb == wait {
			events++
		}
	}
	if maybe(5) {
		to := from()
		*to = append(*to, act{spare, 0})
	}
	if stops {
		to := from()
		*to = append(*to, act{stop, 0})
	}
	return w
}
