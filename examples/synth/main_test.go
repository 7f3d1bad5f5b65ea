package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/score"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/clitest"
	"github.com/heddle-go/heddle/internal/dev/race"
)

func TestJSON(t *testing.T) {
	o := command(t, "-json", "-for", "300ms", "-voices", "20", "-workers", "3", "-misses", "7.5")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Empty(t, o.Stderr)
	r := o.Report
	require.Empty(t, r.File)
	require.Zero(t, r.TuneSeconds)
	require.Equal(t, 1.333, r.PeriodMS)
	require.Equal(t, 20, r.Voices)
	require.Equal(t, 3, r.Workers)
	require.Equal(t, 0.3, r.Seconds)
	require.Equal(t, 7.5, r.AllowedMisses)
	require.False(t, r.Search)
	require.Len(t, r.Blocks, 1)
	require.Equal(t, 20, r.Blocks[0].Voices)
	require.Positive(t, r.Blocks[0].MS)
	require.Positive(t, r.Load)
	require.True(t, r.Equal)
	require.Regexp(t, "^[0-9a-f]{16}$", r.Digest)
	require.Len(t, r.Findings, len(engines))
	require.NotEmpty(t, r.Conclusion)
	require.Len(t, r.Versions, len(engines))
	for i, v := range r.Versions {
		require.Equal(t, engines[i].name, v.Name)
		require.Positive(t, v.P50)
		require.GreaterOrEqual(t, v.P99, v.P50)
		require.GreaterOrEqual(t, v.P999, v.P99)
		require.GreaterOrEqual(t, v.Beats, 225)
		require.LessOrEqual(t, v.Missed, v.Beats)
		require.LessOrEqual(t, v.LateTails, v.Missed)
		require.Equal(t, -1, v.Sustains)
		require.Empty(t, v.Trials)
		if _, ok := cpuTime(); ok {
			require.Positive(t, v.CPU)
		} else {
			require.Equal(t, -1.0, v.CPU)
		}
	}
}

func TestJSONKeys(t *testing.T) {
	const want = `file tune_seconds render_ms period_ms workers cores blocks voices load seconds ` +
		`search trial_seconds allowed_misses_percent versions digest digests_equal disturbed ` +
		`findings conclusion`
	const each = ` name ms_p50 ms_p99 ms_p999 beats missed late_tails cpu sustains trials`
	for name, args := range map[string][]string{
		"done":         {"-json", "-for", "20ms", "-voices", "1"},
		"out of range": {"-json", "-workers", "-1"},
		"usage":        {"-bogus", "-json"},
	} {
		o := command(t, args...)
		all := want
		if name == "done" {
			all = strings.Replace(want, "versions", "versions"+strings.Repeat(each, len(engines)),
				1)
			all = strings.Replace(all, "blocks", "blocks voices ms", 1)
		}
		require.Equal(t, strings.Fields(all), clitest.Keys(o.Stdout), name)
	}
}

// The text of a number of voices has all its parts.
func TestText(t *testing.T) {
	o := command(t, "-for", "100ms", "-voices", "14", "-workers", "2")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Empty(t, o.Stderr)
	require.Contains(t, o.Stdout, "\nOne block of 14 voices takes ")
	require.NotContains(t, o.Stdout, "sustains")
	for _, kind := range engines {
		require.Regexp(t, `(?m)^`+kind.name+`( +\d+\.\d{3} ms){2} +\d+/\d+ +(\d\.\d\d|unknown)$`,
			o.Stdout)
	}
	require.Regexp(t, `\nAll versions computed the same samples, bit for bit \(digest [0-9a-f]{16}\)`,
		o.Stdout)
	for line := range strings.SplitSeq(o.Stdout, "\n") {
		require.LessOrEqual(t, len(line), columns)
	}
}

// Versions that differ are seen.
func TestDifference(t *testing.T) {
	var r report
	r.compared([]*contestant{{player: &player{digest: 1}}, {player: &player{digest: 2}}})
	require.False(t, r.Equal)
	r.compared([]*contestant{{player: &player{digest: 2}}, {player: &player{digest: 2}}})
	require.True(t, r.Equal)
}

// Without -voices the command chooses their number, and searches. Whatever the machine can do in
// these tests, each figure agrees with the trials.
func TestSearchOfACommand(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("the same goroutines as in the other tests, and many orchestras")
	}
	o := command(t, "-json", "-for", "10ms", "-trial", "10ms", "-misses", "20")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	r := o.Report
	require.True(t, r.Search)
	require.Equal(t, 0.01, r.Trial)
	require.GreaterOrEqual(t, len(r.Blocks), 2)
	require.Positive(t, r.Voices)
	require.Len(t, r.Versions, len(engines))
	for i, v := range r.Versions {
		require.Equal(t, engines[i].name, v.Name)
		require.Len(t, v.Trials, rounds)
		require.Equal(t, r.Voices, v.Trials[0].Voices, "the search begins with the chosen number")
		kept := v.Sustains == 0
		for _, u := range v.Trials {
			require.Equal(t, u.Missed <= 1, u.KeptUp, "%+v", u) // of 8 blocks
			if u.KeptUp {
				require.GreaterOrEqual(t, u.Beats, 8)
			}
			kept = kept || u.KeptUp && u.Voices == v.Sustains
		}
		require.True(t, kept, "%d: it once kept up with what it sustains", v.Sustains)
	}
	require.NotEmpty(t, r.Conclusion)
}

// How many blocks may be missed is a share, rounded down.
func TestAllowed(t *testing.T) {
	o := options{misses: 5}
	require.Equal(t, 18, o.allowed(375))
	require.Zero(t, o.allowed(19))
	require.Equal(t, 1, o.allowed(20))
	o.misses = 0
	require.Zero(t, o.allowed(1000))
}

// A trial ends as soon as too much is missed.
func TestAttemptEndsEarly(t *testing.T) {
	c, err := newContestant(lazyKind, score.Canon(), 14, 1, 100*dsp.ChunkBlocks)
	require.NoError(t, err)
	c.clock = (&script{}).clock()
	require.NoError(t, c.warmUp(t.Context()))
	require.Zero(t, c.missed)
	require.Empty(t, c.times)
	c.tolerates = 2
	require.NoError(t, c.slice(t.Context(), 100*dsp.ChunkBlocks))
	require.Equal(t, 3, c.missed)
	require.True(t, c.failed())
	require.Less(t, len(c.times), 5*dsp.ChunkBlocks)
	require.NoError(t, c.close())
}

func TestFileThatCannotBe(t *testing.T) {
	o := command(t, "-o", filepath.Join(t.TempDir(), "no", "file"))
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, "synth: -o: ")
}

// What is written is described in one sentence, which is all.
func TestTextOfFile(t *testing.T) {
	r := report{File: "x.wav", TuneSeconds: 28, RenderMS: 3210, Voices: 84, Workers: 1}
	require.Equal(t, "x.wav: a tune, 28.0 s for 84 voices, made by Heddle in 3.2 s with 1 worker.",
		r.written("a tune"))
}

func TestValueOutOfRange(t *testing.T) {
	clitest.OutOfRange(t, "synth", command,
		"-workers 0", "-workers -1", "-workers 1000000", "-voices 0", "-voices -3", "-voices=32769",
		"-misses -1", "-misses 51", "-misses NaN", "-for -1s", "-for 0s", "-for 2h", "-trial 0s",
		"-trial 2h", "-trial 1s -voices 3", "-for 1s -o x.wav", "-misses 3 -o x.wav",
	)
	require.NoFileExists(t, "x.wav")
}

func TestUsage(t *testing.T) {
	clitest.Misused(t, command, map[string]string{
		"-bogus":        "not defined: -bogus",
		"-workers many": `invalid value "many" for flag -workers`,
		"-voices many":  `invalid value "many" for flag -voices`,
		"-misses few":   `invalid value "few" for flag -misses`,
		"-trial soon":   `invalid value "soon" for flag -trial`,
		"-voices=":      `invalid value "" for flag -voices`,
		"-for soon":     `invalid value "soon" for flag -for`,
		"-o":            "flag needs an argument: -o",
		"loud":          `stray argument "loud"`,
	})
}

func TestHelp(t *testing.T) {
	clitest.Help(t, command, "o", "voices", "for", "trial", "misses", "workers", "json", "progress")
}
