package modelcheck

import (
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"
)

// A row is a step of a traced execution, or a line of text.
type row struct {
	step    int
	thread  int
	ev      event
	a, b, r uint64
	pointer bool
	pcs     [24]uintptr
	text    string
}

//go:norace
func (e *Engine) record(t *thread, ev event, a, b, r uint64) {
	row := row{step: e.steps, thread: t.id, ev: ev, a: a, b: b, r: r}
	runtime.Callers(3, row.pcs[:])
	e.rows = append(e.rows, row)
}

//go:norace
func (e *Engine) recordText(t *thread, text string) {
	e.rows = append(e.rows, row{thread: t.id, text: text})
}

// columnWidth is the least width of a thread's column.
const columnWidth = 24

// render draws the rows, a column for each thread.
func (e *Engine) render() string {
	src := newSources(e.rows)
	cells := make([]string, len(e.rows))
	var width [MaxThreads]int
	for i := range e.rows {
		r := &e.rows[i]
		cells[i] = r.text
		if r.text == "" {
			cells[i] = src.describe(e, r)
		}
		width[r.thread] = max(width[r.thread], utf8.RuneCountInString(cells[i]), columnWidth)
	}
	var b strings.Builder
	b.WriteString("step")
	for t := range e.n {
		fmt.Fprintf(&b, "  %-*s", width[t], "thread "+name(t))
	}
	trim := strings.TrimRight(b.String(), " ")
	b.Reset()
	b.WriteString(trim + "\n")
	row := func(i int) {
		r := &e.rows[i]
		number := ""
		if r.text == "" {
			number = fmt.Sprint(r.step)
		}
		fmt.Fprintf(&b, "%4s", number)
		for t := range r.thread {
			b.WriteString(strings.Repeat(" ", 2+width[t]))
		}
		b.WriteString("  " + cells[i] + "\n")
	}
	shown, period := e.loop(cells)
	for i := range shown {
		if cut := shown - mostRows; cut > 0 && i >= mostRows/2 && i < mostRows/2+cut {
			if i == mostRows/2 {
				fmt.Fprintf(&b, "      ... %d rows are left out\n", cut)
			}
			continue
		}
		row(i)
	}
	if shown < len(cells) {
		fmt.Fprintf(&b, "      ... the last %d rows again and again, %d rows in all\n", period,
			len(cells))
	}
	return b.String()
}

// mostRows is how many rows a trace shows; those in the middle of a longer one are left out.
const mostRows = 400

// longestRound is how many rows a loop may have that a trace shows once.
const longestRound = 64

// loop returns how many rows there are up to where a trace only repeats its last rows, and how many
// rows those are.
func (e *Engine) loop(cells []string) (rows, period int) {
	for p := 1; p <= longestRound && 4*p <= len(cells); p++ {
		i := len(cells)
		for i > p && cells[i-1] == cells[i-1-p] && e.rows[i-1].thread == e.rows[i-1-p].thread {
			i--
		}
		if repeated := len(cells) - i; repeated >= 3*p {
			return i, p
		}
	}
	return len(cells), 0
}

// describe says what a step did, with the expression of the source: "top.Load() = 3 deque.go:120".
func (src *sources) describe(e *Engine, r *row) string {
	what, where := src.place(r)
	if what == "" {
		what = fmt.Sprintf("word%d", r.ev.word)
	}
	s := ""
	v := e.value(r)
	switch r.ev.op {
	case opLoad:
		s = fmt.Sprintf("%s.Load() = %s", what, v(r.r))
	case opStore:
		s = fmt.Sprintf("%s.Store(%s)", what, v(r.a))
	case opSwap:
		s = fmt.Sprintf("%s.Swap(%s) = %s", what, v(r.a), v(r.r))
	case opCAS:
		s = fmt.Sprintf("%s.CAS(%s, %s) ok", what, v(r.a), v(r.b))
	case opCASFailed:
		s = fmt.Sprintf("%s.CAS(%s, %s) failed", what, v(r.a), v(r.b))
	case opAdd:
		s = fmt.Sprintf("%s.Add(%s) = %s", what, v(r.a), v(r.r))
	case opAnd:
		s = fmt.Sprintf("%s.And(%s) was %s", what, v(r.a), v(r.r))
	case opOr:
		s = fmt.Sprintf("%s.Or(%s) was %s", what, v(r.a), v(r.r))
	case opWait:
		s = "waits on " + what
	case opWake:
		s = fmt.Sprintf("wakes %d on %s", r.r, what)
	case opWoken:
		s = "is awake"
	case opSpawn:
		s = "starts thread " + name(int(r.r))
	case opExpire:
		s = "gives up waiting"
	}
	return s + "  " + where
}

// value returns the formatter of the values of a row.
func (e *Engine) value(r *row) func(uint64) string {
	if r.pointer {
		return e.pointerName
	}
	return func(v uint64) string {
		switch {
		case v < 1<<20:
			return fmt.Sprint(v)
		case int64(v) < 0 && int64(v) > -1<<20 && r.ev.op != opAnd:
			return fmt.Sprint(int64(v))
		}
		return fmt.Sprintf("%#x", v)
	}
}

// pointerName names the pointers of a trace p1, p2, ... in the order of their appearance.
func (e *Engine) pointerName(v uint64) string {
	if v == 0 {
		return "nil"
	}
	n, seen := 0, map[uint64]bool{}
	for i := range e.rows {
		r := &e.rows[i]
		if !r.pointer {
			continue
		}
		for _, p := range []uint64{r.a, r.b, r.r} {
			if (r.ev.op == opCAS || r.ev.op == opCASFailed) && p == r.r {
				continue
			}
			if p != 0 && !seen[p] {
				seen[p] = true
				n++
				if p == v {
					return fmt.Sprintf("p%d", n)
				}
			}
		}
	}
	return fmt.Sprintf("%#x", v)
}
