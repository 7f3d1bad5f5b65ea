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

// Values of a batch that was popped are not kept alive either, around the end of the slots.
func TestSPSCRingBatchIsFreed(t *testing.T) {
	type big struct{ _ [1 << 10]byte }
	r := lockfree.NewSPSCRing[*big](5)
	for range 4 {
		vs := make([]*big, 5)
		refs := make([]weak.Pointer[big], 5)
		for i := range vs {
			vs[i] = new(big)
			refs[i] = weak.Make(vs[i])
		}
		require.Equal(t, 5, r.TryPushN(vs))
		require.Equal(t, 3, r.TryPopN(vs[:3]))
		require.Equal(t, 2, r.TryPopN(vs[:3]))
		clear(vs)
		runtime.GC()
		for _, ref := range refs {
			require.Nil(t, ref.Value())
		}
		runtime.KeepAlive(r)
	}
}

// Anyone may ask for Len while the two work.
func TestSPSCRingLenStaysInBounds(t *testing.T) {
	r := lockfree.NewSPSCRing[int](3)
	var wg sync.WaitGroup
	var stop atomics.Bool
	wg.Go(func() {
		for !stop.Load() {
			r.TryPush(1)
			runtime.Gosched()
		}
	})
	wg.Go(func() {
		for !stop.Load() {
			r.TryPop()
			r.Empty()
			runtime.Gosched()
		}
	})
	for range short.Scaled(20_000) {
		if n := r.Len(); n < 0 || n > 3 {
			t.Errorf("Len %d of at most 3", n)
		}
	}
	stop.Store(true)
	wg.Wait()
}

// A role moves to another goroutine whose calls come after those of the old one.
func TestSPSCRolesMove(t *testing.T) {
	r := lockfree.NewSPSCRing[int](4)
	var q lockfree.SPSCQueue[int]
	for i := range 100 {
		var wg sync.WaitGroup
		wg.Go(func() {
			r.TryPush(i)
			q.Push(i)
		})
		wg.Wait()
		wg.Go(func() {
			v, ok := r.TryPop()
			if w, okW := q.Pop(); !ok || !okW || v != i || w != i {
				t.Errorf("got %d and %d, not %d", v, w, i)
			}
		})
		wg.Wait()
	}
}
