package lockfree_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/lockfree"
)

// The programs of the fuzzer are bytes, one call each, on a container and on a slice beside it.
// They run on one goroutine: what is searched for are states of segments, pages, buffers and
// counters that no hand-written test reaches.

func seeds(f *testing.F) {
	f.Add(uint64(0), []byte{})
	f.Add(uint64(0), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Add(uint64(math.MaxUint64), slices.Repeat([]byte{0, 4, 8, 12, 1}, 40))
	f.Add(uint64(math.MaxUint64-7),
		append(slices.Repeat([]byte{0}, 100), slices.Repeat([]byte{1, 2, 3}, 40)...))
}

// batchOf makes up to 31 values.
func batchOf(i int, op byte) []int {
	vs := make([]int, op/8)
	for j := range vs {
		vs[j] = i<<8 | j
	}
	return vs
}

func FuzzStack(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, start uint64, program []byte) {
		s := lockfree.NewStackAt[int](start % lockfree.TakingsLimit)
		var want []int
		for i, op := range program {
			switch op % 8 {
			default:
				s.Push(i)
				want = append(want, i)
			case 1, 2, 3:
				v, ok := s.Pop()
				require.Equal(t, len(want) > 0, ok)
				if ok {
					require.Equal(t, want[len(want)-1], v)
					want = want[:len(want)-1]
				}
			case 4:
				slices.Reverse(want)
				require.True(t, slices.Equal(want, s.PopAll(nil)))
				want = nil
			case 5:
				vs := batchOf(i, op)
				s.PushAll(vs)
				want = append(want, vs...)
			}
			require.Equal(t, len(want), s.Len())
			require.Equal(t, len(want) == 0, s.Empty())
		}
		require.LessOrEqual(t, s.Nodes(), 32*len(program))
	})
}

// An unboundedQueue is a queue without a bound.
type unboundedQueue[T any] interface {
	Push(v T)
	PushAll(vs []T)
	Pop() (v T, ok bool)
	PopN(buf []T) int
	Len() int
	Empty() bool
}

// playFIFO runs a program on a queue. After each call it calls also, if that is not nil, with how
// many values there must be.
func playFIFO[T int | uint32](
	t *testing.T, q unboundedQueue[T], program []byte, also func(op byte, want int),
) {
	t.Helper()
	var want []T
	for i, op := range program {
		switch op % 8 {
		default:
			q.Push(T(i))
			want = append(want, T(i))
		case 1, 2, 3:
			v, ok := q.Pop()
			require.Equal(t, len(want) > 0, ok)
			if ok {
				require.Equal(t, want[0], v)
				want = want[1:]
			}
		case 4:
			var vs []T
			for _, v := range batchOf(i, op) {
				vs = append(vs, T(v))
			}
			q.PushAll(vs)
			want = append(want, vs...)
		case 5:
			buf := make([]T, op/8)
			n := q.PopN(buf)
			require.Equal(t, min(len(want), len(buf)), n)
			require.True(t, slices.Equal(want[:n], buf[:n]))
			want = want[n:]
		}
		require.Equal(t, len(want), q.Len())
		require.Equal(t, len(want) == 0, q.Empty())
		if also != nil {
			also(op, len(want))
		}
	}
}

func FuzzQueue(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, start uint64, program []byte) {
		playFIFO(t, lockfree.NewQueueAt[int](start, 1+len(program)%5), program, nil)
	})
}

func FuzzIndexQueue(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, start uint64, program []byte) {
		shift := uint8(len(program) % 4)
		q := lockfree.NewIndexQueueAt[uint32](start, shift, 1<<(shift+uint8(start%3)))
		playFIFO(t, q, program, func(op byte, want int) {
			require.Equal(t, min(want, int(op)), q.LenUpTo(int(op)))
		})
	})
}

func FuzzSPSCQueue(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, start uint64, program []byte) {
		playFIFO(t, lockfree.NewSPSCQueueAt[int](start), program, nil)
	})
}

// priorities is a slice for each level.
type priorities [3][]int

func (p *priorities) pop() (v int, ok bool) {
	for i := range p {
		if len(p[i]) > 0 {
			v, p[i] = p[i][0], p[i][1:]
			return v, true
		}
	}
	return 0, false
}

func (p *priorities) len() int { return len(p[0]) + len(p[1]) + len(p[2]) }

func FuzzPriorityQueue(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, start uint64, program []byte) {
		q := lockfree.NewPriorityQueueAt[int](3, start, 1+len(program)%5)
		var want priorities
		for i, op := range program {
			if level := int(op % 6); level < 3 {
				q.Push(i, level)
				want[level] = append(want[level], i)
			} else {
				v, ok := q.Pop()
				wantV, wantOK := want.pop()
				require.Equal(t, wantOK, ok)
				require.Equal(t, wantV, v)
			}
			require.Equal(t, want.len(), q.Len())
		}
	})
}

// FuzzDeque plays on both deques.
func FuzzDeque(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, start uint64, program []byte) {
		d, p := lockfree.NewDequeAt[uint64](start), lockfree.NewPointerDequeAt[uint64](start)
		var want []uint64
		took := func(v uint64, q *uint64, w uint64) {
			require.Equal(t, w, v)
			require.Equal(t, w, *q)
		}
		for i, op := range program {
			switch op % 8 {
			default:
				v := uint64(i)
				d.Push(v)
				p.Push(&v)
				want = append(want, v)
			case 1, 2:
				v, ok := d.Pop()
				q, okP := p.Pop()
				require.Equal(t, len(want) > 0, ok)
				require.Equal(t, len(want) > 0, okP)
				if ok {
					took(v, q, want[len(want)-1])
					want = want[:len(want)-1]
				}
				require.Equal(t, len(want), p.Kept(), "what was stolen is cleared, too")
			case 3:
				v, r := d.Steal()
				q, rP := p.Steal()
				require.Equal(t, r, rP)
				if len(want) == 0 {
					require.Equal(t, lockfree.StealEmpty, r)
				} else {
					require.Equal(t, lockfree.StealOK, r)
					took(v, q, want[0])
					want = want[1:]
				}
			case 4:
				var vs []uint64
				var ps []*uint64
				for _, v := range batchOf(i, op) {
					w := uint64(v)
					vs, ps = append(vs, w), append(ps, &w)
				}
				d.PushAll(vs)
				p.PushAll(ps)
				want = append(want, vs...)
			case 5:
				buf := make([]uint64, 1+op/8)
				n, r := d.StealN(buf)
				require.Equal(t, min((len(want)+1)/2, len(buf), 1+lockfree.RaidMost), n)
				require.Equal(t, len(want) == 0, r == lockfree.StealEmpty)
				for _, v := range buf[:n] {
					q, rP := p.Steal()
					require.Equal(t, lockfree.StealOK, rP)
					took(v, q, want[0])
					want = want[1:]
				}
			}
			v, ok := d.Newest()
			require.Equal(t, len(want) > 0, ok)
			if ok {
				require.Equal(t, want[len(want)-1], v)
			}
			require.Equal(t, len(want), d.Len())
			require.Equal(t, len(want), p.Len())
			require.Equal(t, len(want) == 0, d.Empty())
			require.LessOrEqual(t, len(want), p.Kept())
			require.Equal(t, d.Slots(), p.Slots())
		}
	})
}

// FuzzRing plays on both bounded queues.
func FuzzRing(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, start uint64, program []byte) {
		capacity := 1 + len(program)%9
		for _, r := range []boundedQueue{
			lockfree.NewRingAt[int](capacity, int64(start)),
			lockfree.NewSPSCRingAt[int](capacity, start),
		} {
			var want []int
			for i, op := range program {
				switch op % 8 {
				default:
					require.Equal(t, len(want) < capacity, r.TryPush(i))
					if len(want) < capacity {
						want = append(want, i)
					}
				case 1, 2, 3:
					v, ok := r.TryPop()
					require.Equal(t, len(want) > 0, ok)
					if ok {
						require.Equal(t, want[0], v)
						want = want[1:]
					}
				case 4:
					vs := batchOf(i, op)
					n := r.TryPushN(vs)
					require.Equal(t, min(len(vs), capacity-len(want)), n)
					want = append(want, vs[:n]...)
				case 5:
					buf := make([]int, op/8)
					n := r.TryPopN(buf)
					require.Equal(t, min(len(want), len(buf)), n)
					require.True(t, slices.Equal(want[:n], buf[:n]))
					want = want[n:]
				}
				require.Equal(t, len(want), r.Len())
				require.Equal(t, len(want) == 0, r.Empty())
			}
		}
	})
}

func FuzzClosableHead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, start uint64, program []byte) {
		var h lockfree.ClosableHead
		gen := uint32(start)
		h.Swap(gen, true)
		n := make(nexts, len(program)+1)
		var want []uint32
		closed := false
		for i, op := range program {
			switch op % 8 {
			default:
				link := uint32(i + 1)
				require.Equal(t, !closed, h.TryPush(gen, link, n.next(link)))
				if !closed {
					want = append(want, link)
				}
			case 1:
				list, ok := h.Next(gen)
				require.Equal(t, !closed, ok)
				require.Equal(t, want, n.links(list))
				if want = nil; ok {
					gen++
				}
			case 2:
				if op != 250 {
					require.False(t, h.TryPush(gen+uint32(op), 1, n.next(1)))
					_, ok := h.Next(gen - uint32(op))
					require.False(t, ok)
					continue
				}
				list, ok := h.Close(gen)
				require.Equal(t, !closed, ok)
				require.Equal(t, want, n.links(list))
				want, closed = nil, true
			}
			require.Equal(t, !closed, h.Open(gen))
			require.Equal(t, gen, generation(&h))
		}
	})
}

func FuzzClosableList(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, _ uint64, program []byte) {
		var l lockfree.ClosableList[int]
		var want []int
		closed := false
		for i, op := range program {
			if op == 255 {
				items, ok := l.Close(nil)
				require.Equal(t, !closed, ok)
				require.True(t, slices.Equal(want, items))
				want, closed = nil, true
			} else {
				require.Equal(t, !closed, l.TryPush(i))
				if !closed {
					want = append(want, i)
				}
			}
			require.Equal(t, closed, l.Closed())
		}
		items, ok := l.Close(nil)
		require.Equal(t, !closed, ok)
		require.True(t, slices.Equal(want, items))
	})
}

func FuzzStallingQueue(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, start uint64, program []byte) {
		q := lockfree.NewStallingQueueAt[int](start % lockfree.TakingsLimit)
		var want [2][]int
		var buf []int
		var mark lockfree.Mark
		newest := func() (n [2]int) { // the zero Mark is the mark of none
			for p := range want {
				n[p] = -1
				if len(want[p]) > 0 {
					n[p] = want[p][len(want[p])-1]
				}
			}
			return n
		}
		marked := newest()
		stalled, closed := false, false
		for i, op := range program {
			p := int(op & 1)
			switch op >> 5 {
			default:
				wake, ok := q.Push(i, p)
				require.Equal(t, !closed, ok)
				require.Equal(t, ok && stalled, wake)
				if ok {
					want[p], stalled = append(want[p], i), false
				}
			case 3:
				buf = q.PopAll(p, buf[:0])
				require.True(t, slices.Equal(want[p], buf))
				want[p] = nil
				mark, marked = q.Mark(), newest() // an older mark means nothing now
			case 4:
				mark, marked = q.Mark(), newest()
			case 5:
				ok := q.Stall(mark)
				require.Equal(t, marked == newest(), ok)
				stalled = stalled || ok
			case 6:
				require.Equal(t, !stalled, q.Unstall())
				stalled = false
			case 7:
				if op == 255 {
					wake, ok := q.Close()
					require.Equal(t, !closed, ok)
					require.Equal(t, ok && stalled, wake)
					if ok {
						closed, stalled = true, false
					}
				}
			}
			require.Equal(t, closed, q.Closed())
			require.Equal(t, len(want[0]) == 0, q.Empty(0))
			require.Equal(t, len(want[1]) == 0, q.Empty(1))
		}
		for p := range want {
			require.True(t, slices.Equal(want[p], q.PopAll(p, nil)))
		}
	})
}
