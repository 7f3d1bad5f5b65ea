package bundles_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/bundles"
)

// A bag is what parcels of these tests belong to; they hold numbers.
type bag struct{ taken [8000]atomics.Int32 }

// A parcel of these tests has tags that are known by the numbers.
type parcel struct {
	*bundles.Parcel[bag, int]
	tagged bool
}

func newParcel() *parcel {
	p := &parcel{new(bundles.Parcel[bag, int]), true}
	p.Tag()
	return p
}

func (p *parcel) Open(of *bag, v int) { p.Parcel.Open(of, v, tagOf(v)) }

func (p *parcel) Put(of *bag, v int) bundles.PutResult { return p.Parcel.Put(of, v, tagOf(v)) }

func (p *parcel) Take(place uint8) int {
	v, tag := p.Parcel.Take(place)
	want := tagOf(v)
	if !p.tagged {
		want = 0
	}
	if tag != want {
		panic(fmt.Sprintf("%d has the tag %d", v, tag))
	}
	return v
}

// content closes p and takes all.
func content(p *parcel) (values []int, claimed int, idle bool) {
	places, claimed := p.Close(nil)
	for _, i := range places {
		values = append(values, p.Take(i))
	}
	return values, claimed, len(places) > 0 && p.Leave(len(places))
}

func TestParcelHoldsSoMany(t *testing.T) {
	for _, p := range []*parcel{newParcel(), {Parcel: new(bundles.Parcel[bag, int])}} {
		holdsSoMany(t, p)
	}
}

func holdsSoMany(t *testing.T, p *parcel) {
	a, b := new(bag), new(bag)
	require.Equal(t, bundles.PutClosed, p.Put(a, 7), "it was never opened")
	for range 3 {
		p.Open(a, 0)
		for i := 1; i < bundles.ParcelSize; i++ {
			require.Equal(t, bundles.PutClosed, p.Put(b, 7))
			require.Equal(t, bundles.PutDone, p.Put(a, i))
		}
		require.Equal(t, bundles.PutClosed, p.Put(a, 7), "it is full")
		require.Same(t, a, p.Of())
		values, claimed, idle := content(p)
		require.Len(t, values, bundles.ParcelSize)
		for i, v := range values {
			require.Equal(t, i, v)
		}
		require.Equal(t, bundles.ParcelSize, claimed)
		require.True(t, idle)
		require.Equal(t, bundles.PutClosed, p.Put(a, 7))
		p.Forget()
		require.Nil(t, p.Of())
	}
}

// Who stands still between the two steps of a Put holds up nobody, and keeps the parcel from being
// used again.
func TestParcelStalledPut(t *testing.T) {
	for _, turn := range []uint64{0, 1<<31 - 3, 1<<31 - 2, 1<<31 - 1, math.MaxUint64>>8 - 1} {
		p := newParcel()
		p.After(turn)
		a := new(bag)
		for range 4 {
			p.Open(a, 1)
			first, ok := p.Claim(a)
			require.True(t, ok)
			require.Equal(t, bundles.PutDone, p.Put(a, 3))
			second, ok := p.Claim(a)
			require.True(t, ok)
			require.Equal(t, bundles.PutDone, p.Fill(second, 4, tagOf(4)))
			third, ok := p.Claim(a)
			require.True(t, ok)
			values, claimed, idle := content(p)
			require.Equal(t, []int{1, 3, 4}, values)
			require.Equal(t, 5, claimed)
			require.False(t, idle)
			require.Equal(t, bundles.PutLate, p.Fill(third, 5, tagOf(5)))
			require.False(t, p.Leave(1))
			require.Equal(t, bundles.PutLate, p.Fill(first, 2, tagOf(2)))
			require.True(t, p.Leave(1))
		}
	}
}

// When the marks begin again, those of the turns before say nothing.
func TestParcelMarksBeginAgain(t *testing.T) {
	p, a := newParcel(), new(bag)
	p.After(4)
	p.Open(a, 1)
	require.Equal(t, bundles.PutDone, p.Put(a, 2))
	content(p)
	p.After(1<<31 - 1)
	for range 4 { // the first is turn 1 again
		p.Open(a, 1)
		content(p)
	}
	p.Open(a, 1)
	late, ok := p.Claim(a)
	require.True(t, ok)
	values, claimed, idle := content(p)
	require.Equal(t, []int{1}, values)
	require.Equal(t, 2, claimed)
	require.False(t, idle)
	require.Equal(t, bundles.PutLate, p.Fill(late, 2, tagOf(2)))
	require.True(t, p.Leave(1))
}

// A pool has the last parcel to give, then refuses, however often it is asked, and gives again what
// has come back: without its owner, with its number, and with room for tags if there are any.
func TestParcelsRunOut(t *testing.T) {
	for _, tagged := range []bool{false, true} {
		var pool bundles.Pool[bag, int]
		if tagged {
			pool.Tag()
		}
		pool.LeaveParcels(2)
		first, last := pool.IdleParcel(), pool.IdleParcel()
		require.Equal(t, first.Number()+1, last.Number())
		made := pool.ParcelsMade()
		for range 3 {
			require.Nil(t, pool.IdleParcel())
			require.Equal(t, made, pool.ParcelsMade(), "or it would come round")
		}
		p := &parcel{Parcel: last, tagged: tagged}
		p.Open(new(bag), 1)
		values, _, idle := content(p)
		require.Equal(t, []int{1}, values)
		require.True(t, idle)
		require.Same(t, last, pool.ParcelAt(last.Number()))
		pool.FreeParcel(last)
		require.Nil(t, last.Of())
		require.Same(t, last, pool.IdleParcel())
		require.Equal(t, made, pool.ParcelsMade(), "it was made before")
		require.Nil(t, pool.IdleParcel())
	}
}

// Who waits for more learns that a pause has brought nothing, and does not pause each time then. A
// full parcel teaches nothing.
func TestParcelWaitFor(t *testing.T) {
	p, a := newParcel(), new(bag)
	var c cacheline.Courtesy
	p.Open(a, 0)
	p.WaitFor(&c)
	require.False(t, c.Due(), "the pause has brought nothing")
	p.WaitFor(&c)
	require.False(t, c.Due(), "nor has the second")
	p.WaitFor(&c)
	require.False(t, c.Due(), "and it is not yet time for the third")
	require.True(t, c.Due())
	for i := 1; i < bundles.ParcelSize; i++ {
		require.Equal(t, bundles.PutDone, p.Put(a, i))
	}
	p.WaitFor(&c)
	require.True(t, c.Due(), "there is no place for more")
}

// Each number is taken once, by whose it is, or its Put says that it is not taken.
func TestParcelsOfMany(t *testing.T) {
	const putters, each = 3, 1000
	var free, queue lockfree.Stack[*parcel]
	bags := [2]bag{}
	var open [2]atomics.Pointer[parcel]
	var left atomics.Int32
	left.Store(2 * putters * each)
	leave := func(p *parcel, n int) {
		if p.Leave(n) {
			p.Forget()
			free.Push(p)
		}
	}
	var wg sync.WaitGroup
	for k := range putters {
		for b := range bags {
			wg.Go(func() {
				for v := k * each; v < (k+1)*each; v++ {
					if p := open[b].Load(); p != nil {
						switch p.Put(&bags[b], v) {
						case bundles.PutDone:
							continue
						case bundles.PutLate:
							leave(p, 1)
							bags[b].taken[v].Add(1)
							left.Add(-1)
							continue
						case bundles.PutClosed:
						}
					}
					p, ok := free.Pop()
					if !ok {
						p = newParcel()
					}
					p.Open(&bags[b], v)
					open[b].Store(p)
					queue.Push(p)
				}
			})
		}
	}
	for range 2 {
		wg.Go(func() {
			for left.Load() > 0 {
				p, ok := queue.Pop()
				if !ok {
					atomics.Gosched()
					continue
				}
				of := p.Of()
				places, _ := p.Close(nil)
				for _, i := range places {
					of.taken[p.Take(i)].Add(1)
				}
				left.Add(-int32(len(places)))
				if len(places) > 0 {
					leave(p, len(places))
				}
			}
		})
	}
	wg.Wait()
	for b := range bags {
		for v := range putters * each {
			require.EqualValues(t, 1, bags[b].taken[v].Load(), "number %d of %d", v, b)
		}
	}
}
