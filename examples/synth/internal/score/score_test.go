package score

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	line, err := Parse("c'4 cis'' ees, r8 a'8. b")
	require.NoError(t, err)
	require.Equal(t, Line{{60, 0, 1}, {73, 1, 2}, {39, 2, 3}, {69, 3.5, 4.25}, {59, 4.25, 5}}, line)
	require.Equal(t, 5.0, line.End())
	require.Equal(t, Line{{59, 5.25, 6}}, line[4:].After(1))
	require.InDelta(t, 440, Hz(69), 1e-9)
	require.InDelta(t, 261.63, Hz(60), 0.01)
	for _, wrong := range []string{"h'4", "c'0", "c'four", "c''4..", "4"} {
		_, err := Parse(wrong)
		require.ErrorContains(t, err, `note "`+wrong+`": `)
	}
}

// Each part plays from its entry to the end of the piece without a gap, and each line of the melody
// is as long as the bass.
func TestCanon(t *testing.T) {
	p := Canon()
	for i, part := range p.Parts {
		for _, line := range part.Lines {
			entry := 0.0
			if part.Sound == Strings {
				entry = float64(i * ground)
			}
			require.Equal(t, entry, line[0].Start, part.Name)
			require.InDelta(t, p.End, line.End(), 1e-9, part.Name)
			for k, n := range line[1:] {
				require.InDelta(t, line[k].End, n.Start, 1e-9, "%s: note %d", part.Name, k)
			}
			for round := entry; round < p.End; round += ground {
				require.True(t, slices.ContainsFunc(line,
					func(n Note) bool { return n.Start == round }), "%s: a note begins at %v",
					part.Name, round)
			}
		}
	}
	first, third := p.Parts[0].Lines[0], p.Parts[2].Lines[0]
	n := len(third) - 1 // the last notes differ
	require.Equal(t, first[:n].After(2*ground), third[:n], "a canon")
	require.InDelta(t, 1.0, p.Seconds(p.Tempo/60), 1e-12)
}
