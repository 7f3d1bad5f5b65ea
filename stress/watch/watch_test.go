package watch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) {
	switch os.Getenv("WATCH_TEST") {
	case "hang":
		watchedHere()
	case "leak":
		go hangingHere(make(chan int))
	}
	watch.Main(m)
}

func hangingHere(c chan int) { <-c }

// watchedHere hangs. It is on the stack before its time begins, which may be over before it comes
// to another function.
func watchedHere() {
	watch.Hangs(time.Millisecond, "the case", stuck{}, func() string { return "the seed" })
	hangingHere(make(chan int))
}

// stuck is a system that names what it waits for.
type stuck struct{}

func (stuck) Shutdown(ctx context.Context) error {
	if ctx.Err() == nil {
		return errors.New("not canceled")
	}
	return errors.New("task 7 waits for ever")
}

func TestAHangEndsTheProcessWithAllThatIsKnown(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Log("no processes here")
		return
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WATCH_TEST=hang")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 2, exit.ExitCode())
	for _, want := range []string{"not over after 1ms", "watchedHere", "the case",
		"task 7 waits for ever", "the seed"} {
		require.Contains(t, string(out), want)
	}
}

func TestWhatIsOverInTimeIsNoHang(t *testing.T) {
	stop := watch.Hangs(time.Hour)
	stop()
	stop()
}

// silent does not answer.
type silent struct{ never chan struct{} }

func (s silent) String() string {
	<-s.never
	return ""
}

func TestDumpGoesOnWithoutOneThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // so that nobody waits for the time limit
		s := silent{make(chan struct{})}
		defer close(s.never)
		out := watch.Dump(s, "the next")
		require.Contains(t, out, "no report: a watch_test.silent does not answer")
		require.Contains(t, out, "the next")
	})
}

func TestLeaksNamesWhatIsLeftOver(t *testing.T) {
	check := watch.Leaks()
	require.NoError(t, check())
	found := watch.LeaksIn(1) // what is left over for good, one look finds
	c := make(chan int)
	go hangingHere(c)
	require.ErrorContains(t, found(), "hangingHere")
	close(c)
	require.NoError(t, check())
}

// A goroutine that has a processor, or waits for one, is given longer than one that blocks.
func TestLeaksWaitsForWhatRuns(t *testing.T) {
	check := watch.LeaksIn(1)
	go func() {
		for begin := time.Now(); time.Since(begin) < 700*time.Millisecond; {
			runtime.Gosched()
		}
	}()
	require.NoError(t, check(), "after half a second it would be over")
}

func TestMainNamesWhatIsLeftOver(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Log("no processes here")
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestWhatIsOverInTimeIsNoHang$")
	cmd.Env = append(os.Environ(), "WATCH_TEST=leak")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", out)
	require.Equal(t, 1, exit.ExitCode())
	require.Contains(t, string(out), "watch: the tests leave goroutines")
	require.Contains(t, string(out), "hangingHere")
}

func TestTestWatchesUntilTheEnd(t *testing.T) {
	ended := false
	t.Run("a test", func(t *testing.T) {
		watch.Test(t)
		done := make(chan struct{})
		go func() { <-done }()
		t.Cleanup(func() { // runs before the check
			close(done)
			ended = true
		})
	})
	require.True(t, ended)
}

func BenchmarkIsNotWatched(b *testing.B) {
	watch.Test(b)
	for b.Loop() {
		_ = fmt.Sprint()
	}
}
