package frame

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/engine/store"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/clitest"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// made returns a folder of models.
func made(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, makeModels(t.Context(), dir, 1, &strings.Builder{}))
	return dir
}

func opened(t *testing.T, dir string) *models {
	t.Helper()
	m, err := openModels(dir, meshes)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.close()) })
	return m
}

// worldOfFiles is a small world whose sites have their props from files.
func worldOfFiles(t *testing.T, m *models, budget int64) *world {
	t.Helper()
	s, err := scene.New(scene.Options{Setting: scene.Courtyards, Seed: 1, Size: 1, Coarse: true,
		Props: len(m.names)})
	require.NoError(t, err)
	w := worldOf(s, scene.Split, speck)
	w.from(m, budget)
	return w
}

// Whoever plays, with however many workers and in whatever order, whether files are read when a
// frame needs them or ahead, and whether there is room to keep them: what comes to life in which
// frame is the same, and so is the picture.
func TestDigestsWithFiles(t *testing.T) {
	frames, seeds := 200, uint64(4) // until some props have gone again
	switch {
	case *proof:
		frames, seeds = 45, 100
	case race.Enabled, testing.Short():
		frames, seeds = 30, 1
	}
	m := opened(t, made(t))
	w := worldOfFiles(t, m, 1<<20)
	want := playWorld(t, w, func(p *plan) player { return newSerial(p, nil) }, frames)
	here, missing := w.SitesHere()
	require.Greater(t, here, 3)
	require.Zero(t, missing)
	require.Equal(t, want, playWorld(t, worldOfFiles(t, m, 0), func(p *plan) player {
		return newGoroutines(p, 4)
	}, frames), "goroutines")
	for _, workers := range []int{1, 2, 4} {
		w := worldOfFiles(t, m, int64(workers-1)<<16)
		require.Equal(t, want, playWorld(t, w, func(p *plan) player {
			return graphOf(t, p, workers, false, nil)
		}, frames), "%d workers", workers)
		require.Equal(t, w.library.store.Stats().Asked, w.librarian.stats.Asked)
	}
	for seed := range seeds {
		w := worldOfFiles(t, m, 1<<18)
		require.Equal(t, want, playWorld(t, w, func(p *plan) player {
			return graphOf(t, p, 3, false, &taskgraph.Deterministic{Seed: seed})
		}, frames), "seed %d", seed)
	}
}

// A loader thread that has no time until a frame needs what was asked for: that frame waits, the
// props come in the frame in which they would have come, and the most urgent files are read first.
func TestLateProps(t *testing.T) {
	const frames = 40
	m := opened(t, made(t))
	want := playWorld(t, worldOfFiles(t, m, 1<<20), func(p *plan) player {
		return newSerial(p, nil)
	}, frames)
	w := worldOfFiles(t, m, 1<<20)
	pl := graphOf(t, w.plan(), 2, false, nil)
	w.serveBy(pl)
	gate := newGate()
	busy := pl.sys.Task(taskgraph.Do(func() { <-gate })).On(pl.crew.loader).Launch()
	overdue, open := w.serve.overdue, true
	var first uint64
	w.serve.overdue = func() *arrival {
		a := overdue()
		if a != nil && open {
			open, first = false, w.Frame
			close(gate) // the loader thread begins only now
		}
		return a
	}
	playAll(t, pl, frames)
	require.True(t, busy.IsComplete())
	require.EqualValues(t, scene.LoadTime+1, first)
	require.Positive(t, w.library.late)
	require.Equal(t, want, w.shot())
}

// Props come to life where the game thread runs what was posted to it, at the end of the frame.
func TestPropsAreBornInTheDrain(t *testing.T) {
	w := worldOfFiles(t, opened(t, made(t)), 1<<20)
	p := w.plan()
	var pl *graphPlayer
	var before, after []int // numbers of roots
	probe := func(to *[]int) {
		require.NoError(t, pl.crew.game.Post(namedthread.QueueMain, namedthread.PriorityNormal,
			namedthread.Func(func() {
				pl.crew.game.MustBeCurrent()
				*to = append(*to, len(w.Roots))
			}), 0))
	}
	for i := range p.steps {
		s := &p.steps[i]
		work := s.work
		switch s.name {
		case "input":
			s.work = func(frame, lo, hi int) { work(frame, lo, hi); probe(&before) }
		case "loads":
			s.work = func(frame, lo, hi int) { work(frame, lo, hi); probe(&after) }
		}
	}
	pl = graphOf(t, p, 2, false, nil)
	w.serveBy(pl)
	roots := len(w.Roots)
	for f := range scene.LoadTime + 1 {
		require.Len(t, w.Roots, roots, "before frame %d", f)
		require.NoError(t, pl.frame(f))
	}
	done(t, pl)
	here, _ := w.SitesHere()
	require.Positive(t, here)
	require.Equal(t, slices.Repeat([]int{roots}, scene.LoadTime+1), before)
	require.Equal(t, append(slices.Repeat([]int{roots}, scene.LoadTime), roots+here), after)
}

// Sites are asked for by workers, in the middle of a frame.
func TestWhoAsks(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine at a time: the detector has little to find, and takes its time")
	}
	w := worldOfFiles(t, opened(t, made(t)), 1<<20)
	pl := graphOf(t, w.plan(), 2, false, &taskgraph.Deterministic{Seed: 1})
	w.serveBy(pl)
	who := map[string]int{}
	wake := w.library.wake
	w.library.wake = func() {
		name := "worker"
		if th, err := namedthread.Current(); err == nil {
			name = th.Name()
		}
		who[name]++
		wake()
	}
	playAll(t, pl, 60)
	require.Positive(t, who["worker"], "%v", who)
}

// A frame that fails before it comes to its files has them all the same.
func TestPropsOfAFailedFrame(t *testing.T) {
	w := worldOfFiles(t, opened(t, made(t)), 1<<20)
	p := w.plan()
	for i := range p.steps {
		if s := &p.steps[i]; s.name == "loads" {
			work := s.work
			s.work = func(frame, lo, hi int) {
				if frame == scene.LoadTime {
					panic("as asked")
				}
				work(frame, lo, hi)
			}
		}
	}
	pl := graphOf(t, p, 2, false, nil)
	w.serveBy(pl)
	for f := range scene.LoadTime + 2 {
		err := pl.frame(f)
		if f == scene.LoadTime {
			require.ErrorContains(t, err, "as asked")
			here, _ := w.SitesHere()
			require.Positive(t, here)
		} else {
			require.NoError(t, err)
		}
	}
	done(t, pl)
}

// spoil makes faults: a file of each kind, by the name that its line begins with.
func spoil(t *testing.T, dir string) (lines []string) {
	t.Helper()
	at := func(name string) string { return filepath.Join(dir, "models", name) }
	require.NoError(t, os.Remove(at("jar-0.mesh")))
	text, err := os.ReadFile(at("jar-1.mesh"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at("jar-1.mesh"), text[:len(text)/2], 0o600))
	text, err = os.ReadFile(at("cairn-2.mesh"))
	require.NoError(t, err)
	text[len(text)/2] ^= 1
	require.NoError(t, os.WriteFile(at("cairn-2.mesh"), text, 0o600))
	require.NoError(t, os.Remove(at("lantern-3.mesh")))
	require.NoError(t, os.Mkdir(at("lantern-3.mesh"), 0o700))
	return []string{
		"models/cairn-2.mesh: damaged: ", "models/jar-0.mesh: missing: ",
		"models/jar-1.mesh: truncated: ",
		"models/lantern-3.mesh: unreadable: it is a folder",
	}
}

// The command with a folder that it has made, with faults in it: one line each, and the frames go
// on.
func TestFilesOfAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	o := command(t, "-make", dir, "-seed", "5")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Regexp(t, `^24 models of \d+ KiB, and .*models\.txt\n$`, o.Stdout)
	frames := "60"
	switch {
	case race.Enabled:
		frames = "14"
	case testing.Short():
		frames = "12"
	}
	args := []string{"-frames", frames, "-size", "1", "-workers", "2", "-scene", "courtyards",
		"-dir", dir, "-budget", "200"}
	o = command(t, args...)
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Empty(t, o.Stderr)
	require.Regexp(t, `(?m)^24 models, 200 KiB kept +files `, o.Stdout)
	require.Regexp(t, `(?m)^(cold page cache|first time)( +\d+){2}( +[\d.]+){3} +\d+  frames `,
		o.Stdout)
	require.Regexp(t, `(?m)^warm page cache( +\d+){2}( +[\d.]+){3} +\d+  frames `, o.Stdout)
	require.Regexp(t, `(?m)^props at the end +\d+  0 of them placeholders$`, o.Stdout)
	require.Regexp(t, `(?m)^digests +equal  .*both passes: [0-9a-f]{16}$`, o.Stdout)

	want := spoil(t, dir)
	o = command(t, append([]string{"-json"}, args...)...)
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	got := strings.Split(strings.TrimSpace(o.Stderr), "\n")
	slices.Sort(got)
	told := 0
	for _, w := range want {
		for _, line := range got {
			if strings.HasPrefix(line, "frameloop: "+w) {
				require.True(t, strings.HasSuffix(line, "; a placeholder stands for it"), line)
				told++
			}
		}
	}
	require.Len(t, got, told, "a line each: %q", got)
	require.Equal(t, told, o.Report.Faults)
	require.Greater(t, told, 1, "some are near")
	require.True(t, o.Report.DigestEqual)
	require.Greater(t, o.Report.Files, 5)
}

// A file that somebody writes to between the turns of two contestants: they play otherwise, which
// is told, and no fault of the frame.
func TestFileThatChangesBetweenTurns(t *testing.T) {
	if testing.Short() {
		t.Skip("measures every player twice")
	}
	dir := made(t)
	for _, change := range []bool{false, true} {
		o := options{
			rough: true, frames: 30, workers: 2, seed: 1, budget: 1 << 10, physicsName: "split",
			settingName: "courtyards", size: 1, models: opened(t, dir),
		}
		require.NoError(t, o.validate(true))
		m, err := newMeasurement(o)
		require.NoError(t, err)
		var told []string
		m.told = func(line string) { told = append(told, line) }
		if change {
			played := m.graph.played
			m.graph.played = func(frame int) {
				played(frame)
				if frame == 0 { // all others but the serial one come later
					for k := range wares {
						for i := range madeOfEach {
							r := vec.RandAt(9, uint64(k), uint64(i))
							require.NoError(t, writeModel(dir,
								"models/"+wares[k].name+"-"+string(rune('0'+i))+".mesh",
								wares[k].make(&r).Encode()))
						}
					}
				}
			}
		}
		require.NoError(t, m.run(t.Context(), o, nil, m.told))
		require.NoError(t, m.readTwice(t.Context(), o, nil))
		var r report
		r.measured(o, m)
		require.Equal(t, change, r.changed != "", r.changed)
		require.Equal(t, change, !r.DigestEqual)
		require.False(t, r.bad())
		require.Contains(t, strings.Join(r.rows, "\n"),
			map[bool]string{true: "files changed between two players' turns, ",
				false: "equal  state and picture after the last frame, "}[change])
		require.NoError(t, m.close())
		require.Empty(t, told)
	}
}

func TestOutcomesDiffer(t *testing.T) {
	of := func(sum uint64, kind store.Kind) outcomes {
		o := outcomes{map[string]uint64{}, map[string]*store.Fault{}}
		if sum > 0 {
			o.sums["file"] = sum
		}
		if kind > 0 {
			o.faults["file"] = &store.Fault{Name: "file", Kind: kind, Err: errors.New("so")}
		}
		return o
	}
	none := of(0, 0)
	all := []outcomes{of(1, 0), of(2, 0), of(0, store.Missing), of(0, store.Truncated)}
	for i, o := range all {
		require.Empty(t, o.differ(none))
		require.Empty(t, none.differ(o))
		for j, p := range all {
			require.Equal(t, i != j, o.differ(p) == "file", "%d, %d", i, j)
		}
	}
}

// A folder without models, with a list that names what is outside, or that is no folder.
func TestFoldersThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		return filepath.Join(dir, name)
	}
	for args, want := range map[string]string{
		"-dir " + filepath.Join(dir, "none"): "-dir: ",
		"-dir " + write("file", ""):          "-dir: ",
		"-dir " + filepath.Dir(write("empty/other.txt",
			"x")): ": there is no models.txt, and no file *.mesh",
		"-dir " + filepath.Dir(write("list/models.txt",
			"# none\n\n")): ": there is no models.txt, and no file *.mesh",
		"-dir " + filepath.Dir(write("out/models.txt",
			"a\n../secret")): `: models.txt: line 2: "../secret" is no name of a file in the folder`,
		"-dir " + dir + " -make " +
			dir: "-make and -dir: want one of them",
		"-make " + write("taken", ""):                   "-make: ",
		"-make " + filepath.Join(dir, "taken", "below"): "-make: ",
	} {
		o := command(t, append([]string{"-frames", "1"}, strings.Fields(args)...)...)
		require.Equal(t, cli.Failed, o.Status, args)
		clitest.Line(t, o.Stderr, want)
		require.True(t, strings.HasPrefix(o.Stderr, "frameloop: "), o.Stderr)
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, makeModels(ctx, filepath.Join(dir, "cancelled"), 1, &strings.Builder{}),
		context.Canceled)
}
