package lockfree_test

import (
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/lockfree"
)

func TestClosableList(t *testing.T) {
	var l lockfree.ClosableList[int]
	require.False(t, l.Closed())
	want := []int{-1}
	for i := range 100 {
		require.True(t, l.TryPush(i))
		want = append(want, i)
	}
	items, ok := l.Close([]int{-1})
	require.True(t, ok)
	require.Equal(t, want, items, "in the order of registration, behind what buf held")
	require.True(t, l.Closed())

	require.False(t, l.TryPush(7))
	items, ok = l.Close([]int{5})
	require.False(t, ok)
	require.Equal(t, []int{5}, items)
}

func TestClosableListClosesEmpty(t *testing.T) {
	var l lockfree.ClosableList[string]
	items, ok := l.Close(nil)
	require.True(t, ok, "also an empty list is closed exactly once")
	require.Empty(t, items)
	require.True(t, l.Closed())
	require.False(t, l.TryPush("late"))
	_, ok = l.Close(nil)
	require.False(t, ok)
}

func TestClosableListUsesRoom(t *testing.T) {
	var l lockfree.ClosableList[int]
	for i := range 4 {
		l.TryPush(i)
	}
	buf := make([]int, 1, 8)
	items, ok := l.Close(buf)
	require.True(t, ok)
	require.Same(t, &buf[0], &items[0], "buf had room enough")
	require.Equal(t, []int{0, 0, 1, 2, 3}, items)
}

func TestClosableListLetsGo(t *testing.T) {
	type big struct{ _ [1 << 10]byte }
	var l lockfree.ClosableList[*big]
	var refs []weak.Pointer[big]
	for range 50 {
		p := new(big)
		refs = append(refs, weak.Make(p))
		l.TryPush(p)
	}
	require.NotZero(t, l.Pages())
	items, _ := l.Close(nil)
	require.Len(t, items, 50)
	items = nil
	require.False(t, l.TryPush(new(big)))
	require.Zero(t, l.Pages())
	runtime.GC()
	for _, ref := range refs {
		require.Nil(t, ref.Value())
	}
	runtime.KeepAlive(&l)
}

// Whatever TryPush accepted, Close returns, and nothing else; one Close gets it all.
func TestTrap04_CloseAndAddInOneStep(t *testing.T) {
	for round := range short.Scaled(2000) {
		var l lockfree.ClosableList[int]
		const pushers, closers = 3, 2
		var accepted [pushers]int
		var taken [][]int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for p := range pushers {
			wg.Go(func() {
				for i := 0; i < 200 && l.TryPush(p<<16|i); i++ {
					accepted[p]++
				}
			})
		}
		var started atomics.Uint32
		for range closers {
			wg.Go(func() {
				for started.Add(1); started.Load() < closers; {
					runtime.Gosched()
				}
				for range round % 50 {
					atomics.Pause(1)
				}
				if items, ok := l.Close(nil); ok {
					mu.Lock()
					taken = append(taken, items)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		require.Len(t, taken, 1, "exactly one Close")
		var next [pushers]int
		for _, v := range taken[0] {
			p, i := v>>16, v&0xffff
			require.Equal(t, next[p], i, "in the order of registration")
			next[p]++
		}
		require.Equal(t, accepted, next, "what was accepted is what was taken")
	}
}

// A TryPush that overlaps Close may make a page after Close has dropped all; it does not keep it.
func TestClosableListKeepsNoPageAfterClose(t *testing.T) {
	for range short.Scaled(3000) {
		var l lockfree.ClosableList[[64]int]
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for l.TryPush([64]int{}) {
				}
			})
		}
		_, ok := l.Close(nil)
		wg.Wait()
		require.True(t, ok)
		require.Zero(t, l.Pages())
	}
}
