package frame

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/verdict"
	"github.com/heddle-go/heddle/taskgraph"
)

const (
	tailSlowest = 10  // frames that the table shows
	tailGoal    = 1.5 // times the median: the 99th percentile is to be less, if the machine lets it
)

// A tailReport is what -tail finds out, as JSON. Times are in milliseconds.
type tailReport struct {
	P50     float64      `json:"frame_ms_p50"`
	P99     float64      `json:"frame_ms_p99"`
	Max     float64      `json:"frame_ms_max"`
	Ratio   float64      `json:"p99_by_p50"`
	Noise   float64      `json:"noise_p99_by_p50"`
	Beyond  int          `json:"frames_beyond_goal"`
	Ours    float64      `json:"ours"` // of what the frames beyond the goal took beyond the median
	Slowest []tailRecord `json:"slowest"`
}

// A tailRecord is one of the slowest frames.
type tailRecord struct {
	Frame int                `json:"frame"`
	Time  float64            `json:"ms"`
	Over  float64            `json:"over_p50"`
	Parts map[string]float64 `json:"where"`
}

// A tail watches the frames of one order.
type tail struct {
	of     *contestant
	watch  *observer
	late   *lateness
	last   reading
	sights []sight
}

// frame looks at a frame that has been played.
func (t *tail) frame(f int) {
	now, lanes := t.watch.read(), t.of.rec.lanes
	steps := len(t.of.plan.steps)
	s := sight{frame: f, wall: t.of.times[len(t.of.times)-1]}
	s.seen[causeCollector] = now.collector - t.last.collector
	s.seen[causeSteal] = now.steal - t.last.steal
	s.seen[causeWaiting] = now.waiting
	s.seen[causeLoader] = laneTime(lanes, func(k int) bool { return k == steps+loading })
	s.seen[causeLonger] = laneTime(lanes, func(k int) bool { return k <= steps+betweenFrames })
	s.seen[causeLate] = t.late.of(lanes)
	t.sights = append(t.sights, s)
	t.of.rec.forget()
	t.last = t.watch.read()
}

// playTail plays frames in the order that the options name, and in turns with it has the machine
// itself measured.
func playTail(ctx context.Context, o options, show *cli.Progress,
	tell func(string)) (rep *tailReport, rows []string, err error) {
	crew, err := newCrew()
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, crew.close()) }()
	c, err := newSolo(o, crew, nil, taskgraph.Options{})
	if err != nil {
		return nil, nil, err
	}
	c.rec.remember(recentSpans)
	defer func() { err = errors.Join(err, c.play.close()) }()

	processors := runtime.GOMAXPROCS(0)
	t := &tail{of: c, watch: newObserver(),
		late:   newLateness(len(c.plan.steps), o.workers, processors),
		sights: make([]sight, 0, o.frames)}
	defer t.watch.close()
	c.played = t.frame
	defer show.Clear()
	var m *meter
	for from := 0; from < o.frames; from += sliceFrames {
		to := min(from+sliceFrames, o.frames)
		show.At(c.name, from, o.frames)
		if from < warmUp { // then nothing is allocated any more
			runtime.GC()
		}
		t.watch.look()
		t.last = t.watch.read()
		if err := c.slice(ctx, from, to, o.keepGoing); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.name, err)
		}
		if m == nil {
			m = newMeter(figures.Quantiles(c.times, 0.5)[0])
			m.times = make([]time.Duration, 0, o.frames)
		}
		for range to - from {
			m.sample()
		}
	}
	if c.failed > 0 {
		tell(fmt.Sprintf("%s: %d frames failed, the first with: %v", c.name, c.failed, c.failure))
	}
	if err := c.play.finish(); err != nil {
		return nil, nil, err
	}
	rep, rows = tailed(o, t.sights, m.times, processors)
	return rep, rows, nil
}

// tailed makes the report of what was seen.
func tailed(o options, sights []sight, noise []time.Duration,
	processors int) (r *tailReport, rows []string) {
	line := func(format string, args ...any) { rows = append(rows, fmt.Sprintf(format, args...)) }
	times := make([]time.Duration, len(sights))
	for i := range sights {
		times[i] = sights[i].wall
	}
	q, n := quantilesOf(times), quantilesOf(noise)
	r = &tailReport{P50: figures.MS(q.p50), P99: figures.MS(q.p99), Max: figures.MS(q.most),
		Ratio: figures.Ratio(q.p99, q.p50), Noise: figures.Ratio(n.p99, n.p50)}
	for _, d := range times {
		if float64(d) > tailGoal*float64(q.p50) {
			r.Beyond++
		}
	}
	line("%s of the scene %v (size %d, seed %d, physics order %s, %s on %s)",
		verdict.Count(len(sights), "frame"), o.setting, o.size, o.seed, o.physics,
		verdict.Count(o.workers, "worker"), verdict.Count(processors, "processor"))
	line("")
	line("%-24s %8s %8s %8s %9s  %s", "ms", "p50", "p99", "max", "p99/p50", "")
	line("%-24s %8.2f %8.2f %8.2f %9.2f  %s", "frames", r.P50, r.P99, r.Max, r.Ratio,
		fmt.Sprintf("%d take more than %.1f times the median", r.Beyond, tailGoal))
	line("%-24s %8.2f %8.2f %8.2f %9.2f  %s", "the machine itself", figures.MS(n.p50),
		figures.MS(n.p99), figures.MS(n.most), r.Noise,
		"a thread on each processor that repeats one fixed computation")
	line("")
	head := fmt.Sprintf("%8s %8s %8s ", "frame", "ms", "over p50")
	for _, name := range causeNames {
		head += fmt.Sprintf(" %9s", name)
	}
	line("the slowest frames, and where their time beyond the median went, ms")
	line("%s", head)
	var ours, whole time.Duration
	for i, f := range slowest(sights, max(r.Beyond, tailSlowest), processors) {
		if i < r.Beyond {
			whole += f.excess
			for c := range causes {
				if c.ours() {
					ours += f.parts[c]
				}
			}
		}
		if i >= tailSlowest {
			continue
		}
		record := tailRecord{Frame: f.frame, Time: figures.MS(f.wall), Over: figures.MS(f.excess),
			Parts: map[string]float64{}}
		text := fmt.Sprintf("%8d %8.2f %8.2f ", f.frame, record.Time, record.Over)
		for c, d := range f.parts {
			record.Parts[causeNames[c]] = figures.MS(d)
			text += fmt.Sprintf(" %9.2f", figures.MS(d))
		}
		r.Slowest = append(r.Slowest, record)
		line("%s", text)
	}
	r.Ours = figures.Ratio(ours, whole)
	line("")
	if r.Beyond > 0 {
		line("At most %.0f %% of what the %s took beyond the median is this program's own: the "+
			"columns", 100*r.Ours, verdict.Count(r.Beyond, "slow frame"))
		line("collector, loader, late, longer and other. Steal is the hypervisor's; waiting is " +
			"mostly caused by")
		line("other programs.")
	}
	switch {
	case r.Ratio <= tailGoal:
		line("The tail is short: 99 of 100 frames took at most %.2f times the median.", r.Ratio)
	case r.Noise >= r.Ratio:
		line("The tail is the machine's: p99 is %.2f times the median, and %.2f times for a fixed "+
			"computation.", r.Ratio, r.Noise)
	default:
		line("The tail is longer than the machine's own: p99 is %.2f times the median, and %.2f "+
			"times for a fixed computation.", r.Ratio, r.Noise)
	}
	return r, rows
}
