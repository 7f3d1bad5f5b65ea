package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// A wait takes the fork that the call has made from where that runs, and nothing from its own slot,
// where the call is over then, nor what is hidden.
func TestLeap(t *testing.T) {
	k := newKernel(2, 0, nil)
	mine, its := k.Slots()[0], k.Slots()[1]
	body := new(int)
	isOf := func(fork uint32, c *int) bool { return fork == 7 && c == body }
	fork := entry.Of(entry.Fork, 7)

	var n kernel.Note[int]
	_, ok, over := n.Leap(k, mine, isOf)
	require.Equal(t, [2]bool{}, [2]bool{ok, over}, "nobody runs it")

	n.Begin(body, mine)
	_, ok, over = n.Leap(k, mine, isOf)
	require.Equal(t, [2]bool{false, true}, [2]bool{ok, over}, "it was begun on the same slot")

	n.Begin(body, its)
	require.True(t, k.Hide(its))
	k.Push(its, fork, kernel.Normal)
	_, ok, over = n.Leap(k, mine, isOf)
	require.Equal(t, [2]bool{}, [2]bool{ok, over}, "it is hidden")

	k.Reveal(its)
	got, ok, over := n.Leap(k, mine, isOf)
	require.Equal(t, [2]bool{true, false}, [2]bool{ok, over})
	require.EqualValues(t, 7, got)
	require.EqualValues(t, 1, mine.Steals())
	require.Empty(t, drain(k, its))
}
