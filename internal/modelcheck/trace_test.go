package modelcheck_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/modelcheck"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The trace shows threads as columns, what they did in the words of the source, and values.
func TestTrace(t *testing.T) {
	f := explore(modelcheck.Config{}, modelcheck.NewDepthFirst(1), 0, func(e *engine) {
		type node struct{ next *node }
		var list struct {
			head modelcheck.Pointer[node]
			size [2]modelcheck.Int32
		}
		var bell modelcheck.Uint32
		e.Thread(func() {
			list.head.Store(&node{})
			list.size[1].Add(-2)
			modelcheck.Note(func() string { return "[pushed]" })
			if modelcheck.Choose(2) == 1 {
				modelcheck.FutexWait(&bell, 0, -1)
			}
		})
		e.Thread(func() {
			old := list.head.Load()
			list.head.CompareAndSwap(old, &node{next: old})
			list.head.CompareAndSwap(old, nil)
			modelcheck.FutexWake(&bell, 1)
			bell.Or(1 << 30)
			modelcheck.Go(func() { list.head.Swap(nil) })
		})
	}).Failure
	require.Equal(t, modelcheck.KindDeadlock, f.Kind)
	path := filepath.Join("testdata", "trace.golden")
	got := "schedule " + f.Schedule + "\n" + f.Text + f.Trace
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
}

// Each of several calls in a line has the name of its own word.
func TestTraceOfSeveralWordsInALine(t *testing.T) {
	type cell struct{ v modelcheck.Uint32 }
	trace := func(body func(e *engine, a, b, c *cell)) string {
		f := explore(modelcheck.Config{}, modelcheck.NewDepthFirst(0), 0, func(e *engine) {
			a, b, c := new(cell), new(cell), new(cell)
			a.v.Store(10)
			b.v.Store(20)
			c.v.Store(30)
			body(e, a, b, c)
		}).Failure
		require.NotNil(t, f)
		return f.Trace
	}
	fail := func(e *engine) { e.Fail(modelcheck.KindAssertion, "wrong") }
	for range 2 { // the first word in evaluation, the last in the line
		got := trace(func(e *engine, a, b, c *cell) {
			e.Thread(func() { a.v.Swap(b.v.Swap(c.v.Load() + 1)); fail(e) })
		})
		require.Contains(t, got, "c.v.Load() = 30")
		require.Contains(t, got, "b.v.Swap(31) = 20")
		require.Contains(t, got, "a.v.Swap(20) = 10")
	}
	got := trace(func(e *engine, a, b, c *cell) {
		e.Thread(func() { _ = a.v.Load() + b.v.Load() + c.v.Load(); fail(e) })
	})
	require.Contains(t, got, "a.v.Load() = 10")
	require.Contains(t, got, "b.v.Load() = 20")
	require.Contains(t, got, "c.v.Load() = 30")
	got = trace(func(e *engine, a, b, c *cell) {
		e.Thread(func() { _ = a.v.Load() == 10 && b.v.Load() == 20 && c.v.Load() == 30; fail(e) })
	})
	require.Contains(t, got, "a.v.Load() = 10")
	require.Contains(t, got, "b.v.Load() = 20")
	require.Contains(t, got, "c.v.Load() = 30")
	got = trace(func(e *engine, a, b, c *cell) { // nobody comes to a
		never := false
		e.Thread(func() { _ = never && a.v.Load() == 1 || b.v.Load() == 1; fail(e) })
	})
	require.Regexp(t, `\(a\.v or b\.v: word\d\)\.Load\(\) = 20`, got)
	got = trace(func(e *engine, a, b, c *cell) { // it ends before b
		e.Thread(func() {
			_ = a.v.Load() + uint32(modelcheck.Choose(func() int { fail(e); return 2 }())) +
				b.v.Load()
		})
	})
	require.Contains(t, got, "a.v.Load() = 10")
}

// An endless loop is shown once, and a long trace not whole.
func TestTraceOfAnEndlessLoop(t *testing.T) {
	f := explore(modelcheck.Config{}, modelcheck.NewDepthFirst(0), 0, func(e *engine) {
		var start, a, b modelcheck.Uint32
		e.Thread(func() {
			start.Store(1)
			for a.Load() == 0 {
				b.Load()
			}
		})
	}).Failure
	require.Equal(t, modelcheck.KindLivelock, f.Kind)
	require.Contains(t, f.Text,
		"a loop that waits for another thread calls Gosched or Pause in each round")
	require.Less(t, strings.Count(f.Trace, "\n"), 10, f.Trace)
	require.Contains(t, f.Trace, "... the last 2 rows again and again, 5000 rows in all")
	f = explore(modelcheck.Config{}, modelcheck.NewDepthFirst(0), 0, func(e *engine) {
		var n modelcheck.Uint32
		e.Thread(func() {
			for {
				n.Add(1)
			}
		})
	}).Failure
	require.Equal(t, modelcheck.KindLivelock, f.Kind)
	require.Less(t, strings.Count(f.Trace, "\n"), 410)
	require.Contains(t, f.Trace, "rows are left out")
	require.Contains(t, f.Trace, "n.Add(1) = 5000")
}
