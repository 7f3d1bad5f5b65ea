package frame

import (
	"context"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/clitest"
	"github.com/heddle-go/heddle/internal/dev/race"
)

// command calls the command in this process, with a coarse scene where no picture is asked for.
func command(t *testing.T, args ...string) clitest.Outcome[report] {
	t.Helper()
	p := Program{Name: "frameloop", rough: !slices.Contains(args, "-png")}
	return clitest.Call[report](t, p, args...)
}

func TestJSON(t *testing.T) {
	o := command(t, "-json", "-frames", "12", "-size", "1", "-workers", "3", "-seed", "7")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Empty(t, o.Stderr)
	r := o.Report
	require.Equal(t, 12, r.Frames)
	require.Equal(t, uint64(7), r.Seed)
	require.Equal(t, 3, r.Workers)
	require.Positive(t, r.FrameP50)
	require.GreaterOrEqual(t, r.FrameP99, r.FrameP50)
	require.Positive(t, r.SerialP50)
	require.Positive(t, r.GoroutinesP50)
	require.InDelta(t, r.SerialP50/r.FrameP50, r.Speedup, 0.01*r.Speedup+0.001)
	require.Greater(t, r.Parallelism, 1.0)
	require.Regexp(t, "^[0-9a-f]{16}$", r.DigestSerial)
	require.Equal(t, r.DigestSerial, r.DigestParallel)
	require.True(t, r.DigestEqual)
	require.Zero(t, r.LagSplit)
	require.Positive(t, r.LagLagged)
}

func TestJSONKeys(t *testing.T) {
	const want = `frames scene seed workers frame_ms_p50 frame_ms_p99 serial_ms_p50 goroutines_ms_p50 split_ms_p50 barriers_ms_p50 overlap idle_split idle_barriers speedup parallelism ` +
		`allocs_per_frame gc_cycles digest_serial digest_parallel digest_equal lag_error_split lag_error_lagged ` +
		`files_read cold_read_ms_p50 warm_read_ms_p50 late_frames file_faults`
	for name, args := range map[string][]string{
		"done":         {"-json", "-frames", "1", "-size", "1"},
		"out of range": {"-json", "-workers", "-1"},
		"usage":        {"-bogus", "-json"},
	} {
		o := command(t, args...)
		require.Equal(t, strings.Fields(want), clitest.Keys(o.Stdout), name)
	}
}

func TestTable(t *testing.T) {
	for _, physics := range []string{"serial", "lagged", "split", "barriers"} {
		o := command(t, "-frames", "3", "-size", "1", "-physics", physics, "-workers", "2", "-fps",
			"500")
		require.Equal(t, cli.OK, o.Status, o.Stderr)
		require.Empty(t, o.Stderr)
		require.Regexp(t,
			`^3 frames of the scene mixed, played .*\n\(size 1, seed 1, physics order `+physics+
				`, 2 workers on \d+ processors?\)\n`, o.Stdout)
		require.Regexp(t, `(?m)^serial( +[\d.]+){4}  one thread, one step after the other$`,
			o.Stdout)
		require.Regexp(t, `(?m)^goroutines( +[\d.]+){4}`, o.Stdout)
		require.Regexp(t, `(?m)^Heddle( +[\d.]+){4}`, o.Stdout)
		require.Regexp(t, `(?m)^lagged( +[\d.]+){2} +0\.0\d*[1-9]\d*  dependents use `, o.Stdout)
		require.Regexp(t, `(?m)^split( +[\d.]+){2} +0\.0000  `, o.Stdout)
		require.Regexp(t, `(?m)^barriers( +[\d.]+){2} +0\.0000  `, o.Stdout)
		require.Regexp(t, `(?m)^simulation +[\d.]+ +\d+ %  `, o.Stdout)
		require.Regexp(t, `(?m)^overlap +\d+ %  unrelated objects ran during `, o.Stdout)
		require.Regexp(t, `(?m)^dependents wait, ms +[\d.]+  `, o.Stdout)
		require.Regexp(t, `(?m)^idle +\d+ %  of the processors' time in .*; with barriers \d+ %$`,
			o.Stdout)
		require.Regexp(t, `(?m)^missed deadlines +\d  of 3, at 500 frames a second$`, o.Stdout)
		require.Regexp(t, `(?m)^digests +equal  .*: [0-9a-f]{16}$`, o.Stdout)
		require.Regexp(t, `(?m)^object tasks +\d+  a frame: `, o.Stdout)
		require.Regexp(t, `\n\nHeddle takes [\d.]+ ms for a frame \(the median of 3 frames\), with 2 `+
			`workers on (.+\n)+All three computed the same state and the same picture, bit for `+
			`bit\.\n$`, o.Stdout)
	}
}

func TestFiles(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("the same goroutines as in the other tests, and large pictures")
	}
	dir := t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	o := command(t, "-frames", "2", "-size", "1", "-png", name("last.png"), "-lag", name("lag.png"),
		"-out", name("all"), "-dot", name("frame.dot"), "-lanes", name("lanes.svg"))
	require.Equal(t, cli.OK, o.Status, o.Stderr)

	for file, width := range map[string]int{"last.png": stillQuality.width,
		"lag.png": stillQuality.width, "all/frame-00000.png": fine.width,
		"all/frame-00001.png": fine.width} {
		f, err := os.Open(name(file))
		require.NoError(t, err)
		m, err := png.Decode(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.Equal(t, width, m.Bounds().Dx())
		colors := map[uint32]bool{}
		for x := range width {
			r, g, b, _ := m.At(x, m.Bounds().Dy()/2).RGBA()
			colors[r<<16^g<<8^b] = true
		}
		require.Greater(t, len(colors), 20, "%s is a picture", file)
	}

	dot, err := os.ReadFile(name("frame.dot"))
	require.NoError(t, err)
	require.Regexp(t, `^digraph frame \{\n(\t.*;\n)+\}\n$`, string(dot))
	require.Contains(t, string(dot), `"solve" -> "dependents" [style=dashed`)
	require.Contains(t, string(dot), `"occlusion" -> "hidden" [style=dotted`)
	require.Contains(t, string(dot), "color=red")

	lanes, err := os.ReadFile(name("lanes.svg"))
	require.NoError(t, err)
	for _, want := range []string{"<svg ", ">worker 0</text>", "Render</text>", "range of solve",
		"<title>render, ", `stroke="#d00000"`, "</svg>"} {
		require.Contains(t, string(lanes), want)
	}
}

// The trace has a lane for each worker and each named thread, and a bar for whatever they did.
func TestTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("plays until files are loaded")
	}
	const frames = scene.LoadEvery + 1
	file := filepath.Join(t.TempDir(), "trace.json")
	o := command(t, "-frames", strconv.Itoa(frames), "-size", "1", "-workers", "3", "-trace", file)
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var trace struct {
		Events []struct {
			Ph, Name string
			Args     map[string]any
		} `json:"traceEvents"`
	}
	require.NoError(t, json.Unmarshal(text, &trace))
	lanes, bars, marks := map[string]bool{}, map[string]int{}, map[string]int{}
	for _, e := range trace.Events {
		switch {
		case e.Name == "thread_name":
			lanes[e.Args["name"].(string)] = true
		case e.Ph == "B":
			bars[e.Name]++
		case e.Ph == "i":
			marks[e.Name]++
		}
	}
	for _, lane := range []string{"worker 0", "worker 1", "worker 2", "Game", "Render", "Audio",
		"Loader"} {
		require.True(t, lanes["thread "+lane] || lanes[lane], "lane %s in %v", lane, lanes)
	}
	require.Equal(t, frames, bars["input"])
	require.Equal(t, frames, marks["frame"], "%v", marks)
	require.Equal(t, frames, marks["end of frame"])
	require.Equal(t, frames, bars["render"])
	require.NotZero(t, bars["load "+scene.Prefabs[1]])
}

// The profile is of the last frames, and names steps.
func TestProfile(t *testing.T) {
	o := command(t, "-frames", "3", "-size", "1", "-workers", "2", "-profile")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Contains(t, o.Stdout, "Critical path")
	require.Regexp(t, `(?m)^  render +[23] `, o.Stdout, "once a frame")
	require.Regexp(t, `(?m)^on \d+ processors: [\d.]+ ms with 1 workers, .* and it was [\d.]+ ms$`,
		o.Stdout)
	o = command(t, "-json", "-frames", "1", "-size", "1", "-profile")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Contains(t, o.Stderr, "Critical path", "beside what is JSON")
}

func TestFilesThatCannotBe(t *testing.T) {
	for _, flag := range []string{"-png", "-lag", "-trace", "-dot", "-lanes"} {
		o := command(t, "-frames", "1", flag, filepath.Join(t.TempDir(), "no", "file.json"))
		require.Equal(t, cli.Failed, o.Status)
		clitest.Line(t, o.Stderr, "frameloop: "+flag+": ")
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	o := command(t, "-frames", "1", "-out", file)
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, "frameloop: -out: ")
}

func TestValueOutOfRange(t *testing.T) {
	clitest.OutOfRange(t, "frameloop", command,
		"-workers 0", "-workers -1", "-workers 1000000", "-frames 0", "-size 0", "-size=-3",
		"-size 100000", "-fps -1", "-fps 9999", "-physics best", "-scene moon", "-budget -1",
		"-trace frame.txt", "-http :0 -tail", "-http :0 -profile",
	)
}

func TestUsage(t *testing.T) {
	clitest.Misused(t, command, map[string]string{
		"-bogus":        "not defined: -bogus",
		"-workers many": `invalid value "many" for flag -workers`,
		"-frames=":      `invalid value "" for flag -frames`,
		"-seed -1":      `invalid value "-1" for flag -seed`,
		"-png":          "flag needs an argument: -png",
		"fast":          `stray argument "fast"`,
	})
}

func TestHelp(t *testing.T) {
	clitest.Help(t, command, "frames", "seed", "scene", "lanes", "size", "workers", "physics",
		"fps", "png", "out", "lag", "trace", "profile", "http", "dot", "make", "dir", "budget", "keep-going", "json",
		"progress")
}

// A frame that fails stops the run, or not, as asked; either way the command fails and names the
// step.
func TestFailingFrames(t *testing.T) {
	for _, keepGoing := range []bool{false, true} {
		o := options{rough: true, frames: 5, size: 1, workers: 2, seed: 1, keepGoing: keepGoing,
			physicsName: "split", settingName: "courtyards"}
		require.NoError(t, o.validate(true))
		m, err := newMeasurement(o)
		require.NoError(t, err)
		for i := range m.graph.plan.steps {
			if s := &m.graph.plan.steps[i]; s.name == "collide" {
				work := s.work
				s.work = func(frame, lo, hi int) {
					if frame == 2 {
						panic("as asked")
					}
					work(frame, lo, hi)
				}
			}
		}
		var told []string
		err = m.run(context.Background(), o, nil, func(line string) { told = append(told, line) })
		if keepGoing {
			require.NoError(t, err)
			require.Len(t, told, 1)
			require.Contains(t, told[0],
				`split physics: 1 frames failed, the first with: frame 2: tick: "collide": `)
			require.Len(t, m.graph.times, 5)
			var r report
			r.measured(o, m)
			require.True(t, r.bad())
		} else {
			require.ErrorContains(t, err, `split physics: frame 2: tick: "collide": `)
			require.ErrorContains(t, err, "as asked")
		}
		require.NoError(t, m.close())
	}
}
