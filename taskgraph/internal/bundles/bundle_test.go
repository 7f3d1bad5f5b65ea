package bundles_test

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/bundles"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// A bundleHome is a slot of these tests: its bundles, which hold numbers. Each goes with a tag that
// is known by the number, and comes with it.
type bundleHome struct {
	bundles.Bundles[bag, int]
	tags []uint64 // room for those of a bundle, or nil: there are none
}

func (h *bundleHome) Put(of *bag, v int) bool { return h.Bundles.Put(of, v, tagOf(v)) }

func (h *bundleHome) Open(of *bag, v int) *bundles.Bundle[bag, int] {
	return h.Bundles.Open(of, v, tagOf(v))
}

func (h *bundleHome) Fill(of *bag, vs []int) *bundles.Bundle[bag, int] {
	var tags []uint64
	for _, v := range vs {
		tags = append(tags, tagOf(v))
	}
	return h.Bundles.Fill(of, vs, tags)
}

func (h *bundleHome) Top(b *bundles.Bundle[bag, int]) (v int, ok bool) {
	v, tag, ok := h.Bundles.Top(b)
	if ok {
		h.check(v, tag)
	}
	return v, ok
}

func (h *bundleHome) Take(b *bundles.Bundle[bag, int], buf []int) (v int, rest []int, more bool,
	unused int) {
	v, tag, rest, more, unused := h.Bundles.Take(b, buf, h.tags)
	h.check(v, tag)
	for i, v := range rest {
		if h.tags != nil {
			h.check(v, h.tags[i])
		}
	}
	return v, rest, more, unused
}

func (h *bundleHome) check(v int, tag uint64) {
	want := tagOf(v)
	if h.tags == nil {
		want = 0
	}
	if tag != want {
		panic(fmt.Sprintf("%d has the tag %d", v, tag))
	}
}

func tagOf(v int) uint64 { return uint64(v) + 1 }

// bundleHomes returns slots whose values have tags.
func bundleHomes(n int) (homes []*bundleHome, pool *bundles.Pool[bag, int]) {
	pool = new(bundles.Pool[bag, int])
	pool.Tag()
	for range n {
		h := &bundleHome{tags: make([]uint64, bundles.BundleSize)}
		h.Use(pool)
		homes = append(homes, h)
	}
	return homes, pool
}

// The newest comes first, the last one only when the entry is popped, and each turn has so many
// places.
func TestBundleAtHome(t *testing.T) {
	homes, _ := bundleHomes(1)
	h, a, b := homes[0], new(bag), new(bag)
	require.False(t, h.Put(a, 7), "none is open")
	for range 3 {
		x := h.Open(a, 0)
		require.Same(t, a, x.Of())
		require.Same(t, x, h.At(x.Number()))
		require.False(t, h.Put(b, 7), "another owner's")
		for i := 1; i < bundles.BundleSize/2; i++ {
			require.True(t, h.Put(a, i))
		}
		v, ok := h.Top(x)
		require.True(t, ok)
		require.Equal(t, bundles.BundleSize/2-1, v)
		for i := bundles.BundleSize / 2; i < bundles.BundleSize; i++ {
			require.True(t, h.Put(a, i))
		}
		require.False(t, h.Put(a, 7), "all places were used")
		for i := bundles.BundleSize - 1; i > 0; i-- {
			if i == bundles.BundleSize/2-1 {
				continue
			}
			if i%2 == 0 {
				v, ok := h.Top(x)
				require.True(t, ok)
				require.Equal(t, i, v)
				continue
			}
			v, rest, more, unused := h.Take(x, nil)
			require.Equal(t, i, v)
			require.Empty(t, rest)
			require.True(t, more)
			require.Zero(t, unused)
		}
		_, ok = h.Top(x)
		require.False(t, ok, "the last")
		v, _, more, unused := h.Take(x, nil)
		require.Equal(t, 0, v)
		require.False(t, more)
		require.Zero(t, unused)
		require.False(t, h.Put(a, 7), "it is not open any more")
		require.Nil(t, x.Of(), "or it would keep its owner alive")
	}
}

// Of two values the newer one is on top, and the other one is the last.
func TestBundleOfTwo(t *testing.T) {
	homes, _ := bundleHomes(1)
	h, a := homes[0], new(bag)
	x := h.Open(a, 0)
	require.True(t, h.Put(a, 1))
	v, ok := h.Top(x)
	require.True(t, ok)
	require.Equal(t, 1, v)
	_, ok = h.Top(x)
	require.False(t, ok)
}

// Who is not home gets everything, in the order in which it came, and home gets the bundle back.
func TestBundleAway(t *testing.T) {
	homes, _ := bundleHomes(2)
	h, thief, a := homes[0], homes[1], new(bag)
	seen := map[*bundles.Bundle[bag, int]]bool{}
	for n := 1; n <= bundles.BundleSize; n++ {
		x := h.Open(a, 0)
		seen[x] = true
		for i := 1; i < n; i++ {
			require.True(t, h.Put(a, i))
		}
		_, ok := thief.Top(x)
		require.False(t, ok)
		v, rest, more, unused := thief.Take(thief.At(x.Number()),
			make([]int, 0, bundles.BundleSize))
		require.Equal(t, 0, v)
		require.False(t, more)
		require.Equal(t, bundles.BundleSize-n, unused)
		require.Len(t, rest, n-1)
		for i, v := range rest {
			require.Equal(t, i+1, v)
		}
		require.False(t, h.Put(a, 7), "all was taken")
		_, ok = h.Top(x)
		require.False(t, ok, "all was taken")
		h.TakeBack()
		require.Nil(t, x.Of())
		require.False(t, h.Put(a, 7), "it is idle")
	}
	require.Len(t, seen, 1, "it comes back")
}

func TestBundleFilled(t *testing.T) {
	homes, _ := bundleHomes(2)
	a := new(bag)
	for at, h := range homes {
		x := homes[0].Fill(a, []int{3, 4, 5})
		require.False(t, homes[0].Put(a, 6), "it is full")
		var got []int
		for {
			v, rest, more, unused := h.Take(x, nil)
			require.Zero(t, unused)
			got = append(append(got, v), rest...)
			if !more {
				break
			}
		}
		require.Equal(t, [][]int{{3, 4, 5}, {5, 4, 3}}[at], got, "home takes the newest first")
	}
}

func TestBundleLone(t *testing.T) {
	homes, pool := bundleHomes(1)
	a := new(bag)
	seen := map[uint32]bool{}
	for i := range 100 {
		x := pool.Lone(a, i, tagOf(i), false)
		seen[x.Number()] = true
		require.Same(t, a, x.Of())
		if i%3 == 0 {
			pool.DropLone(x.Number())
			require.Nil(t, x.Of())
			continue
		}
		_, ok := homes[0].Top(x)
		require.False(t, ok)
		v, rest, more, unused := homes[0].Take(x, nil)
		require.Equal(t, i, v)
		require.Empty(t, rest)
		require.False(t, more)
		require.Zero(t, unused)
		require.Nil(t, x.Of())
	}
	require.Len(t, seen, 1, "it is used again")
}

// Where nobody has asked for tags, there are none.
func TestBundleWithoutTags(t *testing.T) {
	var pool bundles.Pool[bag, int]
	homes := [2]bundleHome{}
	a := new(bag)
	for i := range homes {
		homes[i].Use(&pool)
	}
	for range 2 {
		x := homes[0].Open(a, 0)
		require.True(t, homes[0].Put(a, 1))
		require.True(t, homes[0].Put(a, 2))
		v, ok := homes[0].Top(x)
		require.True(t, ok)
		require.Equal(t, 2, v)
		v, rest, _, _ := homes[1].Take(x, nil)
		require.Equal(t, 0, v)
		require.Equal(t, []int{1}, rest)
		x = pool.Lone(a, 3, tagOf(3), false)
		v, _, _, _ = homes[0].Take(x, nil)
		require.Equal(t, 3, v)
		homes[0].TakeBack()
	}
}

// Where there are as many bundles as may be, a new call gets none, however often it is tried, and
// what was accepted before still does.
func TestBundlesRunOut(t *testing.T) {
	homes, pool := bundleHomes(2)
	a := new(bag)
	pool.LeaveBundles(2, false)
	first := homes[0].Open(a, 1)
	pool.Lone(a, 2, tagOf(2), false)
	made := pool.BundlesMade()
	for range 3 {
		require.Panics(t, func() { homes[1].Open(a, 3) })
		require.Equal(t, made, pool.BundlesMade(), "or it would come round")
	}
	x := homes[1].Fill(a, []int{4, 5})
	require.NotEqual(t, first.Number(), x.Number())
	v, _, more, _ := homes[1].Take(x, nil)
	require.Equal(t, 4, v)
	require.True(t, more)
}

// Entries can name all bundles that there may be.
func TestBundlesHaveNames(t *testing.T) {
	_, pool := bundleHomes(0)
	pool.LeaveBundles(1, true)
	before := pool.BundlesMade()
	seen := map[uint32]bool{}
	for first := true; first || len(seen) < int(pool.BundlesMade()-before); first = false {
		x := pool.Lone(new(bag), 1, tagOf(1), true)
		require.Less(t, x.Number(), uint32(entry.Limit))
		seen[x.Number()] = true
	}
	require.Panics(t, func() { pool.Lone(new(bag), 1, tagOf(1), true) })
}

// Bundles that others give back are used again, before any is made, and so are all that are made
// together.
func TestBundlesComeBack(t *testing.T) {
	homes, pool := bundleHomes(2)
	a := new(bag)
	homes[0].Open(a, 0)
	made := pool.BundlesMade()
	for i := range 10 * made {
		homes[1].Take(homes[0].Open(a, int(i)), nil)
		require.Equal(t, made, pool.BundlesMade())
	}
	for range made {
		pool.Lone(a, 0, tagOf(0), false)
		require.Equal(t, 2*made, pool.BundlesMade())
	}
}

// A value that was dropped is not kept.
func TestLoneForgets(t *testing.T) {
	var pool bundles.Pool[bag, *[64]byte]
	value := new([64]byte)
	made := weak.Make(value)
	pool.DropLone(pool.Lone(nil, value, 0, false).Number())
	runtime.GC()
	require.Nil(t, made.Value())
	runtime.KeepAlive(&pool)
}

// What one slot does not need goes to others.
func TestBundlesGoAbout(t *testing.T) {
	homes, _ := bundleHomes(2)
	a := new(bag)
	seen := map[uint32]bool{}
	for _, h := range homes {
		var all []*bundles.Bundle[bag, int]
		for i := range 200 {
			x := h.Open(a, i)
			all = append(all, x)
			seen[x.Number()] = true
		}
		for i, x := range all {
			v, _, more, unused := h.Take(x, nil)
			require.Equal(t, i, v)
			require.False(t, more)
			require.Equal(t, bundles.BundleSize-1, unused)
		}
	}
	require.Less(t, len(seen), 250, "the second uses most of those of the first")
}

// A bundle that another slot has opened is nobody else's to put values in, even if it was once.
func TestBundleIsNotOpenElsewhere(t *testing.T) {
	const many = 64
	a := new(bag)
	for k := range many {
		homes, _ := bundleHomes(2)
		var all []*bundles.Bundle[bag, int]
		for i := range many {
			all = append(all, homes[0].Open(a, i))
		}
		all[k], all[many-1] = all[many-1], all[k] // the one that is open is freed as number k
		for _, x := range all {
			homes[0].Take(x, nil)
		}
		var put []*bundles.Bundle[bag, int]
		for i := range many {
			put = append(put, homes[1].Open(a, i))
		}
		require.False(t, homes[0].Put(a, 7))
		for i, x := range put {
			v, _, more, _ := homes[1].Take(x, nil)
			require.Equal(t, i, v)
			require.False(t, more)
		}
	}
}

// Many thieves take what one home brings; each number is taken once.
func TestBundlesStolen(t *testing.T) {
	const thieves, rounds = 3, 20_000
	homes, _ := bundleHomes(1 + thieves)
	a := new(bag)
	var deque lockfree.Deque[uint32]
	var over atomics.Bool
	taken := make([]atomics.Int32, rounds)
	done := make(chan struct{})
	for _, h := range homes[1:] {
		go func() {
			defer func() { done <- struct{}{} }()
			buf := make([]int, 0, bundles.BundleSize)
			for last := false; ; last = over.Load() {
				if n, r := deque.Steal(); r == lockfree.StealOK {
					v, rest, more, _ := h.Take(h.At(n), buf)
					for _, v := range append(rest, v) {
						taken[v].Add(1)
					}
					if more {
						panic("a thief is home")
					}
					continue
				}
				if last {
					return
				}
				atomics.Pause(10)
			}
		}()
	}
	h := homes[0]
	next := func() bool {
		n, ok := deque.Newest()
		if !ok {
			return false
		}
		if v, ok := h.Top(h.At(n)); ok {
			taken[v].Add(1)
			return true
		}
		if n, ok = deque.Pop(); ok {
			v, _, more, _ := h.Take(h.At(n), nil)
			if more {
				deque.Push(n)
			}
			taken[v].Add(1)
		}
		return ok
	}
	for i := range rounds {
		if !h.Put(a, i) {
			deque.Push(h.Open(a, i).Number())
		}
		if i%5 == 0 {
			next()
		}
	}
	for next() {
	}
	over.Store(true)
	for range thieves {
		<-done
	}
	for i := range taken {
		require.Equal(t, int32(1), taken[i].Load(), "number %d", i)
	}
}
