package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/heddle-go/heddle/contrib/ebiten/boids"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/verdict"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

const beat = time.Second / 60

// A game is what Ebitengine calls, all of it on one goroutine of its own. With the first call that
// becomes a named thread, to which the graph's last task is bound: only there may it give the
// engine a picture. The thread takes part in the graph while it waits for it.
type game struct {
	sys     *taskgraph.System
	threads *namedthread.Registry

	ctx      context.Context // ends the game
	progress *cli.Progress

	birds, sparks, frames, turn int
	which                       string
	check                       bool

	thread *namedthread.Thread
	ways   []*player
	turns  int       // frames that have begun
	begun  time.Time // when the last one did
	next   time.Time // when the next one begins
	err    error

	picture *ebiten.Image
	pixels  []byte
	checked int
	looked  bool // Draw has drawn the picture
}

// A player is a way with a flock of its own, and what became of its frames.
type player struct {
	boids.Way
	flock  *boids.Flock
	steps  []time.Duration // how long each took
	starts []time.Duration // how long after its beat each began
	frames []time.Duration // how long after that the engine came back for the next one
	missed int             // beats at which it had not
}

// begin is the first call.
func (g *game) begin() error {
	thread, err := g.threads.Attach("Engine", namedthread.Options{})
	if err != nil {
		return err
	}
	g.thread = thread
	g.picture = ebiten.NewImage(boids.Width, boids.Height)
	g.pixels = make([]byte, 4*boids.Width*boids.Height)
	add := func(name string, way func(f *boids.Flock, show func()) (boids.Way, error)) error {
		if g.which != all && g.which != name {
			return nil
		}
		f := boids.New(g.birds, g.sparks)
		w, err := way(f, func() {
			thread.MustBeCurrent()
			g.picture.WritePixels(f.Picture)
		})
		g.ways = append(g.ways, &player{Way: w, flock: f})
		return err
	}
	err = errors.Join(
		add(
			"serial",
			func(f *boids.Flock, show func()) (boids.Way, error) {
				return boids.Serial(f, show), nil
			},
		),
		add(
			"goroutines",
			func(f *boids.Flock, show func()) (boids.Way, error) {
				return boids.Goroutines(f, show), nil
			},
		),
		add("heddle", func(f *boids.Flock, show func()) (boids.Way, error) {
			return boids.Graph(g.sys, thread, f, show)
		}),
	)
	g.next = time.Now().Add(beat)
	return err
}

// Update waits for the beat and makes a step.
func (g *game) Update() error {
	if g.thread == nil {
		if err := g.begin(); err != nil {
			return g.end(err)
		}
	}
	if g.turns > 0 {
		p := g.ways[(g.turns-1)/g.turn%len(g.ways)]
		p.frames = append(p.frames, time.Since(g.begun))
	}
	if g.frames > 0 && g.turns == g.frames*len(g.ways) || ebiten.IsWindowBeingClosed() {
		return g.end(nil)
	}
	if g.ctx.Err() != nil {
		return g.end(cli.ErrInterrupted)
	}
	p := g.playing()
	if g.turns%g.turn == 0 {
		g.progress.Show(fmt.Sprintf("frame %d: %s", g.turns+1, p.Name))
	}
	// The first frame of a turn may be late for what the way before has left.
	if now := time.Now(); g.turns%g.turn > 0 && now.After(g.next) {
		for now.After(g.next) {
			p.missed++
			g.next = g.next.Add(beat)
		}
	} else if now.After(g.next) {
		g.next = now.Add(beat)
	}
	ctx := context.Background() // a step is made to its end
	if p.Name == "heddle" {
		if err := g.sys.SleepUntil(ctx, g.next); err != nil {
			return g.end(err)
		}
	} else {
		time.Sleep(time.Until(g.next))
	}
	begin := time.Now()
	if err := p.Step(ctx); err != nil {
		return g.end(err)
	}
	g.begun = begin
	p.steps = append(p.steps, time.Since(begin))
	p.starts = append(p.starts, begin.Sub(g.next))
	g.next = g.next.Add(beat)
	g.turns++
	return nil
}

// playing is whose turn it is.
func (g *game) playing() *player { return g.ways[g.turns/g.turn%len(g.ways)] }

// end detaches the thread, on it, and ends the game.
func (g *game) end(err error) error {
	if g.thread != nil {
		err = errors.Join(err, g.thread.Detach())
	}
	g.err = err
	return ebiten.Termination
}

// Draw looks, if that is asked for, what the screen is with the picture on it.
func (g *game) Draw(screen *ebiten.Image) {
	g.looked = g.check && g.turns%10 == 1 && g.err == nil
	if !g.looked {
		return
	}
	screen.DrawImage(g.picture, nil)
	screen.ReadPixels(g.pixels)
	g.checked++
	last := g.ways[(g.turns-1)/g.turn%len(g.ways)]
	if err := last.flock.Check(g.pixels); err != nil {
		g.err = fmt.Errorf("after %d frames of %s: %w", len(last.steps), last.Name, err)
	}
}

// DrawFinalScreen shows the picture. The engine would draw it on an image first, and then that: on
// processors that draw by themselves the second time is a millisecond or two.
func (g *game) DrawFinalScreen(screen ebiten.FinalScreen, offscreen *ebiten.Image, at ebiten.GeoM) {
	switch {
	case g.looked:
		screen.DrawImage(offscreen, &ebiten.DrawImageOptions{GeoM: at})
	case g.turns > 0:
		screen.DrawImage(g.picture, &ebiten.DrawImageOptions{GeoM: at})
	}
}

// Layout is the size of the picture, whatever the window's.
func (g *game) Layout(int, int) (int, int) { return boids.Width, boids.Height }

// report prints the table, and looks whether all ways have come to the same.
func (g *game) report(out io.Writer) error {
	fmt.Fprintf(out, "%d birds and %d sparks on %s, a frame every %.2f ms. A step moves\nand paints "+
		"the flock; a frame lasts from its beginning until the engine asks for the next one.\n\n",
		g.birds, g.sparks, verdict.Count(runtime.GOMAXPROCS(0), "processor"),
		float64(beat.Nanoseconds())/1e6)
	fmt.Fprintln(out, "| way | frames | step p50, ms | p99 | frame p50, ms | p99 "+
		"| begins late p50, µs | beats missed |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|")
	for _, p := range g.ways {
		fmt.Fprintf(
			out,
			"| %s | %d | %.2f | %.2f | %.2f | %.2f | %.0f | %d |\n",
			p.Name,
			len(p.steps),
			ms(p.steps, 50),
			ms(p.steps, 99),
			ms(p.frames, 50),
			ms(p.frames, 99),
			1e3*ms(p.starts, 50),
			p.missed,
		)
	}
	if g.check {
		fmt.Fprintf(out, "%d screens showed the flock as it was\n", g.checked)
	}
	expected := g.ways[0]
	for _, p := range g.ways[1:] {
		if len(p.steps) == len(expected.steps) && p.flock.Digest() != expected.flock.Digest() {
			return fmt.Errorf("%s and %s have come to different states", expected.Name, p.Name)
		}
	}
	var ways []boids.Played
	for _, p := range g.ways {
		ways = append(ways, boids.Played{Name: p.Name, Step: ms(p.steps, 50), Missed: p.missed})
	}
	fmt.Fprintf(out, "\n%s", boids.Conclusion(ways))
	if len(g.ways) > 1 {
		fmt.Fprintf(out, "All ways computed the same flock (digest %016x).\n",
			expected.flock.Digest())
	}
	return nil
}

func ms(of []time.Duration, percent int) float64 {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return float64(sorted[min(len(sorted)*percent/100, len(sorted)-1)].Nanoseconds()) / 1e6
}
