package main

import (
	"fmt"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/internal/mix"
	"github.com/heddle-go/heddle/stress/watch"
)

// Each workload, alone and small, finds nothing and counts something.
func TestEachWorkload(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, w := range workloads[:len(workloads)-len(planted)] {
		t.Run(w.name, func(t *testing.T) {
			o := &options{procs: []int{2, 4}, only: regexp.MustCompile("^" + w.name + "$")}
			// On a busy machine a thread may have quit before anybody has posted to it.
			for try, counted := 0, false; !counted; try++ {
				require.Less(t, try, 1000, "nothing is counted")
				r := newRound(o, 3)
				for _, j := range r.jobs {
					j.slow *= 10
				}
				stop := watch.Hangs(0, r.dump)
				err := r.do()
				stop()
				require.NoError(t, err, r)
				counted = true
				for _, j := range r.jobs {
					counted = counted && j.ops.Load() > 0
				}
			}
		})
	}
}

func TestARoundIsDrawnFromItsSeed(t *testing.T) {
	o := &options{procs: defaultProcs, only: regexp.MustCompile("^[^p]"), chaos: switches}
	all := map[string]bool{}
	for seed := range uint64(50) {
		one, two := newRound(o, seed), newRound(o, seed)
		require.Equal(t, fmt.Sprint(one), fmt.Sprint(two))
		require.Equal(t, one.chaos.seed, two.chaos.seed)
		for i := range one.jobs {
			require.Equal(t, one.jobs[i].rnd.Uint64(), two.jobs[i].rnd.Uint64())
		}
		all[fmt.Sprint(one)] = true
		require.Equal(t, mix.Draw(30, seed, false).String(), mix.Draw(30, seed, false).String())
	}
	require.Len(t, all, 50)
}
