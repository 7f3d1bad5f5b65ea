package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/export"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/made"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// nasty is a name with all that a format may stumble over.
const nasty = "a\"b\\c<d>&'e\nf\x00g\x1b[31mh\xffi]]>-->\u2028é"

// formats are all that there are, as functions of a snapshot.
var formats = map[string]func(io.Writer, *trace.Snapshot) error{
	"JSON":     export.JSON,
	"Perfetto": export.Perfetto,
	"DOT": func(w io.Writer, s *trace.Snapshot) error {
		return export.DOT(w, s, profile.Of(s, profile.Options{}))
	},
	"SVG": func(w io.Writer, s *trace.Snapshot) error {
		return export.SVG(w, s, profile.Of(s, profile.Options{}))
	},
	"Lanes": func(w io.Writer, s *trace.Snapshot) error {
		return export.Lanes(w, s, profile.Of(s, profile.Options{}))
	},
	"Text": func(w io.Writer, s *trace.Snapshot) error {
		return export.Text(w, profile.Of(s, profile.Options{}))
	},
}

func written(t require.TestingT, format string, s *trace.Snapshot) []byte {
	var b bytes.Buffer
	require.NoError(t, formats[format](&b, s))
	return b.Bytes()
}

// check is a requirement that costs nothing where it holds: there are very many of them.
func check(t require.TestingT, holds bool, format string, args ...any) {
	if !holds {
		require.Fail(t, fmt.Sprintf(format, args...))
	}
}

// drawnSnapshot draws a run of a program, or events that need not fit together; with names of any
// kind.
func drawnSnapshot(t *rapid.T) *trace.Snapshot {
	draw := func(name string, low, high int) int {
		return rapid.IntRange(low, high).Draw(t, name)
	}
	var s *trace.Snapshot
	if draw("garbage", 0, 1) == 1 {
		s = made.Garbage(25, draw)
	} else {
		p := made.Draw(12, draw)
		s = made.Run(&p, draw("workers", 1, 4))
	}
	for _, id := range []trace.ID{1, 2, 3} {
		if info, ok := s.Tasks[id]; ok {
			info.Name = rapid.OneOf(rapid.Just(nasty), rapid.String(),
				rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).
				Draw(t, "a name")
			info.Graph = rapid.SampledFrom([]string{"", nasty}).Draw(t, "a graph")
			s.Tasks[id] = info
		}
	}
	for i := range s.Lanes {
		s.Lanes[i].Name += rapid.SampledFrom([]string{"", nasty}).Draw(t, "a lane")
	}
	return s
}

// many is a snapshot of so many tasks, with two events each.
func many(tasks int) *trace.Snapshot {
	s := &trace.Snapshot{Tasks: map[trace.ID]trace.Task{}, To: time.Duration(tasks),
		Lanes: []trace.Lane{{Name: "worker 0"}, {Name: "worker 1"}}}
	for i := range trace.ID(tasks) {
		l := &s.Lanes[i%2]
		at := time.Duration(i)
		l.Events = append(l.Events, trace.Event{At: at, Kind: trace.Begin, Task: i + 1},
			trace.Event{At: at + 1, Kind: trace.End, Task: i + 1})
		known := trace.Task{Name: "t"}
		if i > 0 {
			known.After = []trace.ID{i}
		}
		s.Tasks[i+1] = known
	}
	return s
}

// The first error of the writer is returned, wherever it comes.
func TestErrorsOfTheWriter(t *testing.T) {
	p := made.Program{Tasks: []made.Task{{Name: "a", Rounds: made.Steps(made.Work(1))}}}
	s := made.Run(&p, 1)
	for name, format := range formats {
		t.Run(name, func(t *testing.T) {
			whole := len(written(t, name, s))
			broken := errors.New("broken")
			for n := range whole {
				require.ErrorIs(t, format(&brokenWriter{n, broken}, s), broken)
			}
			require.NoError(t, format(&brokenWriter{whole, broken}, s))
		})
	}
}

type brokenWriter struct {
	left int
	err  error
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		n := w.left
		w.left = 0
		return n, w.err
	}
	w.left -= len(p)
	return len(p), nil
}

// What is written is the same every time.
func TestDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawnSnapshot(t)
		for name := range formats {
			require.Equal(t, written(t, name, s), written(t, name, s), name)
		}
	})
}
