package frame

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
)

var (
	soakFrames = flag.Int("soakframes", 200, "frames that TestSoak plays")
	proof      = flag.Bool("proof", false, "compare 300 frames, and 100 orders of deterministic mode")
)

// speck is a picture that costs next to nothing.
var speck = quality{16, 9, 1, 32}

// soakSlice is how many frames are played before the states are compared.
const soakSlice = 100

// Frame after frame the state is that of the serial frame, with one worker and with many, with and without waits between the
// groups, across players that end and begin on a scene that lives on.
func TestSoak(t *testing.T) {
	want, err := scene.NewSmall(3)
	require.NoError(t, err)
	s, err := scene.NewSmall(3)
	require.NoError(t, err)
	got := worldOf(s, scene.Split, speck)
	p := got.plan()
	crew, err := newCrew()
	require.NoError(t, err)
	defer func() { require.NoError(t, crew.close()) }()
	kinds := []int{2, 1, 4, 16, 3}
	for from, k := 0, 0; from < *soakFrames; from, k = from+soakSlice, k+1 {
		workers := kinds[k%len(kinds)]
		pl := newGraph(p, newRecorder(len(p.steps)+extraSteps, 0, lanes(workers)...), crew, workers, k%3 == 2, nil)
		got.serveBy(pl)
		to := min(from+soakSlice, *soakFrames)
		for f := from; f < to; f++ {
			require.NoError(t, want.Serial(nil))
			require.NoError(t, pl.frame(f), "frame %d, %d workers", f, workers)
		}
		require.NoError(t, pl.finish())
		require.NoError(t, pl.close())
		require.Equal(t, want.Digest(), got.Digest(), "after %d frames, the last of them with %d workers", to, workers)
		if t.Failed() {
			return
		}
		if k%10 == 9 {
			t.Logf("%d of %d frames", to, *soakFrames)
		}
	}
}
