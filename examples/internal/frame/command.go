package frame

import (
	"context"
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

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/traces"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// Limits of the flags.
const (
	maxWorkers = 1024 // the limit of taskgraph.Options.Workers
	maxFrames  = 1_000_000
	maxFPS     = 1000
	maxBudget  = 1 << 30
)

// options are the flags.
type options struct {
	frames, size, workers, fps int
	seed                       uint64
	physics                    scene.Variant
	setting                    scene.Setting
	png, out, lag, trace, dot  string
	lanes, record, http        string
	dir, make                  string
	budget                     int64 // KiB
	keepGoing, tail, profile   bool
	file                       string // of the model; empty: none
	figures                    string // what the report says of the model; empty: nothing

	physicsName string
	settingName string
	model       *scene.Model // nil: the engine's own figures
	format      Format       // of the models in dir
	models      *models      // nil: there is no dir
	rough       bool
}

func (o *options) flags(fs *flag.FlagSet, setting scene.Setting) {
	fs.IntVar(&o.frames, "frames", 120, "number of frames, 1 to "+strconv.Itoa(maxFrames))
	fs.Uint64Var(&o.seed, "seed", 1, "number that the scene is made from")
	fs.StringVar(&o.settingName, "scene", setting.String(),
		"the `SCENE`: mixed, quarry, crowd or courtyards")
	fs.IntVar(&o.size, "size", 0,
		"number of plots in the scene, 1 to "+strconv.Itoa(scene.MaxSize)+
			" (default: depends on the scene)")
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0),
		"number of workers, 1 to "+strconv.Itoa(maxWorkers))
	fs.StringVar(&o.physicsName, "physics", scene.Split.String(),
		"`ORDER` of the simulation and what depends on it: serial, lagged, split or barriers")
	fs.IntVar(&o.fps, "fps", 0,
		"play this number of frames a second and count missed deadlines; 0 plays as fast as "+
			"possible")
	fs.StringVar(&o.png, "png", "", "write the last picture to `FILE`")
	fs.StringVar(&o.out, "out", "", "write each picture to a file in `DIR`")
	fs.StringVar(&o.lag, "lag", "",
		"write to `FILE` a picture of what the order lagged draws late, and the frame times of "+
			"all orders")
	fs.StringVar(&o.trace, "trace", "", traces.Usage+"; it shows the last frames in the order of "+
		"-physics")
	fs.BoolVar(&o.profile, "profile", false, "print where the time of the last frames went, and "+
		"what other numbers of workers would gain")
	fs.StringVar(&o.lanes, "lanes", "",
		"write to `FILE`, as SVG, what each worker and thread did in a frame of the order split")
	fs.StringVar(&o.http, "http", "",
		"play only the order of -physics, at 60 frames a second unless -fps says otherwise, and "+
			"serve at `ADDR` a page that shows the system at work, on loopback if ADDR names no "+
			"host; ends after -frames, if given, or when interrupted")
	fs.StringVar(&o.dot, "dot", "", "write the graph of a frame to `FILE` in the DOT language")
	fs.StringVar(&o.record, "record", "",
		"write to `FILE` the tasks of a frame in the order split, for bench to replay")
	fs.BoolVar(&o.tail, "tail", false,
		"play only the order of -physics, and print where the time of the slowest frames went")
	fs.StringVar(&o.dir, "dir", "",
		"read models from the files in `DIR` as the camera approaches, instead of the built-in ones")
	fs.Int64Var(&o.budget, "budget", 1024,
		"with -dir, the `KIB` of models to keep before unused ones are dropped")
	fs.BoolVar(&o.keepGoing, "keep-going", false,
		"continue with the next frame after one has failed")
}

// validate reports a value out of range. The size is that of the scene, unless it is given.
func (o *options) validate(sized bool) error {
	v, ok := scene.ParseVariant(o.physicsName)
	o.physics = v
	set, known := scene.ParseSetting(o.settingName)
	o.setting = set
	if known && !sized {
		o.size = set.Size()
	}
	switch {
	case !known:
		return fmt.Errorf("-scene %s: want mixed, quarry, crowd or courtyards", o.settingName)
	case o.frames < 1 || o.frames > maxFrames:
		return fmt.Errorf("-frames %d: want 1 to %d", o.frames, maxFrames)
	case o.size < 1 || o.size > scene.MaxSize:
		return fmt.Errorf("-size %d: want 1 to %d", o.size, scene.MaxSize)
	case o.workers < 1 || o.workers > maxWorkers:
		return fmt.Errorf("-workers %d: want 1 to %d", o.workers, maxWorkers)
	case o.fps < 0 || o.fps > maxFPS:
		return fmt.Errorf("-fps %d: want 0 to %d", o.fps, maxFPS)
	case o.tail && o.files() != "":
		return errors.New("-tail writes no files")
	case o.http != "" && o.files() != "":
		return errors.New("-http writes no files; its page offers a trace")
	case o.http != "" && (o.tail || o.profile || o.dir != "" || o.make != ""):
		return errors.New("-http cannot be combined with -tail, -profile, -dir or -make: want one of them")
	case o.budget < 0 || o.budget > maxBudget:
		return fmt.Errorf("-budget %d: want 0 to %d", o.budget, maxBudget)
	case o.make != "" && o.dir != "":
		return errors.New("-make and -dir: want one of them")
	case !ok:
		return fmt.Errorf("-physics %s: want serial, lagged, split or barriers", o.physicsName)
	}
	if o.trace != "" {
		_, err := traces.Format("trace", o.trace)
		return err
	}
	return nil
}

// files returns the flags that name files, joined: it is empty if the run writes none but models.
func (o *options) files() string {
	return o.png + o.out + o.lag + o.trace + o.dot + o.lanes + o.record
}

// picture is the name of a file of -out.
func (o *options) picture(frame int) string {
	return filepath.Join(o.out, fmt.Sprintf("frame-%05d.png", frame))
}

// distinct fails if two flags name one file.
func (o *options) distinct() error {
	files := []cli.Path{{Flag: "-png", Name: o.png}, {Flag: "-lag", Name: o.lag},
		{Flag: "-trace", Name: o.trace}, {Flag: "-dot", Name: o.dot},
		{Flag: "-lanes", Name: o.lanes}, {Flag: "-record", Name: o.record}}
	if o.out != "" {
		for _, f := range files {
			if frame := 0; f.Name != "" {
				if _, err := fmt.Sscanf(filepath.Base(f.Name), "frame-%d.png",
					&frame); err == nil && frame < o.frames &&
					cli.SamePath(o.picture(frame), f.Name) {
					return fmt.Errorf("-out and %s name one file, %s", f.Flag, f.Name)
				}
			}
		}
	}
	return cli.Distinct(append(files, cli.Path{Flag: "the model", Name: o.file})...)
}

// newScene makes the scene that the options describe.
func (o *options) newScene() (*scene.Scene, error) {
	props := 0
	if o.models != nil {
		props = len(o.models.names)
	}
	return scene.New(scene.Options{
		Setting: o.setting, Seed: o.seed, Size: o.size, Model: o.model, Props: props,
		Coarse: o.rough,
	})
}

// playAndMeasure does what the options ask and fills the report.
func playAndMeasure(ctx context.Context, o options, rep *report, show *cli.Progress,
	tell func(string)) (err error) {
	var files [6]*cli.File
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.Close())
		}
	}()
	for i, f := range []cli.Path{{Flag: "png", Name: o.png}, {Flag: "lag", Name: o.lag},
		{Flag: "trace", Name: o.trace}, {Flag: "dot", Name: o.dot}, {Flag: "lanes", Name: o.lanes},
		{Flag: "record", Name: o.record}} {
		if files[i], err = cli.Create(f.Flag, f.Name); err != nil {
			return err
		}
	}
	if o.out != "" {
		if err := os.MkdirAll(o.out, 0o777); err != nil {
			return fmt.Errorf("-out: %w", err)
		}
	}
	if o.dir != "" {
		if o.models, err = openModels(o.dir, o.format); err != nil {
			return fmt.Errorf("-dir: %w", err)
		}
		defer func() { err = errors.Join(err, o.models.close()) }()
	}
	m, err := newMeasurement(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	m.told = func(line string) {
		show.Clear()
		tell(line)
	}
	var sequence error
	if o.out != "" {
		m.graph.world.picture = func(frame int, img *image.RGBA) {
			if e := cli.WriteFile("out", o.picture(frame),
				func(w io.Writer) error { return png.Encode(w, img) }); sequence == nil {
				sequence = e
			}
		}
	}
	if err := m.run(ctx, o, show, tell); err != nil {
		return err
	}
	if err := m.readTwice(ctx, o, show); err != nil {
		return err
	}
	rep.measured(o, m)
	if o.profile {
		rep.profiled = m.graph.film.Snapshot()
	}
	return errors.Join(sequence,
		files[0].Write(func(w io.Writer) error {
			return png.Encode(w, m.graph.world.still(o.frames-1, stillQuality))
		}),
		files[1].Write(func(w io.Writer) error {
			return png.Encode(w, lagPicture(m.orders, o.frames-1, stillQuality))
		}),
		files[2].Write(func(w io.Writer) error {
			return writeTrace(w, o.trace, m.graph.film.Snapshot())
		}),
		files[3].Write(func(w io.Writer) error {
			return writeDOT(w, m.graph.plan, costOf(m.serial.plan, m.serial.rec))
		}),
		files[4].Write(func(w io.Writer) error { return drawLanes(w, m.split.film.Snapshot()) }),
		files[5].Write(func(w io.Writer) error {
			r, err := record(o)
			if err != nil {
				return err
			}
			return r.write(w, o)
		}),
	)
}
