package export

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A time has three digits, and the unit in which it is one or more.
func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-1: "?", 0: "0 ns", 999: "999 ns", time.Microsecond: "1.00 µs", 9_990: "9.99 µs",
		10 * time.Microsecond: "10.0 µs", 100 * time.Microsecond: "100 µs",
		time.Millisecond: "1.00 ms", 20 * time.Millisecond: "20.0 ms", time.Second: "1.00 s",
		100 * time.Second: "100 s",
	} {
		require.Equal(t, want, short(d))
	}
}
