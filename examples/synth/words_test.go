package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reportOf returns a report of three versions: serial, plain Go and Heddle.
func reportOf(voices int, load float64, versions ...version) *report {
	r := &report{Voices: voices, Load: load, Workers: 2, PeriodMS: 1.333, Seconds: 2,
		AllowedMisses: 5, Versions: versions, Equal: true, Digest: "ca7", Trial: 0.5,
		Blocks: []blockTime{{84, 0.109, 0}, {voices, 0.893, 0}}}
	for i := range versions {
		v := &r.Versions[i]
		v.Name, v.Beats = engines[i].name, 1500
		r.Search = r.Search || v.Trials != nil
	}
	return r
}

// found is a version of which the search has found what it sustains.
func found(voices int) version {
	return version{P50: 0.5, P99: 0.9, CPU: 1, Sustains: voices,
		Trials: []trial{{Voices: 3}, {Voices: 2000}}}
}

// The conclusion of a search names the figures, whichever version is ahead.
func TestConclusionOfASearch(t *testing.T) {
	for want, sustains := range map[string][3]int{
		"Heddle sustains 1.60 times the voices of one thread with 2 workers (1280, one thread 800); " +
			"plain Go sustains about as many as Heddle (1200).": {800, 1200, 1280},
		"Heddle sustains 1.50 times the voices of one thread with 2 workers (1200, one thread 800); " +
			"plain Go sustains 1600, and so Heddle 0.75 times as many.": {800, 1600, 1200},
		"Heddle sustains about as many voices as one thread (840, one thread 800), so here it gains " +
			"nothing with 2 workers; plain Go sustains 500, and so Heddle 1.68 times as many.": {800,
			500, 840},
		"Heddle sustains fewer voices than one thread (400, one thread 800), so here one thread is " +
			"the better choice; plain Go keeps up with no number of voices down to 3.": {800, 0, 400},
		"Heddle does not keep up with even 3 voices, and one thread sustains 800: here one thread is " +
			"the better choice.": {800, 100, 0},
		"Heddle sustains 900 voices with 2 workers, and one thread does not keep up with even 3; " +
			"plain Go sustains about as many as Heddle (900).": {0, 900, 900},
		"Neither one thread nor Heddle keeps up with even 3 voices here, so this run says nothing " +
			"about Heddle.": {0, 100, 0},
	} {
		r := reportOf(980, 0.67, found(sustains[0]), found(sustains[1]), found(sustains[2]))
		r.conclude()
		require.Equal(t, want, r.Conclusion)
		require.False(t, r.Disturbed)
	}
}

// The conclusion for a number of voices names the figures, and what is not gained.
func TestConclusionForANumberOfVoices(t *testing.T) {
	for want, test := range map[string]struct {
		load           float64
		serial, heddle version
	}{
		"With 980 voices Heddle is 1.80 times as fast as one thread with 2 workers: half of the " +
			"blocks are ready after 0.900 ms with one thread, 0.600 ms with plain Go and 0.500 ms " +
			"with Heddle.": {0.67, version{P50: 0.9}, version{P50: 0.5}},
		"With 980 voices there is nothing to gain, because one thread is idle for 92 % of the time: " +
			"half of the blocks are ready after 0.098 ms with one thread, 0.600 ms with plain Go and " +
			"0.177 ms with Heddle.": {0.08, version{P50: 0.098}, version{P50: 0.177}},
		"With 980 voices there is nothing to gain, because one thread is idle for 90 % of the time: " +
			"half of the blocks are ready after 0.100 ms with one thread, 0.600 ms with plain Go and " +
			"0.095 ms with Heddle.": {0.1, version{P50: 0.1}, version{P50: 0.095}},
		"With 980 voices Heddle is slower than one thread: half of the blocks are ready after " +
			"0.500 ms with one thread, 0.600 ms with plain Go and 0.900 ms with Heddle.": {0.37,
			version{P50: 0.5}, version{P50: 0.9}},
		"With 980 voices Heddle gains nothing over one thread: half of the blocks are ready after " +
			"0.500 ms with one thread, 0.600 ms with plain Go and 0.510 ms with Heddle.": {0.37,
			version{P50: 0.5}, version{P50: 0.51}},
		"With 980 voices one thread does not keep up (it missed 1400 of 1500 blocks), and Heddle " +
			"does (it missed 20 of 1500 blocks) with 2 workers.": {1.2, version{Missed: 1400},
			version{Missed: 20}},
		"With 980 voices Heddle does not keep up (it missed 1400 of 1500 blocks), and one thread " +
			"does (it missed 20 of 1500 blocks): here one thread is the better choice.": {0.9,
			version{Missed: 20}, version{Missed: 1400}},
		"With 980 voices neither keeps up: one thread missed 1400 of 1500 blocks, and Heddle missed " +
			"1300 of 1500 blocks.": {1.9, version{Missed: 1400}, version{Missed: 1300}},
	} {
		r := reportOf(980, test.load, test.serial, version{P50: 0.6}, test.heddle)
		r.conclude()
		require.Equal(t, want, r.Conclusion)
	}
}

// If one thread misses blocks though it has time to spare, the figures are those of a busy machine.
func TestConclusionOfABusyMachine(t *testing.T) {
	busy := found(12)
	busy.Missed = 300
	r := reportOf(980, 0.67, busy, found(40), found(600))
	r.conclude()
	require.True(t, r.Disturbed)
	require.Equal(t, "Other programs use this machine, so this run says little: 980 voices keep one "+
		"thread busy for only 67 % of the time, and yet it missed 300 of 1500 blocks (Heddle missed "+
		"0 of 1500 blocks). One thread sustained 12 voices and Heddle 600. Run synth again when the "+
		"machine is idle.", r.Conclusion)
	r = reportOf(980, 0.67, version{Missed: 300}, version{}, version{})
	r.conclude()
	require.NotContains(t, r.Conclusion, "sustained")
}

// A version that is worse than serial is said to be, in each figure in which it is by more than the
// margin.
func TestFindings(t *testing.T) {
	serial := version{P50: 0.9, P99: 1.1, Missed: 20, CPU: 0.7, Sustains: 800, Trials: []trial{}}
	plain := version{P50: 1, P99: 1.3, Missed: 21, CPU: -1, Sustains: 810, Trials: []trial{}}
	heddle := version{P50: 1.5, P99: 1.05, Missed: 40, CPU: 1.5, Sustains: 1, Trials: []trial{}}
	r := reportOf(980, 0.67, serial, plain, heddle)
	r.conclude()
	require.Equal(t, []string{
		"All versions computed the same samples, bit for bit (digest ca7).",
		"plain Go is worse than serial in p50 (1.000 ms, serial 0.900 ms), and in p99 (1.300 ms, " +
			"serial 1.100 ms).",
		"Heddle is worse than serial in p50 (1.500 ms, serial 0.900 ms), and in missed blocks (40, " +
			"serial 20), and in CPU (1.50, serial 0.70), and in what it sustains (1 voice, serial " +
			"800).",
	}, r.Findings)

	r = reportOf(980, 0.67, serial, serial, plain)
	r.Equal = false
	r.conclude()
	require.Equal(t, "The versions computed DIFFERENT samples: one of them is wrong.",
		r.Findings[0])
	require.Equal(t, "plain Go is not worse than serial in any figure.", r.Findings[1])
}

// Before anything is measured, the text explains what it is about; then it says which voices are
// played, and why.
func TestIntroAndChoice(t *testing.T) {
	var out strings.Builder
	r := reportOf(980, 0.67, found(1), found(1), found(1))
	r.intro(&out)
	require.Contains(t, strings.ReplaceAll(out.String(), "\n", " "),
		"Every 1.333 ms there is a beat, and the card asks for a block: 64 samples of sound")
	require.Contains(t, out.String(), "(2 workers)\n")
	require.Contains(t, out.String(), "\nPlease wait for about 25 s.\n")
	out.Reset()
	r.choice(&out)
	require.Equal(t, "\n"+wrap("One block of 84 voices takes 0.109 ms on one thread; 980 voices "+
		"(0.893 ms) keep it busy for two thirds of the 1.333 ms that a block may take. So each "+
		"version plays 980 voices for 2 s. Then a search finds out how many voices each version "+
		"sustains.")+"\n", out.String())

	out.Reset()
	r.Load = 0.3
	r.choice(&out)
	require.Contains(t, strings.ReplaceAll(out.String(), "\n", " "), "busy for 30 % of the")

	out.Reset()
	r = reportOf(84, 0.08, version{}, version{}, version{})
	r.Seconds = 0.5
	r.intro(&out)
	require.NotContains(t, out.String(), "Please wait")
	out.Reset()
	r.choice(&out)
	require.Equal(t, "\n"+wrap("One block of 84 voices takes 0.109 ms on one thread, which is 8 % "+
		"of the 1.333 ms that a block may take. Each version plays 84 voices for 0.5 s.")+"\n",
		out.String())
}

// The table has a row for each version, and explains its columns.
func TestTableOfASearch(t *testing.T) {
	heddle := found(0)
	heddle.CPU = -1
	r := reportOf(980, 0.67, found(1), found(1200), heddle)
	r.Findings, r.Conclusion = []string{"A finding."}, "A conclusion."
	var out strings.Builder
	r.table(&out)
	require.Contains(t, out.String(), `
               p50      p99      missed      CPU       sustains
serial    0.500 ms 0.900 ms      0/1500     1.00        1 voice
plain Go  0.500 ms 0.900 ms      0/1500     1.00    1200 voices
Heddle    0.500 ms 0.900 ms      0/1500  unknown     not even 3
`)
	for _, column := range []string{"p50", "p99", "missed", "CPU", "sustains"} {
		require.Regexp(t, `(?m)^`+column+`  +\w`, out.String())
	}
	require.True(t, strings.HasSuffix(out.String(), "\n\nA finding.\n\nA conclusion.\n"))
}

func TestWrap(t *testing.T) {
	require.Empty(t, wrap(""))
	require.Equal(t, "one two", wrap(" one\ntwo "))
	word := strings.Repeat("x", columns/2)
	require.Equal(t, word+"\n"+word+"\n"+word+" y", wrap(word+" "+word+" "+word+" y"))
	long := strings.Repeat("x", columns)
	require.Equal(t, long+"\n"+long, wrap(long+" "+long))
}
