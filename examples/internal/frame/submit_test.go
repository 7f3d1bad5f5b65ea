package frame

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// What was loaded comes to life in the frame that it is due in, where the game thread runs what was
// posted to it: after what was posted before, and before what was posted later.
func TestLoadsAreBornInTheDrain(t *testing.T) {
	w := small(t, scene.Split)
	p := w.plan()
	var pl *graphPlayer
	var before, after []int // numbers of roots
	probe := func(to *[]int) {
		if _, due := w.LoadDue(); due {
			require.NoError(t, pl.crew.game.Post(namedthread.QueueMain, namedthread.PriorityNormal,
				namedthread.Func(func() {
					pl.crew.game.MustBeCurrent()
					*to = append(*to, len(w.Roots))
				}), 0))
		}
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
	for f := range scene.LoadEvery + scene.LoadTime {
		require.Len(t, w.Roots, roots, "before frame %d", f)
		require.NoError(t, pl.frame(f))
	}
	require.Equal(t, []int{roots}, before)
	require.Equal(t, []int{roots + 1}, after)
	done(t, pl)
}

// Tasks are launched from outside of all bodies, on the game thread, and from inside of bodies: on
// workers, and on each of the other named threads. What render and audio launch are the helpers of
// their loops: the first of a loop is launched by who runs it.
func TestWhoLaunches(t *testing.T) {
	w := small(t, scene.Split)
	// loops are shared from their beginning
	pl := graphOf(t, w.plan(), 2, false, &taskgraph.Deterministic{Seed: 1})
	w.serveBy(pl)
	inside, outside := map[string]int{}, map[string]int{} // one at a time
	here := func() string {
		th, err := namedthread.Current()
		if err != nil {
			return "worker"
		}
		return th.Name()
	}
	pl.launched = func(c *taskgraph.Context) {
		if c == nil {
			outside[here()]++
			return
		}
		inside[here()]++
	}
	for _, task := range pl.tasks {
		body, leader := task.loop.Body, ""
		task.loop.Body = func(p *taskgraph.Participant, lo, hi int) error {
			switch p.Index() {
			case 0:
				leader = here()
			case 1:
				if leader != "" {
					inside[leader]++
					leader = "" // it counts once
				}
			}
			return body(p, lo, hi)
		}
	}
	playAll(t, pl, scene.LoadEvery+scene.LoadTime)
	t.Log("inside bodies: ", inside, ", outside: ", outside)
	for _, name := range []string{"worker", "Render", "Audio", "Loader"} {
		require.Positive(t, inside[name], name)
	}
	require.Positive(t, outside["Game"])
	require.Len(t, outside, 1, "whoever is no body is the game thread")
}
