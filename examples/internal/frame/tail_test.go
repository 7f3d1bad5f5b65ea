package frame

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

const ms = time.Millisecond

// usualFrames are frames of 10 ms like most: 15 ms of calls on two processors, of which 1 ms was
// free although a worker was idle, and threads waited for 2 ms.
func usualFrames(n int) (all []sight) {
	for f := range n {
		s := sight{frame: f, wall: 10 * ms}
		s.seen[causeLonger], s.seen[causeLate], s.seen[causeWaiting] = 15*ms, ms, 2*ms
		all = append(all, s)
	}
	return all
}

func TestSlowFramesHaveCauses(t *testing.T) {
	for name, c := range map[string]struct {
		wall time.Duration
		more map[cause]time.Duration // beyond what is usual
		want map[cause]time.Duration
	}{
		"a usual one": {10 * ms, nil, nil},
		"a fast one":  {8 * ms, map[cause]time.Duration{causeSteal: 10 * ms}, nil},
		"the collector": {14 * ms, map[cause]time.Duration{causeCollector: 4 * ms},
			map[cause]time.Duration{causeCollector: 4 * ms}},
		"the loader": {12 * ms, map[cause]time.Duration{causeLoader: 2 * ms},
			map[cause]time.Duration{causeLoader: 2 * ms}},
		"a late worker": {13 * ms, map[cause]time.Duration{causeLate: 6 * ms},
			map[cause]time.Duration{causeLate: 3 * ms}},
		"more work": {15 * ms, map[cause]time.Duration{causeLonger: 5 * ms},
			map[cause]time.Duration{causeLonger: 5 * ms}},
		"nothing that is seen": {11 * ms, nil, map[cause]time.Duration{causeOther: ms}},
		// The tick of the hypervisor's clock is longer than the time that was lost.
		"steal": {16 * ms, map[cause]time.Duration{causeSteal: 10 * ms},
			map[cause]time.Duration{causeSteal: 6 * ms}},
		"no processors": {18 * ms,
			map[cause]time.Duration{causeWaiting: 7 * ms, causeLonger: 7 * ms},
			map[cause]time.Duration{causeWaiting: 7 * ms, causeOther: ms}},
		// A call that was interrupted for 3 ms took 5 ms longer.
		"several": {
			20 * ms,
			map[cause]time.Duration{causeCollector: ms, causeWaiting: 3 * ms, causeLate: 4 * ms,
				causeLonger: 5 * ms},
			map[cause]time.Duration{causeCollector: ms, causeWaiting: 3 * ms, causeLate: 2 * ms,
				causeLonger: 2 * ms, causeOther: 2 * ms},
		},
	} {
		all := usualFrames(101)
		all[40].wall = c.wall
		for k, d := range c.more {
			all[40].seen[k] += d
		}
		slow := slowest(all, len(all), 2)
		require.Len(t, slow, len(all), name)
		for i, f := range slow {
			var sum time.Duration
			for _, d := range f.parts {
				require.GreaterOrEqual(t, d, time.Duration(0), name)
				sum += d
			}
			require.Equal(t, f.excess, sum, name)
			if f.frame != 40 {
				require.Zero(t, f.excess, name)
				continue
			}
			require.Equal(t, max(0, c.wall-10*ms), f.excess, name)
			require.Equal(t, c.wall > 10*ms, i == 0 && f.excess > 0, name)
			for k := range causes {
				require.Equal(t, c.want[k], f.parts[k], "%s: %s", name, causeNames[k])
			}
		}
	}
}

func TestSlowestComeFirst(t *testing.T) {
	all := usualFrames(50)
	for i, f := range []int{7, 3, 30} {
		all[f].wall = time.Duration(20-i) * ms
	}
	var frames []int
	for _, f := range slowest(all, 5, 2) {
		frames = append(frames, f.frame)
	}
	require.Equal(t, []int{7, 3, 30, 0, 1}, frames)
	require.Len(t, slowest(all[:2], 5, 2), 2)
	require.Empty(t, slowest(nil, 5, 2))
}

func TestLateness(t *testing.T) {
	call := func(step int32, from, to time.Duration) span {
		return span{step: step, start: from * ms, end: to * ms}
	}
	for name, c := range map[string]struct {
		lanes []lane // of two workers, and of a thread
		want  time.Duration
	}{
		"nothing": {make([]lane, 3), 0},
		"both at once": {[]lane{
			{recent: []span{call(0, 0, 2), call(0, 2, 4)}},
			{recent: []span{call(0, 0, 2), call(0, 2, 4)}}, {},
		}, 0},
		// The last range begins after 6 ms; until 5 the second worker is not there.
		"one comes late": {[]lane{
			{recent: []span{call(0, 0, 2), call(0, 2, 4), call(0, 4, 6), call(0, 6, 8)}},
			{recent: []span{call(0, 5, 7)}}, {},
		}, 5 * ms},
		// Nobody could have taken what somebody has.
		"one long range": {[]lane{{recent: []span{call(0, 0, 1), call(0, 1, 9)}},
			{recent: []span{call(0, 0, 1)}}, {}}, 0},
		"a single call": {[]lane{{recent: []span{call(0, 0, 9)}}, {}, {}}, 0},
		// The thread has the second processor.
		"no processor": {[]lane{
			{recent: []span{call(0, 0, 4), call(0, 4, 8)}}, {}, {recent: []span{call(1, 0, 8)}},
		}, 0},
		// Two workers are idle, and two processors have nothing to do, when the thread waits.
		"all idle": {[]lane{{recent: []span{call(0, 0, 1)}}, {}, {recent: []span{call(0, 3, 4)}}},
			1*ms + 2*2*ms},
		// A gap between two loops is nobody's fault.
		"between loops": {[]lane{{recent: []span{call(0, 0, 1), call(1, 5, 6)}},
			{recent: []span{call(0, 0, 1), call(1, 5, 6)}}, {}}, 0},
		// What is no step does not count as work.
		"whole frames": {[]lane{{recent: []span{call(0, 0, 2), call(0, 2, 4)}}, {},
			{recent: []span{call(9, 0, 8)}}}, 2 * ms},
	} {
		l := newLateness(2, 2, 2)
		require.Equal(t, c.want, l.of(c.lanes), name)
		require.Equal(t, c.want, l.of(c.lanes), "%s, again", name)
	}
}

func TestFieldsOfTheSystem(t *testing.T) {
	stat := []byte("cpu  1039152 2631 193346 2879275 3724 0 1030 2009 0 0")
	require.Equal(t, int64(1039152), field(stat, 2))
	require.Equal(t, int64(2009), field(stat, 9))
	require.Equal(t, int64(1683056), field([]byte("849363 1683056 2"), 1))
	require.Equal(t, int64(2), field([]byte("849363 1683056 2"), 2))
	for _, none := range []string{"", "x", "1 y"} {
		require.Zero(t, field([]byte(none), 1), none)
	}
}

func TestTailReport(t *testing.T) {
	sights := usualFrames(200)
	for f := range 4 { // two in a hundred
		sights[f].wall = 20 * ms
		sights[f].seen[causeSteal] = 10 * ms
	}
	sights[3].seen[causeSteal] = 0
	noise := []time.Duration{10 * ms, 12 * ms}
	r, rows := tailed(options{setting: scene.Mixed, workers: 2}, sights, noise, 2)
	require.Equal(t, 10.0, r.P50)
	require.Equal(t, 20.0, r.P99)
	require.Equal(t, 2.0, r.Ratio)
	require.Equal(t, 1.0, r.Noise)
	require.Equal(t, 4, r.Beyond)
	require.Equal(t, 0.25, r.Ours)
	require.Len(t, r.Slowest, tailSlowest)
	require.Equal(t, 10.0, r.Slowest[0].Parts["steal"])
	require.Equal(t, 10.0, r.Slowest[3].Parts["other"])
	text := strings.Join(rows, "\n")
	require.Contains(t, text, "At most 25 % of what the 4 slow frames took")
	require.Equal(t, "The tail is longer than the machine's own: p99 is 2.00 times the median, and "+
		"1.00 times for a fixed computation.", rows[len(rows)-1])
	_, rows = tailed(options{}, sights, []time.Duration{10 * ms, 10 * ms, 20 * ms}, 2)
	require.Equal(t, "The tail is the machine's: p99 is 2.00 times the median, and 2.00 times for a "+
		"fixed computation.", rows[len(rows)-1])
	_, rows = tailed(options{}, usualFrames(200), noise, 2)
	require.Equal(t, "The tail is short: 99 of 100 frames took at most 1.00 times the median.",
		rows[len(rows)-1])
	require.NotContains(t, strings.Join(rows, "\n"), "slow frames took")
	require.Regexp(t, `(?m)^ +0 +20\.00 +10\.00 +0\.00 +0\.00 +10\.00 +0\.00 +0\.00 +0\.00 +0\.00$`,
		text)
}

func TestTail(t *testing.T) {
	o := command(t, "-json", "-tail", "-frames", "25", "-size", "1", "-workers", "2")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	r := o.Report.Tail
	require.NotNil(t, r)
	require.Positive(t, r.P50)
	require.GreaterOrEqual(t, r.Max, r.P99)
	require.Positive(t, r.Noise)
	require.Len(t, r.Slowest, tailSlowest)
	for _, f := range r.Slowest {
		require.Len(t, f.Parts, int(causes))
		sum := 0.0
		for _, part := range f.Parts {
			sum += part
		}
		require.InDelta(t, f.Over, sum, 0.01)
	}
	o = command(t, "-tail", "-frames", "3", "-size", "1")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Contains(t, o.Stdout, "the machine itself")
	o = command(t, "-tail", "-trace", "x.json")
	require.Equal(t, cli.Failed, o.Status)
	require.Contains(t, o.Stderr, "-tail writes no files")
}
