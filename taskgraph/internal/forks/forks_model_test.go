//go:build modelcheck

package forks_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/forks"
)

// A records is what goroutines do with the records of a Pool, a letter each: f takes a free record
// for the slot's stack and makes it public, and g one without a slot, for the next goroutine, which
// runs it; w waits for the oldest of one's own that another runs and frees it to the stack, and v
// to the pool; r runs the call that the one before has made last, s does so and fails; c takes a
// cell of the slot and d gives back to the slot what the one before has taken.
type records struct{ threads []string }

func (p records) String() string { return strings.Join(p.threads, " | ") }

// A stolen is a public call, by the number that a thief finds.
type stolen struct {
	number atomics.Uint32 // one more than it; 0: none
}

// A bench is one execution. As in the model of capacity, the lock is never waited for.
type bench struct {
	mu    sync.Mutex
	m     *modelcheck.Model
	p     forks.Pool[context, args]
	types forks.Types
	used  map[*call]bool
	cells map[*int]bool
	// Of goroutine i: the call it has made public last, whether that has been run, a cell.
	made [4]stolen
	ran  [4]atomics.Uint32
	cell [4]atomics.Pointer[int]
}

func (b *bench) use(k *call) {
	taken := k.Join.IsTaken()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.m.Assert(!b.used[k], "record %d is in use twice", k.Number())
	b.m.Assert(!taken && k.F == nil && k.In == nil, "record %d is not as new", k.Number())
	b.used[k] = true
}

func (b *bench) free(s *forks.Stack[context, args], k *call) {
	b.mu.Lock()
	b.m.Assert(b.used[k], "record %d is freed twice", k.Number())
	b.used[k] = false
	b.mu.Unlock()
	b.p.Free(s, k)
}

var errCall = errors.New("fails")

func (b *bench) run(i, of int, script string) {
	s := forks.NewStack[context, args](1)
	var cells forks.Cells
	var own *call
	before := (i + of - 1) % of
	for _, op := range script {
		switch op {
		case 'f', 'g':
			if own != nil {
				break
			}
			if op == 'f' {
				if s.IsFull() {
					b.p.Fill(&s)
				}
				own = s.Push()
				b.use(own)
				own.F, own.In = func(*context, *args) {}, &context{}
				b.m.Assert(s.Publish() == own, "another call is published")
			} else {
				own = b.p.Get()
				b.use(own)
				own.F, own.In = func(*context, *args) {}, &context{}
			}
			own.Args[0] = int64(i)
			b.ran[i].Store(0)
			b.made[i].number.Store(own.Number() + 1)
		case 'w', 'v':
			if own == nil {
				break
			}
			if n := b.made[i].number.Swap(0); n == 0 { // somebody runs it
				for b.ran[i].Load() == 0 {
					atomics.Gosched()
				}
				b.m.Assert(own.Args[0] == int64(10+i), "the result of %d is not there", i)
				if own.In == nil {
					b.m.Assert(b.p.Failure(own) == errCall, "the failure of %d is not there", i)
				}
			}
			if op == 'w' {
				b.free(&s, own)
			} else {
				b.free(nil, own)
			}
			own = nil
		case 'r', 's':
			n := b.made[before].number.Swap(0)
			if n == 0 {
				break
			}
			k := b.p.At(n - 1)
			b.m.Assert(k.Number() == n-1 && k.Args[0] == int64(before),
				"record %d is not that call",
				n-1)
			b.p.Note(k)
			mine, _ := k.Join.Take()
			b.m.Assert(mine, "record %d was taken before", n-1)
			k.Args[0] += 10
			if op == 's' {
				b.p.Fail(k, errCall)
			}
			b.ran[before].Store(1)
		case 'c':
			c := forks.CacheOf[int](&cells, &b.types)
			if c.IsEmpty() {
				c.More(func() *int { return new(int) })
			}
			k := c.Take()
			b.mu.Lock()
			b.m.Assert(!b.cells[k], "a cell is in use twice")
			b.cells[k] = true
			b.mu.Unlock()
			b.cell[i].Store(k)
		case 'd':
			if k := b.cell[before].Swap(nil); k != nil {
				b.mu.Lock()
				b.cells[k] = false
				b.mu.Unlock()
				forks.CacheOf[int](&cells, &b.types).Put(k)
			}
		}
	}
	if own != nil && b.made[i].number.Swap(0) != 0 {
		b.free(nil, own)
	}
}

func (p records) model(m *modelcheck.Model) {
	b := &bench{m: m, used: map[*call]bool{}, cells: map[*int]bool{}}
	for i, script := range p.threads {
		m.Thread(func() { b.run(i, len(p.threads), script) })
	}
}

// TestModelForks: a record and a cell are in use once, wherever they were given back, a record that
// is free is as new, and who waits for a call finds its result and its failure.
func TestModelForks(t *testing.T) {
	check := func(p records, bound, n int) {
		t.Run(p.String(), func(t *testing.T) {
			explorers := modelcheck.DepthFirstUpTo(bound, n)
			tally := modelcheck.Check(t, modelcheck.Options{Steps: 20_000,
				Explorers: append(explorers, modelcheck.Beyond(n)...)}, p.model)
			require.GreaterOrEqual(t, tally.Bound, 0)
		})
	}
	for _, p := range []records{
		{[]string{"fw", "r"}},
		{[]string{"fv", "s"}},
		{[]string{"gv", "gv"}},
		{[]string{"gvfw", "rgv"}},
		{[]string{"fwgv", "sfw"}},
		{[]string{"cc", "dc"}},
		{[]string{"gv", "rgv", "rgv"}},
	} {
		check(p, 2, modelcheck.Scaled(60_000)/16)
	}
	for i := range 12 {
		source := rand.New(rand.NewPCG(3, uint64(i)))
		var p records
		for range 2 + i%2 {
			var b strings.Builder
			for range 2 + source.IntN(3) {
				b.WriteString([]string{"fw", "gv", "fv", "gw", "r", "s", "c", "d"}[source.IntN(8)])
			}
			p.threads = append(p.threads, b.String())
		}
		check(p, 1, modelcheck.Scaled(60_000)/32)
	}
}

// TestModelSurplusCells: what one slot cannot keep of a type gets to any other, although both have
// used that type, or others, for the first time at the same time.
func TestModelSurplusCells(t *testing.T) {
	type other struct{ _ int }
	n := modelcheck.Scaled(60_000) / 16
	explorers := append(modelcheck.DepthFirstUpTo(2, n), modelcheck.Beyond(n)...)
	modelcheck.Check(t, modelcheck.Options{Steps: 20_000, Explorers: explorers},
		func(m *modelcheck.Model) {
			var types forks.Types
			for i := range 2 {
				m.Thread(func() {
					var cells forks.Cells
					if i == 0 {
						forks.CacheOf[other](&cells, &types)
					}
					forks.CacheOf[int](&cells, &types).Put(new(int))
				})
			}
			m.After(func() {
				var cells forks.Cells
				c := forks.CacheOf[int](&cells, &types)
				for range 2 {
					c.More(func() *int { m.Assert(false, "a surplus cell is lost"); return nil })
					c.Take()
				}
			})
		})
}
