package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/clitest"
	"github.com/heddle-go/heddle/internal/dev/race"
)

func TestJSON(t *testing.T) {
	o := command(t, "-json", "-o", "", "-for", "300ms", "-voices", "20", "-workers", "3")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Empty(t, o.Stderr)
	r := o.Report
	require.Empty(t, r.File)
	require.Zero(t, r.TuneSeconds)
	require.Equal(t, 20, r.Voices)
	require.Equal(t, 3, r.Workers)
	require.Equal(t, 0.3, r.Seconds)
	require.True(t, r.Equal)
	require.Regexp(t, "^[0-9a-f]{16}$", r.Digest)
	require.Len(t, r.Versions, len(engines))
	for i, v := range r.Versions {
		require.Equal(t, engines[i].name, v.Name)
		require.Equal(t, 20, v.Voices)
		require.Positive(t, v.P50)
		require.GreaterOrEqual(t, v.P99, v.P50)
		require.GreaterOrEqual(t, v.P999, v.P99)
		require.GreaterOrEqual(t, v.Beats, 225)
		require.LessOrEqual(t, v.Missed, v.Beats)
		require.LessOrEqual(t, v.LateTails, v.Missed)
		if _, ok := cpuTime(); ok {
			require.Positive(t, v.CPU)
		} else {
			require.Equal(t, -1.0, v.CPU)
		}
	}
}

func TestJSONKeys(t *testing.T) {
	const want = `file tune_seconds render_ms voices workers seconds versions digest digests_equal`
	const each = ` name voices ms_p50 ms_p99 ms_p999 beats missed late_tails cpu`
	for name, args := range map[string][]string{
		"done":         {"-json", "-o", "", "-for", "20ms", "-voices", "1"},
		"out of range": {"-json", "-workers", "-1"},
		"usage":        {"-bogus", "-json"},
	} {
		o := command(t, args...)
		all := want
		if name == "done" {
			all = strings.Replace(want, "versions", "versions"+strings.Repeat(each, len(engines)),
				1)
		}
		require.Equal(t, strings.Fields(all), clitest.Keys(o.Stdout), name)
	}
}

func TestTable(t *testing.T) {
	o := command(t, "-o", "", "-for", "100ms", "-voices", "14", "-workers", "2")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Empty(t, o.Stderr)
	require.Regexp(t,
		`^0\.1 s each, 64 frames every 1\.333 ms, 14 voices, 2 workers on \d+ cores\n`, o.Stdout)
	for _, kind := range engines {
		require.Regexp(t, `(?m)^`+kind.name+` +14( +\d+\.\d{3}){3} +\d+ +(\d\.\d\d|unknown)$`,
			o.Stdout)
	}
	require.Regexp(t, `\nthe same samples in all versions, digest [0-9a-f]{16}\n$`, o.Stdout)
}

// Versions that differ are said to.
func TestTableOfDifference(t *testing.T) {
	var out strings.Builder
	r := report{Versions: []version{{Name: "a"}}, Voices: 1}
	r.compared([]*contestant{{player: &player{digest: 1}}, {player: &player{digest: 2}}})
	r.table(&out)
	require.False(t, r.Equal)
	require.Regexp(t, `\na +0   misses too many with one voice\n`, out.String())
	require.Contains(t, out.String(), "\nthe samples DIFFER\n")
}

// -voices until ends with a number for each version; whatever the machine can do in these tests, it
// is not below 0 or above the most.
func TestUntil(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("the same goroutines as in the other tests, and many orchestras")
	}
	o := command(t, "-json", "-o", "", "-voices", "until", "-for", "10ms", "-misses", "1")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Zero(t, o.Report.Voices)
	require.Empty(t, o.Report.Digest)
	require.Len(t, o.Report.Versions, len(engines))
	for i, v := range o.Report.Versions {
		require.Equal(t, engines[i].name, v.Name)
		require.GreaterOrEqual(t, v.Voices, 0)
		require.LessOrEqual(t, v.Voices, maxVoices)
		if v.Voices > 0 {
			require.Equal(t, 8, v.Beats)
			require.LessOrEqual(t, v.Missed, 1)
		}
	}
}

func TestFileThatCannotBe(t *testing.T) {
	o := command(t, "-o", filepath.Join(t.TempDir(), "no", "file"))
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, "synth: -o: ")
}

// What is said of the file comes first in the table, and is all of it if nothing was played.
func TestTableOfFile(t *testing.T) {
	var out strings.Builder
	r := report{File: "x.wav", TuneSeconds: 28, RenderMS: 3210, name: "a tune"}
	r.table(&out)
	require.Equal(t, "x.wav: a tune, 28.0 s, made in 3.2 s\n", out.String())
}

func TestValueOutOfRange(t *testing.T) {
	clitest.OutOfRange(t, "synth", command,
		"-workers 0", "-workers -1", "-workers 1000000", "-voices 0", "-voices -3", "-voices=4097",
		"-misses -1 -voices until", "-misses 2", "-for -1s", "-for 2h", "-for 0s -voices until",
	)
	require.NoFileExists(t, "tune.wav")
}

func TestUsage(t *testing.T) {
	clitest.Misused(t, command, map[string]string{
		"-bogus":        "not defined: -bogus",
		"-workers many": `invalid value "many" for flag -workers`,
		"-voices many":  `invalid value "many" for flag -voices: want a number or "until"`,
		"-voices=":      `invalid value "" for flag -voices`,
		"-for soon":     `invalid value "soon" for flag -for`,
		"-o":            "flag needs an argument: -o",
		"loud":          `stray argument "loud"`,
	})
}

func TestHelp(t *testing.T) {
	clitest.Help(t, command, "o", "voices", "for", "misses", "workers", "json", "progress")
}
