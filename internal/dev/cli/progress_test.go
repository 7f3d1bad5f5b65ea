package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProgressOnlyOnTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	defer file.Close()
	require.Nil(t, newProgress(&Call{}, "pass", file))
	require.Nil(t, newProgress(&Call{}, "pass", &bytes.Buffer{}))
	require.Nil(t, newProgress(&Call{hide: true}, "pass", os.Stderr))
	var none *Progress
	none.At("serial", 0, 3) // shows nothing
	none.Show("serial")
	none.Clear()
}

func TestProgressLine(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&Call{show: true}, "pass", &b)
	require.WithinDuration(t, time.Now(), p.start, time.Hour)
	p.At("goroutines", 0, 6)
	p.At("serial", 1, 6)
	p.Clear()
	p.Clear() // nothing stands there
	lines := strings.Split(b.String(), "\r")
	require.Equal(t, "pass 1 of 6: goroutines", lines[1])
	require.Regexp(t, `^pass 2 of 6: serial, about \S+ left *$`, lines[2])
	require.GreaterOrEqual(t, len(lines[2]), len(lines[1]), "covers the line before")
	require.Equal(t, strings.Repeat(" ", len(strings.TrimRight(lines[2], " "))), lines[3])
	require.Equal(t, "", lines[4])
	require.Len(t, lines, 5)
}
