package stuck

import (
	"fmt"
	"strings"
	"time"
)

// maxLines bounds the lines of a text that are about tasks.
const maxLines = 32

// String returns the summary, the first tasks, the cycles and the stacks as lines.
func (r *Report) String() string {
	var b strings.Builder
	b.WriteString("taskgraph: ")
	b.WriteString(r.summary())
	lines := min(len(r.Tasks), maxLines)
	for i := range lines {
		b.WriteString("\n  ")
		b.WriteString(r.line(i))
	}
	if more := len(r.Tasks) - lines + r.More; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	for _, c := range r.Cycles {
		b.WriteString("\n  cycle: ")
		b.WriteString(cycle(c))
	}
	for _, t := range r.Tasks {
		if t.Stack != "" {
			fmt.Fprintf(&b, "\n  %s is at\n    %s", t.Name,
				strings.ReplaceAll(t.Stack, "\n", "\n    "))
		}
	}
	return b.String()
}

func (r *Report) summary() string {
	all := len(r.Tasks) + r.More
	switch {
	case all == 0:
		return "nothing is incomplete"
	case r.Slow && all == 1:
		return "a body has been running for long"
	case r.Slow:
		return fmt.Sprintf("%d bodies have been running for long", all)
	case r.Stuck == 0:
		return fmt.Sprintf("nothing is stuck, %d incomplete", all)
	case r.Idle:
		return fmt.Sprintf("idle with %d incomplete", all)
	}
	return fmt.Sprintf("%d incomplete, of which %d are stuck", all, r.Stuck)
}

// Brief says in one line what the first tasks wait for, of a system in the given state for a cause
// or, if that is nil, for none.
func (r *Report) Brief(state string, cause error) string {
	const most = 8
	var b strings.Builder
	fmt.Fprintf(&b, "taskgraph: %s with %d incomplete", state, len(r.Tasks)+r.More)
	if cause != nil {
		fmt.Fprintf(&b, " (%v)", cause)
	}
	sep := ": "
	for i := range min(len(r.Tasks), most) {
		b.WriteString(sep)
		b.WriteString(r.line(i))
		sep = "; "
	}
	if more := len(r.Tasks) + r.More - most; more > 0 {
		fmt.Fprintf(&b, "; and %d more", more)
	}
	for _, c := range r.Cycles {
		fmt.Fprintf(&b, "; cycle: %s", cycle(c))
	}
	return b.String()
}

func cycle(names []string) string {
	return strings.Join(names, " waits for ") + " waits for " + names[0]
}

// line says what task i waits for, and why that does not come.
func (r *Report) line(i int) string {
	t := &r.Tasks[i]
	var b strings.Builder
	b.WriteString(t.Name)
	if t.Site != "" {
		how := "launched"
		if t.State == "unsubmitted" || strings.HasPrefix(t.Name, "event") {
			how = "made"
		}
		fmt.Fprintf(&b, " (%s at %s)", how, t.Site)
	}
	switch {
	case len(t.WaitsFor) > 0:
		b.WriteString(" waits for ")
		b.WriteString(r.awaited(t))
	case t.State == "ready" && t.Why == "":
		b.WriteString(" is queued")
	case t.State == "ready":
		b.WriteString(" is ready")
	case t.State == "waiting" && !t.stuck:
		b.WriteString(" may be about to begin")
	case t.State == "executing" && !t.stuck && t.Age > 0:
		fmt.Fprintf(&b, " has been running for %v", Rounded(t.Age))
	case t.State == "executing" && !t.stuck:
		b.WriteString(" runs")
	}
	if t.Why != "" {
		b.WriteString(": ")
		b.WriteString(t.Why)
	}
	return b.String()
}

// awaited names what t waits for, each with the reason why it does not come.
func (r *Report) awaited(t *Task) string {
	var all []string
	for k, name := range t.WaitsFor {
		if k < len(t.out) && t.out[k] >= 0 {
			if to := &r.Tasks[t.out[k]]; to.Why != "" {
				if len(t.WaitsFor) == 1 {
					name += ": " + to.Why
				} else {
					name += " (" + to.Why + ")"
				}
			}
		}
		all = append(all, name)
	}
	if t.more > 0 {
		all = append(all, fmt.Sprintf("%d more", t.more))
	}
	others, events := strings.Join(all[:t.others], " and "), all[t.others:]
	switch {
	case t.others > 0 && len(events) > 0 && t.any:
		return others + ", held by " + And(events)
	case t.others > 0 && len(events) > 0:
		return others + " and " + And(events)
	case t.others > 0:
		return others
	case t.any && len(events) > 1:
		return "one of " + And(events)
	}
	return And(events)
}

// And lists names.
func And(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Rounded drops digits that nobody reads.
func Rounded(d time.Duration) time.Duration {
	unit := time.Microsecond
	switch {
	case d > 10*time.Second:
		unit = time.Second
	case d > 10*time.Millisecond:
		unit = time.Millisecond
	}
	return d / unit * unit
}
