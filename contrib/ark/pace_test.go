package ark

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPace: frames are run in the way that took less, for long, and then both are tried again.
func TestPace(t *testing.T) {
	const limit = 100 * time.Microsecond
	// ways returns for so many frames how each was run: g, or p for in place.
	ways := func(p *pace, frames int, graph, inPlace time.Duration) string {
		text := ""
		for range frames {
			d := graph
			if text += "g"; p.inPlace {
				d, text = inPlace, text[:len(text)-1]+"p"
			}
			if !p.measures() {
				d = 0
			}
			p.ran(d)
		}
		return text
	}
	count := func(p *pace, frames int, graph, inPlace time.Duration) (inGraph int) {
		for _, way := range ways(p, frames, graph, inPlace) {
			if way == 'g' {
				inGraph++
			}
		}
		return inGraph
	}
	const round = 2*trialFrames + paceFrames

	p := newPace(limit)
	require.Equal(t, "gggggpppppppp", ways(&p, 13, 20, 10))
	require.Equal(t, trialFrames, count(&p, round, 20, 10))

	p = newPace(limit)
	require.Equal(t, "gggggpppppggg", ways(&p, 13, 10, 20))
	require.Equal(t, round-trialFrames, count(&p, round, 10, 20))

	// What is long as a graph is never tried in place.
	p = newPace(limit)
	require.Equal(t, 10*round, count(&p, 10*round, limit, 1))
	p = newPace(-1)
	require.Equal(t, 10*round, count(&p, 10*round, 0, 0))

	// What turns out to be long in place is tried no further.
	p = newPace(limit)
	require.Equal(t, "gggggpggggggg", ways(&p, 13, limit-1, limit+1))

	// Frames that become long are noticed soon in place, and short ones at the next trial.
	p = newPace(limit)
	count(&p, 2*trialFrames+10, 20, 10)
	require.Less(t, round-count(&p, round, 3*limit, 5*limit), 2*paceLooks)
	require.Greater(t, round-count(&p, round, 20, 10), round/2-2*trialFrames)
}
