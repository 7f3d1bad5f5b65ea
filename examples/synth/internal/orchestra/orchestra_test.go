package orchestra

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/score"
	"github.com/heddle-go/heddle/internal/dev/race"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

// play plays so many blocks in the order of the plans, and returns what is heard.
func play(o *Orchestra, blocks int) (samples []float32) {
	for n := range blocks {
		if n > 0 && n%dsp.ChunkBlocks == 0 {
			o.NextTail()
			for _, node := range o.Tail() {
				node.Run()
			}
		}
		o.Next()
		for _, node := range o.Block() {
			node.Run()
		}
		samples = append(samples, o.Out()[:]...)
	}
	return samples
}

func energy(samples []float32) (sum float64) {
	for _, x := range samples {
		sum += float64(x) * float64(x)
	}
	return sum / float64(len(samples))
}

// Every node comes after those that it waits for, and all but the last one are waited for.
func TestPlans(t *testing.T) {
	for _, voices := range []int{1, 5, 14, 84} {
		o := New(score.Canon(), voices, false)
		require.Len(t, o.voices, voices)
		for name, p := range map[string]Plan{"block": o.Block(), "tail": o.Tail()} {
			waited := map[int]bool{}
			for i, n := range p {
				for _, before := range n.After {
					require.Less(t, before, i, "%s: %s", name, n.Name)
					waited[before] = true
				}
			}
			last := len(ears)
			if name == "block" {
				last = 1
			}
			require.Len(t, waited, len(p)-last, name)
		}
	}
}

// There is sound from the beginning, louder than a whisper and never beyond what a file can hold;
// in the end there is none.
func TestPieceBeginsAndEnds(t *testing.T) {
	if race.Enabled {
		t.Log("one goroutine, and many blocks")
		return
	}
	o := New(score.Canon(), Lanes(score.Canon()), false)
	if testing.Short() {
		o.seek(o.blockOf(o.piece.End - 4))
	}
	samples := play(o, o.Blocks()-o.at-1)
	second := 2 * dsp.Rate
	for at := 0; at+second < len(samples)-4*second; at += second {
		require.Greater(t, energy(samples[at:at+second]), 1e-3, "second %d", at/second)
	}
	require.Less(t, energy(samples[len(samples)-second/10:]), 1e-5)
	for i, x := range samples {
		if !(x > -1 && x < 1) {
			require.Failf(t, "out of bounds", "sample %d is %v", i, x)
		}
	}
}

// A piece that is played for ever goes on at its loop, as it went on there before, but for what
// still sounds.
func TestLoop(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("one goroutine, and many blocks")
	}
	piece := score.Canon()
	piece.Loop = piece.End - 4
	o := New(piece, 14, true)
	from, to := o.blockOf(o.piece.Loop), o.blockOf(o.piece.End)
	o.Next()
	require.Equal(t, from, o.at)
	play(o, to-from-2)
	o.Next()
	require.Equal(t, to-1, o.at)
	o.Next()
	require.Equal(t, from, o.at)
	require.Greater(t, energy(play(o, 200)), 1e-3)
}

// More voices play as loud as few, though not the same.
func TestMoreVoicesAreNotLouder(t *testing.T) {
	if race.Enabled {
		t.Log("one goroutine, and many blocks")
		return
	}
	few, many := play(New(score.Canon(), 14, true), 500), play(New(score.Canon(), 70, true), 500)
	require.NotEqual(t, few, many)
	require.InDelta(t, 1, energy(many)/energy(few), 0.5)
}

func TestNoAllocation(t *testing.T) {
	o := New(score.Canon(), 28, true)
	samples := 0
	require.Zero(t, testing.AllocsPerRun(10, func() {
		for range dsp.ChunkBlocks {
			o.Next()
			for i := range o.Block() {
				o.Block()[i].Run()
			}
		}
		o.NextTail()
		for i := range o.Tail() {
			o.Tail()[i].Run()
		}
		samples += len(o.Out())
	}))
	require.Positive(t, samples)
}

// A piece that is played from its loop on begins with the notes that the same piece, played from
// its beginning, has there: each voice is as loud in each block.
func TestLoopBeginsAmongNotes(t *testing.T) {
	piece := score.Canon()
	piece.Loop = 16.25 // within notes and between them
	whole, looped := New(piece, 28, false), New(piece, 28, true)
	for range looped.blockOf(piece.Loop) {
		whole.Next()
		for _, v := range whole.voices {
			v.play(whole.at)
		}
	}
	sounding := 0
	for range 600 {
		whole.Next()
		looped.Next()
		require.Equal(t, whole.at, looped.at)
		for i, v := range looped.voices {
			w := whole.voices[i]
			v.play(looped.at)
			w.play(whole.at)
			a, b := w.loud, v.loud
			want, _ := a.Advance()
			got, _ := b.Advance()
			require.InDelta(t, want, got, 0.01, "block %d, voice %d", whole.at, i)
			require.Equal(t, w.hz, v.hz)
			if !v.silent {
				sounding++
			}
		}
	}
	require.Greater(t, sounding, 600*28*3/4)
}
