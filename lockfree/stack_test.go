package lockfree_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/lockfree"
)

func TestStackPopAll(t *testing.T) {
	var s lockfree.Stack[int]
	require.Nil(t, s.PopAll(nil))
	buf := []int{-1}
	require.Equal(t, []int{-1}, s.PopAll(buf))
	for i := range 100 {
		s.Push(i)
	}
	all := s.PopAll(buf)
	require.Len(t, all, 101)
	require.Equal(t, -1, all[0])
	for i := range 100 {
		require.Equal(t, 99-i, all[1+i], "the newest comes first")
	}
	require.True(t, s.Empty())
	require.Zero(t, s.Len())
	mustNotPop(t, &s)

	for i := range 100 {
		s.Push(i)
	}
	require.Equal(t, 100, s.Nodes(), "the nodes are used again")
	require.Equal(t, 100, s.Len())
	mustPop(t, &s, 99)
}

func TestStackPopAllAllocatesNothing(t *testing.T) {
	var s lockfree.Stack[int]
	buf := make([]int, 0, 8)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		s.Push(1)
		s.Push(2)
		s.Push(3)
		buf = s.PopAll(buf[:0])
	}))
	require.Equal(t, []int{3, 2, 1}, buf)
}

func TestStackPopAllFreesValues(t *testing.T) {
	type big struct{ _ [1 << 10]byte }
	var s lockfree.Stack[*big]
	var refs []weak.Pointer[big]
	for range 10 {
		p := new(big)
		refs = append(refs, weak.Make(p))
		s.Push(p)
	}
	require.Len(t, s.PopAll(nil), 10)
	runtime.GC()
	for _, ref := range refs {
		require.Nil(t, ref.Value())
	}
	runtime.KeepAlive(&s)
}

// A Pop that stopped between reading the link and the swap must fail if its node was popped
// meanwhile, although the same node is on top again, above another one.
func TestTrap13_StackABA(t *testing.T) {
	for name, start := range map[string]uint64{"zero": 0, "wrapping": lockfree.TakingsLimit - 2} {
		t.Run(name, func(t *testing.T) {
			s := lockfree.NewStackAt[int](start)
			s.Push(1)
			s.Push(2)
			late := s.StallTake()
			mustPop(t, s, 2)
			mustPop(t, s, 1)
			s.Push(3) // the node of 1: it was freed last
			s.Push(4) // the node of 2
			require.Equal(t, 2, s.Nodes())
			require.False(t, late.Swap(), "took a node by a link from an earlier life")
			mustPop(t, s, 4)
			mustPop(t, s, 3)

			s.Push(5)
			late = s.StallTake()
			s.Push(6)
			require.False(t, late.Swap())
			mustPop(t, s, 6)
			require.False(t, late.Swap())
			late = s.StallTake()
			s.PopAll(nil)
			s.Push(7)
			require.False(t, late.Swap())
			require.True(t, s.StallTake().Swap())
		})
	}
}

func TestTrap13_StackCountsWrap(t *testing.T) {
	s := lockfree.NewStackAt[int](lockfree.TakingsLimit - 3)
	for i := range 10 {
		s.Push(i)
		s.Push(-i)
		mustPop(t, s, -i)
	}
	head, free := s.Takings()
	require.EqualValues(t, 7, head)
	require.EqualValues(t, 6, free, "all pushes but that of a new node take a free one")
	require.Equal(t, 10, s.Len())
}

func TestStackIsFull(t *testing.T) {
	var s lockfree.Stack[int]
	s.Push(1)
	s.Exhaust()
	require.PanicsWithValue(t, "lockfree: too many values in one container", func() { s.Push(2) })
	mustPop(t, &s, 1)
	s.Push(3)
	mustPop(t, &s, 3)
}

func TestArenaLocate(t *testing.T) {
	page, place := 0, uint32(0)
	for index := uint32(1); index < 10_000; index++ {
		p, at := lockfree.Locate(index)
		require.Equal(t, page, p)
		require.Equal(t, place, at)
		if place++; place == lockfree.FirstPage<<page {
			page, place = page+1, 0
		}
	}
	page, place = lockfree.Locate(lockfree.MaxNodes)
	require.Equal(t, lockfree.PageCount-1, page)
	require.EqualValues(t, lockfree.FirstPage<<page-1, place, "the last node fills the last page")
}

// What PopAll takes in one step is what was there: of the values of one pusher, those that are
// still there are all older than those that were taken.
func TestStackPopAllIsOneStep(t *testing.T) {
	var s lockfree.Stack[int]
	n := short.Scaled(50_000)
	var wg sync.WaitGroup
	for p := range 2 {
		wg.Go(func() {
			for i := range n {
				s.Push(i<<1 | p)
			}
		})
	}
	next := [2]int{}
	total := 0
	for total < 2*n {
		all := s.PopAll(nil)
		if len(all) == 0 {
			runtime.Gosched()
		}
		for _, v := range slices.Backward(all) {
			if next[v&1] != v>>1 {
				t.Fatalf("value %d of pusher %d came when %d was due", v>>1, v&1, next[v&1])
			}
			next[v&1]++
			total++
		}
	}
	wg.Wait()
	require.True(t, s.Empty())
	require.LessOrEqual(t, s.Nodes(), 2*n)
}

// Len may be asked at any time; it ends although the nodes move under it.
func TestStackLenWhileBusy(t *testing.T) {
	var s lockfree.Stack[int]
	for i := range 5 {
		s.Push(i)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range short.Scaled(20_000) {
				s.Push(i)
				s.Pop()
			}
		})
	}
	for range short.Scaled(20_000) {
		if n := s.Len(); n < 0 || n > 7 {
			t.Fatalf("Len %d of at most 7", n)
		}
	}
	wg.Wait()
	require.Equal(t, 5, s.Len())
}

// A batch takes free nodes as far as there are, in whatever order they lie.
func TestStackPushAll(t *testing.T) {
	s := lockfree.NewStackAt[int](lockfree.TakingsLimit - 2)
	s.PushAll(nil)
	require.True(t, s.Empty())
	s.PushAll([]int{1, 2, 3})
	require.Equal(t, 3, s.Nodes())
	mustPop(t, s, 3)
	mustPop(t, s, 2)
	s.PushAll([]int{4, 5, 6, 7})
	require.Equal(t, 5, s.Nodes(), "two were free")
	require.Equal(t, []int{7, 6, 5, 4, 1}, s.PopAll(nil))
	s.PushAll([]int{8, 9})
	mustPop(t, s, 9)
	s.Push(10)
	require.Equal(t, 5, s.Nodes())
	require.Equal(t, []int{10, 8}, s.PopAll(nil))
}

// A PushAll is there as a whole or not at all.
func TestStackPushAllIsOneStep(t *testing.T) {
	var s lockfree.Stack[int]
	n := short.Scaled(20_000)
	var wg sync.WaitGroup
	for p := range 2 {
		wg.Go(func() {
			for i := range n {
				s.PushAll([]int{i<<3 | p<<2, i<<3 | p<<2 | 1, i<<3 | p<<2 | 2})
			}
		})
	}
	buf := []int(nil)
	for total := 0; total < 2*n*3; {
		buf = s.PopAll(buf[:0])
		if len(buf)%3 != 0 {
			t.Fatalf("%d values of batches of 3", len(buf))
		}
		for i := 0; i < len(buf); i += 3 {
			if buf[i]&3 != 2 || buf[i+1] != buf[i]-1 || buf[i+2] != buf[i]-2 {
				t.Fatalf("a batch came as %d, %d, %d", buf[i], buf[i+1], buf[i+2])
			}
		}
		total += len(buf)
		runtime.Gosched()
	}
	wg.Wait()
}

func TestStackIsFullForABatch(t *testing.T) {
	var s lockfree.Stack[int]
	s.Push(1)
	s.Exhaust()
	require.Panics(t, func() { s.PushAll([]int{2, 3}) })
	mustPop(t, &s, 1)
	mustNotPop(t, &s)
	s.Push(4)
	mustPop(t, &s, 4)
}
