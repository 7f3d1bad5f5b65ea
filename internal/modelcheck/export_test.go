package modelcheck

import "time"

// SetPatience changes how long an execution may take; the result undoes it.
func SetPatience(d time.Duration) (undo func()) {
	old := patience
	patience = d
	return func() { patience = old }
}

// FormatSchedule and ParseSchedule write and read schedules.
var (
	FormatSchedule = formatSchedule
	ParseSchedule  = parseSchedule
)

// ChoiceMark and FreezeMark are what a schedule is made of beside threads.
const (
	ChoiceMark = choiceMark
	FreezeMark = freezeMark
)

// A Recording notes the executions of another explorer by what each thread did to which word,
// and what writes it saw: the trace to which the execution belongs.
type Recording struct {
	Explorer
	Seen    map[string]bool
	threads [MaxThreads][]byte
	version [256]byte // writes to each word so far
}

func (x *Recording) begin(e *Engine) {
	x.Explorer.begin(e)
	x.version = [256]byte{}
	for i := range x.threads {
		x.threads[i] = x.threads[i][:0]
	}
}

//go:norace
func (x *Recording) did(e *Engine, t *thread, ev event) {
	x.Explorer.did(e, t, ev)
	w := ev.word
	if ev.flags&flagWrite != 0 {
		x.version[w]++
	}
	x.threads[t.id] = append(x.threads[t.id], byte(ev.op), x.version[w])
}

func (x *Recording) end(e *Engine) bool {
	s := ""
	for _, th := range x.threads {
		s += string(th) + "|"
	}
	x.Seen[s] = true
	return x.Explorer.end(e)
}

// Roll draws a number as a delay does.
func Roll() uint32 { return roll() }
