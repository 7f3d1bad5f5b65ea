package lockfree_test

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/lockfree"
)

// A bounded queue, as far as Ring and SPSCRing agree.
type boundedQueue interface {
	TryPush(v int) bool
	TryPop() (int, bool)
	TryPushN(vs []int) int
	TryPopN(buf []int) int
	Len() int
	Cap() int
	Empty() bool
}

func TestRingsHoldExactlyTheirCapacity(t *testing.T) {
	for name, newRing := range map[string]func(capacity int) boundedQueue{
		"Ring":          func(c int) boundedQueue { return lockfree.NewRing[int](c) },
		"Ring/wrapping": func(c int) boundedQueue { return lockfree.NewRingAt[int](c, -2) },
		"SPSCRing":      func(c int) boundedQueue { return lockfree.NewSPSCRing[int](c) },
		"SPSCRing/wrapping": func(c int) boundedQueue {
			return lockfree.NewSPSCRingAt[int](c, math.MaxUint64-3)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, capacity := range []int{1, 2, 3, 4, 5, 7, 8, 9, 100, 127, 128, 129} {
				r := newRing(capacity)
				require.Equal(t, capacity, r.Cap())
				next, due := 0, 0
				for round := range min(3*capacity, 40) {
					for r.Len() < capacity {
						require.Equal(t, next == due, r.Empty())
						require.True(t, r.TryPush(next))
						next++
						require.Equal(t, next-due, r.Len())
					}
					require.False(t, r.TryPush(-1))
					require.Equal(t, capacity, r.Len())
					for range 1 + round%capacity {
						v, ok := r.TryPop()
						require.True(t, ok)
						require.Equal(t, due, v)
						due++
					}
				}
				for due < next {
					v, ok := r.TryPop()
					require.True(t, ok)
					require.Equal(t, due, v)
					due++
				}
				_, ok := r.TryPop()
				require.False(t, ok)
				require.True(t, r.Empty())

				vs := make([]int, capacity+3)
				for i := range vs {
					vs[i] = i
				}
				buf := make([]int, capacity+3)
				for n := range capacity + 2 {
					require.Equal(t, min(n, capacity), r.TryPushN(vs[:n]))
					require.Equal(t, capacity-min(n, capacity), r.TryPushN(vs[n:]))
					require.Zero(t, r.TryPushN(vs))
					require.Equal(t, n/2, r.TryPopN(buf[:n/2]))
					require.Equal(t, capacity-n/2, r.TryPopN(buf[n/2:]))
					require.Equal(t, vs[:min(n, capacity)], buf[:min(n, capacity)])
					require.Zero(t, r.TryPopN(buf))
				}
			}
		})
	}
}

func TestRingsNeedCapacity(t *testing.T) {
	for _, capacity := range []int{0, -1} {
		require.Panics(t, func() { lockfree.NewRing[int](capacity) })
		require.Panics(t, func() { lockfree.NewSPSCRing[int](capacity) })
	}
	require.PanicsWithValue(t, "lockfree: Ring of capacity 0, not 1 to 2^30", func() {
		lockfree.NewRing[int](0)
	})
	require.PanicsWithValue(t, "lockfree: SPSCRing of capacity 0, not 1 to 2^30", func() {
		lockfree.NewSPSCRing[int](0)
	})
}

// A TryPop beside a TryPush that has claimed the oldest place waits for it; that is not empty.
func TestTrap10_RingWaitsForAPusher(t *testing.T) {
	for name, pop := range map[string]func(r *lockfree.Ring[int]) int{
		"TryPop": func(r *lockfree.Ring[int]) int {
			v, ok := r.TryPop()
			if !ok {
				return -1
			}
			return v
		},
		"TryPopN": func(r *lockfree.Ring[int]) int {
			buf := []int{-1}
			r.TryPopN(buf)
			return buf[0]
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := lockfree.NewRing[int](4)
			fill := r.StallPush()
			require.True(t, r.TryPush(2), "other pushers go on")
			require.Equal(t, 2, r.Len())
			got := make(chan int)
			go func() { got <- pop(r) }()
			for range 100 {
				runtime.Gosched()
			}
			select {
			case v := <-got:
				require.Fail(t, "did not wait", "%d", v)
			default:
			}
			fill(1)
			require.Equal(t, 1, <-got)
			require.Equal(t, 2, pop(r))
			require.Equal(t, -1, pop(r))
		})
	}
}

// A TryPush beside a TryPop that has claimed the place it needs waits for it; that is not full.
func TestRingWaitsForAPopper(t *testing.T) {
	for name, push := range map[string]func(r *lockfree.Ring[int]) bool{
		"TryPush":  func(r *lockfree.Ring[int]) bool { return r.TryPush(3) },
		"TryPushN": func(r *lockfree.Ring[int]) bool { return r.TryPushN([]int{3}) == 1 },
	} {
		t.Run(name, func(t *testing.T) {
			r := lockfree.NewRing[int](2)
			require.True(t, r.TryPush(1))
			require.True(t, r.TryPush(2))
			require.False(t, push(r))
			take := r.StallPop()
			require.Equal(t, 1, r.Len())
			done := make(chan bool)
			go func() { done <- push(r) }()
			for range 100 {
				runtime.Gosched()
			}
			select {
			case <-done:
				require.Fail(t, "did not wait")
			default:
			}
			require.Equal(t, 1, take())
			require.True(t, <-done)
			v, ok := r.TryPop()
			require.True(t, ok)
			require.Equal(t, 2, v)
			v, ok = r.TryPop()
			require.True(t, ok)
			require.Equal(t, 3, v)
		})
	}
}

// A call that read its position long ago must not take what has happened since for full or
// empty, whole laps later.
func TestTrap10_RingOldPositions(t *testing.T) {
	for _, laps := range []int64{0, -2} {
		r := lockfree.NewRingAt[int](3, laps)
		h, tail := r.Positions()
		require.True(t, r.RingEmpty(h))
		require.False(t, r.RingFull(tail))
		for lap := range 4 {
			for i := range 3 {
				require.True(t, r.TryPush(lap*3+i))
				require.False(t, r.RingEmpty(h))
				require.False(t, r.RingFull(tail), "tail has moved on")
				v, ok := r.TryPop()
				require.True(t, ok)
				require.Equal(t, lap*3+i, v)
				require.False(t, r.RingEmpty(h), "head has moved on")
				require.False(t, r.RingFull(tail))
			}
		}
	}
}

// Batches of producers and consumers that are longer than the ring claim places that others
// have not left yet.
func TestRingBatchesLongerThanTheRing(t *testing.T) {
	r := lockfree.NewRingAt[int](5, -3)
	n := short.Scaled(30_000)
	const producers, consumers, batch = 2, 2, 13
	var popped atomics.Int64
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			vs := make([]int, 0, batch)
			for i := range n {
				if vs = append(vs, i<<1|p); len(vs) < batch && i < n-1 {
					continue
				}
				for len(vs) > 0 {
					k := r.TryPushN(vs)
					vs = vs[k:]
					if k == 0 {
						runtime.Gosched()
					}
				}
				vs = make([]int, 0, batch)
			}
		})
	}
	sums := make([]int, consumers)
	for c := range consumers {
		wg.Go(func() {
			last := [producers]int{-1, -1}
			buf := make([]int, batch)
			for popped.Load() < int64(producers*n) {
				k := r.TryPopN(buf)
				for _, v := range buf[:k] {
					if v>>1 <= last[v&1] {
						t.Errorf("value %d of producer %d came after %d", v>>1, v&1, last[v&1])
					}
					last[v&1] = v >> 1
					sums[c] += v >> 1
				}
				popped.Add(int64(k))
				if k == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, producers*n*(n-1)/2, sums[0]+sums[1])
	require.True(t, r.Empty())
}

func TestRingLenStaysInBounds(t *testing.T) {
	r := lockfree.NewRing[int](3)
	var wg sync.WaitGroup
	var stop atomics.Bool
	wg.Go(func() {
		for !stop.Load() {
			r.TryPush(1)
			r.TryPush(1)
			r.TryPop()
			r.TryPop()
		}
	})
	for range short.Scaled(20_000) {
		if n := r.Len(); n < 0 || n > 3 {
			t.Errorf("Len %d of at most 3", n)
		}
	}
	stop.Store(true)
	wg.Wait()
}

func TestRingsAllocateNothing(t *testing.T) {
	r, s := lockfree.NewRing[int](3), lockfree.NewSPSCRing[int](3)
	vs, buf := []int{1, 2, 3, 4}, make([]int, 4)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		for r.TryPush(1) && s.TryPush(1) {
		}
		r.TryPop()
		s.TryPop()
		r.TryPushN(vs)
		s.TryPushN(vs)
		r.TryPopN(buf)
		s.TryPopN(buf)
	}))
}
