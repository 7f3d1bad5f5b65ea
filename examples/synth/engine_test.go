package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/orchestra"
	"github.com/heddle-go/heddle/examples/synth/internal/score"
	"github.com/heddle-go/heddle/internal/dev/race"
)

// tested is how many blocks the versions are compared over: some chunks and a part of one.
const tested = 7*dsp.ChunkBlocks + 5

// All versions make the same samples with any number of workers, live or not, as serial does.
func TestVersionsMakeTheSame(t *testing.T) {
	const voices = 30 // not the same number for each lane
	played := func(kind engineKind, workers int, live bool) (samples []float32, digest uint64) {
		p, err := newPlayer(kind, orchestra.New(score.Canon(), voices, true), workers, live)
		require.NoError(t, err)
		require.NoError(t, p.play(func() error {
			for range tested {
				if _, err := p.next(); err != nil {
					return err
				}
				samples = append(samples, p.orchestra.Out()[:]...)
				p.delivered()
			}
			return nil
		}))
		require.NoError(t, p.close())
		return samples, p.digest
	}
	want, digest := played(engines[0], 1, false)
	loud := 0
	for _, x := range want {
		if x > 0.01 || x < -0.01 {
			loud++
		}
	}
	require.Greater(t, loud, len(want)/2, "it is not silence that they agree on")
	crews := []int{1, 2, 4}
	if testing.Short() {
		crews = crews[1:2]
	}
	for _, kind := range engines[1:] {
		for _, workers := range crews {
			for _, live := range []bool{false, true} {
				got, d := played(kind, workers, live)
				require.Equal(t, want, got, "%s with %d workers, live: %v", kind.name, workers,
					live)
				require.Equal(t, digest, d)
			}
		}
	}
}

// A job runs each node once a run and after those that it waits for, whoever takes part, and
// however often.
func TestJob(t *testing.T) {
	const rounds = 300
	for _, chains := range []bool{false, true} {
		var plan orchestra.Plan
		ran := make([]int, 40) // written by its node, read by those that wait for it
		for i := range ran {
			n := orchestra.Node{Name: fmt.Sprint(i)}
			for _, before := range []int{i - 1 - i%3, i / 2} {
				if before >= 0 && before < i && i%7 != 0 {
					n.After = append(n.After, before)
				}
			}
			n.Run = func() {
				ran[i]++
				for _, before := range n.After {
					if ran[before] != ran[i] {
						panic("too early")
					}
				}
			}
			plan = append(plan, n)
		}
		j := newJob(plan, chains)
		p := &plain{blocks: j, tails: newJob(nil, false), helpers: make([]helper, 3),
			done: make(chan struct{}, 1)}
		for i := range p.helpers {
			h := &p.helpers[i]
			h.wake = make(chan struct{}, 1)
			p.running.Go(func() { p.help(h) })
		}
		for range rounds {
			require.NoError(t, p.block())
			require.True(t, j.done())
		}
		require.NoError(t, p.close())
		for i := range ran {
			require.Equal(t, rounds, ran[i])
		}
	}
}

// lazy is serial, but does nothing for the tail until it is due.
type lazy struct{ *serial }

func (l lazy) between(tail bool) {
	if tail {
		l.left = l.tail
	}
}

var lazyKind = engineKind{"lazy", func(o *orchestra.Orchestra, _ int, _ bool) (engine, error) {
	return lazy{newSerial(o)}, nil
}}

// A tail that is late is waited for, so that the samples are right, and is a miss when it is played
// against the clock.
func TestLateTailIsAMiss(t *testing.T) {
	const chunks = 6
	digests := map[string]uint64{}
	for name, kind := range map[string]engineKind{"serial": engines[0], "lazy": lazyKind} {
		c, err := newContestant(kind, score.Canon(), 14, 1, chunks*dsp.ChunkBlocks)
		require.NoError(t, err)
		c.clock = (&script{}).clock()
		require.NoError(t, c.slice(t.Context(), chunks*dsp.ChunkBlocks))
		require.Len(t, c.times, chunks*dsp.ChunkBlocks)
		late := 0
		if name == "lazy" {
			late = chunks - 2 // the first tail begins in the second chunk, and is due in the third
		}
		require.Equal(t, late, c.late, name)
		require.Equal(t, late, c.missed, name)
		digests[name] = c.digest
	}
	require.Equal(t, digests["serial"], digests["lazy"])
}

// As fast as it goes, a tail may be late, and the whole piece is the same all the same.
func TestTailsAreWaitedForInRendering(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("the same goroutines as in TestVersionsMakeTheSame, and many blocks")
	}
	piece := score.Canon()
	piece.End = 0 // and what sounds on, which is still some seconds
	want, err := render(t.Context(), engines[0], piece, 14, 1, nil)
	require.NoError(t, err)
	for _, kind := range []engineKind{lazyKind, engines[1], engines[2]} {
		got, err := render(t.Context(), kind, piece, 14, 4, nil)
		require.NoError(t, err)
		require.Equal(t, want.digest, got.digest, kind.name)
		require.Equal(t, want.samples, got.samples, kind.name)
	}
}

// An interrupted rendering, duel, trial or measurement ends, and has no result.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, kind := range engines {
		_, err := render(ctx, kind, score.Canon(), 14, 2, nil)
		require.ErrorIs(t, err, context.Canceled, kind.name)
	}
	_, err := duel(ctx, score.Canon(), 14, 2, 100, 0, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = attempt(ctx, engines[0], score.Canon(), 14, &options{workers: 2, trial: usualTrial})
	require.ErrorIs(t, err, context.Canceled)
	_, err = medianBlock(ctx, score.Canon(), 14, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// broken is serial, but fails in its third block.
type broken struct {
	*serial
	blocks int
}

func (b *broken) block() error {
	if b.blocks++; b.blocks == 3 {
		return fmt.Errorf("a string has snapped")
	}
	return b.serial.block()
}

func TestFailingEngine(t *testing.T) {
	kind := engineKind{"broken", func(o *orchestra.Orchestra, _ int, _ bool) (engine, error) {
		return &broken{serial: newSerial(o)}, nil
	}}
	_, err := render(t.Context(), kind, score.Canon(), 14, 1, nil)
	require.EqualError(t, err, "a string has snapped")
}

// A node that panics is an error of Heddle's version, by name.
func TestPanicInANode(t *testing.T) {
	o := orchestra.New(score.Canon(), 14, true)
	o.Block()[7].Run = func() { panic("a string has snapped") }
	e, err := newHeddle(o, 2, true)
	require.NoError(t, err)
	err = e.play(e.block)
	require.ErrorContains(t, err, "a string has snapped")
	require.ErrorContains(t, err, o.Block()[7].Name)
	require.NoError(t, e.close())
}

// A panic in what is played on the audio thread ends the playing, and the thread keeps it for the
// end.
func TestPanicOnTheAudioThread(t *testing.T) {
	e, err := newHeddle(orchestra.New(score.Canon(), 14, true), 2, true)
	require.NoError(t, err)
	require.ErrorContains(t, e.play(func() error { panic("a string has snapped") }), "has left")
	require.ErrorContains(t, e.close(), "a string has snapped")
}
