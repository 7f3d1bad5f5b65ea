package ebiten_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) { watch.Main(m) }

// display returns the name of an X server of the test's own, which ends with the test. With
// XVFB_NEEDED in the environment there must be one.
func display(t *testing.T) string {
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		if os.Getenv("XVFB_NEEDED") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no Xvfb here; see the README")
	}
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	// It chooses a number that is free, and writes it when it is ready. No port is opened.
	server := exec.Command(
		path,
		"-displayfd",
		"3",
		"-screen",
		"0",
		"800x600x24",
		"-nolisten",
		"tcp",
	)
	server.ExtraFiles = []*os.File{write}
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		require.NoError(t, server.Process.Signal(syscall.SIGTERM))
		_ = server.Wait() // its status is that of the signal
	})
	require.NoError(t, write.Close())
	line, err := bufio.NewReader(read).ReadString('\n')
	require.NoError(t, err, "Xvfb has ended")
	return ":" + strings.TrimSpace(line)
}

// build builds the command, for which Ebitengine needs the headers of X11.
func build(t *testing.T) (path string) {
	if _, err := os.Stat("/usr/include/X11/extensions/Xrandr.h"); err != nil &&
		os.Getenv("XVFB_NEEDED") == "" {
		t.Skip("there are no headers of X11 here, see the README")
	}
	// Looked at, so that the go command knows that the result depends on them.
	sources, err := filepath.Glob("*/*/*.go")
	require.NoError(t, err)
	packages, err := filepath.Glob("boids/*.go")
	require.NoError(t, err)
	for _, name := range append(sources, packages...) {
		_, err := os.Stat(name)
		require.NoError(t, err)
	}
	path = filepath.Join(t.TempDir(), "boids")
	out, err := exec.Command("go", "build", "-o", path, "./cmd/boids").CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

// program runs the command with these arguments on a display, and returns its output and status.
func program(path, display string, args ...string) (output string, status int) {
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+display)
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

// TestScreens: with each way the screen shows the birds and sparks where the flock says they are,
// and all come to the same. What is wrong ends the program, also what is found late.
func TestScreens(t *testing.T) {
	x, path := display(t), build(t)
	birds, frames := "5000", "20"
	if !testing.Short() {
		birds, frames = "50000", "120"
	}
	out, status := program(path, x, "-birds", birds, "-frames", frames, "-turn", "20", "-check")
	require.Zero(t, status, out)
	for _, way := range []string{"serial", "goroutines", "heddle"} {
		require.Contains(t, out, "| "+way+" | "+frames+" |")
	}
	require.Regexp(t, `(?m)^[1-9][0-9]* screens showed the flock as it was$`, out)

	require.Regexp(t, `(?m)^Heddle's median step .* one thread.*\. It missed \d+ beats?, that way \d+\.$`,
		out)
	require.Regexp(t, `(?m)^Heddle's median step .* goroutines.*\. It missed \d+ beats?, `, out)

	out, status = program(path, "")
	require.Equal(t, 1, status, out)
	require.Equal(t, "boids: no display: set DISPLAY, or run it under xvfb-run -a\n", out)

	out, status = program(path, x, "-way", "none")
	require.Equal(t, 1, status, out)
	require.Contains(t, out, `there is no way "none"`)
	out, status = program(path, x, "-frames", "61")
	require.Equal(t, 1, status, out)
}
