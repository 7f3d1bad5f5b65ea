package lockfree_test

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

// A PushAll that finds no room for all pushes none, and takes no node for good.
func TestStackPushAllRefusedLosesNoNodes(t *testing.T) {
	var s lockfree.Stack[int]
	for i := range 10 {
		s.Push(i)
	}
	for range 10 {
		s.Pop()
	}
	s.Exhaust()
	for range 3 {
		require.PanicsWithValue(t, "lockfree: too many values in one container", func() {
			s.PushAll(make([]int, 11))
		})
		require.True(t, s.Empty())
	}
	s.PushAll([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	require.Equal(t, 10, s.Len())
	require.PanicsWithValue(t, "lockfree: too many values in one container", func() { s.Push(11) })
}

// A link that no list can hold is refused, and the list is as it was.
func TestClosableHeadRefusesBadLinks(t *testing.T) {
	var h lockfree.ClosableHead
	next := make([]uint32, 4)
	require.True(t, h.TryPush(0, 3, &next[3]))
	for _, link := range []uint32{0, lockfree.MaxLink + 1, 1<<32 - 1} {
		require.PanicsWithValue(t,
			fmt.Sprintf("lockfree: link %d of a ClosableHead, not 1 to 2147483647", link), func() {
				h.TryPush(0, link, &next[0])
			})
	}
	list, ok := h.Close(0)
	require.True(t, ok)
	require.Equal(t, uint32(3), list)
}

// A list that was turned round leads from the first to the last; turned round again, back.
func TestReverseLinks(t *testing.T) {
	var h lockfree.ClosableHead
	words := make([]uint32, 5)
	next := func(link uint32) *uint32 { return &words[link] }
	for link := uint32(1); link < 5; link++ {
		h.TryPush(0, link, &words[link])
	}
	list, _ := h.Close(0)
	first := lockfree.ReverseLinks(list, next)
	require.Equal(t, uint32(1), first)
	require.Equal(t, []uint32{0, 2, 3, 4, 0}, words)
	require.Equal(t, uint32(4), lockfree.ReverseLinks(first, next))
	require.Equal(t, []uint32{0, 0, 1, 2, 3}, words)
	require.Zero(t, lockfree.ReverseLinks(0, next))
}

func TestZeroRingPanics(t *testing.T) {
	for name, call := range map[string]func(r *lockfree.Ring[int]){
		"TryPush":  func(r *lockfree.Ring[int]) { r.TryPush(1) },
		"TryPop":   func(r *lockfree.Ring[int]) { r.TryPop() },
		"TryPushN": func(r *lockfree.Ring[int]) { r.TryPushN([]int{1}) },
		"TryPopN":  func(r *lockfree.Ring[int]) { r.TryPopN(make([]int, 1)) },
	} {
		require.PanicsWithValue(t, "lockfree: a Ring that NewRing has not made", func() {
			call(new(lockfree.Ring[int]))
		}, name)
	}
}

// What no machine has room for is refused by the package, not by the runtime.
func TestHugeCounts(t *testing.T) {
	const huge = 1<<31 - 1
	require.PanicsWithValue(t, "lockfree: Ring of capacity 2147483647, not 1 to 2^30", func() {
		lockfree.NewRing[int](huge)
	})
	require.PanicsWithValue(t, "lockfree: SPSCRing of capacity 2147483647, not 1 to 2^30", func() {
		lockfree.NewSPSCRing[int](huge)
	})
	require.PanicsWithValue(t, "lockfree: PriorityQueue with 2147483647 levels, not 1 to 65536",
		func() { lockfree.NewPriorityQueue[int](huge) })
}

// The garbage of a Push is what the comment of Queue says.
func TestQueueMakesTheGarbageThatItSays(t *testing.T) {
	type value [1 << 10]byte
	var q lockfree.Queue[value]
	const n = 4096
	for range n { // up to the longest segments
		q.Push(value{})
		q.Pop()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		q.Push(value{})
		q.Pop()
	}
	runtime.ReadMemStats(&after)
	require.InDelta(t, 1<<10+4, (after.TotalAlloc-before.TotalAlloc)/n, 16)
}

// Go vet reports the copy of a type with a field that has Lock and Unlock, as the words have.
func TestCopiesAreReported(t *testing.T) {
	for _, of := range []reflect.Type{
		reflect.TypeFor[lockfree.PriorityQueue[int]](),
		reflect.TypeFor[lockfree.StallingQueue[int]](), reflect.TypeFor[lockfree.Queue[int]](),
		reflect.TypeFor[lockfree.Ring[int]](), reflect.TypeFor[lockfree.Stack[int]](),
		reflect.TypeFor[lockfree.ClosableHead](),
	} {
		found := false
		for i := range of.NumField() {
			f := of.Field(i).Type
			if f.Kind() == reflect.Array {
				f = f.Elem()
			}
			found = found || f.PkgPath() == reflect.TypeFor[atomics.Uint32]().PkgPath()
		}
		require.True(t, found, "%v", of)
	}
}
