package capacity_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph/internal/capacity"
)

func TestMain(m *testing.M) { watch.Main(m) }

// A parked sleeps on a parker.
type parked struct{ *park.Parker }

func (p parked) Sleep() { p.Park() }
func (p parked) Wake()  { p.Unpark() }

func TestCapacityIsExact(t *testing.T) {
	c := capacity.New(3)
	for range 3 {
		require.True(t, c.TryTake())
	}
	require.False(t, c.TryTake())
	c.Exceed()
	require.Equal(t, 4, c.Len())
	c.Leave()
	require.False(t, c.TryTake())
	c.Leave()
	require.True(t, c.TryTake())
	require.False(t, c.TryTake())
}

// Who blocks comes in when there is room, and goes away when the capacity is closed.
func TestCapacityBlocks(t *testing.T) {
	for _, closes := range []bool{false, true} {
		c := capacity.New(1)
		require.True(t, c.TryTake())
		took := make(chan bool)
		go func() { took <- c.Take(parked{park.New(park.Go)}) }()
		for c.Waiting() == 0 {
			atomics.Gosched()
		}
		if closes {
			c.Close()
		} else {
			c.Leave()
		}
		require.Equal(t, !closes, <-took)
		require.Zero(t, c.Waiting())
		require.False(t, c.TryTake())
	}
}

// Many come and go. Nobody is left waiting, and no room is lost; in the steady state nothing
// allocates.
func TestCapacityOfMany(t *testing.T) {
	const limit, goroutines = 3, 8
	c := capacity.New(limit)
	var inside atomics.Int32
	var wg sync.WaitGroup
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
	}
	for g := range goroutines {
		wg.Go(func() {
			s := parked{park.New(park.Go)}
			for i := range rounds {
				if (i+g)%3 == 0 {
					if !c.TryTake() {
						continue
					}
				} else if !c.Take(s) {
					t.Error("a Take fails, and nobody closes")
					return
				}
				if n := inside.Add(1); n > limit {
					t.Errorf("%d inside", n)
				}
				inside.Add(-1)
				c.Leave()
			}
		})
	}
	wg.Wait()
	for range limit {
		require.True(t, c.TryTake())
	}
	require.False(t, c.TryTake())
}

// A told sleeps on a channel, and tells when.
type told struct{ asleep, wake chan struct{} }

func (s told) Sleep() { s.asleep <- struct{}{}; <-s.wake }
func (s told) Wake()  { s.wake <- struct{}{} }

// A waiter whose goroutine did not have to wait is used again once it has been passed over.
func TestCapacityRecycles(t *testing.T) {
	const n = 100
	c := capacity.New(1)
	s := told{make(chan struct{}), make(chan struct{}, 1)}
	var sleeper capacity.Sleeper = s
	for range n { // there is room, so the waiters stay behind in the queue
		require.True(t, c.Take(sleeper))
		c.Leave()
	}
	require.True(t, c.TryTake())
	took := make(chan bool)
	go func() { took <- c.Take(sleeper) }()
	<-s.asleep
	c.Leave()
	require.True(t, <-took)
	c.Leave()
	require.Zero(t, testing.AllocsPerRun(n-1, func() {
		c.Take(sleeper)
		c.Leave()
	}))
}
