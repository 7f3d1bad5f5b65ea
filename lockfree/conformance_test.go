package lockfree_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/short"
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

// A batcher is a container that takes and gives several values at once. A bounded one waits
// for room.
type batcher[T any] interface {
	PushAll(vs []T)
	PopN(buf []T) int
}

// A pusher is a container that takes several values at once.
type pusher[T any] interface{ PushAll(vs []T) }

// A drainer gives what it has to a loop.
type drainer[T any] interface{ Drain() iter.Seq[T] }

// An implementation is one container under test.
type implementation[T any] struct {
	name  string
	order discipline
	peers peers
	make  func() container[T]
}

// peers tells how many goroutines may use a container at the same time.
type peers int

const (
	many peers = iota
	pair       // one producer and one consumer
	lone       // one
)

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

func (r *reference[T]) PushAll(vs []T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values = append(r.values, vs...)
}

func (r *reference[T]) PopN(buf []T) (n int) {
	for n < len(buf) {
		v, ok := r.Pop()
		if !ok {
			break
		}
		buf[n] = v
		n++
	}
	return n
}

func (r *reference[T]) Drain() iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			if v, ok := r.Pop(); !ok || !yield(v) {
				return
			}
		}
	}
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

// bounded waits for room in a ring.
type bounded[T any, R interface {
	TryPush(v T) bool
	TryPop() (T, bool)
	TryPushN(vs []T) int
	TryPopN(buf []T) int
	Drain() iter.Seq[T]
	Len() int
	Empty() bool
}] struct{ ring R }

func (b bounded[T, R]) Push(v T) {
	for !b.ring.TryPush(v) {
		runtime.Gosched()
	}
}

func (b bounded[T, R]) PushAll(vs []T) {
	for {
		vs = vs[b.ring.TryPushN(vs):]
		if len(vs) == 0 {
			return
		}
		runtime.Gosched()
	}
}

func (b bounded[T, R]) Pop() (T, bool)     { return b.ring.TryPop() }
func (b bounded[T, R]) PopN(buf []T) int   { return b.ring.TryPopN(buf) }
func (b bounded[T, R]) Drain() iter.Seq[T] { return b.ring.Drain() }
func (b bounded[T, R]) Len() int           { return b.ring.Len() }
func (b bounded[T, R]) Empty() bool        { return b.ring.Empty() }

func ring[T any](r *lockfree.Ring[T]) container[T] { return bounded[T, *lockfree.Ring[T]]{r} }

func spscRing[T any](r *lockfree.SPSCRing[T]) container[T] {
	return bounded[T, *lockfree.SPSCRing[T]]{r}
}

// roomy is the capacity of a ring that no test of one goroutine fills.
const roomy = 10_000

// viaPointers uses a PointerDeque for numbers.
type viaPointers struct {
	*lockfree.PointerDeque[uint64]
}

func (d viaPointers) Push(v uint64) { d.PointerDeque.Push(&v) }

func (d viaPointers) PushAll(vs []uint64) {
	ps := make([]*uint64, len(vs))
	for i, v := range vs {
		ps[i] = &v
	}
	d.PointerDeque.PushAll(ps)
}

func (d viaPointers) Pop() (v uint64, ok bool) {
	if p, ok := d.PointerDeque.Pop(); ok {
		return *p, true
	}
	return 0, false
}

func (d viaPointers) Steal() (v uint64, r lockfree.StealResult) {
	p, r := d.PointerDeque.Steal()
	if r == lockfree.StealOK {
		v = *p
	}
	return v, r
}

func (d viaPointers) Drain() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for p := range d.PointerDeque.Drain() {
			if !yield(*p) {
				return
			}
		}
	}
}

// viaIndices uses an IndexQueue for the numbers of these tests, which have few bits in each half.
type viaIndices struct{ *lockfree.IndexQueue[uint32] }

const halfBits = 24

func index(v uint64) uint32  { return uint32(v>>32<<halfBits | v&(1<<halfBits-1)) }
func number(i uint32) uint64 { return uint64(i>>halfBits)<<32 | uint64(i)&(1<<halfBits-1) }

func (q viaIndices) Push(v uint64) { q.IndexQueue.Push(index(v)) }

func (q viaIndices) PushAll(vs []uint64) {
	is := make([]uint32, len(vs))
	for i, v := range vs {
		is[i] = index(v)
	}
	q.IndexQueue.PushAll(is)
}

func (q viaIndices) Pop() (v uint64, ok bool) {
	i, ok := q.IndexQueue.Pop()
	return number(i), ok
}

func (q viaIndices) PopN(buf []uint64) int {
	is := make([]uint32, len(buf))
	n := q.IndexQueue.PopN(is)
	for k, i := range is[:n] {
		buf[k] = number(i)
	}
	return n
}

func (q viaIndices) Drain() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range q.IndexQueue.Drain() {
			if !yield(number(i)) {
				return
			}
		}
	}
}

// The counters of the containers that wrap inside a test start this far below the limit.
const nearWrap = 5

// shared returns the containers for any element type.
func shared[T any]() []implementation[T] {
	return []implementation[T]{
		{"Reference/fifo", fifo, many, func() container[T] { return &reference[T]{order: fifo} }},
		{"Reference/lifo", lifo, many, func() container[T] { return &reference[T]{order: lifo} }},
		{"Stack", lifo, many, func() container[T] { return new(lockfree.Stack[T]) }},
		{"Stack/wrapping", lifo, many, func() container[T] {
			return lockfree.NewStackAt[T](lockfree.TakingsLimit - nearWrap)
		}},
		{"Queue", fifo, many, func() container[T] { return new(lockfree.Queue[T]) }},
		{"Queue/segments of 1", fifo, many, func() container[T] {
			return lockfree.NewQueueAt[T](0, 1)
		}},
		{"Queue/segments of 3, wrapping", fifo, many, func() container[T] {
			return lockfree.NewQueueAt[T](math.MaxUint64-nearWrap, 3)
		}},
		{"PriorityQueue", fifo, many, func() container[T] {
			return onLevel[T]{lockfree.NewPriorityQueue[T](3), 1}
		}},
		{"PriorityQueue/wrapping", fifo, many, func() container[T] {
			return onLevel[T]{lockfree.NewPriorityQueueAt[T](2, math.MaxUint64-nearWrap, 2), 1}
		}},
		{"Ring", fifo, many, func() container[T] { return ring(lockfree.NewRing[T](roomy)) }},
		{"Ring/wrapping", fifo, many, func() container[T] {
			return ring(lockfree.NewRingAt[T](roomy, -1))
		}},
	}
}

// tight returns the bounded containers with so little room that they are mostly full.
func tight[T any]() (impls []implementation[T]) {
	for _, capacity := range []int{1, 2, 3, 8} {
		impls = append(impls,
			implementation[T]{fmt.Sprint("Ring of ", capacity), fifo, many, func() container[T] {
				return ring(lockfree.NewRingAt[T](capacity, -nearWrap))
			}},
			implementation[T]{fmt.Sprint("SPSCRing of ", capacity), fifo, pair,
				func() container[T] {
					return spscRing(lockfree.NewSPSCRingAt[T](capacity, math.MaxUint64-nearWrap))
				}})
	}
	return impls
}

// pairs returns the containers for one producer and one consumer.
func pairs[T any]() []implementation[T] {
	return []implementation[T]{
		{"SPSCRing", fifo, pair, func() container[T] {
			return spscRing(lockfree.NewSPSCRing[T](roomy))
		}},
		{"SPSCRing/wrapping", fifo, pair, func() container[T] {
			return spscRing(lockfree.NewSPSCRingAt[T](roomy, math.MaxUint64-nearWrap))
		}},
		{"SPSCQueue", fifo, pair, func() container[T] { return new(lockfree.SPSCQueue[T]) }},
		{"SPSCQueue/wrapping", fifo, pair, func() container[T] {
			return lockfree.NewSPSCQueueAt[T](math.MaxUint64 - nearWrap)
		}},
	}
}

// indices returns the containers for indices.
func indices() []implementation[uint64] {
	return []implementation[uint64]{
		{"IndexQueue", fifo, many, func() container[uint64] {
			return viaIndices{new(lockfree.IndexQueue[uint32])}
		}},
		{"IndexQueue/rings of 1", fifo, many, func() container[uint64] {
			return viaIndices{lockfree.NewIndexQueueAt[uint32](0, 0, 1)}
		}},
		{"IndexQueue/wrapping", fifo, many, func() container[uint64] {
			return viaIndices{lockfree.NewIndexQueueAt[uint32](math.MaxUint64-nearWrap, 1, 1<<20)}
		}},
		{"IndexQueue/laps wrapping", fifo, many, func() container[uint64] {
			return viaIndices{lockfree.NewIndexQueueAt[uint32](1<<33-nearWrap, 2, 4)}
		}},
	}
}

// all returns the containers for numbers that have room.
func all() []implementation[uint64] {
	return append(slices.Concat(shared[uint64](), indices(), pairs[uint64]()),
		implementation[uint64]{"PointerDeque", lifo, lone, func() container[uint64] {
			return viaPointers{new(lockfree.PointerDeque[uint64])}
		}},
		implementation[uint64]{"PointerDeque/wrapping", lifo, lone, func() container[uint64] {
			return viaPointers{lockfree.NewPointerDequeAt[uint64](math.MaxUint64 - nearWrap)}
		}},
		implementation[uint64]{"Deque", lifo, lone, func() container[uint64] {
			return new(lockfree.Deque[uint64])
		}},
		implementation[uint64]{"Deque/wrapping", lifo, lone, func() container[uint64] {
			return lockfree.NewDequeAt[uint64](math.MaxUint64 - nearWrap)
		}},
	)
}

func conform(t *testing.T, impls []implementation[uint64],
	f func(t *testing.T, impl implementation[uint64])) {
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
		for i := range uint64(short.Scaled(50_000)) {
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
			impls := slices.Concat(shared[uint64](), indices(), pairs[uint64](), tight[uint64]())
			for _, impl := range impls {
				if impl.peers == pair && (shape.producers > 1 || shape.consumers > 1) {
					continue
				}
				t.Run(impl.name, func(t *testing.T) {
					conserve(t, impl, shape.producers, shape.consumers, short.Scaled(10_000), 1)
				})
				if _, ok := impl.make().(batcher[uint64]); ok {
					t.Run(impl.name+"/batches", func(t *testing.T) {
						conserve(t, impl, shape.producers, shape.consumers, short.Scaled(10_000), 7)
					})
				}
			}
		})
	}
}

// conserve moves values by calls that take up to batch of them.
func conserve(t *testing.T, impl implementation[uint64], producers, consumers, each, batch int) {
	c := impl.make()
	batches, _ := c.(batcher[uint64])
	got := make([][]uint64, consumers)
	var pushing, popping sync.WaitGroup
	done := make(chan struct{})
	for p := range producers {
		pushing.Go(func() {
			vs := make([]uint64, 0, batch)
			for i := range each {
				v := uint64(p)<<32 | uint64(i)
				if batch == 1 || i%5 == 0 && len(vs) == 0 {
					c.Push(v)
				} else if vs = append(vs, v); len(vs) == batch || i == each-1 {
					batches.PushAll(vs)
					vs = vs[:0]
				}
			}
			if len(vs) > 0 {
				batches.PushAll(vs)
			}
		})
	}
	for k := range consumers {
		popping.Go(func() {
			buf := make([]uint64, batch)
			for {
				over := false
				select {
				case <-done:
					over = true
				default:
				}
				var n int
				if batch == 1 || len(got[k])%5 == 0 {
					v, ok := c.Pop()
					if ok {
						got[k] = append(got[k], v)
						n = 1
					}
				} else {
					n = batches.PopN(buf)
					got[k] = append(got[k], buf[:n]...)
				}
				switch {
				case n > 0:
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
	for _, impl := range slices.Concat(shared[uint64](), indices()) {
		t.Run(impl.name, func(t *testing.T) {
			for range short.Scaled(200) {
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
	for _, impl := range slices.Concat(shared[*big](), pairs[*big]()) {
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
		if strings.HasPrefix(impl.name, "Reference") || strings.Contains(impl.name, "/") ||
			impl.name == "PointerDeque" {
			continue // tiny segments are allocated all the time, and pointed-to numbers by the test
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
	t.Run("empty struct", func(t *testing.T) {
		roundTrip(t, func(int) struct{} { return struct{}{} })
	})
	t.Run("byte", func(t *testing.T) { roundTrip(t, func(i int) byte { return byte(i) }) })
	t.Run("string", func(t *testing.T) {
		roundTrip(t, func(i int) string { return string(rune('a' + i)) })
	})
	t.Run("interface", func(t *testing.T) { roundTrip(t, func(i int) any { return i }) })
	t.Run("large", func(t *testing.T) {
		roundTrip(t, func(i int) [9]int { return [9]int{i, 8: i} })
	})
}

func roundTrip[T any](t *testing.T, value func(int) T) {
	for _, impl := range slices.Concat(shared[T](), pairs[T]()) {
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

// A batch is a loop of single calls.
func TestConformanceBatches(t *testing.T) {
	conform(t, all(), func(t *testing.T, impl implementation[uint64]) {
		c, ref := impl.make(), &reference[uint64]{order: impl.order}
		pushes, ok := c.(pusher[uint64])
		if !ok {
			return
		}
		pops, _ := c.(batcher[uint64])
		rnd := rand.New(rand.NewPCG(3, 4))
		next := uint64(0)
		for i := range short.Scaled(3000) {
			vs := make([]uint64, rnd.IntN(40))
			if i%100 == 99 {
				vs = make([]uint64, 3000)
			}
			for j := range vs {
				vs[j] = next
				next++
			}
			pushes.PushAll(vs)
			ref.PushAll(vs)
			require.Equal(t, ref.Len(), c.Len())
			if rnd.IntN(2) == 0 {
				c.Push(next)
				ref.Push(next)
				next++
			}
			got := make([]uint64, min(rnd.IntN(50)+max(ref.Len()-100, 0), ref.Len()+3))
			want := make([]uint64, len(got))
			n := ref.PopN(want)
			if pops != nil {
				require.Equal(t, n, pops.PopN(got))
			} else {
				for j := range n {
					got[j], _ = c.Pop()
				}
			}
			require.True(t, slices.Equal(want, got))
			require.Equal(t, ref.Len(), c.Len())
		}
		require.Zero(t, func() (n int) {
			if pops != nil {
				n = pops.PopN(nil)
			}
			pushes.PushAll(nil)
			return n
		}())
	})
}

// A loop over Drain takes what it gets to and leaves the rest.
func TestConformanceDrain(t *testing.T) {
	conform(t, all(), func(t *testing.T, impl implementation[uint64]) {
		c, ref := impl.make(), &reference[uint64]{order: impl.order}
		d, ok := c.(drainer[uint64])
		if !ok {
			return
		}
		for range d.Drain() {
			require.Fail(t, "there was nothing")
		}
		for i := range uint64(100) {
			c.Push(i)
			ref.Push(i)
		}
		taken := 0
		for v := range d.Drain() {
			want, _ := ref.Pop()
			require.Equal(t, want, v)
			if taken++; taken == 30 {
				break
			}
		}
		require.Equal(t, 70, c.Len())
		for v := range d.Drain() {
			want, _ := ref.Pop()
			require.Equal(t, want, v)
			if taken++; taken == 90 {
				c.Push(1000) // is drained, too
				ref.Push(1000)
			}
		}
		require.Equal(t, 101, taken)
		require.True(t, c.Empty())
	})
}

func TestDrainAllocatesNothing(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("with counters in it Drain is not inlined, and what its callers range over escapes")
	}
	var q lockfree.Queue[int]
	var s lockfree.Stack[int]
	r, p := lockfree.NewRing[int](10), lockfree.NewPriorityQueue[int](2)
	sum := 0
	require.Zero(t, testing.AllocsPerRun(500, func() {
		q.Push(1)
		s.Push(1)
		r.TryPush(1)
		p.Push(1, 1)
		for v := range q.Drain() {
			sum += v
		}
		for v := range s.Drain() {
			sum += v
		}
		for v := range r.Drain() {
			sum += v
		}
		for v := range p.Drain() {
			sum += v
		}
	}))
	require.Equal(t, 4*501, sum)
}

// After a million values came and went, a container keeps no more than its comment says.
func TestConformanceGivesMemoryBack(t *testing.T) {
	const size = 8
	n, largest := 1_000_000, int64(1<<20) // n, rounded up to a power of two
	if testing.Short() {                  // still several times the slack
		n, largest = 100_000, 1<<17
	}
	word := lockfree.WordBytes
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for _, c := range []struct {
		keeps int64
		make  func() container[uint64]
	}{
		{(word + size) * largest, func() container[uint64] { return new(lockfree.Stack[uint64]) }},
		{word * largest, func() container[uint64] { return new(lockfree.Deque[uint64]) }},
		{word * largest, func() container[uint64] {
			return viaPointers{new(lockfree.PointerDeque[uint64])}
		}},
		{(word + size) * 1024, func() container[uint64] { return new(lockfree.Queue[uint64]) }},
		{word * largest, func() container[uint64] {
			return viaIndices{new(lockfree.IndexQueue[uint32])}
		}},
		{(word + size) * 1024, func() container[uint64] {
			return onLevel[uint64]{lockfree.NewPriorityQueue[uint64](2), 1}
		}},
		{(word + size) * 1024, func() container[uint64] { return new(lockfree.SPSCQueue[uint64]) }},
		{(word + size) * int64(n), func() container[uint64] {
			return ring(lockfree.NewRing[uint64](n))
		}},
		{size * largest, func() container[uint64] {
			return spscRing(lockfree.NewSPSCRing[uint64](n))
		}},
	} {
		before := inUse()
		q := c.make()
		for i := range uint64(n) {
			q.Push(i)
		}
		popped := 0
		for {
			if _, ok := q.Pop(); !ok {
				break
			}
			popped++
		}
		require.Equal(t, n, popped)
		const slack = 256 << 10 // of the collector and of what else runs
		require.LessOrEqual(t, inUse()-before, c.keeps+slack, "%T", q)
		runtime.KeepAlive(q)
	}
}
