//go:build !modelcheck

package modelcheck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/modelcheck"
)

// Without the tag there is nothing to explore, and that is an error, not a success.
func TestWithoutTheTag(t *testing.T) {
	tally, err := modelcheck.Explore(modelcheck.Options{}, func(*modelcheck.Model) {
		t.Error("run")
	})
	require.EqualError(t, err,
		"modelcheck: built without the tag modelcheck; build with -tags modelcheck")
	require.Zero(t, tally.Programs)
	require.False(t, modelcheck.Enabled)
}
