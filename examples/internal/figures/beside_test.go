package figures

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBeside(t *testing.T) {
	for _, test := range []struct {
		ours, others int
		want         string
		slower       bool
	}{
		{1000, 1510, "was 1.51 times as fast as one thread", false},
		{1000, 1031, "was 1.03 times as fast as one thread", false},
		{1000, 1030, "was level with one thread (1.03 times as fast)", false},
		{1000, 1000, "was level with one thread (1.00 times as fast)", false},
		{1030, 1000, "was level with one thread (0.97 times as fast)", false},
		{1031, 1000, "was slower than one thread: it took 1.03 times as long", true},
		{1200, 1000, "was slower than one thread: it took 1.20 times as long", true},
		{0, 1000, "cannot be compared with one thread", false},
		{1000, 0, "cannot be compared with one thread", false},
	} {
		ours, others := time.Duration(test.ours), time.Duration(test.others)
		require.Equal(t, test.want, Beside(ours, others, "one thread"), "%+v", test)
		require.Equal(t, test.slower, Slower(ours, others), "%+v", test)
	}
}
