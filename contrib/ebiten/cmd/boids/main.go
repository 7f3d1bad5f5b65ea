// Boids shows a flock of 50,000 birds and some sparks with Ebitengine, each step made serially, by
// goroutines, or by a graph of Heddle's, and prints how the three keep a beat of 60 Hz.
//
//	go run ./cmd/boids                         # by turns, until it has seen enough, then a table
//	go run ./cmd/boids -way heddle -frames 0   # one way, until the window is closed
//	go run ./cmd/boids -check                  # compares the screen's pixels with the flock
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/heddle-go/heddle/contrib/ebiten/boids"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program. It must be called on the main goroutine, once. The status is 0, 1 if
// something has failed or a check has, or 2 for wrong arguments.
func run(args []string, out, errOut io.Writer) int {
	flags := flag.NewFlagSet("boids", flag.ContinueOnError)
	flags.SetOutput(errOut)
	birds := flags.Int("birds", 50000, "birds")
	sparks := flags.Int("sparks", 20000, "sparks")
	which := flags.String("way", "all", "serial, goroutines, heddle, or all by turns")
	frames := flags.Int("frames", 600, "frames of each way; 0: until the window is closed")
	turn := flags.Int("turn", 60, "frames that a way has at a time")
	check := flags.Bool(
		"check",
		false,
		"compare the pixels of the screen with the flock, in each tenth frame",
	)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0 || *birds < 1 || *sparks < 0 || *frames < 0 || *turn < 1 ||
		*frames%*turn != 0:
		flags.Usage()
		return 2
	}

	var threads namedthread.Registry
	sys := taskgraph.Start(taskgraph.Options{Threads: &threads})
	g := &game{
		sys:     sys,
		threads: &threads,
		birds:   *birds,
		sparks:  *sparks,
		which:   *which,
		frames:  *frames,
		turn:    *turn,
		check:   *check,
	}
	ebiten.SetWindowSize(boids.Width, boids.Height)
	ebiten.SetWindowTitle("Heddle: boids")
	ebiten.SetTPS(ebiten.SyncWithFPS) // the beat is ours
	ebiten.SetRunnableOnUnfocused(true)
	err := ebiten.RunGameWithOptions(
		g,
		&ebiten.RunGameOptions{GraphicsLibrary: ebiten.GraphicsLibraryOpenGL},
	)
	err = errors.Join(err, g.err, sys.Shutdown(context.Background()))
	if err == nil {
		err = g.report(out)
	}
	if err != nil {
		fmt.Fprintln(errOut, err)
		return 1
	}
	return 0
}
