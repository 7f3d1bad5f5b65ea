package seed

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChoose(t *testing.T) {
	before := number
	t.Cleanup(func() { number = before })

	line, err := choose("")
	require.NoError(t, err)
	require.Empty(t, line)
	require.EqualValues(t, usual, number)

	line, err = choose("42")
	require.NoError(t, err)
	require.Empty(t, line)
	require.EqualValues(t, 42, number)

	line, err = choose("random")
	require.NoError(t, err)
	drawn := number
	require.NotZero(t, drawn)
	_, value, ok := strings.Cut(line, variable+"=")
	require.True(t, ok, line)
	_, err = choose(value)
	require.NoError(t, err)
	require.Equal(t, drawn, number, "what is printed replays the run")

	for _, bad := range []string{"0", "-1", "yes", "18446744073709551616"} {
		_, err = choose(bad)
		require.ErrorContains(t, err, `HEDDLE_SEED is "`+bad+`"`)
	}
}

// The names are the same in each run, so the numbers are.
func TestRandIsTheSameEachTime(t *testing.T) {
	if number != usual {
		t.Skip("HEDDLE_SEED asks for other numbers")
	}
	require.Equal(t, uint64(0x3d2a006504cedc15), Rand(t, 0).Uint64())
	require.Equal(t, uint64(0xda905c7bef94d9a7), Rand(t, 1).Uint64())
	require.Equal(t, Rand(t, 7).Uint64(), Rand(t, 7).Uint64())
}

// These are the flags that rapid reads.
func TestRapidIsSeeded(t *testing.T) {
	require.NotEqual(t, "0", flag.Lookup("rapid.seed").Value.String())
	require.Equal(t, "true", flag.Lookup("rapid.nofailfile").Value.String())
}
