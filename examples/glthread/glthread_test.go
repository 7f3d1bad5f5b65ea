package main

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// needed names the variable that says that this machine has the libraries: where it is set, a
// test that cannot run fails.
const needed = "GLTHREAD_NEEDED"

// studioFor opens a studio for a test, or skips the test.
func studioFor(t *testing.T) (*studio, *namedthread.Registry) {
	t.Helper()
	ctx := context.Background()
	reg := namedthread.NewRegistry()
	sys := taskgraph.Start(taskgraph.Options{Workers: 2, Threads: reg})
	t.Cleanup(func() {
		if err := sys.Shutdown(ctx); err != nil && !t.Skipped() {
			t.Error(err)
		}
	})
	s, err := openStudio(ctx, sys, reg)
	if err != nil {
		if os.Getenv(needed) != "" {
			t.Fatalf("%s is set: %v", needed, err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() { s.close(ctx) })
	return s, reg
}

// at returns the colour at a point of the scene.
func at(m *image.NRGBA, x, y float64) color.NRGBA { return m.NRGBAAt(pixel(x, y)) }

// near fails the test if a pixel has another colour.
func near(t *testing.T, what string, have color.NRGBA, want rgb) {
	t.Helper()
	off := 0.0
	for i, v := range [3]uint8{have.R, have.G, have.B} {
		off = max(off, math.Abs(float64(v)-255*float64(want[i])))
	}
	if off > 1.5 || have.A != 255 {
		t.Errorf("%s: colour %v, want %v of 1", what, have, want)
	}
}

func TestPixels(t *testing.T) {
	s, _ := studioFor(t)
	for range 5 { // shapes are ready in whatever order
		m, err := s.paint(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{-0.99, 0.99} {
			for _, y := range []float64{-0.99, 0.99} {
				near(t, "a corner", at(m, x, y), night)
			}
		}
		for i := range width {
			for _, edge := range []image.Point{{i, 0}, {i, height - 1}, {0, i}, {width - 1, i}} {
				near(t, "the edge", m.NRGBAAt(edge.X, edge.Y), night)
			}
		}
		for i := range petals {
			p := petalOf(i)
			near(t, "the middle of a petal", at(m, p.x, p.y), p.colour)
			// Where two meet the later one is on top.
			q := petalOf((i + 1) % petals)
			near(t, "between two petals", at(m, (p.x+q.x)/2, (p.y+q.y)/2),
				petalOf(max(i, (i+1)%petals)).colour)
		}
		for i, v := range heart() {
			var want [3]float64 // near a corner nine tenths of its colour
			have := at(m, float64(v[0])*0.9, float64(v[1])*0.9)
			want[i] = 0.9 + 0.1/3
			got := [3]uint8{have.R, have.G, have.B}
			if math.Abs(float64(got[i])-255*want[i]) > 6 {
				t.Errorf("corner %d of the heart: colour %v", i, have)
			}
		}
		if c := at(m, 0, 0); int(c.R)+int(c.G)+int(c.B) < 245 || int(c.R)+int(c.G)+int(c.B) > 265 {
			t.Errorf("the middle of the heart: colour %v, want a third of each", c)
		}
	}
}

// TestElsewhere shows what a program meets if its goroutines are not tied to their threads.
func TestElsewhere(t *testing.T) {
	s, reg := studioFor(t)
	for range 3 {
		x, err := s.trespass(context.Background(), reg)
		if err != nil {
			t.Fatal(err)
		}
		if x.code != 0x3002 {
			t.Errorf("eglMakeCurrent on another thread: error %#x, want EGL_BAD_ACCESS", x.code)
		}
		if x.known {
			t.Errorf("glGetString on another thread: %v, want NULL", x)
		}
	}
	// The context still works on its own thread.
	text, err := s.about(context.Background())
	if err != nil || !strings.Contains(text, "OpenGL ES") {
		t.Errorf("on its own thread: %q, error %v", text, err)
	}
	if _, err := s.paint(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestAssertion: a drawing task on a wrong thread is named with that.
func TestAssertion(t *testing.T) {
	s, reg := studioFor(t)
	other, err := reg.Start("Audio", namedthread.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { other.Quit(); <-other.Done() }()
	wrong := s.sys.Task(taskgraph.Do(s.render.MustBeCurrent)).On(other).Launch()
	err = s.sys.WaitUntilTasksComplete(context.Background(), wrong)
	if err == nil || !strings.Contains(err.Error(), "must run on Render, runs on Audio") {
		t.Errorf("error %v", err)
	}
}

func TestCommand(t *testing.T) {
	studioFor(t)
	out := filepath.Join(t.TempDir(), "x.png")
	var stdout, stderr bytes.Buffer
	if status := glthread().Run(context.Background(), []string{"-o", out}, &stdout,
		&stderr); status != cli.OK {
		t.Fatalf("status %d: %s", status, &stderr)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if m, err := png.Decode(f); err != nil || m.Bounds() != image.Rect(0, 0, width, height) {
		t.Errorf("%v, error %v", m.Bounds(), err)
	}
	for _, part := range []string{"Thread Render drew 13 shapes, which ", "fails with 0x3002 ",
		"returns NULL.\n", "All 16 tasks that called OpenGL ran on thread Render, and none failed.\n",
		"as shown.\n", "The picture is in " + out + ".\n"} {
		if !strings.Contains(stdout.String(), part) {
			t.Errorf("output %q without %q", &stdout, part)
		}
	}
	if status := glthread().Run(context.Background(),
		[]string{"-o", filepath.Join(out, "no folder")}, &stdout, &stderr); status != cli.Failed {
		t.Errorf("status %d where the picture cannot be written", status)
	}
}

// TestSentences: what is said depends on what the calls have met.
func TestSentences(t *testing.T) {
	for _, test := range []struct {
		x         trespass
		told, end string
	}{
		{trespass{code: badAccess}, "eglMakeCurrent fails with 0x3002 (EGL_BAD_ACCESS),\nand " +
			"glGetString returns NULL.", "would have failed as shown."},
		{trespass{code: 0x3006}, "eglMakeCurrent fails with 0x3006,\nand", "as shown."},
		{trespass{version: "OpenGL", known: true}, "eglMakeCurrent succeeds,\nand glGetString " +
			"returns \"OpenGL\".", "a program cannot rely on that."},
	} {
		if told := test.x.told(); !strings.Contains(told, test.told) {
			t.Errorf("%+v: %s", test.x, told)
		}
		if end := test.x.concluded(); !strings.HasSuffix(end, test.end) {
			t.Errorf("%+v: %s", test.x, end)
		}
	}
}

// TestNoFile: without -o nothing is written.
func TestNoFile(t *testing.T) {
	studioFor(t)
	t.Chdir(t.TempDir())
	var stdout, stderr bytes.Buffer
	if status := glthread().Run(context.Background(), nil, &stdout, &stderr); status != cli.OK {
		t.Fatalf("status %d: %s", status, &stderr)
	}
	if names, err := filepath.Glob("*"); err != nil || len(names) > 0 {
		t.Errorf("files %v, error %v", names, err)
	}
	if !strings.Contains(stdout.String(), "\nTo see the picture, add -o flower.png.\n") {
		t.Errorf("output %q", &stdout)
	}
}

func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{{"-x"}, {"stray"}, {"-o"}} {
		var stdout, stderr bytes.Buffer
		if status := glthread().Run(context.Background(), args, &stdout,
			&stderr); status != cli.Usage || stderr.Len() == 0 || stdout.Len() > 0 {
			t.Errorf("%q: status %d, output %q", args, status, &stdout)
		}
	}
	if status := glthread().Run(context.Background(), []string{"-h"}, new(bytes.Buffer),
		new(bytes.Buffer)); status != cli.OK {
		t.Errorf("-h: status %d", status)
	}
}

// TestWithoutLibraries: one line and status 1.
func TestWithoutLibraries(t *testing.T) {
	old := libraries
	defer func() { libraries = old }()
	libraries = [2]string{"libNoSuchEGL.so.1", "libNoSuchGL.so.2"}
	var stdout, stderr bytes.Buffer
	out := filepath.Join(t.TempDir(), "x.png")
	status := glthread().Run(context.Background(), []string{"-o", out}, &stdout, &stderr)
	if status != cli.Failed || stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 ||
		!strings.Contains(stderr.String(), "on Debian: apt install "+packages) &&
			!strings.Contains(stderr.String(), "needs Linux") {
		t.Errorf("status %d, output %q, errors %q", status, &stdout, &stderr)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a picture without OpenGL: %v", err)
	}
}
