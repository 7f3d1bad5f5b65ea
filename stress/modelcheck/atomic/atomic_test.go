package atomic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/modelcheck/atomic"
)

// What precedes Go happens before f; what f does is seen by who sees its store.
func TestGo(t *testing.T) {
	var done atomic.Bool
	x := 1
	atomic.Go(func() {
		x++
		done.Store(true)
	})
	for n := uint32(1); !done.Load(); n++ {
		atomic.Pause(n)
		atomic.Gosched()
	}
	require.Equal(t, 2, x)
}

func TestNowNeverDecreases(t *testing.T) {
	last := atomic.Now()
	for range 1000 {
		now := atomic.Now()
		require.GreaterOrEqual(t, now, last)
		last = now
	}
}

// Words of 64 bits are aligned on 32-bit machines too, where a plain one is not.
func TestWordsAreAligned(t *testing.T) {
	var s struct {
		_ uint32
		u atomic.Uint64
		_ uint32
		i atomic.Int64
	}
	require.Equal(t, uint64(1), s.u.Add(1))
	require.Equal(t, int64(-1), s.i.Add(-1))
}
