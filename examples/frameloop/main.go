package main

import (
	"encoding/json"
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
	"strings"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // bad input, a value out of range, or a failure in what was asked
	exitUsage  = 2 // a command line that cannot be understood
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
	png, out, trace, dot       string
	json, progress, keepGoing  bool

	physicsName string
}

// run is the command without its process, and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	rep := report{Seed: o.seed, Workers: o.workers}
	status := exitOK
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "frameloop: %v (-h lists the flags)\n", err)
		status = exitUsage
	default:
		if err = frameloop(o, &rep, stderr); err != nil {
			fmt.Fprintf(stderr, "frameloop: %v\n", err)
		}
		if err != nil || rep.bad() {
			status = exitFailed
		}
	}
	switch {
	case o.json:
		err = json.NewEncoder(stdout).Encode(rep)
	case err == nil:
		err = rep.table(stdout)
	default:
		return status
	}
	if err != nil {
		fmt.Fprintf(stderr, "frameloop: %v\n", err)
		status = max(status, exitFailed)
	}
	return status
}

// parseFlags reads the command line. An error other than flag.ErrHelp is one line, and
// the options then hold what was understood.
func parseFlags(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("frameloop", flag.ContinueOnError)
	fs.IntVar(&o.frames, "frames", 120, "number of frames, 1 to "+strconv.Itoa(maxFrames))
	fs.Uint64Var(&o.seed, "seed", 1, "what the scene is made from")
	fs.IntVar(&o.size, "size", 4, "number of courtyards, 1 to "+strconv.Itoa(scene.MaxSize))
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "number of workers, 1 to "+strconv.Itoa(maxWorkers))
	fs.StringVar(&o.physicsName, "physics", scene.Split.String(), "`ORDER` of the simulation and what depends on it: serial, lagged or split")
	fs.IntVar(&o.fps, "fps", 0, "play so many frames a second, and count missed deadlines; 0: as fast as it goes")
	fs.StringVar(&o.png, "png", "", "write the last picture to `FILE`")
	fs.StringVar(&o.out, "out", "", "write every picture to a file in `DIR`")
	fs.StringVar(&o.trace, "trace", "", "write a trace for Perfetto to `FILE`")
	fs.StringVar(&o.dot, "dot", "", "write the graph of a frame to `FILE` in the DOT language")
	fs.BoolVar(&o.keepGoing, "keep-going", false, "go on with the next frame when one has failed")
	fs.BoolVar(&o.json, "json", false, "print one JSON object instead of the table")
	fs.BoolVar(&o.progress, "progress", true, "show progress, if standard error is a terminal")
	fs.SetOutput(io.Discard) // the caller reports errors, in one line
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(stderr, "usage: frameloop [flags]")
		fs.SetOutput(stderr)
		fs.PrintDefaults()
	case err != nil:
		// Parsing stopped at the error, but whoever asked for JSON parses the output.
		o.json = o.json || asksForJSON(args)
	case fs.NArg() > 0:
		err = fmt.Errorf("stray argument %q", fs.Arg(0))
		o.json = o.json || asksForJSON(args)
	}
	return o, err
}

// asksForJSON tells whether -json is anywhere in a command line that did not parse.
func asksForJSON(args []string) bool {
	for _, arg := range args {
		name, value, given := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if name == "json" || name == "-json" {
			on, err := strconv.ParseBool(value)
			return !given || err == nil && on
		}
	}
	return false
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

// frameloop does what the options ask and fills the report.
func frameloop(o options, rep *report, stderr io.Writer) (err error) {
	if err := o.validate(); err != nil {
		return err
	}
	var picture, trace, dot output
	defer func() { err = errors.Join(err, picture.close(), trace.close(), dot.close()) }()
	if err := errors.Join(picture.open("png", o.png), trace.open("trace", o.trace), dot.open("dot", o.dot)); err != nil {
		return err
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
	if err := m.run(o, newProgress(o, stderr), stderr); err != nil {
		return err
	}
	rep.measured(o, m)
	return errors.Join(sequence,
		picture.write(func(w io.Writer) error { return png.Encode(w, m.graph.world.still(o.frames-1)) }),
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
