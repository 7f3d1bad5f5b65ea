package beat_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/beat"
)

// How early a sleep ends grows with what was seen, fast, falls slowly, and is a part of the sleep
// at most.
func TestLead(t *testing.T) {
	var l beat.Lead
	const long = int64(time.Second)
	first := l.For(long)
	l.Learn(first + 400)
	require.Equal(t, first+100, l.For(long))
	l.Learn(first + 100 - 320)
	require.Equal(t, first+90, l.For(long))
	for range 1000 {
		l.Learn(0)
	}
	require.EqualValues(t, 20_000, l.For(long))
	for range 1000 {
		l.Learn(long)
	}
	require.EqualValues(t, 500_000, l.For(long))
	require.EqualValues(t, 100, l.For(600))
}
