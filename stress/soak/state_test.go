package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// kept reads a state.
func kept(t *testing.T, file string) (s state) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &s))
	return s
}

// A soak in pieces makes the rounds of one in one piece: each seed once, all of them counted.
func TestStateGoesOn(t *testing.T) {
	if !processes(t) {
		return
	}
	t.Parallel() // it waits for processes of its own
	file := filepath.Join(t.TempDir(), "state")
	piece := func(rounds string) string {
		status, stdout, stderr := soak("-state", file, "-run", "^queue$", "-seed", "7", "-cpu", "2",
			"-rounds", rounds)
		require.Zero(t, status, stderr)
		return last(stdout)
	}
	require.Regexp(t, `^soak ops=[1-9]\d* failures=0 seed=7$`, piece("2"))
	first := kept(t, file)
	require.EqualValues(t, 2, first.Sum.Rounds)
	require.EqualValues(t, 7, first.First)
	require.Positive(t, first.Sum.Seconds)
	require.Regexp(t, `^soak ops=[1-9]\d* failures=0 seed=7$`, piece("3"))
	second := kept(t, file)
	require.EqualValues(t, 3, second.Sum.Rounds, "the two of before, and one")
	require.Greater(t, second.Sum.Ops, first.Sum.Ops)
	require.Greater(t, second.Sum.Seconds, first.Sum.Seconds)
	require.Equal(t, second.Sum.Ops, second.Sum.Workloads["queue"])
	piece("3")
	require.Equal(t, second.Sum.Ops, kept(t, file).Sum.Ops, "all of it is done")
}

// The time of earlier pieces counts, and a piece may end before all is done.
func TestStateKeepsTheTime(t *testing.T) {
	if !processes(t) {
		return
	}
	t.Parallel() // it waits for processes of its own
	file := filepath.Join(t.TempDir(), "state")
	var s state
	// A piece may be over before its first round is.
	for piece := time.Millisecond; s.Sum.Rounds == 0; piece *= 4 {
		status, _, stderr := soak("-state", file, "-run", "^queue$", "-for", "1h", "-piece",
			piece.String())
		require.Zero(t, status, stderr)
		s = kept(t, file)
	}
	require.Less(t, s.Sum.Seconds, 3600.0)
	s.Sum.Seconds = 3600
	text, err := json.Marshal(s)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o666))
	status, _, stderr := soak("-state", file, "-run", "^queue$", "-for", "1h")
	require.Zero(t, status, stderr)
	require.Equal(t, s.Sum.Rounds, kept(t, file).Sum.Rounds, "the hour is over")
}

// A failure stays one: the next piece says it again and makes no round.
func TestStateKeepsAFailure(t *testing.T) {
	if !processes(t) {
		return
	}
	t.Parallel() // it waits for processes of its own
	file := filepath.Join(t.TempDir(), "state")
	for range 2 {
		status, stdout, _ := soak("-state", file, "-rounds", "3", "-run", "^planted-panic$",
			"-seed", "5")
		require.Equal(t, cli.Failed, status)
		require.Contains(t, stdout, "panicking here")
		require.Equal(t, "soak ops=0 failures=1 seed=5", last(stdout))
	}
}

// A state of other rounds, or no state at all, is refused.
func TestStateOfOthers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	o := options{seed: 3, procs: []int{2}, state: file}
	_, err := openState(o, &newMaster().sum)
	require.NoError(t, err)
	for _, change := range []func(*options){
		func(o *options) { o.procs = []int{3} }, func(o *options) { o.chaos = []string{"gc"} },
	} {
		other := o
		change(&other)
		_, err := openState(other, &newMaster().sum)
		require.ErrorContains(t, err, " -cpu [2], not of ")
	}
	t.Setenv("GOGC", "1")
	_, err = openState(o, &newMaster().sum)
	require.ErrorContains(t, err, "GOGC=1 -cpu [2]")
	require.NoError(t, os.WriteFile(file, []byte("{}"), 0o666))
	_, err = openState(o, &newMaster().sum)
	require.ErrorContains(t, err, "is none of this command")
	o.state = filepath.Join(file, "x")
	_, err = openState(o, &newMaster().sum)
	require.Error(t, err)
}
