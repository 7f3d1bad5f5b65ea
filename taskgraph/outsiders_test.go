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
		return w.Took() >= fullPatience/16
	}
	for !looked() { // once all workers sleep
		runtime.Gosched()
	}
	s.outsiders.endedAt(atomics.Now() - 2*rested)
	require.False(t, looked(), "after a rest")
	s.outsiders.endedAt(0) // too short to know when
	for !looked() {
		runtime.Gosched()
	}
	s.outsiders.awake.Store(int32(procs)) // as if so many others looked
	require.False(t, looked())
	require.EqualValues(t, procs, s.outsiders.awake.Swap(0))

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

// Whose waits from outside are all brief spins on for as long though there are not enough
// processors, until one takes longer.
func TestOutsidersCrowd(t *testing.T) {
	var o outsiders
	waited := func(took int64) (next int64) {
		o.learn(took)
		return o.mayCrowd()
	}
	for range 2 {
		for range briefWaits - 1 {
			require.Zero(t, waited(briefWait-1))
		}
		for range 3 {
			require.EqualValues(t, briefWait, waited(0))
		}
		require.Zero(t, waited(briefWait))
	}
}
