package terminal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/internal/terminal"
)

func TestProgressIsNotForFiles(t *testing.T) {
	var b bytes.Buffer
	terminal.Progress(&b)("50 %")
	require.Empty(t, b.String())

	name := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(name)
	require.NoError(t, err)
	terminal.Progress(f)("50 %")
	require.NoError(t, f.Close())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Empty(t, text)
}
