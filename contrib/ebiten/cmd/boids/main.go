// Boids shows a flock of 50,000 birds and some sparks with Ebitengine. One thread, goroutines and a
// graph of Heddle's make its steps by turns; it then prints how the three kept a beat of 60 Hz.
//
//	go -C contrib/ebiten run ./cmd/boids
//
// prints a table when it has seen enough frames of each way. Flags ask for less:
//
//	go -C contrib/ebiten run ./cmd/boids -way heddle -frames 0  # one, until you close the window
//	go -C contrib/ebiten run ./cmd/boids -check     # compares the screen's pixels with the flock
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/heddle-go/heddle/contrib/ebiten/boids"
	_ "github.com/heddle-go/heddle/contrib/ebiten/cmd/boids/display"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

func main() { command().Main() }

// command is the command without its process. It runs on the main goroutine, once: the engine asks
// for that.
func command() *cli.Command {
	g := &game{}
	return &cli.Command{
		Name: "boids",
		About: "Shows a flock of birds with Ebitengine at 60 frames a second. One thread, goroutines\n" +
			"and Heddle compute the steps by turns; it then prints how they kept the beat.",
		Flags: func(fs *flag.FlagSet) {
			fs.IntVar(&g.birds, "birds", 50000, "`number` of birds, 1 to 1000000")
			fs.IntVar(&g.sparks, "sparks", 20000, "`number` of sparks, 0 to 1000000")
			fs.StringVar(&g.which, "way", all,
				"the `NAME` of a way: serial, goroutines, heddle, or all by turns")
			fs.IntVar(&g.frames, "frames", 300,
				"`number` of frames of each way, a multiple of -turn; 0: until the window is closed")
			fs.IntVar(&g.turn, "turn", 60, "`number` of frames until the next way has its turn")
			fs.BoolVar(&g.check, "check", false,
				"compare the pixels of the screen with the flock in every tenth frame")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := g.valid(); err != nil {
				return err
			}
			g.ctx, g.progress = ctx, call.Progress
			if err := play(g); err != nil {
				return err
			}
			return g.report(call.Text)
		},
	}
}

const all = "all"

// valid says what is out of its range.
func (g *game) valid() error {
	switch {
	case g.birds < 1 || g.birds > 1_000_000:
		return fmt.Errorf("-birds %d is not from 1 to 1000000", g.birds)
	case g.sparks < 0 || g.sparks > 1_000_000:
		return fmt.Errorf("-sparks %d is not from 0 to 1000000", g.sparks)
	case !slices.Contains([]string{"serial", "goroutines", "heddle", all}, g.which):
		return fmt.Errorf("-way: there is no way %q", g.which)
	case g.turn < 1:
		return fmt.Errorf("-turn %d is not positive", g.turn)
	case g.frames < 0 || g.frames%g.turn != 0:
		return fmt.Errorf("-frames %d is not a multiple of -turn %d", g.frames, g.turn)
	}
	return nil
}

// play has the engine call the game until that ends.
func play(g *game) error {
	g.threads = namedthread.NewRegistry()
	g.sys = taskgraph.Start(taskgraph.Options{Threads: g.threads})
	ebiten.SetWindowSize(boids.Width, boids.Height)
	ebiten.SetWindowTitle("Heddle: boids")
	ebiten.SetTPS(ebiten.SyncWithFPS) // the beat is ours
	// So the engine draws a frame on its render thread while the step of the next is made here. It
	// waits before it gives that thread the next one: it is never more than one frame behind.
	ebiten.SetVsyncEnabled(false)
	ebiten.SetRunnableOnUnfocused(true)
	err := ebiten.RunGameWithOptions(
		g,
		&ebiten.RunGameOptions{GraphicsLibrary: ebiten.GraphicsLibraryOpenGL},
	)
	return errors.Join(err, g.err, g.sys.Shutdown(context.Background()))
}
