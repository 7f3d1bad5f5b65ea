package frame

import (
	"fmt"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
	"github.com/heddle-go/heddle/internal/dev/race"
)

// A watched is a world all of whose pictures are looked at. Now and then it is seen from behind its
// wall, which hides most of it.
type watched struct {
	*world
	plan      *plan
	presented vec.Hash
}

func watch(t *testing.T, q quality) *watched {
	t.Helper()
	w := &watched{world: smallIn(t, scene.Split, q)}
	w.picture = func(int, *image.RGBA) { w.presented = w.presented.Word(w.renderer.Hash()) }
	w.plan = w.world.plan()
	input := &w.plan.steps[0]
	require.Equal(t, "input", input.name)
	work := input.work
	input.work = func(frame, lo, hi int) {
		work(frame, lo, hi)
		if frame%4 == 2 {
			w.Eye, w.Target = vec.V3(2, 1.5, -14), vec.V3(0, 1, 0)
		}
	}
	return w
}

// seen is what can be told from outside about a frame that was played: the state, what is heard
// included, what is on the list of the picture, its shadows, the picture, and what was presented.
func (w *watched) seen(frame int) vec.Hash {
	h := w.Digest().Word(w.renderer.Hash()).Word(uint64(w.presented))
	add := func(list []raster.Item) {
		h = h.Int(len(list))
		for i := range list {
			it := &list[i]
			h = h.Vec3s(it.Pos).Vec3s(it.Nrm).Int(len(it.Idx)).Floats(it.Model[:]).Vec3(it.Tint)
		}
	}
	c := w.context(frame)
	add(c.List.Items())
	add(c.Casters())
	for _, s := range c.Splats {
		h = h.Vec3(s.Pos).Float(s.Radius).Vec3(s.Color).Float(s.Alpha)
	}
	return h
}

// noticed plays frames of a changed plan until something is seen that is not as it should be, and
// returns that frame; or -1.
func noticed(t *testing.T, q quality, want []vec.Hash, change func(p *plan)) int {
	t.Helper()
	w := watch(t, q)
	if change != nil {
		change(w.plan)
	}
	pl := newSerial(w.plan, nil)
	for f := range want {
		if pl.frame(f) != nil || w.seen(f) != want[f] {
			return f
		}
	}
	return -1
}

// Each step of the frame has its part in what is seen: if one is left out, done for half of its
// objects, or done at the end of the frame although something comes after it, that shows within
// some frames. So whatever way to play the frame gives what the serial one does has done each step,
// wholly and in time. The pictures are those of other tests, and those of the soak.
func TestEachStepShows(t *testing.T) {
	if race.Enabled {
		t.Log("one goroutine")
		return
	}
	for name, q := range map[string]quality{"tiny": tiny, "speck": speck} {
		if name == "tiny" && testing.Short() {
			continue
		}
		t.Run(name, func(t *testing.T) { eachStepShows(t, q) })
	}
}

func eachStepShows(t *testing.T, q quality) {
	const frames = 40
	var want []vec.Hash
	w := watch(t, q)
	p := w.plan
	pl := newSerial(p, nil)
	for f := range frames {
		require.NoError(t, pl.frame(f))
		want = append(want, w.seen(f))
	}
	require.Equal(t, -1, noticed(t, q, want, nil), "the same again")

	leads := map[string]bool{} // somewhere
	for i := range p.steps {
		for _, b := range p.steps[i].follows() {
			leads[p.steps[b].name] = true
		}
	}
	for i := range p.steps {
		name := p.steps[i].name
		t.Run(name, func(t *testing.T) {
			if name == "loads" {
				t.Log("has no work, it only waits: see TestLateFile")
				return
			}
			left := noticed(t, q, want, func(p *plan) { p.steps[i].work = func(_, _, _ int) {} })
			half, late := 0, 0
			if p.steps[i].objects != nil {
				half = noticed(t, q, want, func(p *plan) {
					s := &p.steps[i]
					work := s.work
					s.work = func(frame, lo, hi int) {
						for k := lo; k < hi; k++ {
							if (k+frame/4)%2 == 0 {
								work(frame, k, k+1)
							}
						}
					}
				})
			}
			if leads[name] {
				late = noticed(t, q, want, func(p *plan) { putOff(p, i) })
			}
			t.Logf("frame in which it shows: left out %d, half done %d, late %d", left, half, late)
			require.NotEqual(t, -1, left, "left out")
			require.NotEqual(t, -1, half, "half done")
			require.NotEqual(t, -1, late, "done late")
		})
	}
}

// putOff makes a step be done at the end of its frame.
func putOff(p *plan, i int) {
	s := &p.steps[i]
	work, n := s.work, s.size
	s.work = func(_, _, _ int) {}
	last := i
	for k := range p.steps {
		if p.steps[k].place.later() == s.place.later() {
			last = k
		}
	}
	if last == i {
		panic(fmt.Sprintf("step %q is the last", s.name))
	}
	end := p.steps[last].work
	p.steps[last].work = func(frame, lo, hi int) {
		end(frame, lo, hi)
		work(frame, 0, n())
	}
}

// What the three orders of the simulation differ in: whether the unrelated objects wait for it, and
// whether the dependents do.
func TestOrdersOfTheClasses(t *testing.T) {
	for v := scene.Serial; v <= scene.Split; v++ {
		p := small(t, v).plan()
		after := make([]map[string]bool, len(p.steps)) // all that is done before a step begins
		byName := map[string]int{}
		for i := range p.steps {
			s := &p.steps[i]
			byName[s.name] = i
			after[i] = map[string]bool{}
			for _, b := range s.before {
				after[i][p.steps[b].name] = true
				for name := range after[b] {
					after[i][name] = true
				}
			}
		}
		count := map[class]int{}
		for i := range p.steps {
			s := &p.steps[i]
			count[s.class]++
			switch s.class {
			case classSimulated:
				require.True(t, after[i]["inputs"], "%v: %s comes after the inputs", v, s.name)
				require.False(t, after[i]["dependents"], "%v: %s", v, s.name)
			case classDependent:
				require.Equal(t, v != scene.Lagged, after[i]["solve"],
					"%v: %s waits for the simulation", v, s.name)
				require.Equal(t, v == scene.Serial, after[i]["post physics"],
					"%v: %s waits for all of it", v, s.name)
			case classUnrelated:
				require.Equal(t, v == scene.Serial, after[i]["solve"],
					"%v: %s waits for the simulation", v, s.name)
				require.Equal(t, v == scene.Serial, s.group > groupDuringPhysics,
					"%v: %s is not released while it goes on", v, s.name)
				require.True(t, after[i]["inputs"], "%v: %s", v, s.name)
			}
		}
		require.Equal(t, 1, count[classInput])
		require.Equal(t, 9, count[classSimulated])
		require.Equal(t, 1, count[classDependent])
		require.Equal(t, 5, count[classUnrelated])
		for _, name := range []string{"finish", "dependents", "animation", "cloth"} {
			require.True(t, after[byName["draw list"]][name], "%v: the draw list comes after %s", v,
				name)
		}
		require.Equal(t, v == scene.Split, p.steps[byName["solve"]].feeds != nil,
			"%v: dependents go on one by one", v)
	}
}

// With barriers a class is in groups of its own, which come one after the other.
func TestBarriers(t *testing.T) {
	p := small(t, scene.Barriers).plan()
	when := map[class][2]group{
		classInput:     {groupInput, groupInput},
		classSimulated: {groupStartPhysics, groupStartPhysics},
		classUnrelated: {groupDuringPhysics, groupDuringPhysics},
		classDependent: {groupPostPhysics, groupPostPhysics},
	}
	for i := range p.steps {
		s := &p.steps[i]
		require.Nil(t, s.feeds)
		if w, ok := when[s.class]; ok {
			require.Equal(t, w, [2]group{s.group, max(s.group, s.end)}, s.name)
		} else if s.place == anywhere {
			require.Equal(t, groupDraw, s.group, s.name)
		}
	}
}

// Every step is done where the table says: on the workers, with the threads' help where the whole
// step is theirs.
func TestWhoDoesWhat(t *testing.T) {
	w := small(t, scene.Split)
	p := w.plan()
	var pl *graphPlayer
	for i := range p.steps {
		s := &p.steps[i]
		work := s.work
		s.work = func(frame, lo, hi int) {
			switch {
			case s.place == onGame:
				pl.crew.game.MustBeCurrent()
			case s.place == onAudio && s.objects == nil:
				pl.crew.audio.MustBeCurrent()
			case s.place == onRender && s.objects == nil:
				pl.crew.render.MustBeCurrent()
			}
			work(frame, lo, hi)
		}
	}
	pl = graphOf(t, p, 2, false, nil)
	w.serveBy(pl)
	playAll(t, pl, scene.LoadEvery+2)
}
