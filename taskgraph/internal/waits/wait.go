package waits

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

// A Wait says that a body, or a goroutine from outside, waits. Either it has Events and is
// published with them, once: then only over changes. Or it is used again and again, by one
// goroutine at a time, which shows and hides events.
type Wait struct {
	Events []graphevent.Event // what it waits for, if that is not shown
	Below  []graphevent.Event // the last tasks on whose stack the waiting body runs
	End    func()             // makes the wait look again whether it is over
	next   *Wait              // in its List
	over   atomics.Bool       // for a wait with Events: it has ended

	GID   atomics.Uint64 // of the goroutine, if that is known
	shown shown
}

const (
	few  = 4  // events that a wait shows without memory of its own
	more = 60 // further events that it can show

	MostEvents = few + more
	MostBelow  = 8 // tasks below
)

// A shown has events by their references. Its owner writes it when the wait begins and when it is
// over; seq is odd while it writes.
type shown struct {
	seq   atomics.Uint64
	n     atomics.Uint32 // incomplete events; 0: no wait
	alien atomics.Bool   // some are not of the system
	on    [few]atomics.Uint64
	more  atomics.Pointer[[more]atomics.Uint64]
	under atomics.Uint32 // tasks below
	below [MostBelow]atomics.Uint64
}

// A Seen is a wait as another goroutine sees it.
type Seen struct {
	Events []graphevent.Event
	More   int  // events that are not in Events
	Alien  bool // it also waits for something of another system
	Below  []graphevent.Event
	GID    uint64
}

// Ref returns a reference to e in its store. It is not 0.
func Ref(e graphevent.Event) uint64 { return e.Generation()<<32 | uint64(e.Node()) }

// EventOf returns the event of s that ref refers to.
func EventOf(s *graphevent.Store, ref uint64) graphevent.Event {
	return s.EventOf(ref>>32, graphevent.Node(uint32(ref)))
}

// Show shows the incomplete events of the store among events, and the references of up to MostBelow
// tasks on whose stack the wait is, where 0 is a body without a task: WS1.
func (w *Wait) Show(s *graphevent.Store, events []graphevent.Event, below []uint64) {
	h := &w.shown
	h.seq.Add(1)
	n, alien := uint32(0), false
	for _, e := range events {
		switch {
		case e.IsComplete():
		case e.Store() != s:
			alien = true
		case n < few:
			h.on[n].Store(Ref(e))
			n++
		default:
			if i := n - few; i < more {
				m := h.more.Load()
				if m == nil {
					m = new([more]atomics.Uint64)
					h.more.Store(m)
				}
				m[i].Store(Ref(e))
			}
			n++
		}
	}
	if alien != h.alien.Load() {
		h.alien.Store(alien)
	}
	for i, ref := range below {
		h.below[i].Store(ref)
	}
	if h.under.Load() != uint32(len(below)) {
		h.under.Store(uint32(len(below)))
	}
	h.n.Store(n)
	h.seq.Add(1)
}

// Hide ends what Show began: WS2.
func (w *Wait) Hide() {
	h := &w.shown
	h.seq.Add(1)
	h.n.Store(0)
	if h.alien.Load() {
		h.alien.Store(false)
	}
	h.seq.Add(1)
}

// GiveUp ends a wait that has Events, and reports false if it had ended before.
func (w *Wait) GiveUp() bool { return w.over.CompareAndSwap(false, true) }

// Next returns the wait after w in its list.
func (w *Wait) Next() *Wait { return w.next }

// Look returns what the wait is for, in a system with this store, and reports false if it is for
// nothing at this moment: WS3. Anybody may call it.
func (w *Wait) Look(s *graphevent.Store) (seen Seen, ok bool) {
	seen.GID = w.GID.Load()
	if w.Events != nil {
		if w.over.Load() {
			return seen, false
		}
		for _, e := range w.Events {
			switch {
			case e.IsComplete():
			case e.Store() != s:
				seen.Alien = true
			default:
				seen.Events = append(seen.Events, e)
			}
		}
		seen.Below = w.Below
		return seen, true
	}
	h := &w.shown
	seq := h.seq.Load()
	n := h.n.Load()
	seen.Alien = h.alien.Load()
	seen.Events = h.appendTo(s, n, nil)
	for i := range h.under.Load() {
		if ref := h.below[i].Load(); ref != 0 {
			seen.Below = append(seen.Below, EventOf(s, ref))
		}
	}
	if seq&1 != 0 || h.seq.Load() != seq || n == 0 && !seen.Alien {
		return Seen{}, false
	}
	seen.More = int(n) - len(seen.Events)
	return seen, true
}

// appendTo appends the first n events to buf.
func (h *shown) appendTo(s *graphevent.Store, n uint32, buf []graphevent.Event) []graphevent.Event {
	for i := range min(n, MostEvents) {
		if i < few {
			buf = append(buf, EventOf(s, h.on[i].Load()))
		} else if m := h.more.Load(); m != nil {
			buf = append(buf, EventOf(s, m[i-few].Load()))
		}
	}
	return buf
}
