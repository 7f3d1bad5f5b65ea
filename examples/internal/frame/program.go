package frame

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A Program is a command that plays the frames of a scene in all ways, and compares them.
type Program struct {
	Name    string
	Setting scene.Setting // where -scene does not say otherwise
	// Model, if not nil, reads the file that says what all figures look like. Then the command
	// takes the file's name. Without a name, Model returns what BuiltIn describes. An error is one
	// line.
	Model   func(file string) (scene.Model, error)
	BuiltIn string

	// Format is that of the models of -dir; without one they are those that -make writes, which
	// then is a flag too.
	Format Format

	rough bool // a coarse scene in tiny pictures, for tests of all but these
}

// Main runs the command as the process, and ends that.
func (p Program) Main() { p.command().Main() }

// Run runs the command without its process, and returns the exit status.
func (p Program) Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return p.command().Run(ctx, args, stdout, stderr)
}

func (p Program) command() *cli.Command {
	var o options
	var rep report
	c := &cli.Command{
		Name: p.Name, Unit: "frame",
		Flags: func(fs *flag.FlagSet) {
			o.flags(fs, p.Setting)
			if p.Format.Parse == nil {
				fs.StringVar(&o.make, "make", "",
					"write models for -dir to files in `DIR`, and exit")
			}
			if p.Model != nil {
				fs.StringVar(&o.file, "model", "",
					"read the figures from `FILE`; the same as the argument FILE")
			}
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := p.prepare(&o, call.Arg, call.Given["size"]); err != nil {
				return err
			}
			tell := func(line string) { fmt.Fprintf(call.Stderr, "%s: %s\n", p.Name, line) }
			if o.make != "" {
				return makeModels(ctx, o.make, o.seed, call.Text)
			}
			if o.rough, o.format = p.rough, p.Format; o.format.Parse == nil {
				o.format = meshes
			}
			if o.http != "" {
				if !call.Given["frames"] {
					o.frames = 0
				}
				if o.fps == 0 {
					o.fps = servedFPS
				}
				var err error
				rep.Frames, err = playServed(ctx, o, call.Progress, tell, call.Text)
				return err
			}
			if o.tail {
				r, rows, err := playTail(ctx, o, call.Progress, tell)
				if rep.Tail = r; err == nil && !call.JSON {
					fmt.Fprintln(call.Text, strings.Join(rows, "\n"))
				}
				return err
			}
			if err := playAndMeasure(ctx, o, &rep, call.Progress, tell); err != nil {
				return err
			}
			if !call.JSON {
				rep.table(call.Text)
			}
			if rep.profiled != nil {
				fmt.Fprintln(call.Text)
				if err := writeProfile(call.Text, rep.profiled); err != nil {
					return err
				}
			}
			if !call.JSON {
				rep.conclude(call.Text)
			}
			if rep.bad() {
				return cli.ErrFailed
			}
			return nil
		},
		JSON: func() any {
			rep.Seed, rep.Workers, rep.Scene = o.seed, o.workers, o.settingName
			return &rep
		},
	}
	if p.Model != nil {
		c.Arg = "[FILE]"
	}
	return c
}

// prepare checks the options and reads the model.
func (p Program) prepare(o *options, arg string, sized bool) error {
	if err := o.validate(sized); err != nil {
		return err
	}
	if p.Model == nil {
		return o.distinct()
	}
	switch {
	case o.file != "" && arg != "":
		return fmt.Errorf("-model %s and %s: want one file", o.file, arg)
	case o.file == "":
		o.file = arg
	}
	if o.figures = o.file; o.file == "" {
		o.figures = p.BuiltIn + ", since no glTF file was named"
	}
	if err := o.distinct(); err != nil {
		return err
	}
	m, err := p.Model(o.file)
	o.model = &m
	return err
}
