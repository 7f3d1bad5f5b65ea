package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// smallFrame has a loop of three pieces between two calls, and two pieces that it feeds.
const smallFrame = `frame 7 scene small seed 1 steps 4
step begin pieces 1 bytes 4096 after 0
1000
step solve pieces 3 bytes 8192 after 1 0
5000 10000
20000
step hang-on pieces 2 bytes 640 after 1 1
3000 4000
fed 1
2 0
step end pieces 1 bytes 0 after 2 1 2
500
`

func recordedSmall(t *testing.T) recorded {
	t.Helper()
	r, err := readRecorded(strings.NewReader(smallFrame))
	require.NoError(t, err)
	return r
}

func TestReadRecorded(t *testing.T) {
	r := recordedSmall(t)
	require.Equal(t, "small", r.scene)
	require.Len(t, r.steps, 4)
	require.Equal(t, recordedStep{name: "solve", bytes: 8192, after: []int{0},
		pieces: []time.Duration{5000, 10000, 20000}, source: -1}, r.steps[1])
	require.Equal(t, recordedStep{name: "hang-on", bytes: 640, after: []int{1},
		pieces: []time.Duration{3000, 4000}, source: 1, by: []int{2, 0}}, r.steps[2])
	require.Equal(t, []int{1, 2}, r.steps[3].after)

	for name, c := range map[string]struct{ old, new string }{
		"no end":        {"500\n", ""},
		"no number":     {"500", "x"},
		"other order":   {"after 1 0", "after 1 3"},
		"no pieces":     {"pieces 1 bytes 0", "pieces 0 bytes 0"},
		"too many":      {"steps 4", "steps 65"},
		"no such piece": {"2 0\n", "3 0\n"},
		"fed by two":    {"640 after 1 1", "640 after 2 0 1"},
		"fed by none":   {"fed 1", "fed 2"},
	} {
		_, err := readRecorded(strings.NewReader(strings.Replace(smallFrame, c.old, c.new, 1)))
		require.Error(t, err, name)
	}
}

// The frames that are part of the program are as they were recorded.
func TestRecordedFrames(t *testing.T) {
	for _, scene := range replayScenes {
		r := recordedOf(scene)
		require.Equal(t, scene, r.scene)
		var work time.Duration
		fed, bytes := 0, 0
		for _, s := range r.steps {
			bytes += s.bytes
			for _, cost := range s.pieces {
				work += cost
			}
			fed += len(s.by)
		}
		require.Greater(t, work, 5*time.Millisecond, scene)
		require.Less(t, work, 20*time.Millisecond, scene)
		require.Positive(t, fed, scene)
		require.Greater(t, bytes, 1<<20, scene)
	}
}

// The work of a replay is that of the recording, and what hangs on more is more urgent.
func TestReplayOfRecording(t *testing.T) {
	f := newReplay(recordedSmall(t), 1_000_000, 1, 2)
	require.Equal(t, 20_000, f.steps[1].pieces[2].rounds)
	lines := 0
	for _, p := range f.steps[1].pieces {
		lines += len(p.mem) / lineWords
	}
	require.InDelta(t, 128, lines, 3)
	require.Equal(t, [][]int{{1}, nil, {0}}, f.steps[1].feeds)
	require.Same(t, &f.steps[1].pieces[2].mem[0], &f.steps[2].pieces[0].fed[0])
	require.Equal(t, []int{0, 1, 2, 3}, f.byUrgency())
	require.Equal(t, 1, f.steps[1].grain)
	require.Equal(t, 500*time.Nanosecond, f.steps[3].urgency)
	require.Equal(t, (20000+4000+500)*time.Nanosecond, f.steps[1].urgency)
}

// A frame that loses a piece, or runs it twice or too early, or without its work, fails.
func TestWrongFrames(t *testing.T) {
	for _, c := range []struct {
		name, failure string
		run           func(f *replay)
	}{
		{"right", "", (*replay).serial},
		{"lost", "piece 1 of step 1 ran 0 times", func(f *replay) {
			f.piece(0, 0)
			f.end(0)
			f.piece(1, 0)
			f.piece(1, 2)
			f.end(1)
			f.wrong.Store(0) // the end has seen it; check does, too
		}},
		{"twice", "ran that was not to run", func(f *replay) { f.piece(0, 0); f.serial() }},
		{"early", "ran that was not to run", func(f *replay) {
			f.piece(1, 0)
			f.steps[1].pieces[0].runs--
			f.serial()
		}},
		{"fed early", "ran that was not to run", func(f *replay) {
			f.piece(2, 0)
			f.steps[2].pieces[0].runs--
			f.serial()
		}},
		{"idle", "frames have left", func(f *replay) {
			rounds := f.steps[1].pieces[1].rounds
			f.steps[1].pieces[1].rounds = 0
			f.serial()
			f.steps[1].pieces[1].rounds = rounds
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &replayCase{recorded: recordedSmall(t), shrink: 1}
			p := replayPeer{open: func(f *replay, _ int) (stepper, error) {
				return stepper{run: func() error { c.run(f); return nil }}, nil
			}}
			got, err := r.turn(&session{sizes: tinySizes}, p, 1)
			if c.failure == "" {
				require.NoError(t, err)
				require.NotEmpty(t, got.samples)
			} else {
				require.ErrorContains(t, err, c.failure)
			}
		})
	}
}

// Rows of frames are on their page.
func TestFramesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("frames/README.md")
	require.NoError(t, err)
	for _, w := range replayWorkloads(tinySizes) {
		require.Contains(t, string(text), "`"+w.name+"`")
		for _, r := range w.rows {
			require.Contains(t, string(text), "`"+r.runtime+"`")
		}
	}
}
