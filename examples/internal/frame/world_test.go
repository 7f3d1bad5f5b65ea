package frame

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/taskgraph"
)

func small(t *testing.T, v scene.Variant) *world { return smallIn(t, v, tiny) }

func smallIn(t *testing.T, v scene.Variant, q quality) *world {
	t.Helper()
	s, err := scene.New(scene.Options{Setting: scene.Courtyards, Seed: 1, Size: 1, Coarse: true})
	require.NoError(t, err)
	return worldOf(s, v, q)
}

// reference is what the scene's own serial frame leaves behind.
func reference(t *testing.T, v scene.Variant, frames int) uint64 {
	t.Helper()
	s, err := scene.New(scene.Options{Setting: scene.Courtyards, Seed: 1, Size: 1, Coarse: true})
	require.NoError(t, err)
	s.Variant = v
	for range frames {
		require.NoError(t, s.Serial(nil))
	}
	return uint64(s.Digest())
}

func playWorld(t *testing.T, w *world, make func(p *plan) player, frames int) shot {
	t.Helper()
	pl := make(w.plan())
	if g, ok := pl.(*graphPlayer); ok {
		w.serveBy(g)
	}
	playAll(t, pl, frames)
	return w.shot()
}

// Every way to play the frame leaves the same state, sound included, and the same picture.
func TestDigests(t *testing.T) {
	for v, frames := range map[scene.Variant]int{scene.Split: 110, scene.Serial: 36,
		scene.Lagged: 36, scene.Barriers: 36} {
		workers := []int{1, 2, 4, 16} // and long enough to load and to sweep
		if v != scene.Split {
			workers = workers[1:3]
		}
		if race.Enabled || testing.Short() {
			frames, workers = 45, []int{4}
		}
		if (race.Enabled || testing.Short()) && v != scene.Split {
			frames = 26
		}
		if *proof {
			frames, workers = 300, []int{1, 2, 4, 16}
		}
		want := playWorld(t, small(t, v), func(p *plan) player { return newSerial(p, nil) }, frames)
		require.Equal(t, reference(t, v, frames), want.state, "the scene's own frame")
		require.Equal(t, want, playWorld(t, small(t, v), func(p *plan) player {
			return newGoroutines(p, 4)
		}, frames), "goroutines")
		for _, workers := range workers {
			got := playWorld(t, small(t, v), func(p *plan) player {
				return ordered(t, p, v, workers)
			}, frames)
			require.Equal(t, want, got, "%v, %d workers", v, workers)
		}
	}
}

// ordered is a graph player that waits where a variant says.
func ordered(t *testing.T, p *plan, v scene.Variant, workers int) *graphPlayer {
	pl := graphOf(t, p, workers, v == scene.Serial || v == scene.Barriers, nil)
	pl.apart = v == scene.Barriers
	pl.scarce = workers != 4 // whatever the machine has
	return pl
}

// The same in the other settings.
func TestDigestsOfSettings(t *testing.T) {
	frames := 12
	if *proof {
		frames = 60
	}
	settings := []scene.Setting{scene.Mixed, scene.Quarry, scene.Crowd}
	if testing.Short() {
		settings = settings[:1]
	}
	for _, set := range settings {
		make := func(v scene.Variant) *world {
			s, err := scene.New(scene.Options{Setting: set, Seed: 2, Size: 1, Coarse: true})
			require.NoError(t, err)
			return worldOf(s, v, speck)
		}
		want := playWorld(t, make(scene.Split), func(p *plan) player {
			return newSerial(p, nil)
		}, frames)
		require.Equal(t, want, playWorld(t, make(scene.Split), func(p *plan) player {
			return newGoroutines(p, 4)
		}, frames), "%v, goroutines", set)
		for _, v := range []scene.Variant{scene.Split, scene.Serial, scene.Barriers} {
			for _, workers := range []int{1, 4} {
				got := playWorld(t, make(v), func(p *plan) player {
					return ordered(t, p, v, workers)
				}, frames)
				require.Equal(t, want, got, "%v, %v, %d workers", set, v, workers)
			}
		}
		for seed := range uint64(2) {
			got := playWorld(t, make(scene.Split), func(p *plan) player {
				return graphOf(t, p, 3, false, &taskgraph.Deterministic{Seed: seed})
			}, frames)
			require.Equal(t, want, got, "%v, seed %d", set, seed)
		}
	}
}

// The same with the order that a seed says, in groups of ten. Little is drawn, and that in tiles.
func TestDigestsInEveryOrder(t *testing.T) {
	frames, seeds := 36, 10 // long enough to load
	switch {
	case *proof:
		frames, seeds = 150, 100
	case race.Enabled, testing.Short():
		seeds = 2
	}
	want := playWorld(t, smallIn(t, scene.Split, speck), func(p *plan) player {
		return newSerial(p, nil)
	}, frames)
	require.Equal(t, reference(t, scene.Split, frames), want.state, "the scene's own frame")
	for first := 0; first < seeds; first += 10 {
		t.Run(fmt.Sprintf("from %d", first), func(t *testing.T) {
			t.Parallel()
			for seed := uint64(first); seed < uint64(min(first+10, seeds)); seed++ {
				w := smallIn(t, scene.Split, speck)
				got := playWorld(t, w, func(p *plan) player {
					return graphOf(t, p, 4, false, &taskgraph.Deterministic{Seed: seed})
				}, frames)
				require.Equal(t, want, got, "seed %d", seed)
			}
		})
	}
}

// With culling off the picture is the same.
func TestCulling(t *testing.T) {
	if race.Enabled {
		t.Log("one goroutine")
		return
	}
	play := func(off bool) []uint64 {
		w := small(t, scene.Split)
		var seen []uint64
		for _, c := range w.contexts {
			c.CullOff = off
		}
		pl := newSerial(w.plan(), nil)
		for f := range 20 {
			require.NoError(t, pl.frame(f))
			seen = append(seen, w.renderer.Hash())
		}
		return seen
	}
	require.Equal(t, play(true), play(false))
}

// No step is demoted: the table says what happens.
func TestWorldIsNotDemoted(t *testing.T) {
	for _, v := range []scene.Variant{scene.Split, scene.Serial, scene.Lagged} {
		w := small(t, v)
		p := w.plan()
		pl := graphOf(t, p, 2, false, nil)
		w.serveBy(pl)
		for f := range 3 {
			require.NoError(t, pl.frame(f))
		}
		for i, task := range pl.tasks {
			if task.tick != nil {
				start, end := task.tick.Groups()
				s := &p.steps[i]
				require.Equal(t, fmt.Sprint(int(s.group), int(max(s.group, s.end))),
					fmt.Sprint(start, end), "%v: %s", v, s.name)
			}
		}
		done(t, pl)
	}
}

// After warm-up frames allocate nothing, loads and sweeps included, on all threads together. What
// is left is a pool here and there that is asked for more than ever before, and those of the Go
// runtime for goroutines that sleep, of which a busy machine has more; so many slices of frames
// must be without any, and all together have few. What grows late stops growing: if it is not so at
// first it must be so later, which never comes true for frames that leave something behind.
func TestWorldAllocatesNothing(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("the race detector allocates, and it takes thousands of frames")
	}
	w := small(t, scene.Split)
	pl := graphOf(t, w.plan(), 2, false, nil)
	w.serveBy(pl)
	play := func(from, to int) {
		for f := from; f < to; f++ {
			if err := pl.frame(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	const warmUp, slices, slice, tries = 1500, 40, 50, 20
	play(0, warmUp)
	without, objects := 0, uint64(0)
	few := func() bool { return without >= slices/4 && objects <= 100 }
	var before, after runtime.MemStats
	for try := 0; try == 0 || try < tries && !few(); try++ {
		without, objects = 0, 0
		for i := range slices {
			from := warmUp + (try*slices+i)*slice
			runtime.ReadMemStats(&before)
			play(from, from+slice)
			runtime.ReadMemStats(&after)
			n := after.Mallocs - before.Mallocs
			if objects += n; n == 0 {
				without++
			}
		}
		t.Logf("%d of %d slices of %d frames allocate nothing, all together %d objects", without,
			slices, slice, objects)
	}
	require.True(t, few(), "in each of %d tries frames allocate", tries)
	done(t, pl)
}

// The split frame is never late, the lagged one is.
func TestLag(t *testing.T) {
	if race.Enabled {
		t.Log("one goroutine")
		return
	}
	for v, late := range map[scene.Variant]bool{scene.Split: false, scene.Serial: false,
		scene.Lagged: true} {
		w := small(t, v)
		playWorld(t, w, func(p *plan) player { return newSerial(p, nil) }, 40)
		require.Equal(t, late, w.lag.root() > 0, "%v: %v", v, w.lag.root())
	}
}

// A file that the loader thread has not read when the frame begins whose end needs it: that frame
// waits for it, its objects are born where they would have been, and nothing else changes.
func TestLateFile(t *testing.T) {
	const frames = scene.LoadEvery + scene.LoadTime + 5
	want := reference(t, scene.Split, frames)
	w := small(t, scene.Split)
	pl := graphOf(t, w.plan(), 2, false, nil)
	w.serveBy(pl)
	gate := newGate()
	busy := pl.sys.Task(taskgraph.Do(func() { <-gate })).On(pl.crew.loader).Launch()
	late := 0
	underway := w.serve.underway
	w.serve.underway = func(prefab int) *arrival {
		a := underway(prefab)
		if a != nil {
			if late++; late == 1 {
				require.EqualValues(t, scene.LoadEvery+scene.LoadTime, w.Frame)
				close(gate) // the loader thread begins only now
			}
		}
		return a
	}
	playAll(t, pl, frames)
	require.True(t, busy.IsComplete())
	require.Equal(t, 1, late, "put off once, then it was there")
	require.Equal(t, want, w.shot().state)
}

// A file that cannot be read ends its frame, with its name.
func TestUnreadableFile(t *testing.T) {
	for name, make := range map[string]func(*plan) player{
		"serial": func(p *plan) player { return newSerial(p, nil) },
		"graph":  func(p *plan) player { return graphOf(t, p, 2, false, nil) },
	} {
		w := small(t, scene.Split)
		pl := make(w.plan())
		w.serve.text = func(string) ([]byte, error) { return []byte("no prefab"), nil }
		for f := range scene.LoadEvery + scene.LoadTime {
			err := pl.frame(f)
			if f == scene.LoadEvery+scene.LoadTime-1 {
				require.ErrorContains(t, err, "between frames: prefabs/marbles.txt: line 1: ", name)
			} else {
				require.NoError(t, err, name)
			}
		}
		require.NoError(t, pl.frame(scene.LoadEvery+scene.LoadTime), "the next one")
		done(t, pl)
	}
}

// The parallel mark finds what the serial one does, whatever the roots; and if it did not, that
// would be told.
func TestMark(t *testing.T) {
	w := small(t, scene.Split)
	pl := graphOf(t, w.plan(), 3, false, nil)
	m := newMarker(pl.sys, w.Scene)
	r := vec.NewRand(5)
	roots := slices.Clone(w.Roots)
	for range 200 {
		w.Roots = w.Roots[:0]
		for range r.Intn(6) {
			w.Roots = append(w.Roots, scene.ID(r.Intn(w.Objects.Len())))
		}
		marks, err := m.mark()
		require.NoError(t, err)
		require.True(t, marks.Equal(w.MarkSerial()))
	}
	w.Roots = roots
	body := m.trace.Body
	m.trace.Body = func(p *taskgraph.Participant, lo, hi int) error { return body(p, lo, hi-1) }
	_, err := m.mark()
	require.ErrorIs(t, err, errMarks)
	done(t, pl)
}
