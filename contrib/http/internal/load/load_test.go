package load

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	vegeta "github.com/tsenart/vegeta/v12/lib"
	"go.uber.org/goleak"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

// serveWay, in the environment of the tests' program, makes that the server of a way.
const serveWay = "HEDDLE_LOAD_SERVE"

func TestMain(m *testing.M) {
	if way := os.Getenv(serveWay); way != "" {
		if err := Serve(way, 2, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	watch.Main(m, goleak.IgnoreCurrent()) // ants starts goroutines at import
}

func options(t *testing.T) Options {
	self, err := os.Executable()
	require.NoError(t, err)
	return Options{Workers: 2, Turns: 1, For: 100 * time.Millisecond, Clicks: 0.2, Batch: 4,
		Server: func(ctx context.Context, way string) *exec.Cmd {
			// Should the environment get lost, the program has nothing to run.
			cmd := exec.CommandContext(ctx, self, "-test.run=^$")
			cmd.Env = append(os.Environ(), serveWay+"="+way)
			return cmd
		}}
}

// TestRun floods a server of each way: each answers what it was asked, and ends. On a busy machine
// a server may answer nothing in so short a time. Then all are flooded for longer.
func TestRun(t *testing.T) {
	o := options(t)
	if o.Ways = Names(); testing.Short() {
		o.Ways = []string{"goroutines", "ants", "heddle-more"} // a server's key takes a second
	}
	var all []Result
	var out bytes.Buffer
	for answered := false; !answered; o.For *= 4 {
		require.Less(t, o.For, 2*time.Minute, "%v", all)
		out.Reset()
		turns := 0
		var err error
		all, err = Run(t.Context(), o, &out, func() { turns++ })
		require.NoError(t, err)
		require.Len(t, all, len(o.Ways))
		require.Equal(t, len(o.Ways), turns)
		answered = !slices.ContainsFunc(all,
			func(r Result) bool { return r.Clicks == 0 || r.Batch == 0 })
	}
	for _, r := range all {
		require.Zero(t, r.ClicksFailed+r.BatchFailed, r.Way)
		require.LessOrEqual(t, r.P50, r.P99)
		require.LessOrEqual(t, r.P99, r.Max)
		if strings.HasPrefix(r.Way, "heddle") || r.Way == "goroutines" {
			require.Zero(t, r.ClicksRefused, r.Way)
		}
	}
	for _, name := range o.Ways {
		require.Contains(t, out.String(), name)
	}
}

func TestServerThatCannotStart(t *testing.T) {
	o := options(t)
	o.Ways = []string{"none"}
	_, err := Run(t.Context(), o, &bytes.Buffer{}, func() {})
	require.ErrorContains(t, err, "none: ")
}

// TestResult makes a result of replies that are made up.
func TestResult(t *testing.T) {
	reply := func(at, took int, code uint16) *vegeta.Result {
		return &vegeta.Result{Timestamp: time.Unix(int64(at), 0), Code: code,
			Latency: time.Duration(took) * time.Second}
	}
	var clicks []*vegeta.Result
	for i := range 100 {
		clicks = append(clicks, reply(0, 100-i, http.StatusOK))
	}
	clicks = append(clicks, reply(0, 900, http.StatusServiceUnavailable), reply(0, 900, 0))
	batch := []*vegeta.Result{reply(10, 1, http.StatusOK), reply(11, 3, http.StatusOK),
		reply(12, 9, http.StatusServiceUnavailable), reply(13, 9, 0)}
	require.Equal(t, Result{Way: "x", P50: 51 * time.Second, P99: 100 * time.Second,
		Max: 100 * time.Second, Clicks: 100, ClicksRefused: 1, ClicksFailed: 1,
		PerSecond: 0.5, Batch: 2, BatchRefused: 1, BatchFailed: 1}, result("x", clicks, batch))
	require.Equal(t, Result{Way: "none"}, result("none", nil, nil))
}

func TestRatio(t *testing.T) {
	list := []Result{{PerSecond: 2}, {PerSecond: 9}, {PerSecond: 4}}
	first := []Result{{PerSecond: 1}, {PerSecond: 3}, {PerSecond: 4}}
	of := func(r Result) float64 { return r.PerSecond }
	require.Equal(t, 2.0, ratio(list, first, of))
	require.Equal(t, 4.0, median(list, of))
}

// The conclusion compares each way of Heddle's with the first way, and with the best of the others.
func TestConclusion(t *testing.T) {
	result := func(way string, p99 time.Duration, batch float64) Result {
		return Result{Way: way, P99: p99 * time.Millisecond, PerSecond: batch}
	}
	require.Equal(t, "heddle: the p99 of clicks was 100.00 times as fast as that of goroutines; "+
		"batch work was slower than that of goroutines: it took 2.00 times as long.\n"+
		"heddle: the p99 of clicks was slower than that of semaphore: it took 2.00 times as long; "+
		"batch work was level with that of semaphore (1.00 times as fast).\n",
		conclusion([]string{"goroutines", "semaphore", "heddle"}, []Result{
			result("goroutines", 1000, 60), result("semaphore", 5, 30), result("heddle", 10, 30),
		}))
	require.Equal(t, "Nothing compares Heddle with another way.\n",
		conclusion([]string{"ants"}, []Result{result("ants", 1, 1)}))
}
