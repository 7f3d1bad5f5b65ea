package atomics_test

import (
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
)

// TestAliasesAreIdenticalTypes holds the promise of the normal build: the seam adds nothing.
// A wrapper struct would differ in reflection and would not assign.
func TestAliasesAreIdenticalTypes(t *testing.T) {
	var p atomics.Pointer[int]
	var _ *atomic.Pointer[int] = &p
	for _, c := range []struct{ seam, std any }{
		{atomics.Bool{}, atomic.Bool{}},
		{atomics.Int32{}, atomic.Int32{}},
		{atomics.Int64{}, atomic.Int64{}},
		{atomics.Uint32{}, atomic.Uint32{}},
		{atomics.Uint64{}, atomic.Uint64{}},
		{atomics.Uintptr{}, atomic.Uintptr{}},
		{atomics.Pointer[int]{}, atomic.Pointer[int]{}},
	} {
		if got, want := reflect.TypeOf(c.seam), reflect.TypeOf(c.std); got != want {
			t.Errorf("%v is not %v", got, want)
		}
	}
}

// Test64BitWordsAreAligned matters on 32-bit machines, where a plain uint64 is not.
func Test64BitWordsAreAligned(t *testing.T) {
	var s struct {
		_ uint32
		u atomics.Uint64
		_ uint32
		i atomics.Int64
	}
	s.u.Add(1)
	s.i.Add(-1)
	if s.u.Load() != 1 || s.i.Load() != -1 {
		t.Errorf("got %d and %d", s.u.Load(), s.i.Load())
	}
}

func TestPauseReturns(t *testing.T) {
	for _, n := range []uint32{1, 2, 100} {
		atomics.Pause(n)
	}
}

func TestNowNeverDecreases(t *testing.T) {
	last := atomics.Now()
	for range 10_000 {
		now := atomics.Now()
		if now < last {
			t.Fatalf("%d after %d", now, last)
		}
		last = now
	}
	for atomics.Now() == last {
		atomics.Gosched()
	}
}

// TestGoSynchronizes runs under the race detector: what precedes Go happens before f.
func TestGoSynchronizes(t *testing.T) {
	var done atomics.Bool
	x := 0
	x++
	atomics.Go(func() {
		x++
		done.Store(true)
	})
	for !done.Load() {
		atomics.Gosched()
	}
	if x != 2 {
		t.Errorf("x = %d, want 2", x)
	}
}

func BenchmarkPause(b *testing.B) {
	for b.Loop() {
		atomics.Pause(1)
	}
}

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		atomics.Now()
	}
}
