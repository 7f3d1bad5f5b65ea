//go:build unix

package pipes

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe with nobody at its other end would be opened for ever.
func TestDirOpensNoPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	d, err := OpenDir(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	_, err = d.Fetch(bg, "pipe", 100)
	require.ErrorIs(t, err, ErrPath)
}
