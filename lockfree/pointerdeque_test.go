package lockfree_test

import (
	"math"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/lockfree"
)

// numbers are things to point to.
var numbers = func() (n [2000]int) {
	for i := range n {
		n[i] = i
	}
	return n
}()

func TestPointerDequeStealsOldestFirst(t *testing.T) {
	var d lockfree.PointerDeque[int]
	_, r := d.Steal()
	require.Equal(t, lockfree.StealEmpty, r, "never pushed to")
	for i := range 100 {
		d.Push(&numbers[i])
	}
	for i := range 50 {
		p, r := d.Steal()
		require.Equal(t, lockfree.StealOK, r)
		require.Same(t, &numbers[i], p)
		p, ok := d.Pop()
		require.True(t, ok)
		require.Same(t, &numbers[99-i], p)
	}
	require.True(t, d.Empty())
	_, r = d.Steal()
	require.Equal(t, lockfree.StealEmpty, r)
	_, ok := d.Pop()
	require.False(t, ok)
	require.Zero(t, d.Kept())
}

func TestPointerDequeHoldsNil(t *testing.T) {
	var d lockfree.PointerDeque[int]
	d.PushAll([]*int{nil, nil})
	p, r := d.Steal()
	require.Equal(t, lockfree.StealOK, r)
	require.Nil(t, p)
	p, ok := d.Pop()
	require.True(t, ok)
	require.Nil(t, p)
}

// The live part wanders through the buffer, which grows and does not lose or keep a pointer.
func TestPointerDequeGrows(t *testing.T) {
	for _, below := range []uint64{0, 5, 40} {
		d := lockfree.NewPointerDequeAt[int](math.MaxUint64 - below)
		next := 0
		for i := range 1000 {
			d.Push(&numbers[i])
			if i%3 == 0 {
				p, r := d.Steal()
				require.Equal(t, lockfree.StealOK, r)
				require.Same(t, &numbers[next], p)
				next++
			}
		}
		require.Equal(t, 1024, d.Slots())
		for i := 999; i >= next; i-- {
			p, ok := d.Pop()
			require.True(t, ok)
			require.Same(t, &numbers[i], p)
			require.Equal(t, i-next, d.Kept())
		}
	}
}

func TestPointerDequeDoesNotGrowWhenStolenFrom(t *testing.T) {
	var d lockfree.PointerDeque[int]
	for range 10_000 {
		d.Push(&numbers[1])
		_, r := d.Steal()
		require.Equal(t, lockfree.StealOK, r)
	}
	require.Equal(t, 32, d.Slots())
	require.LessOrEqual(t, d.Kept(), 32)
	d.Pop()
	require.Zero(t, d.Kept(), "the owner's next Pop clears what was stolen")
}

// A batch that needs several doublings, and one that fits only since thieves made room.
func TestPointerDequePushAllMakesRoom(t *testing.T) {
	var d lockfree.PointerDeque[int]
	ps := make([]*int, 1000)
	for i := range ps {
		ps[i] = &numbers[i]
	}
	d.PushAll(ps[:20])
	for range 15 {
		d.Steal()
	}
	d.PushAll(ps[20:40])
	require.Equal(t, 32, d.Slots())
	require.Equal(t, 25, d.Len())
	d.PushAll(ps[40:])
	require.Equal(t, 1024, d.Slots())
	for i := 15; i < 1000; i++ {
		p, r := d.Steal()
		require.Equal(t, lockfree.StealOK, r)
		require.Same(t, ps[i], p)
	}
}

// A thief that stopped before its swap either gets what it read, although the owner has replaced
// the buffer, or gets nothing, although the owner cleared the slot or used it again.
func TestPointerDequeStalledThief(t *testing.T) {
	for _, taken := range []bool{false, true} {
		d := lockfree.NewPointerDequeAt[int](math.MaxUint64 - 10)
		for i := range 32 {
			d.Push(&numbers[i])
		}
		thief := d.StallSteal()
		if taken {
			_, r := d.Steal()
			require.Equal(t, lockfree.StealOK, r)
			d.Push(&numbers[0]) // into the same slot, the same pointer
			require.Equal(t, 32, d.Slots())
		}
		for i := range 200 {
			d.Push(&numbers[i])
		}
		p, r := thief.Swap()
		if taken {
			require.Equal(t, lockfree.StealRetry, r)
		} else {
			require.Equal(t, lockfree.StealOK, r)
			require.Same(t, &numbers[0], p)
		}
		p, r = d.Steal()
		require.Equal(t, lockfree.StealOK, r)
		require.Same(t, &numbers[1], p)
	}
}

// Whoever swaps first gets the last element, and its slot is cleared either way.
func TestPointerDequeLastElement(t *testing.T) {
	var d lockfree.PointerDeque[int]
	d.Push(&numbers[1])
	thief := d.StallSteal()
	p, ok := d.Pop()
	require.True(t, ok)
	require.Same(t, &numbers[1], p)
	require.Zero(t, d.Kept())
	_, r := thief.Swap()
	require.Equal(t, lockfree.StealRetry, r)

	d.Push(&numbers[2])
	_, r = d.StallSteal().Swap()
	require.Equal(t, lockfree.StealOK, r)
	require.Equal(t, 1, d.Kept())
	_, ok = d.Pop()
	require.False(t, ok)
	require.Zero(t, d.Kept())
}

// Thieves bring top up to where the owner has lowered bottom to, or beyond.
func TestPointerDequeThievesCatchUp(t *testing.T) {
	for steals := range 3 {
		d := lockfree.NewPointerDequeAt[int](math.MaxUint64 - 1)
		d.Push(&numbers[1])
		d.Push(&numbers[2])
		look := d.StallPop()
		for i := range steals {
			p, r := d.StallSteal().Swap()
			require.Equal(t, lockfree.StealOK, r)
			require.Same(t, &numbers[1+i], p)
		}
		p, ok := look()
		require.Equal(t, steals < 2, ok)
		if ok {
			require.Same(t, &numbers[2], p)
		}
		require.Equal(t, max(1-steals, 0), d.Len())
		require.Equal(t, max(1-steals, 0), d.Kept())
		for i := range 5 {
			d.Push(&numbers[3+i])
		}
		require.Equal(t, 5+max(1-steals, 0), d.Len(), "bottom was put right")
		for i := range 5 {
			p, ok := d.Pop()
			require.True(t, ok)
			require.Same(t, &numbers[7-i], p)
		}
	}
}

// What was popped is not kept alive; what was stolen is until the next Pop at most.
func TestPointerDequeFreesPointers(t *testing.T) {
	type big struct{ _ [1 << 10]byte }
	var d lockfree.PointerDeque[big]
	var refs [40]weak.Pointer[big]
	for i := range refs {
		p := new(big)
		refs[i] = weak.Make(p)
		d.Push(p)
	}
	for range 10 {
		_, r := d.Steal()
		require.Equal(t, lockfree.StealOK, r)
	}
	for range 10 {
		_, ok := d.Pop()
		require.True(t, ok)
	}
	runtime.GC()
	for i := range refs {
		if i < 10 || i >= 30 {
			require.Nil(t, refs[i].Value(), "element %d is kept alive", i)
		} else {
			require.NotNil(t, refs[i].Value(), "element %d was freed", i)
		}
	}
	runtime.KeepAlive(&d)
}
