package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// How many lines of a kind a text has.
const (
	mostSteps = 15
	mostNames = 20
)

// Text writes a report for a terminal, at most 100 columns wide: work and span, the critical path,
// what takes the time, what lanes did, why workers were idle, delays, and what other numbers of
// workers would bring.
func Text(w io.Writer, r *profile.Report) error {
	t := &text{bufio.NewWriter(w), r}
	t.summary()
	t.path()
	t.names()
	t.lanes()
	t.delays()
	t.prediction()
	return t.Flush()
}

type text struct {
	*bufio.Writer
	r *profile.Report
}

func (t *text) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

func (t *text) summary() {
	r := t.r
	t.line("work %s, span %s, parallelism %.2f", short(r.Work), short(r.Span), r.Parallelism())
	t.line("%s of %s in use, %d workers, utilisation %.0f %%", short(r.Active), short(r.To-r.From),
		r.Workers, 100*r.Utilization())
	if r.Phases > 1 {
		t.line("%d phases, each launched when all before it was complete", r.Phases)
	}
	if r.Blocked > 0 {
		t.line("blocked in bodies: %s", short(r.Blocked))
	}
	if m := r.Missing; m != (profile.Missing{}) {
		t.line("missing: %d records overwritten, %d beginnings and ends of bodies, %d circles", m.Lost,
			m.Cut, m.Circles)
	}
}

// path lists the steps of the critical path, those of the same name after each other as one.
func (t *text) path() {
	if len(t.r.Path) == 0 {
		return
	}
	type step struct {
		name  string
		count int
		time  time.Duration
		share float64
	}
	var steps []step
	for _, s := range t.r.Path {
		name := fullName(s.Graph, taskName(s.Task, s.Name))
		if n := len(steps); n == 0 || steps[n-1].name != name {
			steps = append(steps, step{name: name})
		}
		last := &steps[len(steps)-1]
		last.count++
		last.time += s.Time
		last.share += s.Share
	}
	t.line("\nCritical path")
	for i, s := range steps {
		if i == mostSteps {
			t.line("  … and %d more", len(steps)-i)
			break
		}
		name := s.name
		if s.count > 1 {
			name = fmt.Sprintf("%d × %s", s.count, s.name)
		}
		t.line("  %s %9s %5.1f %%", column(name, 52), short(s.time), 100*s.share)
	}
}

func fullName(graph, name string) string {
	if graph == "" {
		return name
	}
	return graph + ": " + name
}

// column makes a text of names as wide as a column.
func column(s string, wide int) string {
	s = cut(plain(s), wide)
	return s + strings.Repeat(" ", max(0, wide-utf8.RuneCountInString(s)))
}

func (t *text) names() {
	if len(t.r.Names) == 0 {
		return
	}
	t.line("\n%s %7s %9s %6s %9s %9s %8s %9s", column("Tasks", 33), "count", "total", "work",
		"p50", "p99", "slack", "gain")
	for i, n := range t.r.Names {
		if i == mostNames {
			t.line("  … and %d more", len(t.r.Names)-i)
			return
		}
		name := fullName(n.Graph, cmp.Or(n.Name, "(no name)"))
		t.line("  %s %7d %9s %4.0f %% %9s %9s %8s %9s", column(name, 31), n.Count, short(n.Total),
			100*n.Share,
			short(n.P50), short(n.P99), some(n.Slack), some(n.Gain))
	}
	t.line("gain: by how much the span is shorter if they take no time; slack: the least of them")
}

func (t *text) lanes() {
	if len(t.r.Lanes) == 0 {
		return
	}
	t.line("\n%s %7s %5s %9s %9s %9s %9s %9s %9s", column("Lanes", 24), "bodies", "busy",
		"nothing", "not woken", "waking", "searching", "waiting", "blocked")
	for _, l := range t.r.Lanes {
		switch l.Kind {
		case trace.LaneOutside:
			t.line("  %s %7d", column(l.Name, 22), l.Bodies)
		case trace.LaneSpare:
			t.line("  %s %7d %3.0f %%", column(l.Name, 22), l.Bodies, 100*l.Utilization())
		default:
			t.line("  %s %7d %3.0f %% %s", column(l.Name, 22), l.Bodies, 100*l.Utilization(),
				idle(l.Idle))
		}
	}
	t.line("  %s %7s %5s %s", column("workers idle", 22), "", "", idle(t.r.Idle))
}

func idle(i profile.Idle) string {
	return fmt.Sprintf("%9s %9s %9s %9s %9s %9s", some(i.NothingReady), some(i.NotWoken),
		some(i.Waking), some(i.Searching), some(i.Waiting), some(i.Blocked))
}

// some writes a time, and nothing for none.
func some(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return short(d)
}

func (t *text) delays() {
	if len(t.r.Queued) == 0 {
		return
	}
	t.line("\n%s %7s %9s %9s %9s", column("Delays", 33), "count", "p50", "p99", "max")
	for _, d := range t.r.Queued {
		name := "ready to begin"
		if d.Priority != "" {
			name += ", " + d.Priority
		}
		t.delay(name, d)
	}
	t.delay("launch to ready", t.r.Waited)
}

func (t *text) delay(name string, d profile.Delay) {
	t.line("  %s %7d %9s %9s %9s", column(name, 31), d.Count, short(d.P50), short(d.P99),
		short(d.Max))
}

func (t *text) prediction() {
	if t.r.Work == 0 {
		return
	}
	p := t.r.Predict()
	t.line("\n%s %9s %9s %10s %12s", column("On workers", 10), "time", "speedup", "efficiency",
		"lower bound")
	for _, point := range p.Points {
		t.line("  %8d %9s %9.2f %8.0f %% %12s", point.Workers, short(point.Time), point.Speedup,
			100*point.Efficiency, short(point.Lower))
	}
	t.line("up to %d with an efficiency of 90 %%; from %d on the span binds", p.Scales, p.SpanBinds)
}
