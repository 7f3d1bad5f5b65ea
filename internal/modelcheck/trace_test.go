package modelcheck_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
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
	golden(t, "trace.golden", "schedule "+f.Schedule+"\n"+f.Text+f.Trace)
	golden(t, "drawing.svg", string(f.Drawing("a deadlock")))
}

// golden compares with a file in testdata.
func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
}

// Each kind of step says what the word held before and holds after, in the form of its type.
func TestTraceOfValues(t *testing.T) {
	type node struct{ next *node }
	var got strings.Builder
	for _, do := range []func(){
		func() { var n modelcheck.Uint32; n.Store(7); n.Add(^uint32(0)) },
		func() { var n modelcheck.Int32; n.Store(-7); n.Swap(2) },
		func() { var n modelcheck.Uint64; n.Or(6); n.And(3) },
		func() { var n modelcheck.Int64; n.CompareAndSwap(0, 5); n.CompareAndSwap(0, 6) },
		func() { var b modelcheck.Bool; b.Store(true); b.Swap(false); b.Load() },
		func() { var b modelcheck.Bool; b.CompareAndSwap(true, false); b.Swap(true) },
		func() { var p modelcheck.Pointer[node]; a := new(node); p.Store(a); p.Store(&node{a}) },
		func() { var p modelcheck.Pointer[node]; p.CompareAndSwap(&node{}, nil); p.Load() },
		func() { var n modelcheck.Uint32; n.Add(1); modelcheck.FutexWait(&n, 0, -1) },
	} {
		f := explore(modelcheck.Config{}, modelcheck.NewDepthFirst(0), 0, func(e *engine) {
			e.Thread(func() { do(); e.Fail(modelcheck.KindAssertion, "stop") })
		}).Failure
		require.Equal(t, "stop", f.Text)
		for _, line := range strings.Split(f.Trace, "\n")[1:] {
			if operation, _, step := strings.Cut(line, "trace_test.go"); step {
				got.WriteString(strings.Join(strings.Fields(operation), " ") + "\n")
			}
		}
	}
	require.Equal(t, `1 A n.Store(7) 1 0 -> 7
2 A n.Add(0xffffffff) = 6 1 7 -> 6
A -- fails: stop
1 A n.Store(-7) 1 0 -> -7
2 A n.Swap(2) = -7 1 -7 -> 2
A -- fails: stop
1 A n.Or(6) was 0 1 0 -> 6
2 A n.And(3) was 6 1 6 -> 2
A -- fails: stop
1 A n.CAS(0, 5) ok 1 0 -> 5
2 A n.CAS(0, 6) failed 1 is 5
A -- fails: stop
1 A b.Store(true) 1 false -> true
2 A b.Swap(false) = true 1 true -> false
3 A b.Load() = false 1
A -- fails: stop
1 A b.CAS(true, false) failed 1 is false
2 A b.Swap(true) = false 1 false -> true
A -- fails: stop
1 A p.Store(p1) 1 nil -> p1
2 A p.Store(p2) 1 p1 -> p2
A -- fails: stop
1 A p.CAS(p1, nil) failed 1 is nil
2 A p.Load() = nil 1
A -- fails: stop
1 A n.Add(1) = 1 1 0 -> 1
2 A does not wait on n 1 is 1, not 0
A -- fails: stop
`, got.String())
}

// Between the steps a trace says why another thread moves.
func TestTraceOfSwitches(t *testing.T) {
	replay, err := modelcheck.NewReplay("A1B2A2!B1")
	require.NoError(t, err)
	f := explore(modelcheck.Config{}, replay, 0, func(e *engine) {
		var p modelcheck.Pointer[int]
		e.Thread(func() { p.Load(); p.Load(); p.Store(new(int)); p.Load() })
		e.Thread(func() {
			for p.Load() == nil {
				modelcheck.Yield()
				modelcheck.Yield()
			}
			e.Fail(modelcheck.KindAssertion, "seen\nby B")
		})
	}).Failure
	require.NotNil(t, f)
	golden(t, "switches.golden", f.Trace)
	golden(t, "switches.svg", string(f.Drawing("switches")))
}

// What fails after all threads has the place of the assertion, and what fails outside of the model
// has none.
func TestTraceOfAFailureAtTheEnd(t *testing.T) {
	e := modelcheck.NewEngine(modelcheck.Config{})
	defer e.Close()
	f := e.Explore(modelcheck.NewDepthFirst(0), 0, nil, func() {
		var n modelcheck.Uint32
		e.Thread(func() { n.Add(1) })
		e.Run()
		e.Fail(modelcheck.KindAssertion, "late")
	}).Failure
	require.Regexp(t, `A   +-- ends\n {8,}-- fails: late  trace_test\.go:\d+\n$`, f.Trace)
	require.Contains(t, string(f.Drawing("")), "at the end: fails: late")
}

// A drawing is XML whatever the names are, says all that the trace says, and comes out the same.
func TestDrawing(t *testing.T) {
	const title, note, text = `<b>"&amp;'`, "]]>\x01<script>", "a < b &\n</svg>\tend"
	replay, err := modelcheck.NewReplay("A1B2A1")
	require.NoError(t, err)
	f := explore(modelcheck.Config{}, replay, 0, func(e *engine) {
		var n [2]modelcheck.Uint32
		for i := range n {
			e.Thread(func() {
				n[i].Store(1)
				modelcheck.Note(func() string { return note })
				if n[1-i].Load() == 1 {
					e.Fail(modelcheck.KindAssertion, text)
				}
			})
		}
	}).Failure
	svg := f.Drawing(title)
	require.Equal(t, svg, f.Drawing(title))
	var (
		said  []string
		inner strings.Builder
		depth int
	)
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, "%s", svg)
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			require.Contains(t, []string{"svg", "title", "style", "rect", "text", "line", "path",
				"circle"}, token.Name.Local)
			inner.Reset()
		case xml.CharData:
			inner.Write(token)
		case xml.EndElement:
			depth--
			said = append(said, inner.String())
			inner.Reset()
		}
	}
	require.Zero(t, depth)
	for _, want := range []string{title, "thread A", "thread B", "n[i].Store(1)",
		"n[1-i].Load() = 1", "]]>\ufffd<script>", "a < b &", "</svg>    end",
		"preempted before n[1-i].Load", "thread B: fails: a < b &"} {
		require.Contains(t, said, want)
	}
	require.Equal(t, 1, strings.Count(string(svg), "http"), "the format's name, and no address")
}

// A failure without a trace has no drawing, and a long text is cut to what fits.
func TestDrawingOfLittleAndOfMuch(t *testing.T) {
	require.Nil(t, new(modelcheck.Failure).Drawing("nothing"))
	long := strings.Repeat("x", 1000)
	f := explore(modelcheck.Config{}, modelcheck.NewDepthFirst(0), 0, func(e *engine) {
		var n modelcheck.Uint32
		e.Thread(func() {
			modelcheck.Note(func() string { return long })
			for {
				n.Add(1)
			}
		})
	}).Failure
	svg := string(f.Drawing(strings.Repeat(long+"\n", 100)))
	require.Contains(t, svg, strings.Repeat("x", 51)+"…")
	require.Contains(t, svg, "rows are left out")
	require.Less(t, strings.Count(svg, "<circle"), 410)
	var box struct {
		Width float64 `xml:"width,attr"`
	}
	require.NoError(t, xml.Unmarshal([]byte(svg), &box))
	require.Less(t, box.Width, 1500.0)
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
