//go:build modelcheck

package kernel_test

import (
	"testing"

	"github.com/heddle-go/heddle/stress/modelcheck"
)

// TestModelDoze: the holder of a slot whose body sleeps until a moment rests like an idle worker.
// What is brought meanwhile is taken, whether the moment comes early, late or never, and though the
// idle ones are to be awake at it; and a stop ends it.
func TestModelDoze(t *testing.T) {
	dozes, begins := task(normal, act{doze, 0}), task(normal, act{end, 0}, act{doze, 0})
	ends, more := task(normal, act{end, 0}), task(normal)
	var scenes []scene
	for _, timers := range []modelcheck.Timers{modelcheck.TimersEarly, modelcheck.TimersOnTime} {
		bound := 1
		if timers == modelcheck.TimersOnTime {
			bound = 0
		}
		scenes = append(scenes,
			scene{1, world{workers: 1, timers: timers, jobs: tasks(dozes, more),
				outside: outside([]act{{inject, 0}, {inject, 1}})}},
			// Who blocks relies on the other one: who has dozed, or who dozes, or on somebody in
			// the place of that.
			scene{bound, world{workers: 2, timers: timers,
				jobs:    tasks(task(normal, act{doze, 0}, act{block, 0}), ends),
				outside: outside([]act{{inject, 0}, {inject, 1}})}},
			scene{0, world{workers: 2, timers: timers,
				jobs:    tasks(dozes, task(normal, act{block, 0}), ends),
				outside: outside([]act{{inject, 0}, {inject, 1}, {inject, 2}})}},
			scene{0, world{workers: 2, timers: timers, jobs: tasks(dozes, dozes, more),
				outside: outside([]act{{inject, 0}, {inject, 1}},
					[]act{{expect, 0}, {inject, 2}})}},
		)
	}
	playAll(t, append(scenes, // and here no time limit comes
		scene{2, world{workers: 1, jobs: tasks(dozes, more),
			outside: outside([]act{{inject, 0}, {inject, 1}})}},
		scene{1, world{workers: 1, jobs: tasks(begins, more),
			outside: outside([]act{{inject, 0}, {block, 0}, {inject, 1}})}},
		scene{1, world{workers: 1, jobs: tasks(begins, more),
			outside: outside([]act{{inject, 0}, {block, 0}, {near0, 1}})}},
		scene{2, world{workers: 1, jobs: tasks(task(normal, act{keep, 1}, act{doze, 0}), more),
			outside: outside([]act{{inject, 0}})}},
		scene{1, world{workers: 1, jobs: tasks(dozes, dozes, more),
			outside: outside([]act{{inject, 0}, {inject, 1}, {inject, 2}}, []act{{expect, 0}})}},
		scene{2, world{workers: 1, jobs: tasks(begins),
			outside: outside([]act{{inject, 0}, {block, 0}, {stop, 0}})}},
		// All who doze are woken, before, while or after they begin to.
		scene{1, world{workers: 1, jobs: tasks(dozes),
			outside: outside([]act{{inject, 0}}, []act{{rouse, 0}})}},
		scene{0, world{workers: 2, jobs: tasks(dozes, dozes),
			outside: outside([]act{{inject, 0}, {inject, 1}}, []act{{rouse, 0}})}},
	))
}
