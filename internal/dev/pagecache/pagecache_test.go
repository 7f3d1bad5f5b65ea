package pagecache_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/pagecache"
)

// What was read is in memory, and after Drop it is not, where the file system has such a memory and
// says so.
func TestDrop(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	text := bytes.Repeat([]byte("a page of four thousand and ninety-six bytes"), 4096)
	require.NoError(t, os.WriteFile(name, text, 0o600))
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	before, err := pagecache.Resident(f)
	if errors.Is(err, pagecache.ErrUnknown) {
		require.Zero(t, before)
		t.Skip("this system does not say which pages it has")
	}
	require.NoError(t, err)
	require.Positive(t, before, "what has just been written")
	require.NoError(t, pagecache.Drop(f))
	after, err := pagecache.Resident(f)
	require.NoError(t, err)
	if after == before {
		t.Skip("a file system that is all in memory")
	}
	require.Less(t, after, before)
	again, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, text, again)
	back, err := pagecache.Resident(f)
	require.NoError(t, err)
	require.Greater(t, back, after)
}

func TestDropOfAClosedFile(t *testing.T) {
	f, err := os.Open(os.DevNull)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Error(t, pagecache.Drop(f))
}
