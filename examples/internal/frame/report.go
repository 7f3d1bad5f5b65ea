package frame

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/internal/dev/verdict"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A report is what the command prints as JSON. Times are in milliseconds.
type report struct {
	Frames         int     `json:"frames"`
	Scene          string  `json:"scene"`
	Seed           uint64  `json:"seed"`
	Workers        int     `json:"workers"`
	FrameP50       float64 `json:"frame_ms_p50"`
	FrameP99       float64 `json:"frame_ms_p99"`
	SerialP50      float64 `json:"serial_ms_p50"`
	GoroutinesP50  float64 `json:"goroutines_ms_p50"`
	SplitP50       float64 `json:"split_ms_p50"`
	BarriersP50    float64 `json:"barriers_ms_p50"`
	Overlap        float64 `json:"overlap"`    // of the time that the shares of the work allow
	IdleSplit      float64 `json:"idle_split"` // of the processors' time, in the fastest quarter
	IdleBarriers   float64 `json:"idle_barriers"`
	Speedup        float64 `json:"speedup"`     // serial / parallel
	Parallelism    float64 `json:"parallelism"` // work / critical path
	AllocsPerFrame float64 `json:"allocs_per_frame"`
	GCCycles       uint32  `json:"gc_cycles"`
	DigestSerial   string  `json:"digest_serial"`
	DigestParallel string  `json:"digest_parallel"`
	DigestEqual    bool    `json:"digest_equal"`
	LagSplit       float64 `json:"lag_error_split"`
	LagLagged      float64 `json:"lag_error_lagged"`
	Files          int     `json:"files_read"` // of -dir, in the second of two passes
	ColdP50        float64 `json:"cold_read_ms_p50"`
	WarmP50        float64 `json:"warm_read_ms_p50"`
	LateFrames     int     `json:"late_frames"` // of both passes, that waited for a file
	Faults         int     `json:"file_faults"`

	Tail *tailReport `json:"tail,omitempty"` // with -tail, and then nothing else

	failed   int
	changed  string          // a file that was not the same for all
	rows     []string        // of the table
	end      []string        // what to conclude
	profiled *trace.Snapshot // for -profile; or nil
}

// quantiles are four of the times of frames.
type quantiles struct{ p50, p95, p99, most time.Duration }

func quantilesOf(times []time.Duration) quantiles {
	q := figures.Quantiles(times, 0.5, 0.95, 0.99, 1)
	return quantiles{q[0], q[1], q[2], q[3]}
}

// measured fills in the report from a run.
func (r *report) measured(o options, m *measurement) {
	serial, graph, plain := quantilesOf(m.serial.times), quantilesOf(m.graph.times),
		quantilesOf(m.goroutines.times)
	c := costOf(m.serial.plan, m.serial.rec)
	busy, _ := m.graph.rec.busy()

	r.Frames = len(m.graph.times)
	r.Overlap = figures.Ratio(m.overlap.beside, m.overlap.allowed)
	r.IdleSplit, r.IdleBarriers = m.idle[0].share(), m.idle[1].share()
	r.SplitP50, r.BarriersP50 = figures.MS(quantilesOf(m.split.times).p50),
		figures.MS(quantilesOf(m.orders[scene.Barriers].times).p50)
	r.FrameP50, r.FrameP99 = figures.MS(graph.p50), figures.MS(graph.p99)
	r.SerialP50, r.GoroutinesP50 = figures.MS(serial.p50), figures.MS(plain.p50)
	r.Speedup = figures.Ratio(serial.p50, graph.p50)
	r.Parallelism = m.serial.plan.parallelism(c)
	r.AllocsPerFrame, r.GCCycles = perFrame(m.graph.allocs, m.graph.counted), m.graph.gcs
	r.DigestSerial, r.DigestParallel = digest(m.serial), digest(m.graph)
	r.DigestEqual = r.DigestSerial == r.DigestParallel && digest(m.goroutines) == r.DigestSerial
	// Whatever the order, but that of Lagged is another state.
	split, barriers := digest(m.split), digest(m.orders[scene.Barriers])
	r.DigestEqual = r.DigestEqual && split == barriers &&
		(o.physics == scene.Lagged || split == r.DigestSerial)
	r.LagSplit, r.LagLagged = m.orders[scene.Split].world.lag.root(),
		m.orders[scene.Lagged].world.lag.root()
	for _, c := range m.all() {
		r.failed += c.failed
	}
	if m.cold != nil {
		r.DigestEqual = r.DigestEqual && digest(m.cold.c) == split && digest(m.warm.c) == split
		r.changed = m.changed()
		r.Files, r.Faults, r.LateFrames = m.warm.stats.Read, len(m.faults),
			m.cold.c.world.library.late+m.warm.c.world.library.late
		r.ColdP50, r.WarmP50 = figures.MS(figures.Quantiles(m.cold.stats.Times, 0.5)[0]),
			figures.MS(figures.Quantiles(m.warm.stats.Times, 0.5)[0])
		r.failed += m.cold.c.failed + m.warm.c.failed
	}

	line := func(format string, args ...any) {
		r.rows = append(r.rows, strings.TrimRight(fmt.Sprintf(format, args...), " "))
	}
	line("%s of the scene %v, played serially, with goroutines and with Heddle by turns",
		verdict.Count(r.Frames, "frame"), o.setting)
	line("(size %d, seed %d, physics order %s, %s on %s)", o.size, o.seed, o.physics,
		verdict.Count(o.workers, "worker"), verdict.Count(runtime.GOMAXPROCS(0), "processor"))
	if o.figures != "" {
		line("figures: %s", o.figures)
	}
	line("")
	line("%-24s %8s %8s %8s %8s", "time of a frame, ms", "p50", "p95", "p99", "max")
	times := func(name string, q quantiles, note string) {
		line("%-24s %8.2f %8.2f %8.2f %8.2f  %s", name, figures.MS(q.p50), figures.MS(q.p95),
			figures.MS(q.p99), figures.MS(q.most), note)
	}
	times("serial", serial, "one thread, one step after the other")
	times("goroutines", plain, "a goroutine for each step and part, WaitGroups")
	times("Heddle", graph, "a task graph and named threads")
	line("")
	each, all := m.serial.plan.shares(c)
	line("%-24s %8s %8s", "work of a serial frame", "ms", "share")
	for k, d := range each {
		line("%-24s %8.2f %6.0f %%  %s", workNames[k], figures.MS(d), percent(d, all), workNotes[k])
	}
	line("")
	line("%-24s %8s %8s %8s", "Heddle by physics order", "p50", "p99", "lag, m")
	for v, c := range m.orders {
		q := quantilesOf(c.times)
		line("%-24s %8.2f %8.2f %8.4f  %s", scene.Variant(v), figures.MS(q.p50), figures.MS(q.p99),
			c.world.lag.root(), orderNotes[v])
	}
	line("lag: how far dependents are drawn from where they belong, as a root mean square")
	line("")
	line("inside a frame of the order split")
	r.overlapped(line, m.overlap)
	if m.cold != nil {
		r.filesRead(line, o, m)
	}
	line("")
	line("all in all")
	value := func(name, value, note string) { line("%-24s %8s  %s", name, value, note) }
	value("speed-up", fmt.Sprintf("%.2f", r.Speedup), "serial / Heddle")
	value("parallelism", fmt.Sprintf("%.1f", r.Parallelism),
		"the most that the graph allows on any number of processors: work / critical path")
	value("utilisation", fmt.Sprintf("%.0f %%",
		100*float64(busy)/float64(max(m.graph.wall, 1))/float64(runtime.GOMAXPROCS(0))),
		"of the processors' time, while Heddle plays")
	if m.graph.counted > 0 {
		value("allocations", fmt.Sprintf("%.2f", r.AllocsPerFrame),
			fmt.Sprintf("a frame after the first %d, including the Go runtime's", warmUp))
		value("collections", fmt.Sprintf("%.3f", perFrame(uint64(r.GCCycles), m.graph.counted)),
			fmt.Sprintf("a frame by the garbage collector, after the first %d", warmUp))
	}
	value("kernel wakes", fmt.Sprintf("%.1f", perFrame(m.graph.wakes, r.Frames)),
		"a frame: workers that the kernel had to wake")
	value("swept objects", fmt.Sprint(m.graph.world.swept),
		"found unreachable by a parallel mark; a serial mark finds the same")
	if o.fps > 0 {
		value("missed deadlines", fmt.Sprint(m.graph.pace.missed),
			fmt.Sprintf("of %d, at %d frames a second", r.Frames, o.fps))
	}
	equal := "equal"
	if !r.DigestEqual {
		equal = "DIFFER"
	}
	of := "state and picture after the last frame, of all but the order lagged: "
	switch {
	case r.changed != "" && !r.DigestEqual:
		equal, of = "other", "files changed between two players' turns, "+r.changed+
			" among them, so the players saw different models: "
	case m.cold != nil:
		of = "state and picture after the last frame, of all but the order lagged, and of both " +
			"passes: "
	}
	value("digests", equal, of+r.DigestSerial)

	end := conclusion{frames: r.Frames, workers: o.workers, processors: runtime.GOMAXPROCS(0),
		serial: serial.p50, goroutines: plain.p50, heddle: graph.p50, serialP95: serial.p95,
		equal: r.DigestEqual}
	for v, c := range m.orders {
		if v := scene.Variant(v); v != o.physics {
			end.orders = append(end.orders, timed{v.String(), quantilesOf(c.times).p50})
		}
	}
	r.end = end.lines()
}

// orderNotes say what the orders are.
var orderNotes = [...]string{
	scene.Serial:   "inputs, simulation, dependents, unrelated objects in turn, each parallel in itself",
	scene.Lagged:   "dependents use the simulation of the frame before",
	scene.Split:    "unrelated objects beside the simulation, dependents island by island",
	scene.Barriers: "each class waits for the whole class before it, the picture for all",
}

// overlapped prints what ran beside what in the split frames, and what those with barriers cost.
func (r *report) overlapped(line func(format string, args ...any), v *overlap) {
	frames := time.Duration(max(v.frames, 1))
	ms := func(d time.Duration) float64 { return figures.MS(d / frames) }
	line("%-24s %6.0f %%  %s", "overlap", 100*r.Overlap, fmt.Sprintf(
		"unrelated objects ran during %.2f of the simulation's %.2f ms; the most possible is %.2f",
		ms(v.beside), ms(v.sim), ms(v.allowed)))
	wait, barred := figures.Quantiles(v.waits, 0.5, 0.95), figures.Quantiles(v.barred, 0.5, 0.95)
	line("%-24s %8.3f  %s", "dependents wait, ms", figures.MS(wait[0]), fmt.Sprintf(
		"from the end of their island to their start, p50 (p95 %.3f)", figures.MS(wait[1])))
	line("%-24s %8.3f  %s", "for all islands, ms", figures.MS(barred[0]), fmt.Sprintf(
		"what that wait would be if they waited for all islands, p50 (p95 %.3f)",
		figures.MS(barred[1])))
	line("%-24s %6.0f %%  %s", "begin early", 100*ratio(v.early, v.all), fmt.Sprintf(
		"of %.0f dependents a frame start before the last island is solved; %.0f %% could",
		ratio(v.all, v.frames), 100*ratio(v.behind, v.all)))
	line("%-24s %6.0f %%  %s", "on the island's worker", 100*ratio(v.own, v.all),
		"of the dependents run on the worker that solved their island")
	line("%-24s %8.0f  %s", "object tasks", ratio(v.fine, v.frames),
		"a frame: the worker that solved an object's island launches that object's task")
	line("%-24s %8.1f  %s", "put off", ratio(v.putOff(), v.frames),
		"of these object tasks had to wait for something else as well")
	line("%-24s %8.2f  %s", "barriers", r.BarriersP50/max(r.SplitP50, 1e-3),
		"times as long as split takes a frame in the order barriers")
	line("%-24s %6.0f %%  %s", "idle", 100*r.IdleSplit, fmt.Sprintf(
		"of the processors' time in the fastest quarter of the frames; with barriers %.0f %%",
		100*r.IdleBarriers))
}

func ratio(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

// bad reports whether something is not as it should be. A player that read other files than the
// rest has another state, which is no fault.
func (r *report) bad() bool {
	return !r.DigestEqual && r.changed == "" || r.failed > 0 || r.LagSplit != 0
}

// table prints the report for a person.
func (r *report) table(w io.Writer) { fmt.Fprintln(w, strings.Join(r.rows, "\n")) }

// conclude prints what to conclude from it.
func (r *report) conclude(w io.Writer) { fmt.Fprintf(w, "\n%s\n", strings.Join(r.end, "\n")) }

func digest(c *contestant) string { return fmt.Sprintf("%016x", c.world.shot().sum()) }

func perFrame(n uint64, frames int) float64 {
	if frames == 0 {
		return 0
	}
	return figures.Round(float64(n) / float64(frames))
}
