package parallel_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// FuzzSlices compares what works on slices with the loop that does the same. The first byte says
// with what grain; what follows are the elements, repeated so that there is enough to share.
func FuzzSlices(f *testing.F) {
	f.Add([]byte{0, 3, 1, 2})
	f.Add([]byte{7, 9, 9, 8, 200, 1, 0, 0, 5})
	f.Add([]byte{255})
	s := taskgraph.Start(taskgraph.Options{Workers: 3})
	f.Cleanup(func() { require.NoError(f, s.Shutdown(bg)) })
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 || len(in) > 200 {
			return
		}
		on := parallel.With(s, taskgraph.Loop{Grain: int(in[0]) % 8, Unbalanced: in[0]&8 != 0})
		type element struct {
			key byte
			at  int
		}
		var x []element
		for range 1 + int(in[0])/16 {
			for _, b := range in[1:] {
				x = append(x, element{b, len(x)})
			}
		}
		byKey := func(a, b element) int { return cmp.Compare(a.key, b.key) }

		want, got := slices.Clone(x), slices.Clone(x)
		slices.SortStableFunc(want, byKey)
		require.NoError(t, parallel.SortStableFunc(on, got, byKey))
		require.Equal(t, want, got)

		keys := make([]byte, len(x))
		require.NoError(t, parallel.Map(on, keys, x, func(e element) byte { return e.key }))
		sorted := slices.Clone(keys)
		slices.Sort(sorted)
		mine := slices.Clone(keys)
		require.NoError(t, parallel.Sort(on, mine))
		require.Equal(t, sorted, mine)

		// Joining text is associative and not commutative.
		text, err := parallel.Reduce(on, keys, "", func(s string, b byte) string {
			return s + string(rune(b))
		},
			func(a, b string) string { return a + b })
		require.NoError(t, err)
		serial := ""
		for _, b := range keys {
			serial += string(rune(b))
		}
		require.Equal(t, serial, text)

		last := func(a, b byte) byte { // associative and not commutative
			if b != 0 {
				return b
			}
			return a
		}
		scan, before := slices.Clone(keys), slices.Clone(keys)
		require.NoError(t, parallel.Scan(on, scan, keys, last))
		total, err := parallel.ScanExclusive(on, before, keys, 7, last)
		require.NoError(t, err)
		inclusive, exclusive := byte(0), byte(7)
		for i, b := range keys {
			if i == 0 {
				inclusive = b
			} else {
				inclusive = last(inclusive, b)
			}
			require.Equal(t, inclusive, scan[i])
			require.Equal(t, exclusive, before[i])
			exclusive = last(exclusive, b)
		}
		require.Equal(t, exclusive, total)
	})
}
