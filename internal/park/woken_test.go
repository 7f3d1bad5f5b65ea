package park_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
)

// A waiter in the kernel can ask when it was woken.
func TestWoken(t *testing.T) {
	if !park.HandsOff() {
		t.Skip("no waiter is in the kernel for long")
	}
	p := park.New(park.OS)
	for range 10 {
		woken := make(chan int64)
		go func() {
			p.Park()
			woken <- p.Woken()
		}()
		time.Sleep(2 * time.Millisecond)
		before := atomics.Now()
		kernel := p.Unpark()
		after := atomics.Now()
		if at := <-woken; kernel {
			require.GreaterOrEqual(t, p.Woken(), before)
			require.LessOrEqual(t, p.Woken(), after)
			require.True(t, at == p.Woken() || at < before, "at first it may read an older time")
		}
	}
}
