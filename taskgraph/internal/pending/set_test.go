package pending_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/pending"
)

type thing struct{ ticket pending.Ticket }

// A set is a set: it has what was added and not removed, and tells one who removes it.
func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s pending.Set[thing]
		in := map[*thing]bool{}
		var out []*thing
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				x := new(thing)
				require.True(t, s.Add(x, &x.ticket))
				in[x] = true
			},
			"remove": func(t *rapid.T) {
				for x := range in {
					require.False(t, x.ticket.IsOver())
					require.True(t, s.End(&x.ticket))
					require.Equal(t, len(in), s.Len())
					require.Contains(t, slices.Collect(s.All), x, "until the end is carried out")
					s.Done(&x.ticket)
					delete(in, x)
					out = append(out, x)
					return
				}
			},
			"remove again": func(t *rapid.T) {
				for _, x := range out {
					require.True(t, x.ticket.IsOver())
					require.False(t, s.End(&x.ticket))
				}
			},
			"": func(t *rapid.T) {
				seen := map[*thing]bool{}
				for x := range s.All {
					require.False(t, seen[x], "twice")
					seen[x] = true
				}
				require.Equal(t, in, seen)
				require.Equal(t, len(in), s.Len())
			},
		})
	})
}

// Who has seen enough stops.
func TestAllStops(t *testing.T) {
	var s pending.Set[thing]
	for range 3 {
		x := new(thing)
		require.True(t, s.Add(x, &x.ticket))
	}
	seen := 0
	for range s.All {
		if seen++; seen == 2 {
			break
		}
	}
	require.Equal(t, 2, seen)
}
