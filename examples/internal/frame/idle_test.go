package frame

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A processor is idle where fewer calls are under way than there are processors; with more of them
// none is. The fastest quarter of the frames counts.
func TestIdleness(t *testing.T) {
	c := &contestant{plan: newPlan(time.Second, []step{{name: "work"}}),
		rec: newRecorder(1+extraSteps, "worker 0", "worker 1", "Game")}
	d := newIdleness(c, 2, 5)
	play := func(from, took time.Duration) {
		add := func(lane, step int, a, b time.Duration) {
			l := &c.rec.lanes[lane]
			l.recent = append(l.recent, span{step: int32(step), lane: int32(lane),
				start: from + a, end: from + b})
		}
		add(2, 1+wholeFrame, 0, took)
		add(0, 0, 1, 5)               // alone until 2, and from 4
		add(1, 0, 2, 4)               // a third one beside both, until 3
		add(2, 1+betweenFrames, 2, 3) //
		add(0, 0, took-1, took+1)     // it ends after the frame
		d.frame()
		c.rec.forget()
	}
	play(100, 10)
	// until 1 both, until 2 and from 4 to 5 one, from 5 to 9 both, and then one
	require.Equal(t, idleFrame{10, 2 + 1 + 1 + 8 + 1}, d.each[0])
	require.InDelta(t, 13./20, d.share(), 1e-3)
	for from := time.Duration(200); from < 600; from += 100 {
		play(from, 20)
	}
	// the quarter of five frames is two
	require.InDelta(t, 46./60, d.share(), 1e-3)
}
