package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestModuleRoot(t *testing.T) {
	top := t.TempDir()
	inner := filepath.Join(top, "inner")
	deep := filepath.Join(inner, "a", "b")
	require.NoError(t, os.MkdirAll(deep, 0o755))
	write := func(dir, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o600))
	}
	write(top, "module example.com/outer\n\ngo 1.26\n")
	write(inner, "module example.com/inner\n")
	t.Chdir(deep)
	for module, want := range map[string]string{
		"": inner, "example.com/inner": inner, "example.com/outer": top,
	} {
		got, err := ModuleRoot(module)
		require.NoError(t, err)
		same, err := filepath.EvalSymlinks(want)
		require.NoError(t, err)
		got, err = filepath.EvalSymlinks(got)
		require.NoError(t, err)
		require.Equal(t, same, got, module)
	}
	_, err := ModuleRoot("example.com/none")
	require.ErrorContains(t, err, "no go.mod of example.com/none above the working directory")
}
