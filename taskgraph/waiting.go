package taskgraph

import (
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A waiting says that a body, or a goroutine from outside, waits. What is published with its
// events does not change; one that is used again and again, see ownWait, shows them instead.
type waiting struct {
	events []Event      // what for, if that is not shown: bodies that share an event, or too many
	below  []Event      // the last of the tasks that run the waiting body on top of theirs
	end    func()       // lets the wait look again at whether it is over
	next   *waiting     // of another body of the same event
	over   atomics.Bool // the wait has ended

	gid   atomics.Uint64 // of the goroutine, if that is known
	shown shown
}

const (
	shownEvents = 4  // that a wait shows without memory of its own
	moreEvents  = 60 // that it shows besides, if there are as many
	shownBelow  = 8
)

// A shown is what a wait shows for a report: the events, by their references. Its owner writes it,
// once when the wait begins and once when it is over; seq is odd meanwhile.
type shown struct {
	seq   atomics.Uint64
	n     atomics.Uint32 // incomplete events; 0: no wait
	alien atomics.Bool   // some are not of the system
	on    [shownEvents]atomics.Uint64
	more  atomics.Pointer[[moreEvents]atomics.Uint64]
	under atomics.Uint32 // tasks below
	below [shownBelow]atomics.Uint64
}

// A wait as a report sees it.
type seenWait struct {
	events []Event
	more   int  // that are not in events
	alien  bool // it waits for something of another system, too
	below  []Event
	gid    uint64
}

func refOf(e Event) uint64 { return e.Generation()<<32 | uint64(e.Node()) }

// show shows that the goroutine waits for events, on top of the bodies of below.
func (w *waiting) show(s *System, events []Event, below []*Context) {
	h := &w.shown
	h.seq.Add(1)
	n, alien := uint32(0), false
	for _, e := range events {
		switch {
		case e.IsComplete():
		case e.Store() != s.store:
			alien = true
		case n < shownEvents:
			h.on[n].Store(refOf(e))
			n++
		default:
			if i := n - shownEvents; i < moreEvents {
				m := h.more.Load()
				if m == nil {
					m = new([moreEvents]atomics.Uint64)
					h.more.Store(m)
				}
				m[i].Store(refOf(e))
			}
			n++
		}
	}
	if alien != h.alien.Load() {
		h.alien.Store(alien)
	}
	under := min(len(below), shownBelow)
	for i, c := range below[len(below)-under:] {
		h.below[i].Store(refOf(c.ev))
	}
	if h.under.Load() != uint32(under) {
		h.under.Store(uint32(under))
	}
	h.n.Store(n)
	h.seq.Add(1)
}

// hide ends what show began.
func (w *waiting) hide() {
	h := &w.shown
	h.seq.Add(1)
	h.n.Store(0)
	if h.alien.Load() {
		h.alien.Store(false)
	}
	h.seq.Add(1)
}

// look returns what the wait is for, and reports false if there is none at this moment. Anybody
// may call it.
func (w *waiting) look(s *System) (seen seenWait, ok bool) {
	seen.gid = w.gid.Load()
	if w.events != nil {
		if w.over.Load() {
			return seen, false
		}
		for _, e := range w.events {
			switch {
			case e.IsComplete():
			case e.Store() != s.store:
				seen.alien = true
			default:
				seen.events = append(seen.events, e)
			}
		}
		seen.below = w.below
		return seen, true
	}
	h := &w.shown
	seq := h.seq.Load()
	n := h.n.Load()
	seen.alien = h.alien.Load()
	for i := range min(n, shownEvents+moreEvents) {
		if i < shownEvents {
			seen.events = append(seen.events, s.eventOf(h.on[i].Load()))
		} else if m := h.more.Load(); m != nil {
			seen.events = append(seen.events, s.eventOf(m[i-shownEvents].Load()))
		}
	}
	for i := range h.under.Load() {
		if ref := h.below[i].Load(); ref != 0 { // else a call of a group
			seen.below = append(seen.below, s.eventOf(ref))
		}
	}
	if seq&1 != 0 || h.seq.Load() != seq || n == 0 && !seen.alien {
		return seenWait{}, false
	}
	seen.more = int(n) - len(seen.events)
	return seen, true
}

// appendTo appends what the wait of the body of c's task is for to buf. It appends nothing if that begins or ends
// meanwhile: whoever begins a wait calls newEdge after that.
func (w *waiting) appendTo(s *System, c *cold, buf []Event) []Event {
	if w.events != nil {
		if w.over.Load() {
			return buf
		}
		return append(buf, w.events...)
	}
	h, known := &w.shown, len(buf)
	seq := h.seq.Load()
	for i := range min(h.n.Load(), shownEvents+moreEvents) {
		if i < shownEvents {
			buf = append(buf, s.eventOf(h.on[i].Load()))
		} else if m := h.more.Load(); m != nil {
			buf = append(buf, s.eventOf(m[i-shownEvents].Load()))
		}
	}
	// If w is still that body's, it was so before what was read was shown: it is taken from a
	// body before it shows the wait of another.
	if seq&1 != 0 || h.seq.Load() != seq || c.waits.Load() != w {
		return buf[:known]
	}
	return buf
}

// ownWait is what says that a body of r waits, if nobody asks for what. It never changes but for
// what it shows: who looks at it may be late.
func (r *runner) ownWait() *waiting {
	if r.isAlone() {
		return &r.alone.wait
	}
	return &r.slotWait
}

// waitAt is ownWait for the body at a depth of r's stack, where there are named threads: then a wait is published before
// it helps, and what it runs can wait on top of it.
func (r *runner) waitAt(depth int) *waiting {
	own := r.ownWait()
	if r.onThread() {
		r.knowGoroutine()
	}
	for len(r.waits) < depth {
		w := &waiting{end: own.end}
		if r.onThread() {
			w.end = r.named.wake
		}
		r.waits = append(r.waits, w)
	}
	w := r.waits[depth-1]
	w.gid.Store(own.gid.Load())
	return w
}

// publish shows that the last body on r's stack waits for events, until unpublish.
func (r *runner) publish(events []Event) *waiting {
	s, b := r.sys, r.frames[r.depth-1]
	c := s.colds.At(uint32(b.ev.Node()))
	w := r.ownWait()
	if s.opts.Threads != nil {
		w = r.waitAt(r.depth)
	}
	shared := b.isShared()
	if shared || s.opts.Threads != nil && (len(events) > shownEvents+moreEvents || slices.ContainsFunc(events, s.isAlien)) {
		// A wait on a named thread may have to know all of them: what it waits for can be this
		// body, and what this body waits for be bound to that thread.
		own := w
		w = &waiting{events: slices.Clone(events), end: w.end}
		w.gid.Store(own.gid.Load())
		for _, below := range r.frames[max(0, r.depth-1-shownBelow) : r.depth-1] {
			if below.group == nil {
				w.below = append(w.below, below.ev)
			}
		}
	} else {
		w.show(s, events, r.frames[:r.depth-1])
	}
	for {
		head := c.waits.Load()
		if !shared {
			c.waits.Store(w)
			break
		}
		w.next = head
		for w.next != nil && w.next.over.Load() {
			w.next = w.next.next
		}
		if c.waits.CompareAndSwap(head, w) {
			break
		}
	}
	s.newEdge()
	return w
}

// isAlien reports whether e is of another system.
func (s *System) isAlien(e Event) bool { return e.Store() != s.store }

// unpublish ends what publish began, for the same body.
func (r *runner) unpublish(w *waiting) {
	c := r.sys.colds.At(uint32(r.frames[r.depth-1].ev.Node()))
	if w.events != nil {
		w.over.Store(true)
	} else {
		w.hide()
	}
	c.waits.CompareAndSwap(w, w.next)
}

// isShared reports whether other goroutines may run bodies of the same event at this moment.
func (c *Context) isShared() bool { return c.graph != nil || c.fork != nil || c.forks != nil }
