package main

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/score"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/race"
)

// readWAV reads a file of two channels of 16 bits, checks every word of its header, and returns the
// sum of the channels.
func readWAV(t *testing.T, name string) []float64 {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Greater(t, len(b), 44)
	u16, u32 := binary.LittleEndian.Uint16, binary.LittleEndian.Uint32
	require.Equal(t, "RIFF", string(b[:4]))
	require.Equal(t, uint32(len(b)-8), u32(b[4:]))
	require.Equal(t, "WAVEfmt ", string(b[8:16]))
	require.Equal(t, uint32(16), u32(b[16:]))
	require.Equal(t, uint16(1), u16(b[20:]), "plain numbers")
	require.Equal(t, uint16(2), u16(b[22:]), "channels")
	require.Equal(t, uint32(dsp.Rate), u32(b[24:]))
	require.Equal(t, uint32(dsp.Rate*4), u32(b[28:]), "bytes a second")
	require.Equal(t, uint16(4), u16(b[32:]), "bytes a frame")
	require.Equal(t, uint16(16), u16(b[34:]), "bits")
	require.Equal(t, "data", string(b[36:40]))
	require.Equal(t, uint32(len(b)-44), u32(b[40:]))
	samples := make([]float64, (len(b)-44)/4)
	for i := range samples {
		f := b[44+4*i:]
		samples[i] = float64(int16(u16(f))) + float64(int16(u16(f[2:])))
	}
	return samples
}

// lowest and highest are the pitches that are looked for.
const lowest, highest = 36, 88

// spectrum returns how strong each pitch is in a sound.
func spectrum(x []float64) (strength [highest + 1]float64) {
	windowed := make([]float64, len(x))
	for i := range x {
		windowed[i] = x[i] * (1 - math.Cos(2*math.Pi*float64(i)/float64(len(x))))
	}
	for p := lowest; p <= highest; p++ { // Goertzel's algorithm
		c := 2 * math.Cos(2*math.Pi*score.Hz(float64(p))/dsp.Rate)
		var s1, s2 float64
		for _, v := range windowed {
			s1, s2 = v+c*s1-s2, s1
		}
		strength[p] = math.Sqrt(max(0, s1*s1+s2*s2-c*s1*s2)) / float64(len(x))
	}
	return strength
}

// strongest returns the strongest pitch from lo to hi.
func strongest(strength [highest + 1]float64, lo, hi int) (pitch int) {
	pitch = lo
	for p := lo; p <= hi; p++ {
		if strength[p] > strength[pitch] {
			pitch = p
		}
	}
	return pitch
}

// agreement says how much of a file is as a score has it, its pitches shifted: the part of the
// quarters in which the strongest low pitch is the cello's, the part of the five strongest of the
// others in each quarter that are notes that sound then or overtones of them, and the part of the
// violins' long notes that are stronger than the semitones beside them.
func agreement(samples []float64, piece *score.Piece, shift int) (low, chords, melody float64) {
	at := func(quarter float64) int { return int(piece.Seconds(quarter) * dsp.Rate) }
	quarters, notes := 0.0, 0.0
	for q := 0.0; q < piece.End-1; q++ {
		s := spectrum(samples[at(q+0.1):at(q+0.95)])
		sounds := map[int]bool{}
		var long []int
		for _, part := range piece.Parts {
			for _, line := range part.Lines {
				for _, n := range line {
					if n.End <= q || n.Start >= q+1 {
						continue
					}
					for _, overtone := range []int{0, 12, 19, 24, 28, 31} {
						sounds[n.Pitch+shift+overtone] = true
					}
					switch {
					case part.Sound == score.Bass && strongest(s, lowest, 51) == n.Pitch+shift:
						low++
					case part.Sound == score.Strings && n.End-n.Start >= 1:
						long = append(long, n.Pitch+shift)
					}
				}
			}
		}
		quarters++
		for _, p := range long {
			if sounds[p-1] || sounds[p+1] {
				continue
			}
			notes++
			if s[p] > s[p-1] && s[p] > s[p+1] {
				melody++
			}
		}
		for range 5 {
			p := strongest(s, 52, highest)
			if sounds[p] {
				chords++
			}
			s[p] = 0
		}
	}
	return low / quarters, chords / (5 * quarters), melody / notes
}

// The file holds the notes of the score, and not those of another one.
func TestFileIsTheTune(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("the same goroutines as in the other tests, and a long piece")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "tune.wav")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
	o := command(t, "-json", "-o", file, "-voices", "14")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Equal(t, file, o.Report.File)
	require.Empty(t, o.Report.Versions)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	samples := readWAV(t, file)
	piece := score.Canon()
	require.InDelta(t, piece.Seconds(piece.End)+2.5, o.Report.TuneSeconds, 0.01)
	require.InDelta(t, o.Report.TuneSeconds*dsp.Rate, len(samples), dsp.Rate/1000)

	low, chords, melody := agreement(samples, piece, 0)
	t.Logf("low %.2f, chords %.2f, melody %.2f", low, chords, melody)
	require.Equal(t, 1.0, low)
	require.Greater(t, chords, 0.9) // the rest are echoes of the quarter before
	require.Greater(t, melody, 0.9) // a beat of the chorus may swallow one
	for _, shift := range []int{-2, -1, 1, 2} {
		low, chords, melody = agreement(samples, piece, shift)
		t.Logf("shifted by %d: low %.2f, chords %.2f, melody %.2f", shift, low, chords, melody)
		require.Less(t, low, 0.2, "shifted by %d", shift)
		require.Less(t, chords, 0.6, "shifted by %d", shift)
		require.Less(t, melody, 0.7, "shifted by %d", shift)
	}
}
