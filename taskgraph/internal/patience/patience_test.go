package patience

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/spin"
)

// goesOn spins until a round is over that has taken some time, but not so long that the wait would
// stop for that, as when this goroutine has lost its processor meanwhile. It reports whether the
// wait goes on with so many runners awake on two processors.
func goesOn(p *Patience, runners int) bool {
	var w spin.Wait
	p.Begin(&w)
	defer p.End()
	for w.Took() == 0 || w.IsSpent() {
		if w.IsSpent() {
			w.Begin()
		}
		w.Look()
	}
	p.Judge(&w, runners, 2)
	return !w.IsOver()
}

// A wait spins as long as there is a processor for it and for everybody else, but not after a rest;
// of a wait that ended so soon that nobody looked at the clock it is not known when.
func TestJudge(t *testing.T) {
	var p Patience
	p.Init()
	judged := func(runners int) bool { return goesOn(&p, runners) }
	require.True(t, judged(1))
	require.False(t, judged(2))
	p.Begin(new(spin.Wait))
	require.True(t, judged(0), "two of them for two processors")
	require.False(t, judged(1))
	p.End()
	p.endedAt(atomics.Now() - 2*rested)
	require.False(t, judged(1))
	p.Spun(new(spin.Wait))
	require.True(t, judged(1))
}

// What a sleep has cost is learnt, and when it ended; a wait that has not spun teaches nothing.
func TestSlept(t *testing.T) {
	var p Patience
	p.Init()
	p.brief.Store(1)
	p.Slept(new(spin.Wait))
	require.Zero(t, p.ended.Load())
	require.EqualValues(t, 1, p.brief.Load())
	w := new(spin.Wait)
	p.Begin(w)
	for w.Took() < briefWait {
		w.Look()
	}
	p.End()
	p.Slept(w)
	require.GreaterOrEqual(t, p.ended.Load(), w.Now())
	require.Zero(t, p.brief.Load(), "it was not brief")
	require.Zero(t, p.awake.Load())
}

// Whose waits are all brief spins on for as long though there are not enough processors, until one
// takes longer.
func TestCrowd(t *testing.T) {
	var p Patience
	p.Init()
	waited := func(took int64) (crowds bool) {
		p.learn(took)
		return p.brief.Load() == briefWaits
	}
	for range 2 {
		for range briefWaits - 1 {
			require.False(t, waited(briefWait-1))
		}
		for range 3 {
			require.True(t, waited(0))
		}
		var w spin.Wait
		p.Judge(&w, 3, 2)
		require.False(t, w.IsOver(), "it has spun for no time yet")
		require.False(t, waited(briefWait))
		p.Judge(&w, 3, 2)
		require.True(t, w.IsOver())
	}
}
