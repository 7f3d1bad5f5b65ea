package lockfree_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/lockfree"
)

// A container is what the suite tests: everything with Push and Pop.
type container[T any] interface {
	Push(v T)
	Pop() (T, bool)
	Len() int
	Empty() bool
}

// discipline is the order in which a container gives back.
type discipline int

const (
	fifo discipline = iota
	lifo
)

// An implementation is one container under test. Those for one goroutine are left out of the
// concurrent tests.
type implementation[T any] struct {
	name  string
	order discipline
	alone bool
	make  func() container[T]
}

// reference is the container that needs no proof.
type reference[T any] struct {
	mu     sync.Mutex
	order  discipline
	values []T
}

func (r *reference[T]) Push(v T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values = append(r.values, v)
}

func (r *reference[T]) Pop() (v T, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.values) == 0 {
		return v, false
	}
	at := 0
	if r.order == lifo {
		at = len(r.values) - 1
	}
	var zero T
	v, r.values[at] = r.values[at], zero
	if r.order == lifo {
		r.values = r.values[:at]
	} else {
		r.values = r.values[1:]
	}
	return v, true
}

func (r *reference[T]) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.values)
}

func (r *reference[T]) Empty() bool { return r.Len() == 0 }

// onLevel uses one level of a PriorityQueue.
type onLevel[T any] struct {
	*lockfree.PriorityQueue[T]
	level int
}

func (q onLevel[T]) Push(v T) { q.PriorityQueue.Push(v, q.level) }

// unstalling uses a StallingQueue without stalling.
type unstalling[T any] struct {
	*lockfree.StallingQueue[T]
	level int
}

func (q unstalling[T]) Push(v T) { q.StallingQueue.Push(v, q.level) }

func (q unstalling[T]) Pop() (T, bool) {
	// Without stalls, consumers may share a number.
	v, r := q.StallingQueue.Pop(0, false)
	return v, r == lockfree.PopOK
}

// The counters of the containers that wrap inside a test start this far below the limit.
const nearWrap = 5

// shared returns the containers for any element type.
func shared[T any]() []implementation[T] {
	return []implementation[T]{
		{"Reference/fifo", fifo, false, func() container[T] { return &reference[T]{order: fifo} }},
		{"Reference/lifo", lifo, false, func() container[T] { return &reference[T]{order: lifo} }},
		{"Stack", lifo, false, func() container[T] { return new(lockfree.Stack[T]) }},
		{"Stack/wrapping", lifo, false, func() container[T] { return lockfree.NewStackAt[T](lockfree.TakingsLimit - nearWrap) }},
		{"Queue", fifo, false, func() container[T] { return new(lockfree.Queue[T]) }},
		{"Queue/segments of 1", fifo, false, func() container[T] { return lockfree.NewQueueAt[T](0, 1) }},
		{"Queue/segments of 3, wrapping", fifo, false, func() container[T] { return lockfree.NewQueueAt[T](math.MaxUint64-nearWrap, 3) }},
		{"PriorityQueue", fifo, false, func() container[T] { return onLevel[T]{lockfree.NewPriorityQueue[T](3), 1} }},
		{"PriorityQueue/wrapping", fifo, false, func() container[T] {
			return onLevel[T]{lockfree.NewPriorityQueueAt[T](2, math.MaxUint64-nearWrap, 2), 1}
		}},
		{"StallingQueue", fifo, false, func() container[T] { return unstalling[T]{lockfree.NewStallingQueue[T](2, 1), 1} }},
		{"StallingQueue/wrapping", fifo, false, func() container[T] {
			return unstalling[T]{lockfree.NewStallingQueueAt[T](2, 1, lockfree.CountLimit-nearWrap, math.MaxUint64-nearWrap, 2), 0}
		}},
	}
}

// all returns the containers for numbers.
func all() []implementation[uint64] {
	return append(shared[uint64](),
		implementation[uint64]{"Deque", lifo, true, func() container[uint64] { return new(lockfree.Deque[uint64]) }},
		implementation[uint64]{"Deque/wrapping", lifo, true, func() container[uint64] { return lockfree.NewDequeAt[uint64](math.MaxUint64 - nearWrap) }},
	)
}

func conform(t *testing.T, impls []implementation[uint64], f func(t *testing.T, impl implementation[uint64])) {
	for _, impl := range impls {
		t.Run(impl.name, func(t *testing.T) {
			t.Parallel()
			f(t, impl)
		})
	}
}

func TestConformanceEmpty(t *testing.T) {
	conform(t, all(), func(t *testing.T, impl implementation[uint64]) {
		c := impl.make()
		for range 3 {
			require.True(t, c.Empty())
			require.Zero(t, c.Len())
			v, ok := c.Pop()
			require.False(t, ok)
			require.Zero(t, v)
			c.Push(7)
			require.False(t, c.Empty())
			require.Equal(t, 1, c.Len())
			v, ok = c.Pop()
			require.True(t, ok)
			require.EqualValues(t, 7, v)
		}
	})
}

func TestConformanceOrder(t *testing.T) {
	conform(t, all(), func(t *testing.T, impl implementation[uint64]) {
		c := impl.make()
		const n = 3000 // several segments, pages and buffers
		for round := range uint64(3) {
			for i := range uint64(n) {
				c.Push(round<<32 | i)
			}
			require.Equal(t, n, c.Len())
			for i := range uint64(n) {
				want := round<<32 | i
				if impl.order == lifo {
					want = round<<32 | (n - 1 - i)
				}
				v, ok := c.Pop()
				require.True(t, ok)
				require.Equal(t, want, v)
			}
			require.True(t, c.Empty())
		}
	})
}

func TestConformanceRandomWalk(t *testing.T) {
	conform(t, all(), func(t *testing.T, impl implementation[uint64]) {
		c, ref := impl.make(), &reference[uint64]{order: impl.order}
		rnd := rand.New(rand.NewPCG(1, 2))
		bias := 5
		for i := range uint64(scaled(50_000)) {
			if i%1000 == 0 {
				bias = 3 + rnd.IntN(5) // now growing, now shrinking
			}
			if rnd.IntN(10) < bias {
				c.Push(i)
				ref.Push(i)
			} else {
				v, ok := c.Pop()
				want, wantOK := ref.Pop()
				require.Equal(t, wantOK, ok)
				require.Equal(t, want, v)
			}
			if rnd.IntN(100) == 0 {
				require.Equal(t, ref.Len(), c.Len())
				require.Equal(t, ref.Empty(), c.Empty())
			}
		}
	})
}

// Each value comes out exactly once, and a consumer of a FIFO container sees the values of one
// producer in their order. A Pop that finds nothing is checked too: after the producers are
// done, it must be right.
func TestConformanceConservation(t *testing.T) {
	for _, shape := range []struct {
		name                 string
		producers, consumers int
	}{{"1P1C", 1, 1}, {"1P3C", 1, 3}, {"3P1C", 3, 1}, {"3P3C", 3, 3}} {
		t.Run(shape.name, func(t *testing.T) {
			for _, impl := range shared[uint64]() {
				t.Run(impl.name, func(t *testing.T) {
					conserve(t, impl, shape.producers, shape.consumers, scaled(20_000))
				})
			}
		})
	}
}

func conserve(t *testing.T, impl implementation[uint64], producers, consumers, each int) {
	c := impl.make()
	got := make([][]uint64, consumers)
	var pushing, popping sync.WaitGroup
	done := make(chan struct{})
	for p := range producers {
		pushing.Go(func() {
			for i := range each {
				c.Push(uint64(p)<<32 | uint64(i))
			}
		})
	}
	for k := range consumers {
		popping.Go(func() {
			for {
				over := false
				select {
				case <-done:
					over = true
				default:
				}
				v, ok := c.Pop()
				switch {
				case ok:
					got[k] = append(got[k], v)
				case over:
					return
				default:
					runtime.Gosched()
				}
			}
		})
	}
	pushing.Wait()
	close(done)
	popping.Wait()

	seen := make([][]bool, producers)
	for p := range seen {
		seen[p] = make([]bool, each)
	}
	total := 0
	for k := range got {
		last := make([]int, producers)
		for p := range last {
			last[p] = -1
		}
		for _, v := range got[k] {
			p, i := int(v>>32), int(uint32(v))
			if seen[p][i] {
				t.Fatalf("value %d of producer %d came out twice", i, p)
			}
			seen[p][i] = true
			if impl.order == fifo && i <= last[p] {
				t.Fatalf("value %d of producer %d came out after value %d", i, p, last[p])
			}
			last[p] = i
			total++
		}
	}
	require.Equal(t, producers*each, total)
	require.True(t, c.Empty())
	require.Zero(t, c.Len())
}

// Preloaded values are popped by several goroutines at once: one that finds nothing must be
// right, since nothing is pushed any more.
func TestTrap10_NoFalseEmpty(t *testing.T) {
	for _, impl := range shared[uint64]() {
		t.Run(impl.name, func(t *testing.T) {
			for range scaled(200) {
				c := impl.make()
				const n, consumers = 30, 3
				for i := range uint64(n) {
					c.Push(i)
				}
				var wg sync.WaitGroup
				left := make([]int, consumers)
				for k := range consumers {
					wg.Go(func() {
						for {
							if _, ok := c.Pop(); !ok {
								left[k] = c.Len()
								return
							}
						}
					})
				}
				wg.Wait()
				if impl.order == fifo { // Len of a Stack walks nodes that may be in use again
					require.Equal(t, make([]int, consumers), left)
				}
				require.True(t, c.Empty())
			}
		})
	}
}

// What was popped is not kept alive by the container it was in.
func TestConformancePoppedIsFreed(t *testing.T) {
	type big struct{ _ [1 << 10]byte }
	for _, impl := range shared[*big]() {
		t.Run(impl.name, func(t *testing.T) {
			c := impl.make()
			const n = 40
			var refs [n]weak.Pointer[big]
			for i := range refs {
				p := new(big)
				refs[i] = weak.Make(p)
				c.Push(p)
			}
			runtime.GC()
			for i := range refs {
				require.NotNil(t, refs[i].Value(), "a value in the container was freed")
			}
			for range n {
				p, ok := c.Pop()
				require.True(t, ok && p != nil)
			}
			runtime.GC()
			for i := range refs {
				require.Nil(t, refs[i].Value(), "popped value %d is kept alive", i)
			}
			runtime.KeepAlive(c)
		})
	}
}

func TestConformanceAllocatesNothing(t *testing.T) {
	for _, impl := range all() {
		if impl.name == "Reference/fifo" || impl.order == fifo && impl.name != "Queue" && impl.name != "PriorityQueue" && impl.name != "StallingQueue" {
			continue // the reference, and tiny segments, which are allocated all the time
		}
		t.Run(impl.name, func(t *testing.T) {
			c := impl.make()
			for i := range uint64(2000) {
				c.Push(i)
			}
			for range 2000 {
				c.Pop()
			}
			// The average is rounded down: a new segment in a thousand calls is not seen here.
			require.Zero(t, testing.AllocsPerRun(5000, func() {
				c.Push(1)
				c.Push(2)
				c.Pop()
				c.Pop()
				c.Pop()
			}))
		})
	}
}

// Values of every size and kind, also of none.
func TestConformanceElementTypes(t *testing.T) {
	t.Run("empty struct", func(t *testing.T) { roundTrip(t, func(int) struct{} { return struct{}{} }) })
	t.Run("byte", func(t *testing.T) { roundTrip(t, func(i int) byte { return byte(i) }) })
	t.Run("string", func(t *testing.T) { roundTrip(t, func(i int) string { return string(rune('a' + i)) }) })
	t.Run("interface", func(t *testing.T) { roundTrip(t, func(i int) any { return i }) })
	t.Run("large", func(t *testing.T) { roundTrip(t, func(i int) [9]int { return [9]int{i, 8: i} }) })
}

func roundTrip[T any](t *testing.T, value func(int) T) {
	for _, impl := range shared[T]() {
		c := impl.make()
		for i := range 20 {
			c.Push(value(i))
		}
		for i := range 20 {
			if impl.order == lifo {
				i = 19 - i
			}
			v, ok := c.Pop()
			require.True(t, ok, impl.name)
			require.Equal(t, value(i), v, impl.name)
		}
		_, ok := c.Pop()
		require.False(t, ok, impl.name)
	}
}
