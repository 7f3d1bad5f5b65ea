package main

import (
	"time"

	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
)

// A clock tells the time, and waits.
type clock struct {
	now   func() time.Time
	sleep func(time.Duration)
}

// wallClock sleeps in the kernel where it can: a timer of Go may be a millisecond late.
var wallClock = clock{time.Now, sleep}

// until sleeps until shortly before a moment, calls rouse with it, and stays awake for the rest.
func (c *clock) until(t time.Time, rouse func(time.Time)) {
	if left := t.Sub(c.now()); left > early {
		c.sleep(left - early)
	}
	rouse(t)
	for c.now().Before(t) {
	}
}

// A metronome gives the beats at which blocks are to begin. Each block must have ended at the next
// beat. One that is late makes the next begin late, not the beats; but if it is very late, the
// beats that nothing can make up for are lost.
type metronome struct {
	clock
	begin  time.Time
	beats  int // begun
	missed int // blocks that were late, and lost beats
}

const (
	// early is how long before a beat the sleep ends: a kernel wakes a sleeper up to so much later
	// than it was asked to.
	early = 150 * time.Microsecond
	// slack is how late a block may be, in beats, before beats are lost.
	slack = 8
)

// beat returns when the beat of a number is.
func (m *metronome) beat(n int) time.Time {
	return m.begin.Add(time.Duration(n) * dsp.Block * time.Second / dsp.Rate)
}

// start makes the first beat one that is soon.
func (m *metronome) start() { m.begin, m.beats = m.now().Add(2*early), 0 }

// await has wait wait for the next beat, or not if it is over, and returns it.
func (m *metronome) await(wait func(beat time.Time) error) (beat time.Time, err error) {
	beat = m.beat(m.beats)
	m.beats++
	return beat, wait(beat)
}

// ended notes when the block has ended, and whether it is missed for another reason.
func (m *metronome) ended(at time.Time, missed bool) {
	if due := m.beat(m.beats); missed || at.After(due) {
		m.missed++
	}
	for behind := m.beat(m.beats + slack); at.After(behind); behind = m.beat(m.beats + slack) {
		m.beats++
		m.missed++
	}
}
