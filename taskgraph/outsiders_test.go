package taskgraph

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
)

// One sleep that patience would have spared, the time that its end took to be noticed included, restores all of it; a
// longer one changes nothing, and success doubles what is left.
func TestPatienceOfOutsiders(t *testing.T) {
	for _, took := range []int64{1, fullPatience, fullPatience + wakeTakes} {
		var p outsiders
		p.lost.Store(fullPatience * 15 / 16)
		p.slept(took)
		require.Zero(t, p.lost.Load(), took)
	}
	var p outsiders
	p.lost.Store(fullPatience * 3 / 4)
	p.slept(fullPatience + wakeTakes + 1)
	require.EqualValues(t, fullPatience*3/4, p.lost.Load())
	p.lengthen()
	require.EqualValues(t, fullPatience/2, p.lost.Load())
	p.lengthen()
	require.Zero(t, p.lost.Load())
	p.lengthen()
	require.Zero(t, p.lost.Load())
}

// Who waits from outside looks only as long as there are processors for it and for all others that are awake.
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
		done, since := s.lingerOutside(e)
		require.False(t, done)
		require.Zero(t, s.outsiders.awake.Load())
		return since != 0
	}
	for !looked() { // once all workers sleep
		runtime.Gosched()
	}
	s.outsiders.awake.Store(int32(procs)) // as if so many others looked
	_, since := s.lingerOutside(e)
	require.Zero(t, since)
	s.outsiders.awake.Store(0)

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
