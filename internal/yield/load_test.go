package yield

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
	l := NewLoad()
	for {
		running, ready, ok := l.Read()
		require.True(t, ok, "this Go does not tell how many goroutines run")
		if running+ready > spinners { // and this one
			break
		}
		runtime.Gosched()
	}
	over.Store(true)
	all.Wait()
	// And those that wait are not: sooner or later there are fewer again.
	for {
		if running, ready, _ := l.Read(); running+ready <= spinners {
			break
		}
		runtime.Gosched()
	}
}

func TestLoadDoesNotAllocate(t *testing.T) {
	l := NewLoad()
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _, _ = l.Read() }))
}

func TestLoadThatIsNotTold(t *testing.T) {
	for i := range NewLoad().samples {
		l := NewLoad()
		l.samples[i].Name = "/sched/goroutines/dreaming:goroutines"
		_, _, ok := l.Read()
		require.False(t, ok)
	}
}
