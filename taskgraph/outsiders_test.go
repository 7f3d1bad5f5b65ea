package taskgraph

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/spin"
)

// leastSpin is how long a wait spins at least where there are processors, in nanoseconds.
const leastSpin = 12_500

// Who waits from outside looks only as long as there are processors for it and for all others that
// are awake.
func TestOutsidersLeaveProcessorsToWorkers(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	s := Start(Options{Workers: procs})
	defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
	if s.mode != park.OS || procs == 1 {
		t.Skip("nobody looks here")
	}
	e := []Event{s.NewEvent()}
	defer e[0].Trigger()
	looked := func() bool {
		var w spin.Wait
		require.False(t, s.spinOutside(&w, e))
		return w.Took() >= leastSpin
	}
	for !looked() { // once all workers sleep
		runtime.Gosched()
	}
	for range procs { // as if so many others looked
		s.outsiders.Begin(new(spin.Wait))
	}
	require.False(t, looked())
	for range procs {
		s.outsiders.End()
	}

	var in, out atomics.Int32
	for range procs {
		s.Go(func() {
			for in.Add(1); out.Load() == 0; {
				runtime.Gosched()
			}
		})
	}
	for int(in.Load()) < procs {
		runtime.Gosched()
	}
	require.False(t, looked())
	out.Store(1)
}
