//go:build !modelcheck

package modelcheck_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/modelcheck"
)

// Without the tag there is nothing to explore, and that is an error, not a success.
func TestWithoutTheTag(t *testing.T) {
	tally, err := modelcheck.Explore(modelcheck.Options{}, func(*modelcheck.Model) {
		t.Error("run")
	})
	const text = "modelcheck: built without the tag modelcheck; build with -tags modelcheck"
	require.EqualError(t, err, text)
	page, err := os.ReadFile("tutorial.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "\n"+text+"\n", "what the tutorial says of it")
	require.Zero(t, tally.Programs)
	require.False(t, modelcheck.Enabled)
}
