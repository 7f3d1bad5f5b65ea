package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

const (
	testsProfile = "mode: set\n" +
		"github.com/heddle-go/heddle/lockfree/stack.go:1.2,3.4 3 1\n" +
		"github.com/heddle-go/heddle/lockfree/stack.go:5.2,6.4 2 0\n" +
		"github.com/heddle-go/heddle/lockfree/queue.go:1.2,3.4 4 0\n" +
		"github.com/heddle-go/heddle/lockfree/stack.go:5.2,6.4 2 0\n" +
		"github.com/heddle-go/heddle/lockfree/queue.go:9.2,9.4 1 0\n" +
		"github.com/heddle-go/heddle/internal/park/word.go:1.1,2.2 10 1\n"
	// Of the other build: one block ran that no test runs, one is not of what ships.
	modelsProfile = "mode: set\n" +
		"github.com/heddle-go/heddle/lockfree/stack.go:5.2,6.4 2 1\n" +
		"github.com/heddle-go/heddle/lockfree/stack.go:1.2,3.4 3 7\n" +
		"github.com/heddle-go/heddle/internal/park/word_model.go:1.1,2.2 50 1\n"
)

// profiles makes a folder of profiles, from a name and a text each.
func profiles(t *testing.T, texts ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(texts); i += 2 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, texts[i]+".cov"), []byte(texts[i+1]),
			0o666))
	}
	return dir
}

// Profiles of several builds add up, to the blocks of the build that ships.
func TestProfilesAddUp(t *testing.T) {
	f, err := read(profiles(t, stepTests, testsProfile, "models.lockfree", modelsProfile),
		[]string{"lockfree"})
	require.NoError(t, err)
	r := f.report()
	require.Equal(t, []string{stepTests, stepModels}, r.Steps)
	require.Equal(t, []*row{{"internal/park", 10, 10, 0, 0, 10}, {"lockfree", 10, 3, 5, 0, 5}},
		r.Packages)
	require.Equal(t, []*row{{"internal/park/word.go", 10, 10, 0, 0, 10},
		{"lockfree/queue.go", 5, 0, 0, 0, 0}, {"lockfree/stack.go", 5, 3, 5, 0, 5}}, r.Files)
	var b bytes.Buffer
	r.table(&b)
	require.Equal(t, strings.Join([]string{
		"package        statements  tests  models  soak  together",
		"internal/park  10          100.0  0.0     0.0   100.0",
		"lockfree       10          30.0   50.0    0.0   50.0",
		"all            20          65.0   25.0    0.0   75.0", ""}, "\n"), b.String())
}

// The tests of faults are tests, of a build that has a few other blocks.
func TestFaultsAreTests(t *testing.T) {
	f, err := read(profiles(t, stepTests, testsProfile, faults, modelsProfile), nil)
	require.NoError(t, err)
	r := f.report()
	require.Equal(t, []string{stepTests}, r.Steps)
	require.Equal(t, []*row{{"internal/park", 10, 10, 0, 0, 10}, {"lockfree", 10, 5, 0, 0, 5}},
		r.Packages)
}

// The step of the models is made of a profile for each package, and says how many there are.
func TestModelsComeInPieces(t *testing.T) {
	modeled := []string{"internal/park", "lockfree", "sleepevent"}
	texts := []string{stepTests, testsProfile}
	stepsAndModels := func() (steps []string, models int) {
		f, err := read(profiles(t, texts...), modeled)
		require.NoError(t, err)
		r := f.report()
		for _, p := range r.Packages {
			models += p.Models
		}
		return r.Steps, models
	}
	texts = append(texts, "models.lockfree", modelsProfile)
	steps, models := stepsAndModels()
	require.Equal(t, []string{stepTests, "models of 1 packages of 3"}, steps)
	require.Equal(t, 5, models)
	texts = append(texts, "models.internal.park",
		"github.com/heddle-go/heddle/internal/park/word.go:1.1,2.2 10 1\n")
	steps, models = stepsAndModels()
	require.Equal(t, []string{stepTests, "models of 2 packages of 3"}, steps)
	require.Equal(t, 15, models, "the second piece adds to the first")
	texts = append(texts, "models.sleepevent", "mode: set\n")
	steps, models = stepsAndModels()
	require.Equal(t, []string{stepTests, stepModels}, steps)
	require.Equal(t, 15, models)
}

// What nothing runs is shown in the order of the lines, with its text.
func TestListOfWhatNothingRuns(t *testing.T) {
	f, err := read(profiles(t, stepTests, testsProfile), nil)
	require.NoError(t, err)
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "lockfree"), 0o777))
	for _, name := range []string{"stack.go", "queue.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "lockfree", name),
			[]byte("a\nb\nc\nd\n\te\nf\ng\nh\ni\n"), 0o666))
	}
	var b bytes.Buffer
	require.NoError(t, f.list(root, "lockfree", &b))
	require.Equal(t, "lockfree/queue.go:1: 4: a\nlockfree/queue.go:9: 1: i\nlockfree/stack.go:5: 2: e\n",
		b.String())
	require.NoError(t, os.WriteFile(filepath.Join(root, "lockfree", "queue.go"), []byte("a"),
		0o666))
	require.ErrorContains(t, f.list(root, "all", &b), "has changed since")
}

// Nothing is rounded up to what is not reached.
func TestPercent(t *testing.T) {
	require.Equal(t, "99.9", percent(99999, 100000))
	require.Equal(t, "100.0", percent(7, 7))
	require.Equal(t, "-", percent(0, 0))
}

func TestWhatIsNoProfileIsRefused(t *testing.T) {
	_, err := read(t.TempDir(), nil)
	require.ErrorContains(t, err, "begin with -step tests")
	for _, line := range []string{"x", "a/b.go 1 1", "a/b.go:1.2,3.4 x 1", "a/b.go:1.2,3.4 1 -1"} {
		_, err := read(profiles(t, stepTests, line+"\n"), nil)
		require.ErrorContains(t, err, "the profile of tests: line 1: ", line)
	}
}

func TestArguments(t *testing.T) {
	for args, says := range map[string]string{
		"-step all":           `-step "all" is none of tests, models, soak`,
		"-executions 0":       "must be positive",
		"-for 0s":             "must be positive",
		"-seed 0":             "-seed from 1",
		"-run lockfree":       "-run needs -step models",
		"-dir " + t.TempDir(): "begin with -step tests",
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, cli.Failed, command().Run(t.Context(), strings.Fields(args), &stdout,
			&stderr), args)
		require.Contains(t, stderr.String(), says, args)
		require.Empty(t, stdout.String(), args)
	}
}
