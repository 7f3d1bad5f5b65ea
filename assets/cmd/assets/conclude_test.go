package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The last lines of compare say whether Heddle was ahead, level or behind.
func TestConclusionOfCompare(t *testing.T) {
	row := func(cache, way string, took, least, most float64) compareRow {
		return compareRow{Cache: cache, Way: way, MS: took, LeastMS: least, MostMS: most}
	}
	rep := compareReport{Rounds: 5, Rows: []compareRow{
		row("warm", wayRead, 50, 45, 55), row("warm", waySerial, 120, 110, 130),
		row("warm", wayErrgroup, 101, 95, 105), row("warm", wayAssets, 100, 90, 109),
		row("cold", wayRead, 90, 80, 100), row("cold", waySerial, 400, 350, 500),
		row("cold", wayErrgroup, 100, 99, 110), row("cold", wayAssets, 200, 190, 210),
	}}
	require.Equal(t, []string{
		"With warm files, Heddle (the row assets) took 100.0 ms.",
		"It was level with errgroup (1.01 times as fast), but the times of single runs overlap.",
		"It was 1.20 times as fast as one after the other (serial).",
		"Reading the files alone takes 50 % of that time.",
		"With cold files, Heddle (the row assets) took 200.0 ms.",
		"It was slower than errgroup: it took 2.00 times as long.",
		"It was 2.00 times as fast as one after the other (serial).",
		"Reading the files alone takes 45 % of that time.",
	}, rep.conclusion())
	rep.Rounds, rep.Rows = 1, rep.Rows[:4]
	require.Equal(t, "Fewer than 5 rounds are too few to be quoted: give -rounds 5 or more.",
		rep.conclusion()[4])
}

// So does that of load, if it has something to compare with.
func TestConclusionOfLoad(t *testing.T) {
	rep := loadReport{Resources: 10, Loads: 10, Failed: 1, Workers: 2, MS: 20, InFlight: 300}
	first := "Heddle loaded 10 resources in 20.0 ms with 2 workers; 1 failed. At most 300 bytes " +
		"were in flight."
	require.Equal(t, []string{first, "-serial compares that with loading one after the other; " +
		"assets compare also with errgroup."}, rep.conclusion())
	rep.Loads = 12
	require.Equal(t, first+" 2 loads were repeated.", rep.conclusion()[0])
	rep.SerialMS, rep.SerialFailed = 30, 1
	for again, want := range map[float64]string{
		20:   "in 20.0 ms, Heddle was 1.50 times as fast as that.",
		30.5: "in 30.5 ms, Heddle was level with that (0.98 times as fast).",
		60:   "in 60.0 ms, Heddle was slower than that: it took 2.00 times as long.",
	} {
		rep.AgainMS = again
		require.Equal(t, []string{"One after the other took 30.0 ms; 1 failed.",
			"Loaded again with 2 workers and without the figures above, " + want},
			rep.conclusion()[1:])
	}
}
