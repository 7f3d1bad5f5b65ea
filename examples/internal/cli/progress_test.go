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
	require.Nil(t, newProgress(true, "pass", file))
	require.Nil(t, newProgress(true, "pass", &bytes.Buffer{}))
	var none *Progress
	none.At("serial", 0, 3) // shows nothing
	none.Clear()
}

func TestProgressLine(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{unit: "pass", w: &b, start: time.Now()}
	p.At("goroutines", 0, 6)
	p.At("serial", 1, 6)
	p.Clear()
	lines := strings.Split(b.String(), "\r")
	require.Equal(t, "pass 1 of 6: goroutines", lines[1])
	require.Regexp(t, `^pass 2 of 6: serial, about \S+ left *$`, lines[2])
	require.GreaterOrEqual(t, len(lines[2]), len(lines[1]), "covers the line before")
	require.Equal(t, strings.Repeat(" ", len(strings.TrimRight(lines[2], " "))), lines[3])
	require.Empty(t, lines[4])
}
