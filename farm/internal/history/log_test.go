package history

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) { watch.Main(m) }

// TestLog has several logs append to one file at once, as processes do: nothing is lost, and the
// records of each are in their order.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var all sync.WaitGroup
	for _, process := range []string{"a", "b", "c"} {
		l, err := Open(path, process)
		require.NoError(t, err)
		all.Go(func() {
			for n := range int64(500) {
				if err := l.Append(Record{Kind: Begin, Key: "k", Run: n + 1}); err != nil {
					t.Error(err)
				}
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	records, torn, err := Read(path)
	require.NoError(t, err)
	require.Zero(t, torn)
	require.Len(t, records, 1500)
	last := map[string]int64{}
	for _, r := range records {
		require.Equal(t, last[r.Process]+1, r.Run)
		last[r.Process] = r.Run
	}
}

// TestLogTorn leaves half a line, as who is killed in a write may: the line after it is whole.
func TestLogTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	l, err := Open(path, "a")
	require.NoError(t, err)
	require.NoError(t, l.Append(Record{Kind: Submit, Call: "1", Key: "k"}))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("\n{\"k\":\"sub")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, l.Append(Record{Kind: Submit, Call: "2", Key: "k", Process: "b"}))
	require.NoError(t, l.Close())
	records, torn, err := Read(path)
	require.NoError(t, err)
	require.Equal(t, 1, torn)
	require.Equal(t, []Record{{Kind: Submit, Process: "a", Call: "1", Key: "k"},
		{Kind: Submit, Process: "b", Call: "2", Key: "k"}}, records)
}

func TestLogErrors(t *testing.T) {
	_, err := Open(t.TempDir(), "a")
	require.Error(t, err)
	_, _, err = Read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	l, err := Open(filepath.Join(t.TempDir(), "history"), "a")
	require.NoError(t, err)
	require.ErrorContains(t, l.Append(Record{Result: strings.Repeat("x", MaxLine)}), "at most 2048")
	require.NoError(t, l.Close())
	require.ErrorIs(t, l.Append(Record{}), os.ErrClosed)
}
