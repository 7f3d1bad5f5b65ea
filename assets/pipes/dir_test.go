package pipes

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
)

var bg = context.Background()

// write makes files below a directory.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
}

func TestDir(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"secret": "s", "root/a/b.txt": "text", "root/empty": ""})
	d, err := OpenDir(filepath.Join(top, "root"))
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()

	data, err := d.Fetch(bg, "a/b.txt", 4)
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
	data, err = d.Fetch(bg, "empty", 0)
	require.NoError(t, err)
	require.NotNil(t, data)
	_, err = d.Fetch(bg, "a/b.txt", 3)
	require.ErrorIs(t, err, ErrLimit)
	_, err = d.Fetch(bg, "a/none", 3)
	require.ErrorIs(t, err, fs.ErrNotExist)
	ended, cancel := context.WithCancel(bg)
	cancel()
	_, err = d.Fetch(ended, "a/b.txt", 4)
	require.ErrorIs(t, err, context.Canceled)

	for _, name := range []string{"../secret", "a/../../secret", "/etc/passwd", "a/./b.txt", "",
		".", "a", "a/", "a\\..\\..\\secret", "a/b.txt\x00", filepath.Join(top, "secret")} {
		_, err := d.Fetch(bg, name, 100)
		require.ErrorIs(t, err, ErrPath, "%q", name)
	}
	_, err = OpenDir(filepath.Join(top, "secret"))
	require.Error(t, err)
}

func TestDirFollowsNoLinkOut(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"secret/file": "s", "root/a": "text"})
	root := filepath.Join(top, "root")
	for name, to := range map[string]string{
		"absolute": filepath.Join(top, "secret", "file"), "relative": "../secret/file",
		"folder": "../secret", "inside": "a", "loop": "loop",
	} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	d, err := OpenDir(root)
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	for _, name := range []string{"absolute", "relative", "folder/file"} {
		_, err := d.Fetch(bg, name, 100)
		require.ErrorIs(t, err, ErrPath, name)
	}
	_, err = d.Fetch(bg, "loop", 100)
	require.Error(t, err)
	data, err := d.Fetch(bg, "inside", 100)
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
}

func TestSchemes(t *testing.T) {
	for path, want := range map[string][2]string{
		"a/b.png": {"", "a/b.png"}, "a/b:c": {"", "a/b:c"}, "pak:a/b": {"pak", "a/b"},
		"https://h/x":        {"https", "https://h/x"},
		"file:///etc/passwd": {"file", "file:///etc/passwd"},
		"":                   {"", ""}, "pak:": {"pak", ""}, "/x": {"", "/x"},
	} {
		scheme, rest := splitScheme(path)
		require.Equal(t, want, [2]string{scheme, rest}, path)
	}
}

// An item whose scheme nobody has ends with an error, and is not looked up as a file.
func TestUnknownScheme(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"x": "text"})
	d, err := OpenDir(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	it := &assets.Item{Variant: assets.Variant{Path: "file:x", Format: "bin"}}
	fetch := Fetch(FetchOptions{By: map[string]Fetcher{"": d}})
	require.NoError(t, fetch.Run(bg, it))
	require.Nil(t, it.Data)
	require.ErrorIs(t, Decode(DecodeOptions{}).Run(bg, it), ErrUnhandled)
	it.Variant.Path = "x"
	require.NoError(t, fetch.Run(bg, it))
	require.Equal(t, "text", string(it.Data))
	it.Variant.Hash = assets.HashOf([]byte("other"))
	require.ErrorIs(t, Verify().Run(bg, it), ErrHash)
	it.Variant.Hash = assets.HashOf([]byte("text"))
	require.NoError(t, Verify().Run(bg, it))
	it.Variant.Format = "none"
	require.ErrorIs(t, Decode(DecodeOptions{}).Run(bg, it), ErrUnhandled)
	it.Variant.Format = "bin"
	require.NoError(t, Decode(DecodeOptions{}).Run(bg, it))
	require.Equal(t, []byte("text"), it.Value)
}
