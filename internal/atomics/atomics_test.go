package atomics_test

import (
	"reflect"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

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

// TestWordsReturnWhatTheyShould: whatever the build, an Add returns the new value, and a Swap, an
// And and an Or the old one.
func TestWordsReturnWhatTheyShould(t *testing.T) {
	var i atomics.Int32
	var l atomics.Int64
	var b atomics.Bool
	var u atomics.Uint32
	var v atomics.Uint64
	var p atomics.Uintptr
	if atomics.Inlined(&i, &l, &b, &u, &v, &p) {
		t.Error("a compare-and-swap of another value has changed it")
	}
	sums := [...]uint64{uint64(i.Load()), uint64(l.Load()), uint64(u.Load()), v.Load(),
		uint64(p.Load())}
	if want := [...]uint64{4, 4, 4, 4, 4}; sums != want || b.Load() {
		t.Errorf("the sums are %v, not %v, and %v", sums, want, b.Load())
	}
}

func TestPauseReturns(t *testing.T) {
	for _, n := range []uint32{1, 2, 100} {
		atomics.Pause(n)
	}
}

// Prefetch takes any address, and changes nothing there.
func TestPrefetch(t *testing.T) {
	words := []uint64{1, 2}
	for _, address := range []uintptr{0, 1, reflect.ValueOf(words).Pointer(), ^uintptr(0)} {
		atomics.Prefetch(address)
	}
	if words[0] != 1 || words[1] != 2 {
		t.Errorf("%d", words)
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
