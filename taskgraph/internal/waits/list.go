package waits

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

// A List has waits: those of the bodies of an event, or those of a thread, which lie on each other.
// The zero value has none.
type List struct{ first atomics.Pointer[Wait] }

// First returns the wait that came last, or nil. See Wait.Next.
func (l *List) First() *Wait { return l.first.Load() }

// Set has l have w and no other. It is for the only one who changes l.
func (l *List) Set(w *Wait) { l.first.Store(w) }

// Clear has l have none. It is for the only one who changes l.
func (l *List) Clear() {
	if l.first.Load() != nil {
		l.first.Store(nil)
	}
}

// Push puts w before the others. It is for the only one who changes l.
func (l *List) Push(w *Wait) {
	w.next = l.first.Load()
	l.first.Store(w)
}

// Pop takes out w, which was pushed last.
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

// End ends w, and takes it out if it was put in last; else the next one does that.
func (l *List) End(w *Wait) {
	if w.Events != nil {
		w.over.Store(true)
	} else {
		w.Hide()
	}
	l.first.CompareAndSwap(w, w.next)
}

// AppendTo appends what w is for to buf, one of those in l. It appends nothing if that begins or
// ends meanwhile: WS4.
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
	// If w is still in l, it was so before what was read was shown: it is taken out of a list
	// before it shows what it is for in another.
	if seq&1 != 0 || h.seq.Load() != seq || l.first.Load() != w {
		return buf[:known]
	}
	return buf
}
