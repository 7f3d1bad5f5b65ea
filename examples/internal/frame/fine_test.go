package frame

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/taskgraph"
)

// With one worker the order says it all: who has done an object turns to what hangs on it before
// the next one, also who runs the loop.
func TestWhoHasDoneAnObjectGoesOnWithWhatHangsOnIt(t *testing.T) {
	const n = 6
	same := func(i int) []int32 { return []int32{int32(i)} }
	var order []string
	p := newPlan(time.Second, []step{
		{name: "simulate", objects: func() int { return n }, grain: 1, work: func(_, lo, _ int) {
			order = append(order, fmt.Sprint("object ", lo))
		}, feeds: []*feed{{to: "dependents", of: same, most: n}}},
		{name: "dependents", after: []string{"simulate"}, objects: func() int { return n },
			work: func(_, lo, _ int) { order = append(order, fmt.Sprint("what hangs on ", lo)) }},
	})
	pl := graphOf(t, p, 1, false, nil)
	require.NoError(t, pl.frame(0))
	var want []string
	for i := range n {
		want = append(want, fmt.Sprint("object ", i), fmt.Sprint("what hangs on ", i))
	}
	require.Equal(t, want, order)
	done(t, pl)
}

// A counter counts for everybody.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

// A crowd is a plan of thousands of tasks, launched by who does the objects that they hang on
// before what they all come after is done. Every other one finds out that it also has to come
// after another step, which in its turn is put off until they all have.
type crowd struct {
	*plan
	n      int
	sim    []uint64
	gate   uint64
	late   uint64
	sum    []uint64
	asked  counter // of the frame
	wanted arrival // by the late step
}

func newCrowd(n int) *crowd {
	x := &crowd{n: n, sim: make([]uint64, n), sum: make([]uint64, n)}
	lists := make([][]int32, n)
	for i := range n {
		lists[i] = []int32{int32(i)}
	}
	count := func() int { return n }
	x.plan = newPlan(time.Second, []step{
		{name: "simulate", objects: count, grain: 8,
			feeds: []*feed{{to: "objects", of: func(i int) []int32 { return lists[i] }, most: n}},
			work: func(f, lo, hi int) {
				for i := lo; i < hi; i++ {
					x.sim[i] = mix(x.sim[i], uint64(f+i))
				}
			}},
		{name: "gate", after: []string{"simulate"},
			work: func(_, _, _ int) { x.gate = mix(x.gate, x.sim[n-1]) }},
		{name: "late", after: []string{"simulate"},
			work: func(_, _, _ int) { x.late = mix(x.late, x.sim[0]) },
			missing: func(int) *arrival {
				if x.wanted.event == (taskgraph.Event{}) || x.wanted.event.IsComplete() {
					return nil
				}
				return &x.wanted
			}},
		{name: "objects", after: []string{"simulate", "gate"}, maybe: "late", objects: count,
			first: func(_, k int) bool {
				x.sum[k] = mix(x.sum[k], x.gate+x.sim[k])
				if k%2 != 0 {
					return false
				}
				// Serial frames want nothing.
				if x.asked.add() == n/2 && x.wanted.event != (taskgraph.Event{}) {
					x.wanted.event.Trigger()
				}
				return true
			},
			work: func(_, lo, hi int) {
				for k := lo; k < hi; k++ {
					if k%2 == 0 {
						x.sum[k] = mix(x.sum[k], x.late)
					}
				}
			}},
	})
	return x
}

func (x *crowd) digest() uint64 {
	h := x.gate + x.late
	for k := range x.sum {
		h = mix(mix(h, x.sum[k]), x.sim[k])
	}
	return h
}

// Tasks of objects have open prerequisites when they are launched and get others when they have
// begun; nothing is done early, and nothing is allocated.
func TestThousandsOfTasksWithOpenPrerequisites(t *testing.T) {
	const n = 2000
	warm, runs, most := 100, 25, 1.0
	if race.Enabled { // the detector allocates, and takes its time
		warm, runs, most = 3, 3, math.Inf(1)
	}
	teams := []int{1, 2, 4}
	if testing.Short() {
		teams = teams[1:2]
	}
	for _, workers := range teams {
		x := newCrowd(n)
		pl := graphOf(t, x.plan, workers, false, nil)
		var launched counter
		pl.launched = func(c *taskgraph.Context) {
			if c != nil {
				launched.add()
			}
		}
		f := 0
		frame := func() {
			x.asked.n = 0
			x.wanted.event = pl.sys.NewEvent()
			if err := pl.frame(f); err != nil {
				t.Error(err)
			}
			f++
		}
		for range warm {
			frame()
		}
		// What few tasks need a node gets once, by the first of them that takes it, and which nodes
		// are taken depends on who is faster: at last the frames of a window allocate nothing.
		allocs := math.Inf(1)
		for try := 0; try < 20 && allocs >= most; try++ {
			allocs = testing.AllocsPerRun(runs, frame)
		}
		require.Less(t, allocs, most, "%d workers", workers)
		require.Equal(t, f*(n+1), launched.n, "an object each, and the loop")
		// Whoever asks last may find that the late step has been done since.
		again := 0
		for _, o := range pl.tasks[3].objects {
			again += o.again
		}
		require.GreaterOrEqual(t, again, f*(n/2-1), "%d workers", workers)
		serial := newCrowd(n)
		alone := newSerial(serial.plan, nil)
		for g := range f {
			require.NoError(t, alone.frame(g))
		}
		require.Equal(t, serial.digest(), x.digest(), "%d workers", workers)
		done(t, pl)
	}
}

// In a quarry there are far more than a thousand tasks of bodies in each frame, launched by bodies
// of tasks: most stones lie alone.
func TestBodiesHaveTasks(t *testing.T) {
	s, err := scene.New(scene.Options{Setting: scene.Quarry, Seed: 1, Size: scene.Quarry.Size()})
	require.NoError(t, err)
	w := worldOf(s, scene.Split, speck)
	pl := graphOf(t, w.plan(), 2, false, nil)
	w.serveBy(pl)
	var launched counter
	pl.launched = func(c *taskgraph.Context) {
		if c != nil {
			launched.add()
		}
	}
	const frames = 3
	for f := range frames {
		require.NoError(t, pl.frame(f))
	}
	t.Logf("%d tasks a frame launched by bodies", launched.n/frames)
	require.Greater(t, launched.n, 1000*frames)
	done(t, pl)
}
