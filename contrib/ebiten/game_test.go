package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	_ "github.com/heddle-go/heddle/internal/dev/short"
)

// In a process that has this variable the test binary is the program: the engine wants the main
// goroutine, and can be run once.
const asProgram = "HEDDLE_EBITEN_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}

// display returns the name of an X server of the test's own, which ends with the test. With
// XVFB_NEEDED in the environment there must be one.
func display(t *testing.T) string {
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		if os.Getenv("XVFB_NEEDED") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no Xvfb here; apt install xvfb libgl1 libgl1-mesa-dri")
	}
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	// It chooses a number that is free, and writes it when it is ready. No port is opened.
	server := exec.Command(path, "-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp")
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

// program runs the program with these arguments on a display.
func program(t *testing.T, display string, args ...string) (output string, err error) {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "DISPLAY="+display)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	return out.String(), err
}

// TestScreens: with each way the screen shows the birds and sparks where the flock says they are,
// and all come to the same.
func TestScreens(t *testing.T) {
	x := display(t)
	birds, frames := "5000", "20"
	if !testing.Short() {
		birds, frames = "50000", "120"
	}
	out, err := program(t, x, "-birds", birds, "-frames", frames, "-turn", "20", "-check")
	require.NoError(t, err, out)
	for _, way := range []string{"serial", "goroutines", "heddle"} {
		require.Contains(t, out, "| "+way+" | "+frames+" |")
	}
	require.Regexp(t, `(?m)^[1-9][0-9]* screens were as the flock says$`, out)
}

// TestWrong: arguments that are wrong end the program, also those that are found late.
func TestWrong(t *testing.T) {
	require.Equal(t, 2, run([]string{"-birds", "0"}, &bytes.Buffer{}, &bytes.Buffer{}))
	require.Equal(t, 2, run([]string{"-frames", "61"}, &bytes.Buffer{}, &bytes.Buffer{}))
	out, err := program(t, display(t), "-way", "none")
	require.Error(t, err)
	require.Contains(t, out, `there is no way "none"`)
}
