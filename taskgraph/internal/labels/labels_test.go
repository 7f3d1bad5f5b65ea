package labels_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/labels"
)

// own returns the labels of the calling goroutine, as a profile of goroutines shows them.
func own(t *testing.T) string {
	var b bytes.Buffer
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&b, 1))
	for _, stack := range strings.Split(b.String(), "\n\n") {
		if strings.Contains(stack, "labels_test.own") {
			for line := range strings.SplitSeq(stack, "\n") {
				if text, ok := strings.CutPrefix(line, "# labels: "); ok {
					return text
				}
			}
		}
	}
	return ""
}

func TestShowAndRestore(t *testing.T) {
	var g labels.Goroutine
	none := g.Shown()
	require.Nil(t, none)
	outer := g.Show(labels.Label{Task: "outer", Graph: "frame", Priority: "high"})
	require.Equal(t, outer, g.Shown())
	require.Equal(t, `{"graph":"frame", "priority":"high", "task":"outer"}`, own(t))
	require.NotEqual(t, outer, g.Show(labels.Label{Task: "inner"}))
	require.Contains(t, own(t), "inner")
	g.Restore(outer)
	require.Contains(t, own(t), "outer")
	require.Equal(t, outer, g.Show(labels.Label{Task: "outer", Graph: "frame", Priority: "high"}),
		"which is kept")
	g.Restore(none)
	require.Empty(t, own(t))
}

// What is made for each task is shown and, beyond a bound, not kept.
func TestManyLabels(t *testing.T) {
	var g labels.Goroutine
	defer g.Restore(g.Shown())
	kept := func(i int) bool {
		l := labels.Label{Task: fmt.Sprint(i)}
		ctx := g.Show(l)
		pprof.ForLabels(ctx, func(key, value string) bool {
			require.True(t, key != "task" || value == l.Task)
			return true
		})
		return ctx == g.Show(l)
	}
	n := 0
	for kept(n) {
		n++
	}
	require.Greater(t, n, 1000)
	require.True(t, kept(0))
	require.False(t, kept(n+1))
	require.NotEqual(t, context.Background(), g.Shown())
}
