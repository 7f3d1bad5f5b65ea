package taskgraph_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// What goes from slot to slot, or is written by one worker all the time, lies on lines of its own:
// otherwise workers that have nothing to do with each other take them from each other.
func TestRecordsDoNotShareLines(t *testing.T) {
	const line = 64
	s := start(t, taskgraph.Options{Workers: 4})
	for name, spans := range map[string][]taskgraph.Span{
		"forks":   append(s.ForkSpans(), s.ForkSpans()...),
		"runners": s.RunnerSpans(8),
		"bundles": s.BundleSpans(40),
		"owners":  s.OwnerSpans(),
	} {
		slices.SortFunc(spans, func(a, b taskgraph.Span) int {
			return int(int64(a.From) - int64(b.From))
		})
		for i, b := range spans[1:] {
			a := spans[i]
			require.Less(t, (a.To-1)/line, b.From/line, "%s: one at %x to %x, one at %x", name,
				a.From, a.To, b.From)
		}
	}
}
