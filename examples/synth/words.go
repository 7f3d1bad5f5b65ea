package main

import (
	"fmt"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// margin is the difference between two figures that says nothing.
const margin = 0.1

// An order says how one figure compares to another one.
type order int

const (
	less order = iota - 1
	level
	more
)

// compareFigures compares a with b, and takes no notice of differences within margin.
func compareFigures(a, b float64) order {
	switch {
	case a > b*(1+margin):
		return more
	case a < b*(1-margin):
		return less
	}
	return level
}

// written says what file there is.
func (r *report) written(tune string) string {
	return fmt.Sprintf("%s: %s, %.1f s for %d voices, made by Heddle in %.1f s with %s.", r.File,
		tune, r.TuneSeconds, r.Voices, r.RenderMS/1e3, verdict.Count(r.Workers, "worker"))
}

// conclude fills in the findings and the conclusion.
func (r *report) conclude() {
	if r.Equal {
		r.find("All versions computed the same samples, bit for bit (digest %s).", r.Digest)
	} else {
		r.find("The versions computed DIFFERENT samples: one of them is wrong.")
	}
	serial, heddle := &r.Versions[0], &r.Versions[len(r.Versions)-1]
	r.Disturbed = r.Load < spare && !r.keepsUp(serial)
	for i := range r.Versions[1:] {
		v := &r.Versions[1+i]
		if list := r.worse(v, serial); len(list) > 0 {
			r.find("%s is worse than serial in %s.", v.Name, strings.Join(list, ", and in "))
		} else {
			r.find("%s is not worse than serial in any figure.", v.Name)
		}
	}
	switch {
	case r.Disturbed:
		r.Conclusion = r.aboutNoise(serial, heddle)
	case r.Search:
		r.Conclusion = r.aboutSustained(serial, &r.Versions[1], heddle)
	default:
		r.Conclusion = r.aboutVoices(serial, &r.Versions[1], heddle)
	}
}

// spare is the load of one thread below which it misses next to nothing, unless other programs use
// its processor.
const spare = 0.8

// aboutNoise says that there is nothing to conclude.
func (r *report) aboutNoise(serial, heddle *version) string {
	s := fmt.Sprintf("Other programs use this machine, so this run says little: %s keep one thread "+
		"busy for only %.0f %% of the time, and yet it missed %s (Heddle missed %s).",
		verdict.Count(r.Voices, "voice"), 100*r.Load, missed(serial), missed(heddle))
	if r.Search {
		s += fmt.Sprintf(" One thread sustained %d voices and Heddle %d.", serial.Sustains,
			heddle.Sustains)
	}
	return s + " Run synth again when the machine is idle."
}

// find adds a finding.
func (r *report) find(format string, args ...any) {
	r.Findings = append(r.Findings, fmt.Sprintf(format, args...))
}

// keepsUp reports whether a version missed no more blocks than it may.
func (r *report) keepsUp(v *version) bool { return 100*v.missedShare() <= r.AllowedMisses }

// missed says how many blocks a version missed.
func missed(v *version) string { return fmt.Sprintf("%d of %d blocks", v.Missed, v.Beats) }

// worse returns the figures in which a version is worse than serial.
func (r *report) worse(v, serial *version) (list []string) {
	higher := func(name, unit string, a, b float64, digits int) {
		if compareFigures(a, b) == more {
			list = append(list, fmt.Sprintf("%s (%.*f%s, serial %.*f%s)", name, digits, a, unit,
				digits, b, unit))
		}
	}
	higher("p50", " ms", v.P50, serial.P50, 3)
	higher("p99", " ms", v.P99, serial.P99, 3)
	if compareFigures(v.missedShare(), serial.missedShare()) == more {
		list = append(list, fmt.Sprintf("missed blocks (%d, serial %d)", v.Missed, serial.Missed))
	}
	higher("CPU", "", v.CPU, serial.CPU, 2)
	if r.Search && compareFigures(float64(v.Sustains), float64(serial.Sustains)) == less {
		list = append(list, fmt.Sprintf("what it sustains (%s, serial %d)",
			verdict.Count(v.Sustains, "voice"), serial.Sustains))
	}
	return list
}

// aboutSustained says what the search has found.
func (r *report) aboutSustained(serial, plain, heddle *version) string {
	one, own, all := serial.Sustains, plain.Sustains, heddle.Sustains
	ratio := func(a, b int) float64 { return float64(a) / float64(max(1, b)) }
	var beside string // plain Go
	switch {
	case own == 0:
		beside = fmt.Sprintf("plain Go keeps up with no number of voices down to %d", plain.least())
	case compareFigures(float64(all), float64(own)) == level:
		beside = fmt.Sprintf("plain Go sustains about as many as Heddle (%d)", own)
	default:
		beside = fmt.Sprintf("plain Go sustains %d, and so Heddle %.2f times as many", own,
			ratio(all, own))
	}
	with := verdict.Count(r.Workers, "worker")
	switch {
	case all == 0 && one == 0:
		return fmt.Sprintf("Neither one thread nor Heddle keeps up with even %s here, so this run "+
			"says nothing about Heddle.",
			verdict.Count(min(heddle.least(), serial.least()), "voice"))
	case all == 0:
		return fmt.Sprintf("Heddle does not keep up with even %s, and one thread sustains %d: here "+
			"one thread is the better choice.", verdict.Count(heddle.least(), "voice"), one)
	case one == 0:
		return fmt.Sprintf("Heddle sustains %s with %s, and one thread does not keep up with even "+
			"%d; %s.", verdict.Count(all, "voice"), with, serial.least(), beside)
	}
	switch compareFigures(float64(all), float64(one)) {
	case more:
		return fmt.Sprintf("Heddle sustains %.2f times the voices of one thread with %s (%d, one "+
			"thread %d); %s.", ratio(all, one), with, all, one, beside)
	case less:
		return fmt.Sprintf("Heddle sustains fewer voices than one thread (%d, one thread %d), so "+
			"here one thread is the better choice; %s.", all, one, beside)
	}
	return fmt.Sprintf("Heddle sustains about as many voices as one thread (%d, one thread %d), so "+
		"here it gains nothing with %s; %s.", all, one, with, beside)
}

// little is the load of one thread below which a division cannot gain much.
const little = 1.0 / 3

// aboutVoices says how the versions did with the number of voices that was asked for.
func (r *report) aboutVoices(serial, plain, heddle *version) string {
	with := "With " + verdict.Count(r.Voices, "voice")
	switch one, all := r.keepsUp(serial), r.keepsUp(heddle); {
	case !one && all:
		return fmt.Sprintf("%s one thread does not keep up (it missed %s), and Heddle does (it "+
			"missed %s) with %s.", with, missed(serial), missed(heddle),
			verdict.Count(r.Workers, "worker"))
	case one && !all:
		return fmt.Sprintf("%s Heddle does not keep up (it missed %s), and one thread does (it "+
			"missed %s): here one thread is the better choice.", with, missed(heddle),
			missed(serial))
	case !one:
		return fmt.Sprintf("%s neither keeps up: one thread missed %s, and Heddle missed %s.", with,
			missed(serial), missed(heddle))
	}
	half := fmt.Sprintf("half of the blocks are ready after %.3f ms with one thread, %.3f ms with "+
		"plain Go "+
		"and %.3f ms with Heddle", serial.P50, plain.P50, heddle.P50)
	switch compareFigures(heddle.P50, serial.P50) {
	case less:
		return fmt.Sprintf("%s Heddle is %.2f times as fast as one thread with %s: %s.", with,
			serial.P50/heddle.P50, verdict.Count(r.Workers, "worker"), half)
	case more:
		if r.Load < little {
			return fmt.Sprintf("%s there is nothing to gain, because one thread is idle for %.0f %% "+
				"of the time: %s.", with, 100*(1-r.Load), half)
		}
		return fmt.Sprintf("%s Heddle is slower than one thread: %s.", with, half)
	}
	if r.Load < little {
		return fmt.Sprintf("%s there is nothing to gain, because one thread is idle for %.0f %% of "+
			"the time: %s.", with, 100*(1-r.Load), half)
	}
	return fmt.Sprintf("%s Heddle gains nothing over one thread: %s.", with, half)
}
