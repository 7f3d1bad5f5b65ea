package namedthread_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/namedthread"
)

func TestMustBeCurrent(t *testing.T) {
	th := start(t, namedthread.Options{})
	ask(t, th, th.MustBeCurrent)
	if _, err := namedthread.Current(); err != namedthread.ErrNotNamed || !namedthread.Assertions {
		require.NotPanics(t, th.MustBeCurrent)
		return
	}
	said := func() (text string) {
		defer func() { text, _ = recover().(string) }()
		th.MustBeCurrent()
		return ""
	}
	require.Regexp(t,
		`^namedthread: must run on Render, runs on no named thread \(OS thread \d+\)$`, said())
	game := attach(t)
	game.MustBeCurrent()
	require.Equal(t, "namedthread: must run on Render, runs on Game", said())
	require.Zero(t, testing.AllocsPerRun(100, game.MustBeCurrent))
}
