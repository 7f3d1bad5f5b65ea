package frame

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/taskgraph"
)

// heddle begins the names of all that is not Go's.
const heddle = "github.com/heddle-go/heddle/"

// isOwn tells whether the runtime has allocated something for itself: the record of a goroutine
// that waits, which it has a stock of for each P and drops some of when it collects, a thread, or
// something for which no code of this module asked at all.
func isOwn(stack []string) bool {
	asked := slices.ContainsFunc(stack, func(f string) bool { return strings.HasPrefix(f, heddle) })
	return !asked || slices.Contains(stack, "runtime.acquireSudog") ||
		slices.Contains(stack, "runtime.newm")
}

// allocated returns how many objects each place of this module has allocated so far. The profile
// must have been on since before.
func allocated() map[string]int64 {
	// What was allocated since the last collection but one is not in the profile yet.
	runtime.GC()
	runtime.GC()
	var records []runtime.MemProfileRecord
	for n, ok := 1000, false; !ok; n *= 2 {
		records = make([]runtime.MemProfileRecord, n)
		if n, ok = runtime.MemProfile(records, true); ok {
			records = records[:n]
		} else {
			n = len(records)
		}
	}
	by := map[string]int64{}
	for _, r := range records {
		var stack, lines []string
		frames := runtime.CallersFrames(r.Stack())
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			stack = append(stack, f.Function)
			if name, here := strings.CutPrefix(f.Function, heddle); here {
				lines = append(lines, fmt.Sprintf("%s:%d", name, f.Line))
			}
		}
		if !isOwn(stack) && !slices.Contains(stack, heddle+"examples/internal/frame.allocated") {
			by[strings.Join(lines[:min(len(lines), 5)], " < ")] += r.AllocObjects
		}
	}
	return by
}

// After the first frames nothing is allocated any more, in no scene, recorded or not: not by the
// engine and not by the task system. A window is as long as it takes until every file has been
// read, and objects were born and swept. What is as much as was ever needed at a time may still
// grow in one window, but garbage would be there in each.
func TestFramesMakeNoGarbage(t *testing.T) {
	if race.Enabled {
		t.Skip("the detector allocates")
	}
	const window, tries = scene.LoadEvery * len(scene.Prefabs), 20
	settings := []scene.Setting{scene.Mixed, scene.Mixed, scene.Quarry, scene.Crowd}
	if testing.Short() {
		settings = settings[:1]
	}
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	for i, set := range settings {
		var film *film
		if i%2 == 0 { // of mixed, and where there are most tasks
			film = newFilm(liveRecords, i > 0)
		}
		s, err := scene.New(scene.Options{Setting: set, Seed: 1})
		require.NoError(t, err)
		w := worldOf(s, scene.Split, speck)
		pl := graphWith(t, w.plan(), 2, false, taskgraph.Options{Trace: film.recorder()})
		w.serveBy(pl)
		f := 0
		play := func() {
			for range window {
				film.begins(f)
				if err := pl.frame(f); err != nil {
					t.Fatal(err)
				}
				film.ends(f)
				f++
			}
		}
		play()
		made := map[string]int64{"": 1}
		for try := 0; try < tries && len(made) > 0; try++ {
			before := allocated()
			play()
			made = allocated()
			maps.DeleteFunc(made, func(at string, n int64) bool { return n == before[at] })
			for at := range made {
				made[at] -= before[at]
			}
			t.Logf("%v, frames %d to %d: %v", set, f-window, f-1, made)
		}
		require.Empty(t, made, "%v: objects by who allocates them, the last of %d windows", set,
			tries)
		done(t, pl)
	}
}
