package assets_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A shown is a value that tells when it is closed.
type shown struct {
	version int
	closed  func(version int)
}

func (s *shown) Close() error {
	s.closed(s.version)
	return nil
}

// TestDrainOnThread: a program uses its resources on one named thread, in frames, while they are
// reloaded by workers. What it sees is the same from the beginning of a frame to the end. It
// changes in the Drain that the frame calls, on the thread: there the handles turn over,
// subscribers are told child before parent, and then the old values are closed.
func TestDrainOnThread(t *testing.T) {
	ctx := context.Background()
	var threads namedthread.Registry
	game, err := threads.Start("Game", namedthread.Options{})
	require.NoError(t, err)
	defer func() { game.Quit(); <-game.Done() }()

	g := graph{"scene": {"house", "tree"}, "house": {"wood"}, "tree": {"wood"}, "wood": nil}
	var told []string // of the thread of the game, like all that frames touch
	closed := func(version int) {
		on := "no thread"
		if th, err := namedthread.Current(); err == nil {
			on = th.Name()
		}
		told = append(told, fmt.Sprint("version ", version, " closed on ", on))
	}
	loads := make(map[assets.ID]int) // of one pipe at a time: its lane has a limit of 1
	decode := assets.Pipe{Name: "decode", Lane: "one", Run: func(_ context.Context,
		it *assets.Item) error {
		loads[it.ID]++
		it.Children = g[it.ID]
		if it.ID == "wood" {
			it.Value = &shown{loads[it.ID], closed}
		}
		return nil
	}}
	w := newWorld(t, g, worldOptions{system: taskgraph.Options{Threads: &threads},
		pipeline: assets.PipelineOptions{
			Plan: []assets.Pipe{assets.Resolve(), decode, assets.Dependencies()}}})
	scene, wood := w.load("scene"), w.load("wood")
	w.quiet()
	version := func() int { return wood.Value().(*shown).version }
	cancel := w.m.Subscribe(func(c assets.Change) {
		game.MustBeCurrent()
		told = append(told, fmt.Sprint(c.ID, " ", c.Kind, " at version ", version()))
	})
	frame := func(do func()) {
		t.Helper()
		e := w.sys.Task(taskgraph.Do(do)).On(game).Launch()
		require.NoError(t, w.sys.WaitUntilTasksComplete(ctx, e))
	}

	for next := 2; next <= 4; next++ {
		frame(func() {
			w.m.Reload("wood")
			// The thread is held here until the new one is there, and sees nothing of it.
			w.quiet()
			assert.Equal(t, next-1, version())
			assert.Empty(t, told)
		})
		// Nor does a frame that does not drain, whoever else waits for the resource meanwhile.
		require.NoError(t, wood.Wait(ctx))
		frame(func() { assert.Equal(t, next-1, version()) })

		var drained int
		frame(func() {
			drained = w.m.Drain()
			assert.Equal(t, next, version())
		})
		now := fmt.Sprint(" at version ", next)
		require.Equal(t, 4, drained)
		require.Len(t, told, 5)
		require.Equal(t, "wood reloaded"+now, told[0])
		require.ElementsMatch(t, []string{"house affected" + now, "tree affected" + now}, told[1:3])
		require.Equal(t, []string{"scene affected" + now,
			fmt.Sprint("version ", next-1, " closed on Game")}, told[3:])
		told = nil
	}
	cancel()
	require.Equal(t, assets.Ready, scene.State())
}
