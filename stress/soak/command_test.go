package main

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/race"
)

// soak runs the command and returns its status, its output, and the rest.
func soak(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = command().Run(context.Background(), args, &out, &err)
	return status, out.String(), err.String()
}

// processes reports whether there are processes here; if not, a test has nothing to try.
func processes(t *testing.T) bool {
	if runtime.GOOS == "js" {
		t.Log("no processes here")
		return false
	}
	return true
}

// last is the last line of a text.
func last(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[len(lines)-1]
}

func TestWhatIsWrongWithTheCommandLineIsSaid(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"-bogus", 2, "flag provided but not defined: -bogus"},
		{"-for soon", 2, "invalid value \"soon\" for flag -for"},
		{"-cpu one", 2, "want numbers with commas between them"},
		{"-run (", 2, "invalid value \"(\" for flag -run"},
		{"-seed -1", 2, "invalid value \"-1\" for flag -seed"},
		{"10m", 2, "stray argument \"10m\""},
		{"-for -1s", 1, "soak: -for -1s: want more than 0s\n"},
		{"-for 0s", 1, "soak: -for 0s: want more than 0s\n"},
		{"-ops -1", 1, "soak: -ops -1: want 1 or more\n"},
		{"-ops 0", 1, "soak: -ops 0: want 1 or more\n"},
		{"-rounds 0 -ops 1", 1, "soak: -rounds 0: want 1 or more\n"},
		{"-cpu 0", 1, "soak: -cpu 0 is not from 1 to 1024\n"},
		{"-piece 1s", 1, "soak: -piece needs -state\n"},
		{"-piece 0s -state x", 1, "soak: -piece 0s: want more than 0s\n"},
		{"-hang 1us", 1, "soak: -hang must be at least 1ms\n"},
		{"-seed 9223372036854775808", 1, "soak: -seed must not be above 2^62\n"},
		{"-run ^none$", 1, "soak: -run \"^none$\" matches no workload; -list shows them\n"},
		{"-chaos noise", 1, "soak: -chaos \"noise\" is none of delays, procs, gc, gogc\n"},
		{"-help", 0, "usage: go run ./stress/soak"},
	} {
		status, stdout, stderr := soak(strings.Fields(c.args)...)
		require.Equal(t, c.status, status, c.args)
		require.Empty(t, stdout, c.args)
		require.Contains(t, stderr, c.says, c.args)
		if status == cli.Failed {
			require.Equal(t, c.says, stderr)
		}
	}
}

func TestDelaysNeedTheInstrumentedBuild(t *testing.T) {
	o := options{chaos: []string{"all"}, only: regexp.MustCompile("^queue$"), hang: time.Second}
	require.NoError(t, o.check(nil))
	if atomics.Chaos(0, 0) {
		require.Equal(t, switches, o.chaos)
		return
	}
	require.Equal(t, switches[1:], o.chaos)
	status, _, stderr := soak("-chaos", "delays")
	require.Equal(t, cli.Failed, status)
	require.Equal(t,
		"soak: -chaos delays needs the instrumented words: go run -tags modelcheck ./stress/soak\n",
		stderr)
}

func TestListNamesEachWorkload(t *testing.T) {
	status, stdout, stderr := soak("-list", "-run", "^(queue|mix)$")
	require.Zero(t, status)
	require.Empty(t, stderr)
	require.Equal(t, "queue          "+countsCalls+"\nmix            "+countsMix+"\n", stdout)
}

func TestTheLastLineSaysWhatCameOfIt(t *testing.T) {
	if !processes(t) {
		return
	}
	t.Parallel() // it waits for processes of its own
	for _, limit := range [][]string{{"-rounds", "2"}, {"-ops", "1"}, {"-for", "1ms"}} {
		status, stdout, stderr := soak(append(limit, "-run", "^(queue|events)$", "-seed", "7")...)
		require.Zero(t, status, stderr)
		require.Regexp(t, `^soak ops=[1-9]\d* failures=0 seed=7$`, last(stdout))
		require.Empty(t, stderr, "there is no terminal to show progress on")
	}
}

func TestAFailureIsReplayedByItsSeed(t *testing.T) {
	if !processes(t) {
		return
	}
	t.Parallel() // it waits for processes of its own
	status, stdout, _ := soak("-rounds", "100", "-run", "^planted-failure$", "-seed", "1", "-cpu",
		"2", "-chaos", "gc")
	require.Equal(t, cli.Failed, status)
	found := regexp.MustCompile(
		`(?m)^again: go run (?:-race )?(?:-tags modelcheck )?./stress/soak -seed (\d+) -rounds 1 -cpu 2 -chaos gc -run '\^planted-failure\$'$`).
		FindStringSubmatch(stdout)
	require.NotNil(t, found, stdout)
	require.Regexp(t, `^soak ops=\d+ failures=1 seed=`+found[1]+`$`, last(stdout))
	wrong := regexp.MustCompile(`(?s)FAILED .*?value \d+ is wrong`).FindString(stdout)
	require.Contains(t, wrong, "seed "+found[1])

	status, stdout, _ = soak("-seed", found[1], "-rounds", "1", "-cpu", "2", "-chaos", "gc", "-run",
		"^planted-failure$")
	require.Equal(t, cli.Failed, status)
	require.Contains(t, stdout, wrong)
	require.Regexp(t, `^soak ops=\d+ failures=1 seed=`+found[1]+`$`, last(stdout))
}

// What goes wrong in the process itself is a failure with a seed too.
func TestWhateverGoesWrongIsAFailureOfItsRound(t *testing.T) {
	if !processes(t) {
		return
	}
	t.Parallel() // it waits for processes of its own
	for name, says := range map[string][]string{
		"hang":  {"hangs: not over after", "hangingHere", "it waits for Godot"},
		"crash": {"the process has ended", "crashing here"},
		"panic": {"panicking here", "main_test.go"},
		"leak":  {"left over", "hangingHere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hang := "1m"
			if name == "hang" {
				hang = "300ms"
			}
			status, stdout, stderr := soak("-rounds", "3", "-hang", hang, "-run",
				"^planted-"+name+"$", "-seed", "5")
			require.Equal(t, cli.Failed, status, name)
			for _, text := range says {
				require.Contains(t, stderr+stdout, text, name)
			}
			require.Equal(t, "soak ops=0 failures=1 seed=5", last(stdout), name)
		})
	}
}

func TestARaceIsAFailureOfItsRound(t *testing.T) {
	if !race.Enabled {
		t.Log("no race detector in this build")
		return
	}
	status, stdout, stderr := soak("-rounds", "100", "-run", "^planted-race$", "-seed", "5")
	require.Equal(t, cli.Failed, status)
	require.Contains(t, stderr, "DATA RACE")
	require.Regexp(t, `^soak ops=0 failures=1 seed=\d+$`, last(stdout))
}

// A process so stuck that not even its watchdog runs shows its stacks all the same.
func TestAProcessThatDoesNotAnswerIsAFailure(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("needs a signal that makes a process show its stacks")
		return
	}
	defer func(d time.Duration) { grace = d }(grace)
	grace = 100 * time.Millisecond
	t.Setenv("GODEBUG", "asyncpreemptoff=1")
	status, stdout, stderr := soak("-rounds", "1", "-hang", "200ms", "-run", "^planted-deaf$",
		"-seed", "5", "-cpu", "1")
	require.Equal(t, cli.Failed, status)
	require.Contains(t, stdout, "had to be ended")
	require.Contains(t, stdout, "again: GODEBUG=asyncpreemptoff=1 go run")
	require.Contains(t, stderr, "SIGQUIT")
	require.Equal(t, "soak ops=0 failures=1 seed=5", last(stdout))
}

func TestAnInterruptionIsNoSuccess(t *testing.T) {
	var out, errs bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.Equal(t, cli.Failed, command().Run(ctx, []string{"-seed", "5"}, &out, &errs))
	require.Equal(t, "soak: interrupted\n", errs.String())
	require.Equal(t, "soak ops=0 failures=0 seed=5\n", out.String())
}

func TestJSONIsOneObject(t *testing.T) {
	if !processes(t) {
		return
	}
	t.Parallel() // it waits for processes of its own
	status, stdout, stderr := soak("-json", "-rounds", "1", "-run", "^planted-panic$", "-seed", "5")
	require.Equal(t, cli.Failed, status)
	var s summary
	require.NoError(t, json.Unmarshal([]byte(stdout), &s))
	require.Equal(t, 1, s.Failures)
	require.EqualValues(t, 5, s.Seed)
	require.Contains(t, s.Failure, "panicking here")
	require.Contains(t, s.Replay, "-seed 5 -rounds 1")
	require.Equal(t, "soak ops=0 failures=1 seed=5", last(stderr))
}
