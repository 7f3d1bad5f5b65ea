// Command glthread draws with OpenGL ES on a named thread: a context belongs to the OS thread on
// which it is current, so everything that touches it is posted there. README.md says more.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"runtime"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// libraries are EGL and OpenGL ES.
var libraries = [2]string{"libEGL.so.1", "libGLESv2.so.2"}

// The main goroutine stays on the thread that the system started the program with. Window systems
// ask for that; it can only be done in an init.
func init() { runtime.LockOSThread() }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// The statuses with which the command ends.
const (
	exitOK     = 0
	exitFailed = 1 // no OpenGL here, or the picture cannot be written
	exitUsage  = 2 // unknown flag or stray argument
)

// run is the command; what it returns is the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("glthread", flag.ContinueOnError)
	f.SetOutput(stderr)
	out := f.String("o", "glthread.png", "write the picture to this `file`")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case f.NArg() > 0:
		fmt.Fprintf(stderr, "glthread: stray argument %q\n", f.Arg(0))
		return exitUsage
	}
	if err := show(context.Background(), *out, stdout); err != nil {
		fmt.Fprintln(stderr, "glthread:", err)
		return exitFailed
	}
	return exitOK
}

// show paints, with the caller as the thread Main.
func show(ctx context.Context, out string, stdout io.Writer) (err error) {
	reg := namedthread.NewRegistry()
	main, err := reg.Attach("Main", namedthread.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, main.Detach()) }()
	sys := taskgraph.Start(taskgraph.Options{Threads: reg})
	defer func() { _ = sys.Shutdown(ctx) }() // a failure is one that a wait returned
	s, err := openStudio(ctx, sys, reg)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	who, err := s.about(ctx)
	if err != nil {
		return err
	}
	picture, err := s.paint(ctx)
	if err != nil {
		return err
	}
	x, err := s.trespass(ctx, reg)
	if err != nil {
		return err
	}
	if err := save(out, picture); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "drawn on thread %s by %s\n", s.render.Name(), who)
	fmt.Fprintf(stdout, "on another thread: eglMakeCurrent fails with %#x (EGL_BAD_ACCESS is 0x3002), glGetString returns %v\n", x.code, x)
	fmt.Fprintf(stdout, "written to %s\n", out)
	return nil
}

// String is what glGetString returned.
func (x trespass) String() string {
	if !x.known {
		return "NULL"
	}
	return fmt.Sprintf("%q", x.version)
}

func save(name string, picture image.Image) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, picture), f.Close())
}
