package lockfree_test

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/lockfree"
)

func TestDequeStealsOldestFirst(t *testing.T) {
	var d lockfree.Deque[uint32]
	_, r := d.Steal()
	require.Equal(t, lockfree.StealEmpty, r, "never pushed to")
	for i := range uint32(100) {
		d.Push(i)
	}
	for i := range uint32(50) {
		v, r := d.Steal()
		require.Equal(t, lockfree.StealOK, r)
		require.Equal(t, i, v)
		v, ok := d.Pop()
		require.True(t, ok)
		require.Equal(t, 99-i, v)
	}
	require.True(t, d.Empty())
	_, r = d.Steal()
	require.Equal(t, lockfree.StealEmpty, r)
	_, ok := d.Pop()
	require.False(t, ok)
}

func TestDequeElementTypes(t *testing.T) {
	type index uint32
	var d lockfree.Deque[index]
	d.Push(math.MaxUint32)
	v, ok := d.Pop()
	require.True(t, ok)
	require.Equal(t, index(math.MaxUint32), v)

	var e lockfree.Deque[uint64]
	e.Push(math.MaxUint64)
	w, r := e.Steal()
	require.Equal(t, lockfree.StealOK, r)
	require.Equal(t, uint64(math.MaxUint64), w)

	var f lockfree.Deque[uintptr]
	f.Push(math.MaxUint)
	x, ok := f.Pop()
	require.True(t, ok)
	require.Equal(t, uintptr(math.MaxUint), x)
}

func TestDequeGrows(t *testing.T) {
	var d lockfree.Deque[uint64]
	require.Zero(t, d.Slots())
	// The live part wanders through the buffer, so that growing copies it across the seam.
	next := uint64(0)
	for i := range uint64(1000) {
		d.Push(i)
		if i%3 == 0 {
			v, r := d.Steal()
			require.Equal(t, lockfree.StealOK, r)
			require.Equal(t, next, v)
			next++
		}
	}
	require.Equal(t, 1024, d.Slots())
	for ; next < 1000; next++ {
		v, r := d.Steal()
		require.Equal(t, lockfree.StealOK, r)
		require.Equal(t, next, v)
	}
}

// The owner looks at top again before it grows the buffer: what thieves took makes room.
func TestDequeDoesNotGrowWhenStolenFrom(t *testing.T) {
	var d lockfree.Deque[uint64]
	for i := range uint64(10_000) {
		d.Push(i)
		v, r := d.Steal()
		require.Equal(t, lockfree.StealOK, r)
		require.Equal(t, i, v)
	}
	require.Equal(t, 32, d.Slots())
}

// A thief that stopped before its swap either gets what it read, although the owner has replaced
// the buffer and written to the new one meanwhile, or gets nothing.
func TestDequeThiefReadsOldBuffer(t *testing.T) {
	for _, taken := range []bool{false, true} {
		d := lockfree.NewDequeAt[uint64](math.MaxUint64 - 10)
		for i := range uint64(32) {
			d.Push(i)
		}
		thief := d.StallSteal()
		if taken {
			_, r := d.Steal()
			require.Equal(t, lockfree.StealOK, r)
		}
		for i := range uint64(200) {
			d.Push(1000 + i)
		}
		require.Equal(t, 256, d.Slots())
		v, r := thief.Swap()
		if taken {
			require.Equal(t, lockfree.StealRetry, r)
		} else {
			require.Equal(t, lockfree.StealOK, r)
			require.Zero(t, v)
		}
		v, r = d.Steal()
		require.Equal(t, lockfree.StealOK, r)
		require.EqualValues(t, 1, v)
	}
}

// Whoever swaps first gets the last element, the owner or a thief, not both.
func TestDequeLastElement(t *testing.T) {
	var d lockfree.Deque[uint64]
	d.Push(1)
	thief := d.StallSteal()
	v, ok := d.Pop()
	require.True(t, ok)
	require.EqualValues(t, 1, v)
	_, r := thief.Swap()
	require.Equal(t, lockfree.StealRetry, r)

	d.Push(2)
	thief = d.StallSteal()
	v, r = thief.Swap()
	require.Equal(t, lockfree.StealOK, r)
	require.EqualValues(t, 2, v)
	_, ok = d.Pop()
	require.False(t, ok)
	require.True(t, d.Empty())
	d.Push(3)
	v, ok = d.Pop()
	require.True(t, ok)
	require.EqualValues(t, 3, v)
}

// Thieves that read bottom before the owner lowered it may bring top up to it and beyond. The
// owner then races for the last element or gets nothing, and the deque is in order again.
func TestDequeThievesCatchUp(t *testing.T) {
	for steals := range uint64(3) {
		d := lockfree.NewDequeAt[uint64](math.MaxUint64 - 1)
		d.Push(1)
		d.Push(2)
		look := d.StallPop()
		for i := range steals {
			v, r := d.StallSteal().Swap()
			require.Equal(t, lockfree.StealOK, r)
			require.Equal(t, 1+i, v)
		}
		v, ok := look()
		require.Equal(t, steals < 2, ok)
		if ok {
			require.EqualValues(t, 2, v)
		}
		require.Equal(t, steals > 0, d.Empty())
		for i := range uint64(5) {
			d.Push(3 + i)
		}
		if steals == 0 {
			v, r := d.Steal()
			require.Equal(t, lockfree.StealOK, r)
			require.EqualValues(t, 1, v)
		}
		require.Equal(t, 5, d.Len(), "bottom was put right")
		for i := range uint64(5) {
			v, r := d.Steal()
			require.Equal(t, lockfree.StealOK, r)
			require.Equal(t, 3+i, v)
		}
	}
}

// All yields what is there from the newest to the oldest, across the end of the buffer too, and
// leaves it.
func TestDequeAll(t *testing.T) {
	for _, start := range []uint64{0, 29, math.MaxUint64 - 5} {
		d := lockfree.NewDequeAt[uint64](start)
		require.Empty(t, slices.Collect(d.All()))
		for i := range uint64(12) {
			d.Push(i)
		}
		d.Steal()
		require.Equal(t, []uint64{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, slices.Collect(d.All()))
		for v := range d.All() {
			require.Equal(t, uint64(11), v)
			break
		}
		require.Equal(t, 11, d.Len())
	}
}

// Newest says what Pop would take, and leaves it, whoever took what before, and wherever the
// element lies.
func TestDequeNewest(t *testing.T) {
	var d lockfree.Deque[uint64]
	_, ok := d.Newest()
	require.False(t, ok, "never pushed to")
	for below := range uint64(40) {
		d := lockfree.NewDequeAt[uint64](math.MaxUint64 - below)
		next, oldest := uint64(0), uint64(0)
		look := func() {
			v, ok := d.Newest()
			require.Equal(t, d.Len() > 0, ok)
			if ok {
				require.Equal(t, next-1, v)
			} else {
				require.Zero(t, v)
			}
		}
		look()
		for range 50 { // grows once
			d.Push(next)
			next++
			look()
		}
		for range 20 {
			v, r := d.Steal()
			require.Equal(t, lockfree.StealOK, r)
			require.Equal(t, oldest, v)
			oldest++
			look()
			next--
			v, ok := d.Pop()
			require.True(t, ok)
			require.Equal(t, next, v)
			look()
		}
		for d.Len() > 0 {
			d.Steal()
			look()
		}
		d.PushAll([]uint64{next, next + 1})
		next += 2
		look()
	}
}

// Every element is taken exactly once, by the owner or by a thief, and a thief sees rising
// values. The owner keeps the deque short, so that it and the thieves fight for the last.
func TestDequeOwnerAgainstThieves(t *testing.T) {
	for name, start := range map[string]uint64{"zero": 0, "wrapping": math.MaxUint64 - 100} {
		t.Run(name, func(t *testing.T) {
			const thieves = 3
			n := short.Scaled(200_000)
			d := lockfree.NewDequeAt[uint64](start)
			var stop atomics.Bool
			taken := make([][]uint64, thieves+1)
			var wg sync.WaitGroup
			for k := range thieves {
				wg.Go(func() {
					buf := make([]uint64, 1+10*k) // the first takes one at a time
					for {
						over := stop.Load()
						n, r := d.StealN(buf)
						switch {
						case r == lockfree.StealOK:
							taken[k] = append(taken[k], buf[:n]...)
						case r == lockfree.StealEmpty && over:
							return
						case r == lockfree.StealEmpty:
							runtime.Gosched()
						}
					}
				})
			}
			own := &taken[thieves]
			for i := range uint64(n) {
				d.Push(i)
				if v, ok := d.Newest(); ok && v != i {
					t.Fatalf("the newest is %d and not %d", v, i)
				}
				if i%4 != 0 {
					v, ok := d.Newest()
					w, popped := d.Pop()
					if popped {
						*own = append(*own, w)
					}
					if popped && !ok || popped && v != w {
						t.Fatalf("the newest was %d %t, and then %d was popped", v, ok, w)
					}
				}
				if i%64 == 0 {
					for range 20 {
						if v, ok := d.Pop(); ok {
							*own = append(*own, v)
						}
					}
				}
			}
			stop.Store(true)
			wg.Wait()
			for {
				v, ok := d.Pop()
				if !ok {
					break
				}
				*own = append(*own, v)
			}
			seen := make([]bool, n)
			for k, values := range taken {
				for i, v := range values {
					if seen[v] {
						t.Fatalf("element %d was taken twice", v)
					}
					seen[v] = true
					if k < thieves && i > 0 && v <= values[i-1] {
						t.Fatalf("thief %d stole %d after %d", k, v, values[i-1])
					}
				}
			}
			require.NotContains(t, seen, false)
		})
	}
}

// A thief is told that the deque is empty only if it was: here nothing is pushed or popped
// while the thieves work, so for the first of them it must stay empty.
func TestTrap10_StealNoFalseEmpty(t *testing.T) {
	for range short.Scaled(500) {
		var d lockfree.Deque[uint64]
		for i := range uint64(40) {
			d.Push(i)
		}
		const thieves = 3
		var left [thieves]int
		var wg sync.WaitGroup
		for k := range thieves {
			wg.Go(func() {
				for {
					if _, r := d.Steal(); r == lockfree.StealEmpty {
						left[k] = d.Len()
						return
					}
				}
			})
		}
		wg.Wait()
		require.Zero(t, left)
	}
}

func TestTrap13_DequePositionsWrap(t *testing.T) {
	for below := range uint64(70) {
		d := lockfree.NewDequeAt[uint64](math.MaxUint64 - below)
		for i := range uint64(100) { // grows twice
			d.Push(i)
		}
		require.Equal(t, 100, d.Len())
		for i := range uint64(50) {
			v, r := d.Steal()
			require.Equal(t, lockfree.StealOK, r)
			require.Equal(t, i, v)
			v, ok := d.Pop()
			require.True(t, ok)
			require.Equal(t, 99-i, v)
		}
		require.True(t, d.Empty())
	}
}

// The happens-before edge of a steal, for the race detector.
func TestDequeSynchronizes(t *testing.T) {
	var d lockfree.Deque[uint64]
	n := short.Scaled(2000)
	payload := make([]int, n)
	var wg sync.WaitGroup
	sum := 0
	wg.Go(func() {
		for got := 0; got < n; {
			v, r := d.Steal()
			if r != lockfree.StealOK {
				runtime.Gosched()
				continue
			}
			sum += payload[v]
			got++
		}
	})
	for i := range n {
		payload[i] = i
		d.Push(uint64(i))
	}
	wg.Wait()
	require.Equal(t, n*(n-1)/2, sum)
}

// A batch that needs several doublings, and one that fits only since thieves made room.
func TestDequePushAllMakesRoom(t *testing.T) {
	d := lockfree.NewDequeAt[uint64](math.MaxUint64 - 30)
	vs := make([]uint64, 1000)
	for i := range vs {
		vs[i] = uint64(i)
	}
	d.PushAll(nil)
	d.PushAll(vs[:20])
	for range 15 {
		d.Steal()
	}
	d.PushAll(vs[20:40])
	require.Equal(t, 32, d.Slots())
	require.Equal(t, 25, d.Len())
	d.PushAll(vs[40:])
	require.Equal(t, 1024, d.Slots())
	for i := uint64(15); i < 500; i++ {
		v, r := d.Steal()
		require.Equal(t, lockfree.StealOK, r)
		require.Equal(t, i, v)
	}
	for i := uint64(999); i >= 500; i-- {
		v, ok := d.Pop()
		require.True(t, ok)
		require.Equal(t, i, v)
	}
	require.True(t, d.Empty())
}
