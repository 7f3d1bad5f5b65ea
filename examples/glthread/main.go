// Command glthread draws with OpenGL ES on a named thread. A context belongs to the OS thread on
// which it is current, so every task that touches it runs there. README.md says more.
//
//	go -C examples/glthread run .
//	go -C examples/glthread run . -o flower.png
//
// The exit status is 0 if the picture was drawn, 1 if OpenGL ES is missing or the picture cannot be
// written, and 2 if the command line cannot be understood.
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

// packages are the Debian packages of the libraries and of a software renderer.
const packages = "libegl1 libgles2 libegl-mesa0 libgl1-mesa-dri"

// libraries are EGL and OpenGL ES.
var libraries = [2]string{"libEGL.so.1", "libGLESv2.so.2"}

// The main goroutine stays on the thread that the operating system started the program with, as
// window systems require. Only an init can do that.
func init() { runtime.LockOSThread() }

func main() { glthread().Main() }

// glthread is the command without its process.
func glthread() *cli.Command {
	var out string
	return &cli.Command{
		Name: "glthread",
		About: "Draws a picture with OpenGL ES on a named thread, off screen, and shows what happens\n" +
			"on another thread.",
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&out, "o", "", "write the picture to `FILE`, as PNG")
		},
		Work: func(ctx context.Context, call *cli.Call) (err error) {
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
	// Each failure is one that a wait has returned.
	defer func() { _ = sys.Shutdown(context.WithoutCancel(ctx)) }()
	s, err := openStudio(ctx, sys, reg)
	if err != nil {
		return err
	}
	defer s.close(context.WithoutCancel(ctx))
	renderer, err := s.about(ctx)
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
	fmt.Fprintf(stdout, "Thread %s drew %d shapes, which the workers computed, with\n%s.\n",
		s.render.Name(), petals+1, renderer)
	if name != "" {
		fmt.Fprintf(stdout, "The picture is in %s.\n\n", name)
	} else {
		fmt.Fprint(stdout, "To see the picture, add -o flower.png.\n\n")
	}
	fmt.Fprintln(stdout, x.told())
	fmt.Fprintf(stdout, "\nAll %d tasks that called OpenGL ran on thread %s, and none failed.\n",
		s.calls, s.render.Name())
	fmt.Fprintln(stdout, x.concluded())
	return nil
}

// badAccess is EGL_BAD_ACCESS: the context is current on another thread.
const badAccess = 0x3002

// told says what calls from another thread have met.
func (x trespass) told() string {
	made := "succeeds"
	switch {
	case x.code == badAccess:
		made = fmt.Sprintf("fails with %#x (EGL_BAD_ACCESS)", x.code)
	case x.code != 0:
		made = fmt.Sprintf("fails with %#x", x.code)
	}
	version := "NULL"
	if x.known {
		version = fmt.Sprintf("%q", x.version)
	}
	return "On another thread, eglMakeCurrent " + made + ",\nand glGetString returns " + version +
		"."
}

// concluded says what follows.
func (x trespass) concluded() string {
	if x.code == 0 || x.known {
		return "This driver let another thread use the context too; a program cannot rely on that."
	}
	return "A goroutine that is not tied to that thread would have failed as shown."
}
