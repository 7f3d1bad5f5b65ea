package forks_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/forks"
)

type (
	context struct{ name string }
	args    [4]int64
	call    = forks.Call[context, args]
)

// What is allocated for a call is a cache line by itself: on machines of 32 bits it takes less of
// that.
func TestCallIsALine(t *testing.T) {
	size := reflect.TypeFor[call]().Size()
	require.LessOrEqual(t, size, uintptr(64))
	require.Greater(t, size, uintptr(48), "else it would be allocated among smaller things")
}

// A stack says of its calls what a list of them says, whatever becomes of which: P1 and P2.
func TestStack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p forks.Pool[context, args]
		s := forks.NewStack[context, args](rapid.IntRange(1, 200).Draw(t, "workers"))
		in, f := &context{"body"}, func(*context, *args) {}
		var private, public []*call // the oldest first
		used := map[*call]bool{}
		become := func(k *call) {
			require.False(t, k.IsPrivate())
			require.Same(t, k, p.At(k.Number()))
			public = append(public, k)
		}
		free := func(k *call) {
			require.True(t, used[k])
			delete(used, k)
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				if s.IsFull() {
					p.Fill(&s)
				}
				k := s.Push()
				require.False(t, used[k], "in use")
				require.False(t, k.Join.IsTaken())
				k.F, k.In = f, in
				used[k], private = true, append(private, k)
			},
			"begin": func(t *rapid.T) { // bodies lie on each other: the oldest begin first
				for _, k := range private {
					if k.F != nil {
						k.F = nil
						return
					}
				}
			},
			"pop": func(t *rapid.T) {
				if len(private) == 0 {
					t.Skip()
				}
				k := private[len(private)-1]
				k.F = nil
				s.Pop()
				free(k)
				private = private[:len(private)-1]
			},
			"publish": func(t *rapid.T) {
				k := s.Publish()
				for i, oldest := range private {
					if oldest.F != nil {
						require.Same(t, oldest, k)
						private = append(private[:i:i], private[i+1:]...)
						become(k)
						return
					}
				}
				require.Nil(t, k)
			},
			"publish all": func(t *rapid.T) {
				var want, got []*call
				for _, k := range private {
					if k.F != nil {
						want = append(want, k)
					}
				}
				s.PublishAll(func(k *call) { got = append(got, k) })
				require.Equal(t, want, got)
				for _, k := range private {
					become(k)
				}
				private = nil
			},
			"free": func(t *rapid.T) {
				if len(public) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(public)-1).Draw(t, "which")
				k := public[i]
				public = append(public[:i:i], public[i+1:]...)
				free(k)
				if rapid.Bool().Draw(t, "here") {
					p.Free(&s, k)
				} else {
					p.Free(nil, k)
				}
			},
			"take": func(t *rapid.T) {
				k := p.Get()
				require.False(t, used[k], "in use")
				k.F, k.In = f, in
				used[k] = true
				become(k)
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(private) == 0, s.IsEmpty())
				for i, k := range private {
					require.True(t, k.IsPrivate())
					require.Equal(t, i == len(private)-1, s.IsTop(k))
					require.Same(t, k, p.At(k.Number()))
				}
				for _, k := range public {
					require.False(t, k.IsPrivate())
				}
				if len(private) < 2 {
					require.False(t, s.HidesMore(), "there is only the one on top")
				}
				if len(private) > 1 && private[len(private)-2].F != nil {
					require.True(t, s.HidesMore(), "a call that nobody has begun")
				}
			},
		})
	})
}

// More are enough when thieves have taken all there was, up to a bound, and half after a long calm.
func TestEnough(t *testing.T) {
	var p forks.Pool[context, args]
	s := forks.NewStack[context, args](1)
	push := func() {
		if s.IsFull() {
			p.Fill(&s)
		}
		s.Push().F = func(*context, *args) {}
	}
	push()
	require.Equal(t, 2, s.Enough(true), "it had only one itself")
	push()
	require.Equal(t, 2, s.Enough(false))
	for want := 4; want <= 256; want *= 2 {
		require.Equal(t, want, s.Enough(true))
	}
	require.Equal(t, 256, s.Enough(true))
	calm := 1
	for !s.IsCalm() {
		calm++
	}
	require.Equal(t, 4096, calm)
	require.Equal(t, 128, s.SettleDown())
	for range calm - 1 {
		require.False(t, s.IsCalm())
	}
	s.Enough(true)
	require.False(t, s.IsCalm(), "there was want")
	for range 10 {
		s.SettleDown()
	}
	require.Equal(t, 2, s.SettleDown())
	wide := forks.NewStack[context, args](1000)
	require.Equal(t, 256, wide.Enough(false))
}

// Bodies with fewer open calls than would be enough make all of them public, but not for ever if
// nobody takes them.
func TestEnoughOfFewOpenCalls(t *testing.T) {
	var p forks.Pool[context, args]
	s := forks.NewStack[context, args](8)
	p.Fill(&s)
	s.Push().F = func(*context, *args) {}
	var numbers []int
	for range 4 * 4096 {
		n := s.Enough(true) // of the only one that there is
		if len(numbers) == 0 || n != numbers[len(numbers)-1] {
			numbers = append(numbers, n)
		}
	}
	require.Equal(t, []int{16, 8, 4, 2}, numbers)
	require.Equal(t, 2, s.Enough(false))
}

// Why a call failed is told until its record is used again.
func TestFailure(t *testing.T) {
	var p forks.Pool[context, args]
	s := forks.NewStack[context, args](1)
	p.Fill(&s)
	k := s.Push()
	k.F, k.In = func(*context, *args) {}, &context{}
	require.Same(t, k, s.Publish())
	boom := errors.New("boom")
	p.Fail(k, boom)
	require.Nil(t, k.In)
	require.Equal(t, boom, p.Failure(k))
	p.Free(&s, k)
	require.Same(t, k, func() *call {
		for {
			if again := s.Push(); again == k {
				return again
			}
		}
	}())
	require.Panics(t, func() { _ = p.Failure(k) })
}

// In steady state nothing is allocated.
func TestAllocatesNothing(t *testing.T) {
	var p forks.Pool[context, args]
	a, b := forks.NewStack[context, args](1), forks.NewStack[context, args](1)
	var cells forks.Cells
	var types forks.Types
	in, f, shown := &context{}, func(*context, *args) {}, 0
	var open [100]*call
	var taken [300]*int
	run := func() {
		for i := range open {
			if a.IsFull() {
				p.Fill(&a)
			}
			k := a.Push()
			k.F, k.In, open[i] = f, in, k
		}
		a.PublishAll(func(*call) { shown++ })
		for _, k := range open {
			p.Free(&b, k) // forked on one slot, waited for on another
		}
		for i := range taken {
			c := forks.CacheOf[int](&cells, &types)
			if c.IsEmpty() {
				c.More(func() *int { return new(int) })
			}
			taken[i] = c.Take()
		}
		for _, k := range taken {
			forks.CacheOf[int](&cells, &types).Put(k)
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(20, run))
	require.NotZero(t, shown)
}

// Cells are of one type and in use once, on whatever slot they were given back.
func TestCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var types forks.Types
		var slots [2]forks.Cells
		free, used := map[*int]bool{}, []*int{}
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				for range rapid.SampledFrom([]int{1, 1, 300}).Draw(t, "many") {
					c := forks.CacheOf[int](&slots[rapid.IntRange(0, 1).Draw(t, "slot")], &types)
					if c.IsEmpty() {
						c.More(func() *int { k := new(int); free[k] = true; return k })
					}
					k := c.Take()
					require.True(t, free[k], "in use")
					free[k] = false
					require.True(t, c.IsLast(k))
					used = append(used, k)
				}
			},
			"take another type": func(t *rapid.T) {
				slot := &slots[rapid.IntRange(0, 1).Draw(t, "slot")]
				c := forks.CacheOf[string](slot, &types)
				require.Same(t, c, slot.Recent)
				c.More(func() *string { return new(string) })
				require.Empty(t, *c.Take())
			},
			"give back": func(t *rapid.T) {
				for range min(len(used), rapid.SampledFrom([]int{1, 1, 300}).Draw(t, "many")) {
					i := rapid.IntRange(0, len(used)-1).Draw(t, "which")
					k := used[i]
					used = append(used[:i:i], used[i+1:]...)
					free[k] = true
					c := forks.CacheOf[int](&slots[rapid.IntRange(0, 1).Draw(t, "slot")], &types)
					if c.IsLast(k) {
						c.Untake()
					} else {
						c.Put(k)
					}
				}
			},
		})
	})
}
