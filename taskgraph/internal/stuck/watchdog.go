package stuck

import (
	"slices"
	"strings"
	"time"

	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
)

// A Watchdog decides what is reported without being asked: only what lasts, and only once. A B is a
// body. It belongs to one goroutine, which looks from time to time.
type Watchdog[B comparable] struct {
	still      Standstill[uint64]
	last, told string     // what the last look found, and what was reported last
	slow       map[B]bool // bodies that were reported
}

// IsDue says whether the system is idle at a moment, with a stamp that changes whenever something
// runs, and reports whether it has been so for long enough to look at what is stuck.
func (w *Watchdog[B]) IsDue(now int64, idle bool, stamp uint64, after time.Duration) bool {
	age, moved := w.still.Look(now, idle, stamp)
	if moved {
		w.last = ""
		if idle {
			w.told = ""
		}
		return false
	}
	return age >= int64(after)
}

// IsNews is called when it is due with what is stuck, or with "" for nothing, and says whether to
// report that: two looks after each other have found it, and it was not reported last.
func (w *Watchdog[B]) IsNews(what string) bool {
	news := what != "" && what == w.last && what != w.told
	if w.last = what; news {
		w.told = what
	}
	return news
}

// Fresh is called with the bodies that have run for too long, and with all others that are not
// over: one that waits may go on later. It returns those of the slow ones that it has not returned
// before.
func (w *Watchdog[B]) Fresh(slow, others []B) (fresh []B) {
	seen := map[B]bool{}
	for _, b := range others {
		if w.slow[b] {
			seen[b] = true
		}
	}
	for _, b := range slow {
		seen[b] = true
		if !w.slow[b] {
			fresh = append(fresh, b)
		}
	}
	w.slow = seen
	return fresh
}

// Key says what is stuck, without details that change with time. It is "" if nothing waits for
// that: an untriggered event for which nobody waits is not worth a report.
func (r *Report) Key() string {
	stuck := r.Tasks[:r.Stuck]
	if !slices.ContainsFunc(stuck, func(t Task) bool { return t.State != "untriggered" }) {
		return ""
	}
	var b strings.Builder
	for i := range stuck {
		b.WriteString(stuck[i].Name)
		b.WriteByte('\n')
	}
	return b.String()
}

// A Body is one that has run for too long.
type Body struct {
	Name, Site string
	Age        time.Duration
	GID        uint64 // of its goroutine
}

// Slow returns the report of such bodies, with where they are.
func Slow(bodies []Body) *Report {
	r := &Report{Slow: true}
	r.More = max(0, len(bodies)-MaxTasks)
	bodies = bodies[:len(bodies)-r.More]
	ids := map[uint64]bool{}
	for _, b := range bodies {
		ids[b.GID] = true
	}
	stacks := goroutine.Stacks(ids)
	for _, b := range bodies {
		r.Tasks = append(r.Tasks, Task{Name: b.Name, Site: b.Site, State: "executing", Age: b.Age,
			Stack: stacks[b.GID]})
	}
	return r
}
