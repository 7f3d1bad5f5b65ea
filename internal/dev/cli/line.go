package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// parse reads the command line. An error other than flag.ErrHelp is one line, and the flags then
// hold what was understood.
func (c *Command) parse(args []string, stderr io.Writer) (*Call, error) {
	call := &Call{Given: map[string]bool{}}
	fs := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	c.Flags(fs)
	if c.JSON != nil {
		fs.BoolVar(&call.JSON, "json", false,
			"print JSON and nothing else to standard output, and all else to standard error")
	}
	progress := fs.Bool("progress", true,
		"show progress (default: if standard error is a terminal)")
	fs.SetOutput(io.Discard) // the caller reports errors, in one line
	err := fs.Parse(args)
	rest := fs.Args()
	if err == nil && c.Arg != "" && len(rest) > 0 {
		call.Arg = rest[0]
		err = fs.Parse(rest[1:]) // there may be flags behind it
		rest = fs.Args()
	}
	fs.Visit(func(f *flag.Flag) { call.Given[f.Name] = true })
	call.show, call.hide = call.Given["progress"] && *progress, !*progress
	switch {
	case errors.Is(err, flag.ErrHelp):
		fs.SetOutput(stderr)
		c.help(fs)
	case err == nil && len(rest) > 0:
		err = fmt.Errorf("stray argument %q", rest[0])
	}
	if err != nil && c.JSON != nil {
		// Parsing stopped at the error, but whoever asked for JSON parses the output.
		call.JSON = call.JSON || asksForJSON(args)
	}
	return call, err
}

// help is what -h says.
func (c *Command) help(fs *flag.FlagSet) {
	fmt.Fprintln(fs.Output(), "usage: "+c.usage())
	if c.About != "" {
		fmt.Fprintf(fs.Output(), "\n%s\n", c.About)
	}
	fs.VisitAll(func(f *flag.Flag) {
		if f.Name == "progress" {
			f.DefValue = "" // its text says what the default is
		}
	})
	fs.PrintDefaults()
	if c.Help != nil {
		c.Help(fs.Output())
	}
}

// usage says how the command is called.
func (c *Command) usage() string {
	if c.Usage != "" {
		return c.Usage
	}
	return strings.TrimRight(c.Name+" [flags] "+c.Arg, " ")
}

// asksForJSON tells whether -json is anywhere in a command line, one that does not parse included.
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
