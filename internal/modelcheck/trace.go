package modelcheck

import (
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"
)

// A rowKind says what a row of a trace is.
type rowKind uint8

const (
	rowStep      rowKind = iota // a step that was carried out
	rowNote                     // what the model says of it
	rowPreempted                // another thread moves, though this one could go on
	rowSpins                    // another thread moves, because this one would see the same again
	rowSuspended                // the thread stands still from here on
	rowEnds                     // the thread is done
	rowStays                    // what the thread would do if the execution could go on
	rowFails                    // what is wrong
	rowGap                      // rows that are left out
)

// A form is how the values of a word are written.
type form uint8

const (
	formNumber form = iota
	formBool
	formPointer
)

// A stack is where a thread was, from the innermost call out.
type stack [24]uintptr

// A row is a step of a traced execution, or what happened between two steps.
type row struct {
	kind    rowKind
	step    int
	thread  int // -1: none, after all threads
	ev      event
	a, b, r uint64
	form    form
	pcs     stack
	text    string
}

// foundOther is the second value of a wait that found another value than it was to wait for.
const foundOther = 1

//go:norace
func (e *Engine) record(t *thread, ev event, a, b, r uint64) {
	e.rows = append(e.rows, row{step: e.steps, thread: t.id, ev: ev, a: a, b: b, r: r, pcs: t.pcs})
}

//go:norace
func (e *Engine) recordText(t *thread, text string) {
	e.rows = append(e.rows, row{kind: rowNote, thread: t.id, text: text})
}

// recordMark records what happens to a thread between two steps.
//
//go:norace
func (e *Engine) recordMark(kind rowKind, t *thread) {
	r := row{kind: kind, thread: t.id}
	if kind == rowPreempted || kind == rowStays {
		r.ev, r.pcs = t.pend, t.pcs
		if t.waited {
			r.text = "waits"
		}
	}
	e.rows = append(e.rows, r)
}

// recordFailure records why the execution ends, and where the threads are that cannot.
//
//go:norace
func (e *Engine) recordFailure() {
	r := row{kind: rowFails, thread: -1, text: e.failure.Kind.brief(e.failure.Text)}
	switch e.failure.Kind {
	case KindDeadlock, KindLivelock, KindBlocking:
		for _, t := range e.threads[:e.n] {
			if e.live&t.bit != 0 {
				e.recordMark(rowStays, t)
			}
		}
	default:
		if t := active; t != nil {
			r.thread = t.id
		}
		runtime.Callers(2, r.pcs[:])
	}
	e.rows = append(e.rows, r)
}

// look returns what a word holds, for the trace alone: without a trace it does not look, and the
// race detector must not take it for a step, which would order threads.
//
//go:norace
func (t *thread) look(load func() uint64) (v uint64) {
	if t.e.tracing && !t.unwinding {
		hideSync()
		v = load()
		showSync()
	}
	return v
}

// mark says how the values of the step that was recorded last are written.
//
//go:norace
func (t *thread) mark(f form) {
	e := t.e
	if !e.tracing || t.unwinding {
		return
	}
	for i := len(e.rows) - 1; i >= 0; i-- { // that the thread stands still may come after it
		if e.rows[i].kind == rowStep {
			e.rows[i].form = f
			return
		}
	}
}

// A line is a row as a reader sees it.
type line struct {
	kind   rowKind
	step   int // 0: the line is no step
	thread int
	what   string // the operation, in the words of the source, or what happens
	word   string // the number of the word
	value  string // what the word held and holds, if that is not said yet
	where  string // file and line
}

// mostRows is how many rows a trace shows; those in the middle of a longer one are left out.
const mostRows = 400

// longestRound is how many rows a loop may have that a trace shows once.
const longestRound = 64

// tell returns the recorded execution line by line. What an endless loop repeats comes once.
func (e *Engine) tell() []line {
	src := newSources(e.rows)
	names := pointerNames(e.rows)
	lines := make([]line, len(e.rows))
	steps := 0 // up to the last
	for i := range e.rows {
		lines[i] = src.describe(&e.rows[i], names)
		if lines[i].step > 0 {
			steps = i + 1
		}
	}
	end := lines[steps:]
	shown, period := loop(lines[:steps])
	told := make([]line, 0, min(shown, mostRows)+len(end)+2)
	gap := func(format string, args ...any) {
		told = append(told, line{kind: rowGap, thread: -1, what: fmt.Sprintf(format, args...)})
	}
	if cut := shown - mostRows; cut > 0 {
		told = append(told, lines[:mostRows/2]...)
		gap("... %d rows are left out", cut)
		told = append(told, lines[mostRows/2+cut:shown]...)
	} else {
		told = append(told, lines[:shown]...)
	}
	if shown < steps {
		gap("... the last %d rows again and again, %d rows in all", period, steps)
	}
	return append(told, end...)
}

// loop returns how many lines there are up to where they only repeat the last ones, and how many
// those are.
func loop(lines []line) (shown, period int) {
	same := func(a, b line) bool {
		a.step, b.step = 0, 0
		return a == b
	}
	for p := 1; p <= longestRound && 4*p <= len(lines); p++ {
		i := len(lines)
		for i > p && same(lines[i-1], lines[i-1-p]) {
			i--
		}
		if repeated := len(lines) - i; repeated >= 3*p {
			return i, p
		}
	}
	return len(lines), 0
}

// story writes the lines of a failure as a table. Time runs down; each thread has a lane of its
// own in the second column.
func (f *Failure) story() string {
	width := func(least string, of func(l *line) string) int {
		n := utf8.RuneCountInString(least)
		for i := range f.lines {
			if f.lines[i].aligned() {
				n = max(n, utf8.RuneCountInString(of(&f.lines[i])))
			}
		}
		return n
	}
	lanes := max(len("thread"), 2*f.threads-1)
	what := width("operation", func(l *line) string { return l.what })
	word := width("word", func(l *line) string { return l.word })
	value := width("value", func(l *line) string { return l.value })
	var b strings.Builder
	row := func(step, lane, does, on, holds, where string) {
		text := fmt.Sprintf("%4s  %-*s  %-*s  %*s  %-*s  %s", step, lanes, lane, what, does, word,
			on, value, holds, where)
		b.WriteString(strings.TrimRight(text, " "))
		b.WriteByte('\n')
	}
	row("step", "thread", "operation", "word", "value", "source")
	for i := range f.lines {
		l := &f.lines[i]
		step, lane := "", ""
		if l.step > 0 {
			step = fmt.Sprint(l.step)
		}
		if l.thread >= 0 {
			lane = strings.Repeat("  ", l.thread) + name(l.thread)
		}
		if l.aligned() {
			row(step, lane, l.what, l.word, l.value, l.where)
		} else {
			text := fmt.Sprintf("%4s  %-*s  %s  %s", step, lanes, lane, l.what, l.where)
			b.WriteString(strings.TrimRight(text, " ") + "\n")
		}
	}
	return b.String()
}

// aligned reports whether a line keeps to the columns of the table.
func (l *line) aligned() bool { return l.kind != rowFails && l.kind != rowGap }

// describe says what a row is, with the expression of the source.
func (src *sources) describe(r *row, pointers map[uint64]string) line {
	l := line{kind: r.kind, thread: r.thread}
	what, where := src.place(r)
	l.where = where
	switch r.kind {
	case rowStep:
		l.step = r.step
		l.what, l.value = r.operation(what, r.formatter(pointers))
	case rowNote:
		l.what = r.text
	case rowPreempted:
		l.what = "-- preempted before " + r.announced(what)
	case rowSpins:
		l.what = "-- spins: nothing new to see"
	case rowSuspended:
		l.what = "-- stands still for ever"
	case rowEnds:
		l.what = "-- ends"
	case rowStays:
		l.what = "-- does not get to " + r.announced(what)
	case rowFails:
		l.what = "-- fails: " + r.text
	}
	if r.ev.word != 0 && r.ev.op != opSpawn {
		l.word = fmt.Sprint(r.ev.word)
	}
	return l
}

// announced names the step that a thread is about to make.
func (r *row) announced(what string) string {
	switch o := r.ev.op; {
	case r.text != "":
		return "the end of its wait on " + what
	case o == opWait:
		return "its wait on " + what
	case o == opWake:
		return "its wake on " + what
	case o == opSpawn:
		return "the start of a thread"
	case methods[o] != "":
		return what + strings.TrimSuffix(methods[o], "(")
	}
	return "its " + r.ev.op.verb()
}

// operation says what a step did, as in "top.Load() = 3", and if it could write, what that did to
// the word.
func (r *row) operation(what string, v func(uint64) string) (does, value string) {
	from := func(old, now uint64) string { return v(old) + " -> " + v(now) }
	switch r.ev.op {
	case opLoad:
		if r.b == foundOther {
			return "does not wait on " + what, fmt.Sprintf("is %s, not %s", v(r.r), v(r.a))
		}
		return fmt.Sprintf("%s.Load() = %s", what, v(r.r)), ""
	case opStore:
		return fmt.Sprintf("%s.Store(%s)", what, v(r.a)), from(r.b, r.a)
	case opSwap:
		return fmt.Sprintf("%s.Swap(%s) = %s", what, v(r.a), v(r.r)), from(r.r, r.a)
	case opCAS:
		return fmt.Sprintf("%s.CAS(%s, %s) ok", what, v(r.a), v(r.b)), from(r.a, r.b)
	case opCASFailed:
		return fmt.Sprintf("%s.CAS(%s, %s) failed", what, v(r.a), v(r.b)), "is " + v(r.r)
	case opAdd:
		return fmt.Sprintf("%s.Add(%s) = %s", what, v(r.a), v(r.r)), from(r.b, r.r)
	case opAnd:
		return fmt.Sprintf("%s.And(%s) was %s", what, v(r.a), v(r.r)), from(r.r, r.r&r.a)
	case opOr:
		return fmt.Sprintf("%s.Or(%s) was %s", what, v(r.a), v(r.r)), from(r.r, r.r|r.a)
	case opWait:
		return "waits on " + what, "is " + v(r.r)
	case opWake:
		return fmt.Sprintf("wakes %d on %s", r.r, what), ""
	case opWoken:
		return "is awake", ""
	case opSpawn:
		return "starts thread " + name(int(r.r)), ""
	case opExpire:
		return "gives up waiting", ""
	}
	return r.ev.op.verb(), ""
}

// formatter returns what writes the values of a row.
func (r *row) formatter(pointers map[uint64]string) func(uint64) string {
	switch r.form {
	case formPointer:
		return func(v uint64) string { return pointers[v] }
	case formBool:
		return func(v uint64) string { return fmt.Sprint(v != 0) }
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

// pointerNames names the pointers of a trace p1, p2, ... in the order of their appearance, what a
// word held before what it holds.
func pointerNames(rows []row) map[uint64]string {
	names := map[uint64]string{0: "nil"}
	for i := range rows {
		r := &rows[i]
		if r.form != formPointer {
			continue
		}
		seen := []uint64{r.a, r.b, r.r}
		if r.ev.op == opStore {
			seen = []uint64{r.b, r.a}
		} else if r.ev.op == opSwap {
			seen = []uint64{r.r, r.a}
		} else if r.ev.op == opCAS {
			seen = []uint64{r.a, r.b}
		}
		for _, p := range seen {
			if names[p] == "" {
				names[p] = fmt.Sprintf("p%d", len(names))
			}
		}
	}
	return names
}
