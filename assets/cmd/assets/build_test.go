package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// beep is a WAV of a few samples.
func beep() string {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00" +
		"\x44\xac\x00\x00\x88\x58\x01\x00\x02\x00\x10\x00data\xc8\x00\x00\x00")
	for i := range 100 {
		b = binary.LittleEndian.AppendUint16(b, uint16(i*i))
	}
	return string(b)
}

// contents returns the files of a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry,
		err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = os.ReadFile(filepath.Join(dir, name))
			all[name] = string(data)
		}
		return err
	}))
	return all
}

func TestBuild(t *testing.T) {
	dir, to := sound(t), t.TempDir()
	write(t, dir, "snd/beep.wav", beep())
	serial, tasks := filepath.Join(to, "serial"), filepath.Join(to, "tasks")
	r := call[buildReport](t, "build", "-json", "-serial", "-out", serial, dir)
	require.Equal(t, cli.OK, r.Status, r.Stderr)
	require.Equal(t, 7, r.Report.Files)
	require.Equal(t, 4, r.Report.Encoded, "two pictures, a model, a sound")
	require.Equal(t, 3, r.Report.Copied)
	want := contents(t, serial)
	require.Contains(t, want, "tex/wood@low.png.dds")

	args := []string{"build", "-workers", "2", "-cache", filepath.Join(to, "cache"), "-out", tasks}
	o := call[buildReport](t, append(args, dir)...)
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Contains(t, o.Stdout, "7 files, 3 of them copied, 4 encoded, 0 from the cache, "+
		"0 from the farm\n")
	require.Equal(t, want, contents(t, tasks))
	o = call[buildReport](t, append(args, dir)...)
	require.Contains(t, o.Stdout, "0 encoded, 4 from the cache")

	// What was built loads, under the IDs of the sources, and is what the registry says.
	l := call[loadReport](t, "load", "-json", "-platform", "low", tasks)
	require.Equal(t, cli.OK, l.Status, l.Stderr)
	require.Equal(t, 6, l.Report.Resources)
	require.Zero(t, l.Report.Failed)
	require.True(t, l.Report.Indexed)
	v := call[verifyReport](t, "verify", "-json", tasks)
	require.Equal(t, cli.OK, v.Status, v.Stderr)
	require.Empty(t, v.Report.Findings)
	require.Equal(t, 7, v.Report.Files)

	write(t, dir, "tex/wood.png", "no picture")
	r = call[buildReport](t, append(append(args, "-json"), dir)...)
	require.Equal(t, cli.Failed, r.Status)
	require.Len(t, r.Report.Failures, 1)
	require.Equal(t, "tex/wood.png", r.Report.Failures[0].ID)
	require.Equal(t, 1, r.Report.Removed)
}

// TestBuildOnFarm builds with worker processes of this command, and then once more as another
// machine would, which has an empty directory: nothing is encoded then.
func TestBuildOnFarm(t *testing.T) {
	dir, to := sound(t), t.TempDir()
	write(t, dir, "snd/beep.wav", beep())
	serial := filepath.Join(to, "serial")
	r := call[buildReport](t, "build", "-json", "-serial", "-out", serial, dir)
	require.Equal(t, cli.OK, r.Status, r.Stderr)

	f, err := farm.Open(context.Background(), farm.Options{Listen: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	require.NotEmpty(t, f.URL())
	self, err := os.Executable()
	require.NoError(t, err)
	for range 2 {
		cmd := exec.Command(self, "work", "-slots", "1")
		cmd.Env = append(os.Environ(), asCommand+"=1", farmVariable+"="+f.URL())
		said, err := cmd.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(said)
		require.True(t, lines.Scan())
		require.Equal(t, "assets work: 1 at a time", lines.Text())
		t.Cleanup(func() {
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			require.True(t, lines.Scan())
			require.Equal(t, "assets: interrupted", strings.Replace(lines.Text(), " work", "", 1))
			require.Error(t, cmd.Wait(), "as after any interruption")
		})
	}
	for i, name := range []string{"first", "second"} {
		out := filepath.Join(to, name)
		o := call[buildReport](t, "build", "-json", "-farm", f.URL(), "-out", out, dir)
		require.Equal(t, cli.OK, o.Status, o.Stderr)
		require.Equal(t, contents(t, serial), contents(t, out))
		require.Equal(t, []int{4, 0}[i], o.Report.Encoded)
		require.Equal(t, []int{0, 4}[i], o.Report.Shared)
	}
}
