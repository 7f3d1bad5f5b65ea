package taskgraph

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
)

// Goroutines that compute are counted, those too that have no processor at the moment.
func TestLoadCountsWhatComputes(t *testing.T) {
	spinners := 2*runtime.GOMAXPROCS(0) + 1
	var over atomics.Bool
	var all sync.WaitGroup
	for range spinners {
		all.Go(func() {
			for !over.Load() {
			}
		})
	}
	l := newLoad()
	for {
		n, ok := l.computing()
		require.True(t, ok, "this Go does not tell how many goroutines run")
		if n >= spinners {
			break
		}
		runtime.Gosched()
	}
	over.Store(true)
	all.Wait()
	// And those that wait are not: sooner or later there are fewer again.
	for n, _ := l.computing(); n >= spinners; n, _ = l.computing() {
		runtime.Gosched()
	}
}

func TestLoadDoesNotAllocate(t *testing.T) {
	l := newLoad()
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = l.computing() }))
}

// Where Go does not tell, bodies that give no sign of life count as blocked.
func TestLoadThatIsNotTold(t *testing.T) {
	for i := range newLoad().samples {
		l := newLoad()
		l.samples[i].Name = "/sched/goroutines/dreaming:goroutines"
		_, ok := l.computing()
		require.False(t, ok)
		require.False(t, new(System).mayCompute(l, 0))
	}
	require.True(t, new(System).mayCompute(newLoad(), 0))
}
