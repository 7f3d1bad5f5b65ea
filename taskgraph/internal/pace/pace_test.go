package pace

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// judge ends a trial with these times.
func judge(p *Pace, alone, shared []int64) (answer bool, rest int32) {
	copy(p.took[0][:], alone)
	copy(p.took[1][:], shared)
	p.stage = trialShared
	p.turn()
	return p.alone, p.rest
}

// ran ends a run that took so long.
func ran(p *Pace, took int64) { p.learn(took, took) }

// A trial answers by the medians of both ways; the same answer comes less often, another one soon.
func TestSettles(t *testing.T) {
	fast, slow := []int64{5, 5, 5, 6, 900, 5, 900}, []int64{7, 7, 2, 9, 7, 8, 7}
	var p Pace
	for _, want := range []int32{64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 16384} {
		alone, rest := judge(&p, fast, slow)
		require.True(t, alone)
		require.Equal(t, want, rest)
	}
	for _, want := range []int32{64, 128, 256, 512, 1024, 1024} {
		alone, rest := judge(&p, slow, fast)
		require.False(t, alone)
		require.Equal(t, want, rest)
	}
	some, less := []int64{160, 160, 160, 160, 160, 160, 160}, []int64{151, 151, 151, 151, 151, 151,
		151}
	alone, _ := judge(&p, some, less)
	require.True(t, alone, "sharing gains too little for the processor that it takes")
	less[3], less[4], less[5], less[6] = 140, 140, 140, 140
	alone, _ = judge(&p, some, less)
	require.False(t, alone)
}

// Runs alone that take far longer than usual begin a trial, if three in a row do.
func TestAloneGrows(t *testing.T) {
	var p Pace
	judge(&p, []int64{5, 5, 5, 5, 5, 5, 5}, []int64{9, 9, 9, 9, 9, 9, 9})
	ran(&p, 10)
	require.Equal(t, int32(64), p.left)
	ran(&p, 11)
	ran(&p, 11)
	ran(&p, 10)
	ran(&p, 11)
	ran(&p, 11)
	require.Equal(t, int32(64), p.left, "something else may have held them up")
	ran(&p, 11)
	require.Zero(t, p.left)
}

// Of the runs that go alone one in sixteen is measured, and each while some are slow.
func TestFewRunsAreMeasured(t *testing.T) {
	var p Pace
	judge(&p, []int64{5, 5, 5, 5, 5, 5, 5}, []int64{9, 9, 9, 9, 9, 9, 9})
	measured := func() (n int) {
		for range lookEvery {
			if p.isMeasured(p.next(), true) {
				n++
			}
		}
		return n
	}
	require.Equal(t, 1, measured())
	ran(&p, 11)
	require.Equal(t, lookEvery, measured())
	ran(&p, 10)
	require.Equal(t, 1, measured())
}

// A run that should go alone is hidden from its beginning to its end, if it can be. What lies in
// the slot's deque, or is hidden by somebody else, is left as it is.
func TestHidesRunsAlone(t *testing.T) {
	k := kernel.New(kernel.Config{Workers: 1, OnIdle: func(*kernel.Slot) {}, OnQuiet: func() {},
		Watch: func() {}, Own: func(*kernel.Slot) any { return nil }})
	s := k.Slots()[0]
	isHidden := func() bool {
		hides := k.Hide(s) // which fails if something is hidden, as the deque is empty
		if hides {
			k.Reveal(s)
		}
		return !hides
	}
	run := func(p *Pace, want bool) {
		p.Begin(k, s)
		require.Equal(t, want, p.IsAlone())
		require.Equal(t, want, isHidden())
		p.End(k)
		require.False(t, p.IsAlone())
		require.False(t, isHidden())
	}
	var alone, shared, third Pace
	alone.Settle(true)
	shared.Settle(false)
	third.Settle(true)
	run(&alone, true)
	run(&shared, false)
	alone.Begin(k, s)
	third.Begin(k, s)
	require.False(t, third.IsAlone(), "the other run hides the slot's tasks")
	third.End(k)
	require.True(t, isHidden())
	alone.End(k)
	k.Push(s, 1, kernel.Normal)
	alone.Begin(k, s)
	require.False(t, alone.IsAlone(), "what lies there is not of the run")
	alone.End(k)
}

// Whatever runs take, the answer is the way that is over sooner, each trial comes to an end, and
// there is a next one in time.
func TestAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Pace
		alone := rapid.Int64Range(100, 3*aloneMost).Draw(t, "alone")
		shared := rapid.Int64Range(100, 3*aloneMost).Draw(t, "shared")
		hides := rapid.IntRange(1, 4).Draw(t, "of so many runs alone one cannot be hidden")
		want := alone <= 2*aloneMost && alone-shared <= shared/worthShared
		now, trials, trial, between := int64(1), 0, 0, 0
		for n := 0; trials < 3; n++ {
			should := p.next()
			hidden := should && (hides == 1 || n%hides != 0)
			measured := p.isMeasured(should, hidden)
			took := shared
			if hidden {
				took = alone
			}
			now += took
			if p.InTrial() {
				trial, between = trial+1, 0
			} else {
				between++
			}
			if measured {
				p.learn(took, now)
			}
			switch {
			case !p.InTrial() && trial > 0:
				trials, trial = trials+1, 0
				require.Equal(t, want, p.alone)
			case trial > 0:
				require.LessOrEqual(t, trial, 4*(trialRuns+trialSpare)+trialWarm/100+4,
					"a trial without an end")
			default:
				require.LessOrEqual(t, between, longAlone, "no trial for too long")
			}
		}
	})
}
