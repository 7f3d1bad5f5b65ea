// Verification keeps records of what tests, models, specimens, edits and soaks came to, and writes
// docs/verification.md from them.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/stress/internal/shipped"
)

// options are what the command line asks for.
type options struct {
	records, page string
	check         bool
	inputs        []input
	passed        []string
	port          string
}

// An input is a file that a run has written, and what kind of run that was.
type input struct {
	take func(all *records, text []byte, now stamp) error
	flag string
	file string
}

func main() { command().Main() }

// command is the command without its process.
func command() *cli.Command {
	var o options
	return &cli.Command{
		Name: "verification", Usage: "go run ./stress/verification [flags]",
		About: "Adds what runs have written to the records in docs/verification, and makes\n" +
			"docs/verification.md of all records.",
		Flags: o.flags,
		Work: func(ctx context.Context, call *cli.Call) error {
			if o.port != "" && len(o.passed) == 0 {
				return errors.New("-port needs -passed")
			}
			if o.check && (len(o.inputs) > 0 || len(o.passed) > 0) {
				return errors.New("-check adds nothing: give it alone")
			}
			root, err := cli.ModuleRoot(shipped.Module)
			if err != nil {
				return err
			}
			return verify(ctx, root, o, call)
		},
	}
}

// flags adds the flags.
func (o *options) flags(f *flag.FlagSet) {
	f.StringVar(&o.records, "records", filepath.FromSlash("docs/verification"),
		"the `folder` of the records, from the root of the module")
	f.StringVar(&o.page, "page", filepath.FromSlash("docs/verification.md"),
		"the `file` of the page, from the root of the module")
	f.BoolVar(&o.check, "check", false, "write nothing, and fail if the page is not what the "+
		"records give")
	add := func(name, usage string, take func(*records, []byte, stamp) error) {
		f.Func(name, usage, func(text string) error {
			o.inputs = append(o.inputs, input{take, name, text})
			return nil
		})
	}
	add("model", "add the `file` that stress/model -json wrote", (*records).addModels)
	add("long", "add the `file` that is the state of stress/model", (*records).addLong)
	add("zoo", "add the `file` that stress/zoo -json wrote", (*records).addZoo)
	add("mutants", "add the `file` that stress/mutants -json wrote", (*records).addMutants)
	add("cover", "add the `file` that stress/cover -json wrote", (*records).addCover)
	add("soak", "add the `file` that is the state of stress/soak", (*records).addSoak)
	f.StringVar(&o.port, "port", "",
		"with -passed: the `port` that it was about (default this one)")
	f.Func("passed", "note that a `command` passed",
		func(text string) error {
			o.passed = append(o.passed, text)
			return nil
		})
}

// verify adds the inputs to the records and writes both.
func verify(ctx context.Context, root string, o options, call *cli.Call) error {
	at := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(root, name)
	}
	all, err := readRecords(os.DirFS(at(o.records)))
	if err != nil {
		return fmt.Errorf("%s: %w", o.records, err)
	}
	if len(o.inputs) > 0 || len(o.passed) > 0 {
		now, err := stampOf(ctx, root)
		if err != nil {
			return err
		}
		for _, in := range o.inputs {
			text, err := os.ReadFile(in.file)
			if err == nil {
				err = in.take(all, text, now)
			}
			if err != nil {
				return fmt.Errorf("-%s %s: %w", in.flag, in.file, err)
			}
		}
		now.Port = cmp.Or(o.port, now.Port)
		for _, what := range o.passed {
			all.addPassed(what, now)
		}
		if err := os.MkdirAll(at(o.records), 0o777); err != nil {
			return err
		}
		if err := all.write(at(o.records)); err != nil {
			return err
		}
	}
	found, err := findProtocols(os.DirFS(root))
	if err != nil {
		return err
	}
	text := page(all, found)
	if !o.check {
		return cli.WriteFile("page", at(o.page), func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
	old, err := os.ReadFile(at(o.page))
	if err == nil && !bytes.Equal(old, text) {
		fmt.Fprintf(call.Stderr,
			"verification: %s is not what the records give: make verification\n",
			o.page)
		err = cli.ErrFailed
	}
	return err
}
