package waits

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

// A List has the waits of the bodies of an event, or the nested waits of a thread. The zero value
// has none.
type List struct{ first atomics.Pointer[Wait] }

// First returns the wait that came last, or nil. See Wait.Next.
func (l *List) First() *Wait { return l.first.Load() }

// Set makes w the only wait of l. Only one goroutine may change l.
func (l *List) Set(w *Wait) { l.first.Store(w) }

// Clear empties l. Only one goroutine may change l.
func (l *List) Clear() {
	if l.first.Load() != nil {
		l.first.Store(nil)
	}
}

// Push puts w before the others. Only one goroutine may change l.
func (l *List) Push(w *Wait) {
	w.next = l.first.Load()
	l.first.Store(w)
}

// Pop takes out w, the wait that was pushed last.
func (l *List) Pop(w *Wait) { l.first.Store(w.next) }

// Add puts w, which has Events, before the others. Anybody may call it.
func (l *List) Add(w *Wait) {
	for {
		first := l.first.Load()
		w.next = first
		for w.next != nil && w.next.over.Load() {
			w.next = w.next.next
		}
		if l.first.CompareAndSwap(first, w) {
			return
		}
	}
}

// End ends w, and takes it out if it was put in last; otherwise a later End does that.
func (l *List) End(w *Wait) {
	if w.Events != nil {
		w.over.Store(true)
	} else {
		w.Hide()
	}
	l.first.CompareAndSwap(w, w.next)
}

// AppendTo appends the events of w, which is in l, to buf. It appends nothing if w begins or ends
// meanwhile: WS4.
func (l *List) AppendTo(w *Wait, s *graphevent.Store, buf []graphevent.Event) []graphevent.Event {
	if w.Events != nil {
		if w.over.Load() {
			return buf
		}
		return append(buf, w.Events...)
	}
	h, known := &w.shown, len(buf)
	seq := h.seq.Load()
	buf = h.appendTo(s, h.n.Load(), buf)
	// If w is still in l, it showed these events in l: it leaves one list before it shows its
	// events in another.
	if seq&1 != 0 || h.seq.Load() != seq || l.first.Load() != w {
		return buf[:known]
	}
	return buf
}
