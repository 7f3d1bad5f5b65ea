package verdict_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/verdict"
)

func TestBeside(t *testing.T) {
	for _, c := range []struct {
		ours, others float64
		want         string
	}{
		{1000, 1510, "was 1.51 times as fast as errgroup"},
		{1000, 1031, "was 1.03 times as fast as errgroup"},
		{1000, 1030, "was level with errgroup (1.03 times as fast)"},
		{1000, 1000, "was level with errgroup (1.00 times as fast)"},
		{1030, 1000, "was level with errgroup (0.97 times as fast)"},
		{1031, 1000, "was slower than errgroup: it took 1.03 times as long"},
		{2500, 1000, "was slower than errgroup: it took 2.50 times as long"},
		{0, 1000, "cannot be compared with errgroup"},
		{1000, 0, "cannot be compared with errgroup"},
		{math.NaN(), 1000, "cannot be compared with errgroup"},
	} {
		require.Equal(t, c.want, verdict.Beside(c.ours, c.others, "errgroup"), "%+v", c)
	}
}

func TestTally(t *testing.T) {
	type row struct {
		name         string
		ours, others float64
	}
	won, drawn := row{"won", 10, 20}, row{"drawn", 100, 101}
	lost, far := row{"lost", 12, 10}, row{"far", 30, 10}
	for _, c := range []struct {
		rows []row
		want string
	}{
		{nil, "No row compares Heddle with peers."},
		{[]row{{"none", 0, 1}, {"none", 1, math.NaN()}}, "No row compares Heddle with peers."},
		{[]row{won}, "Compared with peers, Heddle was faster in 1 of 1 row and slower in none."},
		{[]row{won, drawn, won}, "Compared with peers, Heddle was faster in 2 of 3 rows, level " +
			"(within 3 %) in 1 and slower in none."},
		{[]row{drawn, drawn}, "Compared with peers, Heddle was faster in 0 of 2 rows, level " +
			"(within 3 %) in 2 and slower in none."},
		{[]row{lost, won, far}, "Compared with peers, Heddle was faster in 1 of 3 rows and " +
			"slower in 2: far (3.00 times as long), lost (1.20 times as long)."},
		{[]row{drawn, lost, lost, lost, lost, lost, lost, far}, "Compared with peers, Heddle was " +
			"faster in 0 of 8 rows, level (within 3 %) in 1 and slower in 7: far (3.00 times as " +
			"long), lost (1.20 times as long), lost (1.20 times as long), lost (1.20 times as " +
			"long), lost (1.20 times as long), and 2 more."},
	} {
		var tally verdict.Tally
		for _, r := range c.rows {
			tally.Add(r.name, r.ours, r.others)
		}
		require.Equal(t, c.want, tally.Against("peers"))
	}
}
