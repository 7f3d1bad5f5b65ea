package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit statuses.
const (
	OK = 0 // done
	// bad input, a value out of range, a failure in what was asked, an interruption, or output that
	// was lost
	Failed = 1
	Usage  = 2 // unknown flag, unparsable value or stray argument
)

// Errors that Work returns.
var (
	// ErrFailed ends a command with [Failed] and says nothing: what failed was said before.
	ErrFailed = errors.New("failed")
	// ErrInterrupted is for errors that say where an interruption came. Without, the command says
	// no more than that.
	ErrInterrupted = errors.New("interrupted")
)

// A Command is a program with flags. Beside its own flags it has -progress, and -json if there is
// something to print.
type Command struct {
	Name  string
	Usage string // how it is called; default: the name and Arg
	About string // what -h says beneath that, some lines
	// what the one argument is called, which stands before, among or behind the flags; empty: there
	// is none
	Arg  string
	Unit string // what progress counts

	// Flags adds the flags.
	Flags func(fs *flag.FlagSet)
	// Help, if not nil, writes what -h says behind the flags.
	Help func(w io.Writer)
	// Work does what was asked, and gives up when ctx ends. It leaves nothing behind then.
	Work func(ctx context.Context, call *Call) error
	// JSON, if not nil, returns what -json prints: after an error, what was understood and found
	// until then.
	JSON func() any
}

// A Call is a command at work.
type Call struct {
	Arg   string          // the argument that is no flag; empty: none
	Given map[string]bool // flags that were given, by name
	JSON  bool            // -json
	// what the command has to say: standard output, and with -json standard error
	Text     io.Writer
	Stderr   io.Writer
	Progress *Progress

	show bool // -progress was given
	hide bool // and is false
}

// Main runs the command as the process, and ends that. The first interruption, or the first request
// to terminate, ends the context of Work; the next one ends the process at once.
func (c *Command) Main() { asProcess(c.Run) }

// asProcess is Main of what run runs.
func asProcess(run func(ctx context.Context, args []string, stdout, stderr io.Writer) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Run runs the command without its process, and returns the exit status. An error is one line on
// stderr.
func (c *Command) Run(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	say := func(format string, args ...any) {
		fmt.Fprintf(stderr, c.Name+": "+format+"\n", args...)
	}
	out := &output{w: stdout}
	call, err := c.parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return OK
	case err != nil:
		say("%v (-h lists the flags)", err)
		status = Usage
	default:
		call.Text, call.Stderr, call.Progress = out, stderr, newProgress(call, c.Unit, stderr)
		if call.JSON {
			call.Text = stderr
		}
		err = c.Work(ctx, call)
		call.Progress.Clear()
		switch {
		case ctx.Err() != nil && !errors.Is(err, ErrInterrupted):
			say("%v", ErrInterrupted)
			status = Failed
		case errors.Is(err, ErrFailed):
			status = Failed
		case err != nil:
			say("%v", err)
			status = Failed
		}
	}
	if call.JSON {
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		if err := e.Encode(c.JSON()); err != nil && out.err == nil {
			say("-json: %v", err)
			status = max(status, Failed)
		}
	}
	if out.err != nil {
		say("standard output: %v", out.err)
		status = max(status, Failed)
	}
	return status
}

// An output is standard output. It remembers that something was lost.
type output struct {
	w   io.Writer
	err error
}

// Write implements io.Writer. After the first failure nothing more is written.
func (o *output) Write(p []byte) (n int, err error) {
	if o.err == nil {
		n, o.err = o.w.Write(p)
	}
	return n, o.err
}
