// Command glthread draws with OpenGL ES on a named thread: a context belongs to the OS thread on
// which it is current, so everything that touches it is posted there. README.md says more.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"runtime"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// libraries are EGL and OpenGL ES.
var libraries = [2]string{"libEGL.so.1", "libGLESv2.so.2"}

// The main goroutine stays on the thread that the system started the program with. Window systems
// ask for that; it can only be done in an init.
func init() { runtime.LockOSThread() }

func main() { glthread().Main() }

// glthread is the command without its process.
func glthread() *cli.Command {
	var out string
	return &cli.Command{
		Name: "glthread",
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&out, "o", "glthread.png", "write the picture to this `file`")
		},
		Work: func(ctx context.Context, call *cli.Call) (err error) {
			if out == "" {
				return errors.New("-o: want the name of a file")
			}
			picture, err := cli.Create("o", out)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, picture.Close()) }()
			return show(ctx, out, picture, call.Text)
		},
	}
}

// show paints, with the caller as the thread Main.
func show(ctx context.Context, name string, out *cli.File, stdout io.Writer) (err error) {
	reg := namedthread.NewRegistry()
	main, err := reg.Attach("Main", namedthread.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, main.Detach()) }()
	sys := taskgraph.Start(taskgraph.Options{Threads: reg})
	// a failure is one that a wait returned
	defer func() { _ = sys.Shutdown(context.WithoutCancel(ctx)) }()
	s, err := openStudio(ctx, sys, reg)
	if err != nil {
		return err
	}
	defer s.close(context.WithoutCancel(ctx))
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
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := out.Write(func(w io.Writer) error { return png.Encode(w, picture) }); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "drawn on thread %s by %s\n", s.render.Name(), who)
	fmt.Fprintf(stdout,
		"on another thread: eglMakeCurrent fails with %#x (EGL_BAD_ACCESS is 0x3002), glGetString returns %v\n",
		x.code, x)
	fmt.Fprintf(stdout, "written to %s\n", name)
	return nil
}

// String is what glGetString returned.
func (x trespass) String() string {
	if !x.known {
		return "NULL"
	}
	return fmt.Sprintf("%q", x.version)
}
