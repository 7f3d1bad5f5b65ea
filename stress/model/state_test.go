package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A round that ended in the middle, even by a crash, goes on with the jobs that are left: all that
// is explored counts once.
func TestStateGoesOn(t *testing.T) {
	o := options{executions: 10, programs: 50, seed: 7, p: 2, timeout: time.Minute, long: time.Hour,
		state: filepath.Join(t.TempDir(), "state")}
	open := func() (*master, []*test) {
		tests := pretended(t, "Structure", "Scene", "Silent")
		sum := newSum()
		kept, err := openState(o, sum, tests)
		require.NoError(t, err)
		m := &master{options: o, dir: t.TempDir(), report: new(bytes.Buffer), sum: sum,
			start: time.Now(), kept: kept}
		m.seed = sum.Last
		return m, tests
	}
	first, tests := open()
	q := newQueue(tests, shares(o.programs, o.p), func() bool { return false })
	first.do(context.Background(), q, q.next())
	require.Equal(t, int64(10), first.sum.Executions)
	first.do(context.Background(), q, &job{test: tests[0], part: 3, of: q.of})

	second, tests := open()
	require.Equal(t, int64(20), second.sum.Executions)
	require.Equal(t, []string{"lockfree/TestModelStructure 0", "lockfree/TestModelStructure 3"},
		second.kept.Done)
	require.True(t, tests[0].known)
	require.True(t, tests[0].generated)
	second.round(context.Background(), tests, time.Time{})
	whole := "model executions=53 programs=11 complete=6 failures=0"
	require.Equal(t, whole, second.sum.line(), "as a round in one piece")

	third, tests := open()
	third.round(context.Background(), tests, time.Time{})
	require.Equal(t, whole, third.sum.line(), "nothing is left of the round")
	require.Equal(t, second.sum.sorted(), third.sum.sorted())
	third.seed++
	third.sum.Last = third.seed
	third.kept.nextRound()
	third.round(context.Background(), tests, time.Time{})
	require.Equal(t, "model executions=106 programs=22 complete=12 failures=0", third.sum.line())

	fourth, _ := open()
	require.Equal(t, third.sum.line(), fourth.sum.line())
	require.Equal(t, uint64(7), fourth.sum.First)
	require.Equal(t, uint64(8), fourth.sum.Last)
	require.Positive(t, fourth.kept.before)
}

// What an interrupted job explored is made again, and does not count twice.
func TestStateWithoutWhatWasInterrupted(t *testing.T) {
	o := options{executions: 10, programs: 50, seed: 1, p: 1, timeout: time.Minute, long: time.Hour,
		state: filepath.Join(t.TempDir(), "state")}
	tests, sum := pretended(t, "Structure"), newSum()
	kept, err := openState(o, sum, tests)
	require.NoError(t, err)
	m := &master{options: o, dir: t.TempDir(), report: new(bytes.Buffer), sum: sum, kept: kept}
	q := newQueue(tests, 1, func() bool { return false })
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	m.do(ended, q, q.next())
	require.Zero(t, m.sum.Executions)
	require.Empty(t, m.kept.Done)
	require.Zero(t, m.sum.Failures)
}

// A state of other jobs, or no state at all, is refused and left alone.
func TestStateOfOthers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	o := options{executions: 10, programs: 50, seed: 1, p: 2, state: file}
	_, err := openState(o, newSum(), nil)
	require.NoError(t, err)
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, change := range []func(*options){
		func(o *options) { o.executions++ }, func(o *options) { o.programs++ },
		func(o *options) { o.race = true }, func(o *options) { o.p = 1 },
	} {
		other := o
		change(&other)
		_, err := openState(other, newSum(), nil)
		require.ErrorContains(t, err, "is of -executions 10 -programs 50 -race=false")
	}
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	for _, text := range []string{"", "{", "{}", `{"settings":"x","sum":{}}`} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		_, err = openState(o, newSum(), nil)
		require.ErrorContains(t, err, "is none of this command", text)
	}
	o.state = ""
	kept, err := openState(o, newSum(), nil)
	require.NoError(t, err)
	require.Nil(t, kept)
	require.NoError(t, kept.save())
}
