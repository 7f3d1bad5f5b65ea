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
	f.Add(uint64(math.MaxUint64-7), append(slices.Repeat([]byte{0}, 100), slices.Repeat([]byte{1, 2, 3}, 40)...))
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
			}
			require.Equal(t, len(want), s.Len())
			require.Equal(t, len(want) == 0, s.Empty())
		}
		require.LessOrEqual(t, s.Nodes(), len(program))
	})
}

func FuzzQueue(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, start uint64, program []byte) {
		q := lockfree.NewQueueAt[int](start, 1+len(program)%5)
		var want []int
		for i, op := range program {
			switch op % 8 {
			default:
				q.Push(i)
				want = append(want, i)
			case 1, 2, 3:
				v, ok := q.Pop()
				require.Equal(t, len(want) > 0, ok)
				if ok {
					require.Equal(t, want[0], v)
					want = want[1:]
				}
			}
			require.Equal(t, len(want), q.Len())
			require.Equal(t, len(want) == 0, q.Empty())
		}
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

func FuzzDeque(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, start uint64, program []byte) {
		d := lockfree.NewDequeAt[uint64](start)
		var want []uint64
		for i, op := range program {
			switch op % 8 {
			default:
				d.Push(uint64(i))
				want = append(want, uint64(i))
			case 1, 2:
				v, ok := d.Pop()
				require.Equal(t, len(want) > 0, ok)
				if ok {
					require.Equal(t, want[len(want)-1], v)
					want = want[:len(want)-1]
				}
			case 3:
				v, r := d.Steal()
				if len(want) == 0 {
					require.Equal(t, lockfree.StealEmpty, r)
				} else {
					require.Equal(t, lockfree.StealOK, r)
					require.Equal(t, want[0], v)
					want = want[1:]
				}
			}
			require.Equal(t, len(want), d.Len())
			require.Equal(t, len(want) == 0, d.Empty())
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
		const consumers = 4
		q := lockfree.NewStallingQueueAt[int](3, consumers, start%lockfree.CountLimit, start, 1+len(program)%5)
		var want priorities
		var stalled [consumers]bool
		lowest := func() int {
			c := slices.Index(stalled[:], true)
			if c >= 0 {
				stalled[c] = false
			}
			return c
		}
		for i, op := range program {
			c := int(op>>4) % consumers
			switch level := int(op % 8); {
			case level < 3:
				require.Equal(t, lowest(), q.Push(i, level))
				want[level] = append(want[level], i)
			case level == 3:
				require.Equal(t, lowest(), q.Wake())
			case stalled[c]:
				require.False(t, q.Unstall(c))
				stalled[c] = false
			default:
				v, r := q.Pop(c, level == 4)
				wantV, ok := want.pop()
				require.Equal(t, wantV, v)
				switch {
				case ok:
					require.Equal(t, lockfree.PopOK, r)
				case level == 4:
					require.Equal(t, lockfree.PopStalled, r)
					stalled[c] = true
				default:
					require.Equal(t, lockfree.PopEmpty, r)
				}
			}
			var set uint64
			for c := range stalled {
				if stalled[c] {
					set |= 1 << c
				}
			}
			require.Equal(t, set, q.Stalled())
			require.Equal(t, want.len(), q.Len())
		}
	})
}
