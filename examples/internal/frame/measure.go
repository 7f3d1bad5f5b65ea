package frame

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/engine/store"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/taskgraph"
)

// sliceFrames is how many frames a contestant plays before the next one has its turn, so that
// whatever else the machine does meets them all alike.
const sliceFrames = 20

// warmUp is how many frames are not counted among allocations: the first ones make what later ones
// use again.
const warmUp = 60

// A contestant is one way to play the frames, on a world of its own.
type contestant struct {
	name  string
	world *world
	plan  *plan
	play  player
	rec   *recorder
	graph *graphPlayer // nil if it is none
	film  *film        // nil: its system is not recorded

	played func(frame int) // is told of each frame, when its time has been taken; or nil

	times   []time.Duration // a frame each
	failed  int             // frames
	failure error           // of the first one that failed
	allocs  uint64          // after warm-up
	counted int             // frames that allocs is of
	gcs     uint32          // collections during its frames, after warm-up
	wakes   uint64          // kernel wakes of its workers
	wall    time.Duration   // of its slices
	pace    pace
}

// A measurement is what a run gave.
type measurement struct {
	serial, graph, goroutines *contestant
	// the graph by variant; one of them is graph
	orders  [scene.Variants]*contestant
	split   *contestant  // of the orders
	overlap *overlap     // of that
	idle    [2]*idleness // of split and barriers
	crew    *crew

	cold, warm *pass // with files: the first and a second time; nil: there are none
	told       func(line string)
	faults     map[string]*store.Fault // by the file's name
}

// all returns the contestants in the order of their turns.
func (m *measurement) all() []*contestant {
	list := []*contestant{m.serial, m.graph, m.goroutines}
	for _, c := range m.orders {
		if c != m.graph {
			list = append(list, c)
		}
	}
	return list
}

// newMeasurement makes the contestants. The caller becomes the game thread.
func newMeasurement(o options) (m *measurement, err error) {
	m = &measurement{told: func(string) {}, faults: map[string]*store.Fault{}}
	if m.crew, err = newCrew(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.close())
		}
	}()
	if m.serial, err = m.contestant(o, "serial", o.physics, "serial"); err != nil {
		return m, err
	}
	m.serial.play = newSerial(m.serial.plan, m.serial.rec)
	if m.goroutines, err = m.contestant(o, "goroutines", o.physics); err != nil {
		return m, err
	}
	m.goroutines.play = newGoroutines(m.goroutines.plan, 2*runtime.GOMAXPROCS(0))
	for v := range scene.Variants {
		var f *film
		if (o.trace != "" || o.profile) && v == o.physics || o.lanes != "" && v == scene.Split {
			f = newFilm(filmRecords, true)
		}
		if m.orders[v], err = m.order(o, v.String()+" physics", v, f); err != nil {
			return m, err
		}
	}
	m.graph, m.split = m.orders[o.physics], m.orders[scene.Split]
	m.overlap = newOverlap(m.split)
	barred := m.orders[scene.Barriers]
	for i, c := range [...]*contestant{m.split, barred} {
		m.idle[i] = newIdleness(c, runtime.GOMAXPROCS(0), o.frames)
	}
	m.split.played = func(int) {
		m.idle[0].frame()
		m.overlap.frame()
	}
	barred.played = func(int) {
		m.idle[1].frame()
		barred.rec.forget()
	}
	m.graph.pace.fps = o.fps
	return m, nil
}

// contestant makes one that has no player yet, with a recorder of lanes with these names, if there
// are any.
func (m *measurement) contestant(o options, name string, v scene.Variant,
	lanes ...string) (*contestant, error) {
	s, err := o.newScene()
	if err != nil {
		return nil, err
	}
	q := quick
	switch {
	case o.out != "":
		q = fine
	case o.rough:
		q = tiny
	}
	w := worldOf(s, v, q)
	if o.models != nil {
		w.from(o.models, o.budget<<10)
		w.library.fault = m.fault
	}
	w.lag.each = make([]float32, 0, o.frames)
	c := &contestant{name: name, world: w, plan: w.plan(),
		times: make([]time.Duration, 0, o.frames), pace: pace{clock: wallClock}}
	if lanes != nil {
		c.rec = newRecorder(len(c.plan.steps)+extraSteps, lanes...)
	}
	return c, nil
}

// order makes one that plays the graph in the order of a variant.
func (m *measurement) order(o options, name string, v scene.Variant,
	f *film) (*contestant, error) {
	c, err := m.contestant(o, name, v, append(workerNames(o.workers), threadNames[:]...)...)
	if err != nil {
		return nil, err
	}
	c.film = f
	c.graph = newGraph(c.plan, c.rec, m.crew, o.workers, v == scene.Serial || v == scene.Barriers,
		taskgraph.Options{Trace: f.recorder()})
	c.graph.apart = v == scene.Barriers
	c.play = c.graph
	c.world.serveBy(c.graph)
	return c, nil
}

// run lets all play o.frames frames, in turns that go to and fro, until ctx ends.
func (m *measurement) run(ctx context.Context, o options, show *cli.Progress,
	tell func(string)) error {
	list := m.all()
	defer show.Clear()
	for from := 0; from < o.frames; from += sliceFrames {
		to := min(from+sliceFrames, o.frames)
		for k := range list {
			if from/sliceFrames%2 == 1 {
				k = len(list) - 1 - k
			}
			c := list[k]
			show.At(c.name, from*len(list)+k*(to-from), o.frames*len(list))
			runtime.GC() // or this slice would pay for the garbage of the one before
			if err := c.slice(ctx, from, to, o.keepGoing); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	var errs []error
	for _, c := range list {
		if err := c.play.finish(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.name, err))
		}
		if c.failed > 0 {
			tell(fmt.Sprintf("%s: %d frames failed, the first with: %v", c.name, c.failed,
				c.failure))
		}
	}
	return errors.Join(errs...)
}

// slice plays the frames [from, to).
func (c *contestant) slice(ctx context.Context, from, to int, keepGoing bool) error {
	var before, after runtime.MemStats
	var wakes uint64
	counts := from >= warmUp
	if c.graph != nil {
		c.graph.begin()
		defer c.graph.end()
		wakes = c.graph.sys.Stats().KernelWakes
	}
	if counts {
		runtime.ReadMemStats(&before)
	}
	c.pace.start()
	for f := from; f < to; f++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.pace.await()
		c.film.begins(f)
		start, at := c.pace.now(), c.rec.now()
		err := c.play.frame(f)
		c.times = append(c.times, c.pace.now().Sub(start))
		c.film.ends(f)
		if c.graph != nil {
			c.rec.span(len(c.rec.lanes)-len(threadNames), len(c.plan.steps)+wholeFrame, f, 0, at)
		}
		c.pace.done()
		if c.played != nil {
			c.played(f)
		}
		if err != nil {
			if !keepGoing {
				return fmt.Errorf("frame %d: %w", f, err)
			}
			if c.failed++; c.failure == nil {
				c.failure = fmt.Errorf("frame %d: %w", f, err)
			}
		}
	}
	c.wall += c.pace.now().Sub(c.pace.begin)
	if counts {
		runtime.ReadMemStats(&after)
		c.allocs += after.Mallocs - before.Mallocs
		c.gcs += after.NumGC - before.NumGC
		c.counted += to - from
	}
	if c.graph != nil {
		c.wakes += c.graph.sys.Stats().KernelWakes - wakes
	}
	return nil
}

// close ends all players.
func (m *measurement) close() error {
	var errs []error
	for _, c := range m.orders {
		if c != nil && c.play != nil {
			errs = append(errs, c.play.close())
		}
	}
	return errors.Join(append(errs, m.cold.close(), m.warm.close(), m.crew.close())...)
}
