package shipped_test

import (
	"context"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/stress/internal/shipped"
)

func TestIs(t *testing.T) {
	for dir, want := range map[string]bool{
		"lockfree": true, "taskgraph/internal/kernel": true, "internal/modelchecks": true,
		"stress": false, "stress/soak": false, "internal/dev/cli": false, "bench/peers": false,
		"internal/modelcheck": false, ".": false, "": false,
	} {
		require.Equal(t, want, shipped.Is(dir), dir)
	}
}

func TestPackages(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "js" {
		t.Log("no go command here")
		return
	}
	root, err := cli.ModuleRoot(shipped.Module)
	require.NoError(t, err)
	dirs, err := shipped.Packages(context.Background(), root)
	require.NoError(t, err)
	require.Subset(t, dirs, []string{"internal/park", "lockfree", "taskgraph/internal/kernel"})
	require.NotContains(t, dirs, "stress/soak")
	_, err = shipped.Packages(context.Background(), t.TempDir())
	require.ErrorContains(t, err, "go list: ")
}
