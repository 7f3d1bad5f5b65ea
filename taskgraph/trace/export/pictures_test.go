package export_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/export"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/made"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

var svgPath = regexp.MustCompile(`^[MLCv0-9. ]*$`)

// readSVG reads a picture strictly: well-formed, only elements that are drawn, numbers that are
// numbers, and nothing outside of the picture. It returns how many there are of each element, and
// all text.
func readSVG(t require.TestingT, data []byte) (elements map[string]int, text string) {
	var all strings.Builder
	require.True(t, utf8.Valid(data))
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = true
	elements = map[string]int{}
	wide, high := 0.0, 0.0
	for {
		token, err := d.Token()
		if err == io.EOF {
			return elements, all.String()
		}
		check(t, err == nil, "%v", err)
		switch token := token.(type) {
		case xml.CharData:
			all.Write(token)
			all.WriteByte('\n')
		case xml.StartElement:
			elements[token.Name.Local]++
			at := map[string]float64{}
			for _, a := range token.Attr {
				switch a.Name.Local {
				case "x", "y", "width", "height":
					if a.Value == "100%" {
						continue
					}
					v, err := strconv.ParseFloat(a.Value, 64)
					check(t, err == nil && v >= 0, "%s=%q", a.Name.Local, a.Value)
					at[a.Name.Local] = v
				case "d":
					check(t, svgPath.MatchString(a.Value), "path %q", a.Value)
				}
			}
			if token.Name.Local == "svg" {
				wide, high = at["width"], at["height"]
			}
			check(t, at["x"]+at["width"] <= wide+0.5 && at["y"]+at["height"] <= high+0.5,
				"%v is outside of the picture", token)
		}
	}
}

func TestPicturesAreWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawnSnapshot(t)
		for _, format := range []string{"SVG", "Lanes"} {
			elements, text := readSVG(t, written(t, format, s))
			require.Equal(t, 1, elements["svg"])
			require.NotContains(t, text, "NaN")
		}
	})
}

func TestSVGOfAFrame(t *testing.T) {
	s := frame()
	elements, text := readSVG(t, written(t, "SVG", s))
	require.Equal(t, 4, elements["g"], "one for each task")
	require.Equal(t, 3, elements["path"], "update to physics and to draw, and back from its wait")
	for _, want := range []string{"update", "physics", "draw", "8.00 µs, critical",
		"span 10.0 µs"} {
		require.Contains(t, text, want)
	}
	_, text = readSVG(t, written(t, "Lanes", s))
	for _, want := range []string{"worker 1", "update, 8.50 µs", "update waits, 2.50 µs",
		"range of update, 3.00 µs", "asleep, 1.00 µs"} {
		require.Contains(t, text, want)
	}
}

// A picture of many bars has those that can be seen.
func TestPicturesOfNothingAndOfMany(t *testing.T) {
	for _, format := range []string{"SVG", "Lanes"} {
		readSVG(t, written(t, format, &trace.Snapshot{}))
	}
	tasks := short.Scaled(100_000)
	s := many(tasks)
	elements, _ := readSVG(t, written(t, "Lanes", s))
	require.Less(t, elements["rect"], tasks+10)
	require.Greater(t, elements["rect"], 2_000)
	require.Less(t, elements["rect"], 20_000)
	elements, _ = readSVG(t, written(t, "SVG", s))
	require.Equal(t, tasks, elements["g"])
}

// dotLine matches what DOT writes within braces: a node with a label in quotes, or an edge.
var dotLine = regexp.MustCompile(`^\tt\d+( -> t\d+)?( \[(label="([^"\\]|\\.)*"|` + dotValue + `)` +
	`(, ` + dotValue + `)*\])?$`)

const dotValue = `[a-z]+=("#[a-z0-9]+"|[a-z0-9]+)`

func TestDOTIsWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawnSnapshot(t)
		text := string(written(t, "DOT", s))
		require.True(t, utf8.ValidString(text))
		lines := strings.Split(text, "\n")
		require.Equal(t, []string{"digraph tasks {", "\trankdir=LR",
			"\tnode [shape=box, fontname=\"sans-serif\"]"}, lines[:3])
		require.Equal(t, []string{"}", ""}, lines[len(lines)-2:])
		for _, line := range lines[3 : len(lines)-2] {
			require.Regexp(t, dotLine, line)
		}
	})
}

func TestDOTOfAFrame(t *testing.T) {
	s := frame()
	require.Equal(t, `digraph tasks {
	rankdir=LR
	node [shape=box, fontname="sans-serif"]
	t0 [label="update\n8.00 µs, critical", color="#d00000", penwidth=2]
	t1 [label="physics\n4.50 µs, critical", color="#d00000", penwidth=2]
	t2 [label="draw\n1.50 µs, critical", color="#d00000", penwidth=2]
	t3 [label="frame\nno body"]
	t0 -> t1 [style=dashed, color="#d00000", penwidth=2]
	t0 -> t2 [color="#d00000", penwidth=2]
	t1 -> t0 [style=dotted, constraint=false, color="#d00000", penwidth=2]
}
`, string(written(t, "DOT", s)))
}

// A text is of printable characters, and no line is wider than a terminal.
func TestTextIsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawnSnapshot(t)
		for line := range strings.Lines(string(written(t, "Text", s))) {
			line = strings.TrimSuffix(line, "\n")
			require.LessOrEqual(t, utf8.RuneCountInString(line), 100, line)
			for _, c := range line {
				require.True(t, unicode.IsPrint(c), "%q", line)
			}
		}
	})
}

// A report of one run of a graph has the tasks of that run.
func TestDOTOfARun(t *testing.T) {
	s := frame()
	r := profile.Of(s, profile.Options{Run: made.ID(3)})
	var b bytes.Buffer
	require.NoError(t, export.DOT(&b, s, r))
	require.Equal(t, 3, strings.Count(b.String(), "label="), b.String())
}

// What is too short to be seen is drawn where nothing else is, also below something long.
func TestShortBarsInRowsOfTheirOwn(t *testing.T) {
	at := func(at time.Duration, k trace.Kind, task trace.ID) trace.Event {
		return trace.Event{At: at, Kind: k, Task: task}
	}
	s := &trace.Snapshot{To: time.Second, Lanes: []trace.Lane{{
		Name: "outside", Kind: trace.LaneOutside, Events: []trace.Event{
			at(1, trace.Begin, 1), at(10, trace.Begin, 2), at(11, trace.End, 2),
			at(12, trace.Begin, 3), at(13, trace.End, 3), at(time.Second-1, trace.End, 1),
		}}}, Tasks: map[trace.ID]trace.Task{
		1: {Name: "long"}, 2: {Name: "short"}, 3: {Name: "late"}}}
	var b bytes.Buffer
	require.NoError(t, export.Lanes(&b, s, profile.Of(s, profile.Options{})))
	_, text := readSVG(t, b.Bytes())
	require.Contains(t, text, "long")
	require.Contains(t, text, "short, 1 ns")
	require.NotContains(t, text, "late, 1 ns", "it is in the place of another one")
}
