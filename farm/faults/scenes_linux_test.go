package faults

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm/internal/history"
)

// TestNoFault is what the others are compared with: nothing goes wrong.
func TestNoFault(t *testing.T) {
	w := newWorld(t)
	s := w.server("server", nil)
	c := w.config(urlOf(s.addr()))
	a, b := w.worker("a", c), w.worker("b", c)
	client := w.client("client", c, mix{N: 400, Seed: 1})
	v, _ := w.finish(client, history.Rules{}, a, b, s.Process)
	require.Equal(t, 400, v.Completed)
	require.Zero(t, v.Killed)
}
