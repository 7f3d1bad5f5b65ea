package frame

import (
	"flag"
	"fmt"
	"io"

	"github.com/heddle-go/heddle/examples/internal/cli"
	"github.com/heddle-go/heddle/examples/internal/engine/scene"
)

// A Program is a command that plays the frames of a scene in all ways, and compares them.
type Program struct {
	Name string
	Size int // of the scene, where -size does not say otherwise
	// Model, if not nil, reads the file that says what all figures look like. Then the command takes the file's name.
	// An error is one line.
	Model func(file string) (scene.Model, error)

	rough bool // a coarse scene in tiny pictures, for tests of all but these
}

// Main runs the command without its process, and returns the exit status.
func (p Program) Main(args []string, stdout, stderr io.Writer) int {
	var o options
	var rep report
	c := cli.Command{
		Name: p.Name, Unit: "frame",
		Flags: func(fs *flag.FlagSet) {
			o.flags(fs, p.Size)
			if p.Model != nil {
				fs.StringVar(&o.file, "model", "", "read the figures from `FILE`; the same as FILE behind the flags")
			}
		},
		Work: func(arg string, show *cli.Progress, stderr io.Writer) error {
			if err := p.prepare(&o, arg); err != nil {
				return err
			}
			o.rough = p.rough
			return playAndMeasure(o, &rep, show, func(line string) { fmt.Fprintf(stderr, "%s: %s\n", p.Name, line) })
		},
		Report: func() cli.Report {
			rep.Seed, rep.Workers = o.seed, o.workers
			return &rep
		},
	}
	if p.Model != nil {
		c.Arg = "FILE"
	}
	return c.Main(args, stdout, stderr)
}

// prepare checks the options and reads the model.
func (p Program) prepare(o *options, arg string) error {
	if err := o.validate(); err != nil || p.Model == nil {
		return err
	}
	switch {
	case o.file != "" && arg != "":
		return fmt.Errorf("-model %s and %s: want one file", o.file, arg)
	case o.file == "":
		o.file = arg
	}
	if o.file == "" {
		return fmt.Errorf("no model: want the name of a file")
	}
	m, err := p.Model(o.file)
	o.model = &m
	return err
}
