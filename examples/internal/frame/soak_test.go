package frame

import (
	"flag"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/taskgraph"
)

var (
	soakFrames = flag.Int("soakframes", 200, "frames that TestSoak plays")
	proof      = flag.Bool("proof", false,
		"compare 300 frames, and 100 orders of deterministic mode")
)

// speck is a picture that costs next to nothing, of two tiles and four of the map of shadows.
var speck = quality{40, 6, 1, 65}

// soakSlice is how many frames are played before the states are compared.
const soakSlice = 100

// Frame after frame the state is that of the serial frame, with one worker and with many, with and
// without waits between the groups, across players that end and begin on a scene that lives on; and
// so is the picture of each slice's last frame. Every other slice shares its loops however little
// there is to do.
func TestSoak(t *testing.T) {
	want, got := smallIn(t, scene.Split, speck), smallIn(t, scene.Split, speck)
	alone := newSerial(want.plan(), nil)
	p := got.plan()
	crew, err := newCrew()
	require.NoError(t, err)
	defer func() { require.NoError(t, crew.close()) }()
	kinds := []int{2, 1, 4, 16, 3}
	var mu sync.Mutex
	helped := make([]int, len(p.steps))
	for from, k := 0, 0; from < *soakFrames; from, k = from+soakSlice, k+1 {
		workers := kinds[k%len(kinds)]
		pl := newGraph(p, newRecorder(len(p.steps)+extraSteps, lanes(workers)...), crew, workers,
			k%3 == 2, taskgraph.Options{})
		got.serveBy(pl)
		if k%2 == 1 {
			shareAll(pl)
		}
		countHelp(pl, func(i int) {
			mu.Lock()
			helped[i]++
			mu.Unlock()
		})
		to := min(from+soakSlice, *soakFrames)
		serial := make(chan error, 1)
		go func() { serial <- lastDrawn(alone, want.Scene, from, to) }()
		for f := from; f < to; f++ {
			require.NoError(t, pl.frame(f), "frame %d, %d workers", f, workers)
		}
		require.NoError(t, <-serial)
		require.NoError(t, pl.finish())
		require.NoError(t, pl.close())
		require.Equal(t, want.shot(), got.shot(),
			"after %d frames, the last of them with %d workers", to, workers)
		if k%10 == 9 {
			t.Logf("%d of %d frames", to, *soakFrames)
		}
	}
	all := 0
	var never []string
	for i := range helped {
		all += helped[i]
		if p.steps[i].objects != nil && helped[i] == 0 {
			never = append(never, p.steps[i].name)
		}
	}
	t.Logf("%.1f ranges a frame were done by helpers; none of: %s",
		float64(all)/float64(*soakFrames), strings.Join(never, ", "))
	require.Positive(t, all)
}

// lastDrawn plays frames in the scene's own way, and the last of them with its picture.
func lastDrawn(alone *serialPlayer, s *scene.Scene, from, to int) error {
	for range to - 1 - from {
		if err := s.Serial(nil); err != nil {
			return err
		}
	}
	return alone.frame(to - 1)
}

// shareAll makes every loop of two objects or more launch helpers at once.
func shareAll(pl *graphPlayer) {
	for _, task := range pl.tasks {
		task.loop.Unbalanced = true
		if task.loop.Grain == 0 && task.s.objects != nil {
			task.loop.Grain = 4
			if !task.s.place.later() {
				task.loop.Grain = min(max(task.s.objects()/4, 1), 4)
			}
		}
	}
}

// countHelp calls helped for each range of a step, by its number, that a helper does.
func countHelp(pl *graphPlayer, helped func(step int)) {
	for i, task := range pl.tasks {
		body := task.loop.Body
		task.loop.Body = func(p *taskgraph.Participant, lo, hi int) error {
			if p.Index() > 0 {
				helped(i)
			}
			return body(p, lo, hi)
		}
	}
}

// In the soak's scene every loop has something to share, but those over the curtain and over the
// wall, of which there is one: in some order of three, somebody helps.
func TestEveryLoopIsShared(t *testing.T) {
	help, most := map[string]int{}, map[string]int{}
	for seed := range uint64(3) {
		w := smallIn(t, scene.Split, speck)
		p := w.plan()
		for i := range p.steps {
			if s := &p.steps[i]; s.objects != nil {
				n := s.objects
				s.objects = func() int { most[s.name] = max(most[s.name], n()); return n() }
			}
		}
		pl := graphOf(t, p, 3, false, &taskgraph.Deterministic{Seed: seed})
		w.serveBy(pl)
		countHelp(pl, func(i int) { help[p.steps[i].name]++ }) // one at a time
		playAll(t, pl, 20)
	}
	t.Log("ranges done by helpers: ", help)
	for name, n := range most {
		switch name {
		case "dependents": // go on one by one
		case "cloth", "occluders":
			require.Equal(t, 1, n, name)
		default:
			require.Positive(t, help[name], "%s, over %d objects", name, n)
		}
	}
}
