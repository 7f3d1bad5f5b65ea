package places_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/places"
)

// One for which there is no room is refused, and takes nothing from a smaller one: that gets the
// last page.
func TestTheLastPage(t *testing.T) {
	var table places.Table[int]
	table.Leave(1)
	for range 2 {
		_, ok := table.Place(new(int), places.Page+1)
		require.False(t, ok)
	}
	one := new(int)
	first, ok := table.Place(one, places.Page)
	require.True(t, ok)
	require.Same(t, one, table.At(first+places.Page-1))
	_, ok = table.Place(new(int), 1)
	require.False(t, ok, "no page is left")
	table.Free(first, places.Page)
	again, ok := table.Place(new(int), 1)
	require.True(t, ok)
	require.Equal(t, first, again)
}

// What is hidden leads nowhere, and its indices are not given to anybody else.
func TestHidden(t *testing.T) {
	var table places.Table[int]
	g := new(int)
	first, _ := table.Place(g, 3)
	table.Hide(first, 3)
	require.Nil(t, table.At(first))
	other, _ := table.Place(g, 3)
	require.NotEqual(t, first, other)
}

// Stretches do not overlap, and each index leads to what has it.
func TestStretches(t *testing.T) {
	type stretch struct {
		g     *int
		first uint32
		n     int
	}
	rapid.Check(t, func(t *rapid.T) {
		var table places.Table[int]
		var all []stretch
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			if len(all) > 0 && rapid.Bool().Draw(t, "free") {
				i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
				table.Free(all[i].first, all[i].n)
				all = slices.Delete(all, i, i+1)
			} else {
				s := stretch{new(int), 0, rapid.IntRange(1, 5*places.Page).Draw(t, "n")}
				s.first, _ = table.Place(s.g, s.n)
				all = append(all, s)
			}
			have := map[*int]bool{}
			for g := range table.All {
				have[g] = true
			}
			require.Len(t, have, len(all))
			for _, s := range all {
				require.True(t, have[s.g])
				require.Zero(t, s.first%places.Page)
				for at := 0; at < s.n; at += places.Page {
					require.Same(t, s.g, table.At(s.first+uint32(at)))
				}
				require.Same(t, s.g, table.At(s.first+uint32(s.n-1)))
			}
		}
	})
}
