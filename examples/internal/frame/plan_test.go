package frame

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	stresswatch "github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

func TestMain(m *testing.M) { stresswatch.Main(m) }

// A toy is a plan whose result depends on the order of all that has an order, and on nothing else.
type toy struct {
	base, sim, dep, free, pic []uint64
	shown                     [2][]uint64 // what the later steps read, by the parity of the frame
	sum, heard, finished      uint64
	choice                    uint64
	asked                     int    // how often the choosy step had to wait
	fail                      string // panics in this step
}

func mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + a<<6 + a>>2
	return a * 0xff51afd7ed558ccd
}

func newToy(n int, split bool) (*toy, *plan) {
	x := &toy{base: make([]uint64, n), sim: make([]uint64, n), dep: make([]uint64, 2*n),
		free: make([]uint64, n), pic: make([]uint64, n)}
	for i := range x.shown {
		x.shown[i] = make([]uint64, n)
	}
	count := func() int { return n }
	check := func(name string) {
		if x.fail == name {
			panic("as asked")
		}
	}
	var fd []*feed
	if split {
		lists := make([][]int32, n)
		for i := range n {
			lists[i] = []int32{int32(2 * i), int32(2*i + 1)}
		}
		fd = []*feed{{to: "dependents", of: func(i int) []int32 { return lists[i] }, most: 2 * n}}
	}
	return x, newPlan(time.Second/60, []step{
		{name: "input", place: onGame, group: groupInput, work: func(f, _, _ int) {
			x.sum = mix(x.sum, uint64(f))
		}},
		{name: "inputs", after: []string{"input"}, group: groupInput, objects: count, grain: 3,
			work: func(f, lo, hi int) {
				check("inputs")
				for i := lo; i < hi; i++ {
					x.base[i] = mix(x.base[i], x.sum+uint64(i))
				}
			}},
		{name: "simulate", after: []string{"inputs"}, group: groupStartPhysics,
			end: groupEndPhysics, objects: count, grain: 1, feeds: fd, work: func(f, lo, hi int) {
				check("simulate")
				for i := lo; i < hi; i++ {
					x.sim[i] = mix(x.sim[i], x.base[i])
				}
			}},
		{name: "choosy", after: []string{"inputs"}, group: groupDuringPhysics,
			end:  groupPostPhysics,
			asks: func(f int) bool { return x.base[0]%2 == 0 }, maybe: "simulate",
			work: func(f, _, _ int) {
				x.choice = mix(x.choice, x.base[0])
				if x.base[0]%2 == 0 {
					x.choice = mix(x.choice, x.sim[0])
					x.asked++
				}
			}},
		{name: "unrelated", after: []string{"input"}, group: groupDuringPhysics, objects: count,
			finish: func(f int) { x.finished = mix(x.finished, x.free[0]) },
			work: func(f, lo, hi int) {
				for i := lo; i < hi; i++ {
					x.free[i] = mix(x.free[i], x.sum)
				}
			}},
		{name: "dependents", after: []string{"simulate", "unrelated"}, group: groupPostPhysics,
			objects: func() int { return 2 * n }, work: func(f, lo, hi int) {
				check("dependents")
				for i := lo; i < hi; i++ {
					x.dep[i] = mix(x.dep[i], x.free[i/2])
					if i%2 == 0 {
						x.dep[i] = mix(x.dep[i], x.sim[i/2])
					}
				}
			}},
		{name: "sum", after: []string{"dependents"}, group: groupPostPhysics,
			work: func(f, _, _ int) { x.sum = mix(x.sum, x.dep[0]+uint64(f)) }},
		{name: "draw list", after: []string{"dependents", "sum"}, group: groupDraw, objects: count,
			work: func(f, lo, hi int) {
				for i := lo; i < hi; i++ {
					x.shown[f&1][i] = x.dep[2*i] + x.dep[2*i+1]
				}
			}},
		{name: "raster", place: onRender, objects: count, work: func(f, lo, hi int) {
			check("raster")
			for i := lo; i < hi; i++ {
				x.pic[i] = mix(x.pic[i], x.shown[f&1][i])
			}
		}},
		{name: "sound", place: onAudio, group: groupDraw, after: []string{"draw list"},
			work: func(f, _, _ int) {
				for _, v := range x.shown[f&1] {
					x.heard = mix(x.heard, v)
				}
			}},
	})
}

func (x *toy) digest() uint64 {
	h := x.sum + x.finished + x.heard + x.choice
	for _, s := range [][]uint64{x.base, x.sim, x.dep, x.free, x.pic} {
		for _, v := range s {
			h = mix(h, v)
		}
	}
	return h
}

// lanes are those of a graph player.
func lanes(workers int) []string { return append(workerNames(workers), threadNames[:]...) }

func graphOf(t *testing.T, p *plan, workers int, textbook bool,
	det *taskgraph.Deterministic) *graphPlayer {
	t.Helper()
	return graphWith(t, p, workers, textbook, taskgraph.Options{Deterministic: det})
}

func graphWith(t *testing.T, p *plan, workers int, textbook bool,
	system taskgraph.Options) *graphPlayer {
	t.Helper()
	crew, err := newCrew()
	require.NoError(t, err)
	return newGraph(p, newRecorder(len(p.steps)+extraSteps, lanes(workers)...), crew, workers,
		textbook, system)
}

// done ends a player, and its crew if it has one.
func done(t *testing.T, pl player) {
	t.Helper()
	require.NoError(t, pl.finish())
	require.NoError(t, pl.close())
	if g, ok := pl.(*graphPlayer); ok {
		require.NoError(t, g.crew.close())
	}
}

func playAll(t *testing.T, pl player, frames int) {
	t.Helper()
	for f := range frames {
		require.NoError(t, pl.frame(f))
	}
	done(t, pl)
}

func TestPlayersAgree(t *testing.T) {
	const frames = 20
	x, p := newToy(10, false)
	playAll(t, newSerial(p, nil), frames)
	want := x.digest()
	require.Less(t, 2, x.asked)
	require.Greater(t, frames-2, x.asked, "some frames wait, and some do not")

	x, p = newToy(10, false)
	playAll(t, newGoroutines(p, 3), frames)
	require.Equal(t, want, x.digest(), "goroutines")

	for _, workers := range []int{1, 2, 4, 16} {
		for _, split := range []bool{false, true} {
			for _, textbook := range []bool{false, true} {
				x, p := newToy(10, split)
				playAll(t, graphOf(t, p, workers, textbook, nil), frames)
				require.Equal(t, want, x.digest(), "%d workers, split %v, textbook %v", workers,
					split, textbook)
			}
		}
	}
	seeds := uint64(30)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		x, p := newToy(10, seed%2 == 0)
		playAll(t, graphOf(t, p, 4, false, &taskgraph.Deterministic{Seed: seed}), frames)
		require.Equal(t, want, x.digest(), "seed %d", seed)
	}
}

func TestFramesAllocateNothing(t *testing.T) {
	_, p := newToy(10, true)
	pl := graphOf(t, p, 2, false, nil)
	f := 0
	frame := func() {
		if err := pl.frame(f); err != nil {
			t.Error(err)
		}
		f++
	}
	for range 300 {
		frame()
	}
	require.Less(t, testing.AllocsPerRun(200, frame), 1.0)
	done(t, pl)
}

// A panic ends its frame with the step's name, and the next frame can be played.
func TestPanicEndsTheFrame(t *testing.T) {
	for _, fail := range []string{"inputs", "simulate", "dependents", "raster"} {
		for name, make := range map[string]func(*plan) player{
			"serial":     func(p *plan) player { return newSerial(p, nil) },
			"goroutines": func(p *plan) player { return newGoroutines(p, 2) },
			"graph":      func(p *plan) player { return graphOf(t, p, 2, false, nil) },
		} {
			x, p := newToy(10, name == "graph")
			pl := make(p)
			require.NoError(t, pl.frame(0))
			x.fail = fail
			err := pl.frame(1)
			require.ErrorContains(t, err, fail, name)
			require.ErrorContains(t, err, "as asked", name)
			x.fail = ""
			require.NoError(t, pl.frame(2), name)
			done(t, pl)
		}
	}
}

func TestPlanIsAnOrder(t *testing.T) {
	work := func(_, _, _ int) {}
	for want, steps := range map[string][]step{
		`step "a" comes after "b", which is not before it`: {{name: "a",
			after: []string{"b"}, work: work}, {name: "b", work: work}},
		`step "b" comes after "a", which belongs to another frame`: {{name: "a", work: work},
			{name: "b", after: []string{"a"}, place: onRender, work: work}},
		`two steps named "a"`: {{name: "a", work: work}, {name: "a", work: work}},
		`step "a" may come after "b", which is not before it`: {{name: "a",
			asks: func(int) bool { return true }, maybe: "b", work: work}, {name: "b", work: work}},
		`step "b" feeds "a", which is not after it`: {{name: "a", work: work},
			{name: "b", feeds: []*feed{{to: "a"}}, work: work}},
	} {
		require.PanicsWithValue(t, want, func() { newPlan(time.Second, slices.Clone(steps)) })
	}
}

// No step of the frame is demoted: the table says what happens.
func TestNoDemotion(t *testing.T) {
	_, p := newToy(4, true)
	pl := graphOf(t, p, 2, false, nil)
	for f := range 3 {
		require.NoError(t, pl.frame(f))
		for i, task := range pl.tasks {
			if task.tick != nil {
				start, end := task.tick.Groups()
				s := &p.steps[i]
				require.Equal(t, []int{int(s.group), int(max(s.group, s.end))}, []int{start, end},
					s.name)
			}
		}
	}
	done(t, pl)
}

// What hangs on one object goes on when that is done, although another object is not: the work on
// that one ends here only after what hangs on the first.
func TestDependentDoesNotWaitForOthers(t *testing.T) {
	const n = 2
	var gone chan struct{}
	lists := [n][]int32{{0}, {1}}
	p := newPlan(time.Second, []step{
		{name: "simulate", objects: func() int { return n }, grain: 1, work: func(_, lo, hi int) {
			if hi == n {
				<-gone
			}
		}, feeds: []*feed{{to: "dependents", of: func(i int) []int32 {
			return lists[i]
		}, most: n}}},
		{name: "dependents", after: []string{"simulate"}, objects: func() int { return n },
			work: func(_, lo, _ int) {
				if lo == 0 {
					close(gone)
				}
			}},
	})
	pl := graphOf(t, p, 2, false, nil)
	for f := range 100 {
		gone = newGate()
		require.NoError(t, pl.frame(f))
	}
	done(t, pl)
}

// What finishes a step runs on the game thread, before whatever comes after the step.
func TestFinish(t *testing.T) {
	var pl *graphPlayer
	var order []string
	p := newPlan(time.Second, []step{
		{name: "first", objects: func() int { return 5 }, work: func(_, _, _ int) {},
			finish: func(int) {
				pl.crew.game.MustBeCurrent()
				order = append(order, "finish")
			}},
		{name: "second", after: []string{"first"}, work: func(_, _, _ int) {
			order = append(order, "second")
		}},
	})
	pl = graphOf(t, p, 2, false, nil)
	for f := range 50 {
		order = order[:0]
		require.NoError(t, pl.frame(f))
		require.Equal(t, []string{"finish", "second"}, order)
	}
	done(t, pl)
}

// What is missing puts a step off until it has come.
func TestArrival(t *testing.T) {
	for name, make := range map[string]func(*plan) player{
		"serial":     func(p *plan) player { return newSerial(p, nil) },
		"goroutines": func(p *plan) player { return newGoroutines(p, 2) },
		"graph":      func(p *plan) player { return graphOf(t, p, 2, false, nil) },
	} {
		a := &arrival{done: newGate()}
		came, worked := false, 0
		p := newPlan(time.Second, []step{{
			name: "wants", work: func(_, _, _ int) {
				require.True(t, came, name)
				worked++
			},
			missing: func(int) *arrival {
				select {
				case <-a.done:
					return nil
				default:
					return a
				}
			},
		}})
		pl := make(p)
		come := func() {
			came = true
			close(a.done)
		}
		if g, ok := pl.(*graphPlayer); ok {
			a.event = g.sys.NewEvent()
			go func() {
				come()
				a.event.Trigger()
			}()
		} else {
			go come()
		}
		require.NoError(t, pl.frame(0))
		require.Equal(t, 1, worked, name)
		done(t, pl)
	}
}

func newGate() chan struct{} { return make(chan struct{}) }
