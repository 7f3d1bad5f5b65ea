package taskgraph_test

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/taskgraph"
)

// What a user's own property test may look like. A build loads so many files, parses each, links
// them in the end; the planted bug: the last file is not among the prerequisites of the link if
// there are more than three.
func build(o taskgraph.Options, files int) (linked int) {
	ctx := context.Background()
	sys := taskgraph.Start(o)
	defer sys.Shutdown(ctx)

	parsed := make([]bool, files)
	var all []taskgraph.Event
	for i := range files {
		load := sys.Task(taskgraph.Do(func() {})).Name(fmt.Sprint("load ", i)).Launch()
		all = append(all,
			sys.Task(taskgraph.Do(func() { parsed[i] = true })).Name(fmt.Sprint("parse ",
				i)).After(load).Launch())
	}
	link := sys.Task(taskgraph.Do(func() {
		for _, p := range parsed {
			if p {
				linked++
			}
		}
	})).Name("link").After(all[:min(len(all), 3)]...).Launch()
	_ = sys.WaitUntilTasksComplete(ctx, append(all, link)...)
	return linked
}

// everythingIsLinked is the property: whatever the number of files and the order of the tasks.
func everythingIsLinked(t *rapid.T) {
	files := rapid.IntRange(1, 6).Draw(t, "files")
	schedule := rapid.SliceOfN(rapid.Byte(), 0, 24).Draw(t, "schedule")
	linked := build(taskgraph.Options{Deterministic: &taskgraph.Deterministic{
		Schedule: append([]byte{}, schedule...)}}, files)
	if linked != files {
		t.Fatalf("%d of %d files are linked", linked, files)
	}
}

// Rapid finds the bug, and makes it small: few choices are not the plainest.
func TestDeterministicRapidFindsAPlantedBug(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes many programs to make a schedule small")
	}
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.checks": "1000"} {
		was := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, value))
		defer func() { require.NoError(t, flag.Set(name, was)) }()
	}
	tb := &expectFailure{}
	ended := make(chan struct{})
	go func() { // Check ends the goroutine of a test that fails
		defer close(ended)
		rapid.Check(tb, everythingIsLinked)
	}()
	<-ended
	said := tb.said.String()
	require.True(t, tb.failed, "not found")

	// What it prints is replayed by hand.
	var files int
	_, text, _ := strings.Cut(said, "[rapid] draw files: ")
	_, err := fmt.Sscan(text, &files)
	require.NoError(t, err, "%s", said)
	_, text, _ = strings.Cut(said, "[rapid] draw schedule: []byte{")
	text, _, _ = strings.Cut(text, "}")
	schedule := []byte{}
	for _, b := range strings.Split(text, ",") {
		var v byte
		if _, err := fmt.Sscanf(strings.TrimSpace(b), "0x%x", &v); err == nil {
			schedule = append(schedule, v)
		}
	}
	d := &taskgraph.Deterministic{Schedule: schedule}
	for range 3 {
		require.Less(t, build(taskgraph.Options{Deterministic: d}, files), files, "%s", said)
	}
	zeros := 0
	for _, b := range schedule {
		if b == 0 {
			zeros++
		}
	}
	require.LessOrEqual(t, len(schedule)-zeros, 3, "not made small: %v", schedule)
}

// The same by seeds, without shrinking: of a hundred, several show it, each every time.
func TestDeterministicSeedsFindAPlantedBug(t *testing.T) {
	found := 0
	for seed := range uint64(brief(100, 40)) {
		o := taskgraph.Options{Deterministic: &taskgraph.Deterministic{Seed: seed}}
		linked := build(o, 4)
		require.Equal(t, linked, build(o, 4))
		if linked < 4 {
			found++
		}
	}
	require.Greater(t, found, 3)
}

// An expectFailure is a test that is to fail.
type expectFailure struct {
	said   strings.Builder
	failed bool
}

func (e *expectFailure) log(s string)            { fmt.Fprintln(&e.said, s) }
func (e *expectFailure) Helper()                 {}
func (e *expectFailure) Name() string            { return "expectFailure" }
func (e *expectFailure) Logf(f string, a ...any) { e.log(fmt.Sprintf(f, a...)) }
func (e *expectFailure) Log(a ...any)            { e.log(fmt.Sprint(a...)) }
func (e *expectFailure) Skipf(string, ...any)    { runtime.Goexit() }
func (e *expectFailure) Skip(...any)             { runtime.Goexit() }
func (e *expectFailure) SkipNow()                { runtime.Goexit() }
func (e *expectFailure) Errorf(f string, a ...any) {
	e.log(fmt.Sprintf(f, a...))
	e.failed = true
}
func (e *expectFailure) Error(a ...any)            { e.Errorf("%s", fmt.Sprint(a...)) }
func (e *expectFailure) Fatalf(f string, a ...any) { e.Errorf(f, a...); runtime.Goexit() }
func (e *expectFailure) Fatal(a ...any)            { e.Fatalf("%s", fmt.Sprint(a...)) }
func (e *expectFailure) FailNow()                  { e.failed = true; runtime.Goexit() }
func (e *expectFailure) Fail()                     { e.failed = true }
func (e *expectFailure) Failed() bool              { return e.failed }
