package kernel_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// search lets the holder of s look for work until it is idle, and passes on what it finds.
func search(k *kernel.Kernel, s *kernel.Slot) (found <-chan kernel.Got) {
	got := make(chan kernel.Got, 1)
	before, _ := k.Activity()
	go func() {
		_, what := k.Search(s)
		got <- what
	}()
	for now := before; now == before; now, _ = k.Activity() {
		atomics.Gosched()
	}
	return got
}

// asleep waits until workers have gone to sleep so many times.
func asleep(k *kernel.Kernel, times uint64) {
	for k.Stats().Sleeps < times {
		atomics.Gosched()
	}
}

// A caller has a slot that no worker has, above their numbers, from Join to Part; the next caller
// gets it again.
func TestJoinAndPart(t *testing.T) {
	k := newKernel(2, 1, nil)
	a, b, c := k.NewCaller(park.OS), k.NewCaller(park.OS), k.NewCaller(park.OS)
	require.True(t, a.Join())
	require.True(t, b.Join())
	require.False(t, c.Join(), "as many callers as workers")
	require.Nil(t, c.Slot())
	require.NotEqual(t, a.Slot(), b.Slot())
	require.ElementsMatch(t, []int{2, 3}, []int{a.Slot().Index(), b.Slot().Index()})
	require.True(t, a.Slot().IsBackground())
	active, _ := k.Activity()
	require.Equal(t, 4, active)
	require.Zero(t, k.Spares())
	require.Zero(t, k.Stats().Spares, "what is lent is no spare slot")
	s := a.Slot()
	a.Part()
	require.Nil(t, a.Slot())
	require.True(t, c.Join())
	require.Equal(t, s, c.Slot())
	b.Part()
	c.Part()
	active, _ = k.Activity()
	require.Equal(t, 2, active)
	require.Len(t, k.AllSlots(), 4)
	k.Stop()
}

// A caller whose wait ends before it has given its slot away keeps it; one that leaves its slot
// gets one again.
func TestCallerKeepsItsSlot(t *testing.T) {
	k := newKernel(1, 0, nil)
	r := k.NewCaller(park.OS)
	require.True(t, r.Join())
	s := r.Slot()
	r.Arm()
	r.End()
	r.Await()
	require.Equal(t, s, r.Slot())
	r.Detach()
	require.Nil(t, r.Slot())
	active, _ := k.Activity()
	require.Equal(t, 1, active, "the worker's")
	r.Attach()
	require.Equal(t, s, r.Slot())
	r.Part()
	k.Stop()
}

// While callers have slots as many workers sleep on; one is woken for what they leave, and for what
// others brought meanwhile, when the caller leaves or waits.
func TestCallersTakeTheRoomOfWorkers(t *testing.T) {
	for name, bring := range map[string]func(k *kernel.Kernel, r *kernel.Runner){
		"own":    func(k *kernel.Kernel, r *kernel.Runner) { k.Spawn(r.Slot(), 1) },
		"others": func(k *kernel.Kernel, _ *kernel.Runner) { k.Inject(1, kernel.Normal) },
	} {
		for _, waits := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, waits %v", name, waits), func(t *testing.T) {
				k := newKernel(1, 0, nil)
				found := search(k, k.Slots()[0])
				asleep(k, 1)
				r := k.NewCaller(park.OS)
				require.True(t, r.Join())
				bring(k, r)
				require.Zero(t, k.Stats().KernelWakes+k.Stats().DrowseWakes)
				require.Empty(t, found)
				left := make(chan struct{})
				end := r.Arm()
				go func() {
					if waits {
						r.Await()
					}
					r.Part()
					close(left)
				}()
				require.Equal(t, kernel.GotTask, <-found)
				end()
				<-left
				k.Stop()
			})
		}
	}
}

// Workers beyond the number of callers are woken.
func TestCallersLeaveOtherWorkers(t *testing.T) {
	k := newKernel(2, 0, nil)
	founds := [...]<-chan kernel.Got{search(k, k.Slots()[0]), search(k, k.Slots()[1])}
	asleep(k, 2)
	r := k.NewCaller(park.OS)
	require.True(t, r.Join())
	k.Spawn(r.Slot(), 1)
	select {
	case got := <-founds[0]:
		require.Equal(t, kernel.GotTask, got)
	case got := <-founds[1]:
		require.Equal(t, kernel.GotTask, got)
	}
	r.Part()
	k.Stop()
}

// The watch wakes workers that sleep on account of callers, if somebody who has a slot does not get
// on.
func TestObserveKeptOut(t *testing.T) {
	k := newKernel(2, 0, nil)
	busy := k.Slots()[1]
	found := search(k, k.Slots()[0])
	asleep(k, 1)
	r := k.NewCaller(park.OS)
	require.True(t, r.Join())
	k.Spawn(r.Slot(), 1)
	k.Probe()
	k.Asked(busy)
	k.Asked(r.Slot())
	require.Equal(t, kernel.Progress{Queued: true, Base: true, Held: 2}, k.Observe(), "all get on")
	k.Probe()
	k.Asked(busy)
	require.Equal(t, kernel.Progress{Queued: true, Base: true, Held: 2, KeptOut: true}, k.Observe(),
		"the caller does not")
	k.Probe()
	require.Equal(t, kernel.Progress{Queued: true, Stuck: true, Held: 2, KeptOut: true},
		k.Observe(), "nobody does")
	k.WakeMore()
	require.Equal(t, kernel.GotTask, <-found)
	require.False(t, k.Observe().Queued)
	r.Part()
	k.Stop()
}

// No worker is kept out that could not run what is queued, or that is above the quota: there a
// spare slot helps.
func TestObserveNotKeptOut(t *testing.T) {
	for name, c := range map[string]struct {
		bring func(k *kernel.Kernel)
		last  kernel.Got // of the worker: what it may take it takes when the kernel stops
	}{
		"foreground": {func(k *kernel.Kernel) { k.Inject(1, kernel.BackgroundHigh) },
			kernel.GotStop},
		"quota": {func(k *kernel.Kernel) {
			k.SetWorkers(1, 0)
			k.Inject(1, kernel.Normal)
		}, kernel.GotTask},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKernel(2, 1, nil)
			if name == "quota" {
				k.SetWorkers(1, 0)
			}
			found := search(k, k.Slots()[0])
			for _, lent := range []bool{true, false} {
				r := k.NewCaller(park.OS)
				if lent {
					require.True(t, r.Join())
				}
				if !k.Observe().Queued {
					c.bring(k)
				}
				k.Probe()
				p := k.Observe()
				require.True(t, p.Queued)
				require.True(t, p.Stuck, "lent %v", lent)
				require.False(t, p.KeptOut, "lent %v", lent)
				if lent {
					r.Part()
				}
			}
			k.Stop()
			require.Equal(t, c.last, <-found)
		})
	}
}
