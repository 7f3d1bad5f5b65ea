package frame

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/heddle-go/heddle/examples/internal/cli"
	"github.com/heddle-go/heddle/examples/internal/engine/scene"
)

// Limits of the flags.
const (
	maxWorkers = 1024 // more a task system does not take
	maxFrames  = 1_000_000
	maxFPS     = 1000
)

// options are the flags.
type options struct {
	frames, size, workers, fps int
	seed                       uint64
	physics                    scene.Variant
	png, out, lag, trace, dot  string
	keepGoing                  bool
	file                       string // of the model

	physicsName string
	model       *scene.Model // nil: the engine's own figures
	rough       bool
}

func (o *options) flags(fs *flag.FlagSet, size int) {
	fs.IntVar(&o.frames, "frames", 120, "number of frames, 1 to "+strconv.Itoa(maxFrames))
	fs.Uint64Var(&o.seed, "seed", 1, "what the scene is made from")
	fs.IntVar(&o.size, "size", size, "number of courtyards, 1 to "+strconv.Itoa(scene.MaxSize))
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "number of workers, 1 to "+strconv.Itoa(maxWorkers))
	fs.StringVar(&o.physicsName, "physics", scene.Split.String(), "`ORDER` of the simulation and what depends on it: serial, lagged or split")
	fs.IntVar(&o.fps, "fps", 0, "play so many frames a second, and count missed deadlines; 0: as fast as it goes")
	fs.StringVar(&o.png, "png", "", "write the last picture to `FILE`")
	fs.StringVar(&o.out, "out", "", "write every picture to a file in `DIR`")
	fs.StringVar(&o.lag, "lag", "", "write to `FILE` a picture of what is late in the lagged order, and of the times of all three")
	fs.StringVar(&o.trace, "trace", "", "write a trace for Perfetto to `FILE`")
	fs.StringVar(&o.dot, "dot", "", "write the graph of a frame to `FILE` in the DOT language")
	fs.BoolVar(&o.keepGoing, "keep-going", false, "go on with the next frame when one has failed")
}

// validate reports a value out of range.
func (o *options) validate() error {
	v, ok := scene.ParseVariant(o.physicsName)
	o.physics = v
	switch {
	case o.frames < 1 || o.frames > maxFrames:
		return fmt.Errorf("-frames %d: want 1 to %d", o.frames, maxFrames)
	case o.size < 1 || o.size > scene.MaxSize:
		return fmt.Errorf("-size %d: want 1 to %d", o.size, scene.MaxSize)
	case o.workers < 1 || o.workers > maxWorkers:
		return fmt.Errorf("-workers %d: want 1 to %d", o.workers, maxWorkers)
	case o.fps < 0 || o.fps > maxFPS:
		return fmt.Errorf("-fps %d: want 0 to %d", o.fps, maxFPS)
	case !ok:
		return fmt.Errorf("-physics %s: want serial, lagged or split", o.physicsName)
	}
	return nil
}

// An output is a file that is opened before the work, so that a wrong path is told at once.
type output struct {
	flag string
	file *os.File
}

func (o *output) open(flag, name string) (err error) {
	if name == "" {
		return nil
	}
	if o.file, err = os.Create(name); err != nil {
		return fmt.Errorf("-%s: %w", flag, err)
	}
	o.flag = flag
	return nil
}

// write fills the file, if it was asked for.
func (o *output) write(f func(io.Writer) error) error {
	if o.file == nil {
		return nil
	}
	if err := f(o.file); err != nil {
		return fmt.Errorf("-%s: %w", o.flag, err)
	}
	return nil
}

func (o *output) close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

// newScene makes the scene that the options describe.
func (o *options) newScene() (*scene.Scene, error) {
	switch {
	case o.rough:
		return scene.NewSmall(o.seed)
	case o.model != nil:
		return scene.NewOf(o.seed, o.size, *o.model)
	}
	return scene.New(o.seed, o.size)
}

// playAndMeasure does what the options ask and fills the report.
func playAndMeasure(o options, rep *report, show *cli.Progress, tell func(string)) (err error) {
	var picture, lag, trace, dot output
	defer func() { err = errors.Join(err, picture.close(), lag.close(), trace.close(), dot.close()) }()
	for _, f := range []struct {
		*output
		flag, name string
	}{{&picture, "png", o.png}, {&lag, "lag", o.lag}, {&trace, "trace", o.trace}, {&dot, "dot", o.dot}} {
		if err := f.open(f.flag, f.name); err != nil {
			return err
		}
	}
	if o.out != "" {
		if err := os.MkdirAll(o.out, 0o777); err != nil {
			return fmt.Errorf("-out: %w", err)
		}
	}
	m, err := newMeasurement(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	var sequence error
	if o.out != "" {
		m.graph.world.picture = func(frame int, img *image.RGBA) {
			if e := writePNG(filepath.Join(o.out, fmt.Sprintf("frame-%05d.png", frame)), img); sequence == nil {
				sequence = e
			}
		}
	}
	if err := m.run(o, show, tell); err != nil {
		return err
	}
	rep.measured(o, m)
	return errors.Join(sequence,
		picture.write(func(w io.Writer) error { return png.Encode(w, m.graph.world.still(o.frames-1, stillQuality)) }),
		lag.write(func(w io.Writer) error { return png.Encode(w, lagPicture(m.orders, o.frames-1, stillQuality)) }),
		trace.write(func(w io.Writer) error { return writeTrace(w, m.graph.plan, m.graph.rec) }),
		dot.write(func(w io.Writer) error {
			return writeDOT(w, m.graph.plan, costOf(m.serial.plan, m.serial.rec))
		}),
	)
}

func writePNG(name string, img image.Image) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return png.Encode(f, img)
}
