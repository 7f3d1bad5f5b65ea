package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func fill(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// A file that is there stays as it is until another one is whole, and nothing else is left.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "picture")
	require.NoError(t, os.WriteFile(name, []byte("old"), 0o640))
	reads := func(want string) {
		t.Helper()
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
		all, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, all, 1)
	}
	f, err := Create("png", name)
	require.NoError(t, err)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "old", string(text))
	require.NoError(t, f.Close()) // interrupted
	require.NoError(t, f.Close())
	reads("old")

	f, err = Create("png", name)
	require.NoError(t, err)
	full := errors.New("no room")
	err = f.Write(func(w io.Writer) error { return errors.Join(fill("half")(w), full) })
	require.ErrorIs(t, err, full)
	require.ErrorContains(t, err, "-png: ")
	require.NoError(t, f.Close())
	reads("old")

	require.NoError(t, WriteFile("png", name, fill("new")))
	reads("new")
	if runtime.GOOS != "windows" {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	}

	none, err := Create("png", "")
	require.NoError(t, err)
	require.NoError(t, none.Write(fill("nothing")))
	require.NoError(t, none.Close())
}

// A link stays a link, a device a device, and what cannot be written is told when the file is made.
func TestFileOfAnotherKind(t *testing.T) {
	dir := t.TempDir()
	_, err := Create("png", dir)
	require.EqualError(t, err, "-png: open "+dir+": is a directory")
	missing := filepath.Join(dir, "no", "file")
	_, err = Create("png", missing)
	require.ErrorContains(t, err, "-png: open "+missing+": ")

	name, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(name, nil, 0o600))
	if err := os.Symlink(name, link); err == nil {
		require.NoError(t, WriteFile("png", link, fill("new")))
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, "new", string(text))
		to, err := os.Readlink(link)
		require.NoError(t, err)
		require.Equal(t, name, to)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		require.ErrorContains(t, WriteFile("png", "/dev/full", fill("new")),
			"no space left on device")
		_, err := os.Stat("/dev/full")
		require.NoError(t, err, "it is still there")
	}
}

func TestDistinct(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	require.NoError(t, Distinct(Path{"-png", a}, Path{"-dot", b}, Path{"-trace", ""},
		Path{"-lag", ""}))
	require.EqualError(t, Distinct(Path{"-png", a}, Path{"-dot", b}, Path{"-lag", a}),
		"-png and -lag name one file, "+a)
	require.Error(t, Distinct(Path{"-png", a}, Path{"-lag", filepath.Join(dir, "x", "..", "a")}),
		"a file that is not there yet")
	require.NoError(t, os.WriteFile(a, nil, 0o600))
	require.NoError(t, Distinct(Path{"-png", a}, Path{"-lag", b}))
	if os.Symlink(a, b) == nil {
		require.Error(t, Distinct(Path{"-png", a}, Path{"-lag", b}), "a link")
	}
	if _, err := os.Stat("/dev/null"); err == nil {
		require.NoError(t, Distinct(Path{"-png", "/dev/null"}, Path{"-lag", "/dev/null"}))
	}
}
