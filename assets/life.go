package assets

import (
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/heddle-go/heddle/assets/internal/once"
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A life is a resource from the moment at which somebody asks for it until it is unloaded. Its
// entry says who holds it: handles, and those links of other lives that are not inside one knot.
type life struct {
	m    *Manager
	id   ID
	self *once.Entry[life]
	done signal // of when it is ready or has failed

	state atomics.Uint32 // a State
	// urgency is the rank of its priority, which only goes down.
	urgency atomics.Uint32
	// last is the Reason of the last release: stored before it, so that whoever finds the life
	// free, and looks for another cause, knows it.
	last atomics.Uint32
	// next is what took its place when it was reloaded, which this one holds.
	next atomics.Pointer[life]

	// Of the loader between the start and the end of the load, then of the turn.
	item *Item

	// Written before state becomes Ready or Failed.
	info     Info
	value    any
	size     int64
	keep     Keep
	err      error
	failedAt time.Time
	cut      []ID
	lost     []error

	// Of the turn alone.
	first     *life // for whose sake it was asked for; until it has settled
	links     []link
	users     []use
	knot      *knot // from the moment on at which it waits or has ended
	settled   bool
	counted   bool  // its size is in Stats.Bytes
	unpinned  bool  // Unload was called
	reload    *life // what is to take its place, from Reload until Drain
	reloading bool  // it is such a one
	of        *life // and this is whose place
	again     bool  // Reload was called meanwhile
	heir      *life // what took its place, which it holds if not in its own knot
	before    *life // whose heir it is
	inner     bool  // it is in one knot with its heir
	detached  bool  // it is in no table, and takes nobody's place
}

// A link leads from a life to one that it depends on, a use back.
type (
	link struct {
		to    *life
		at    int  // where the use is
		inner bool // both are in one knot: it holds nothing
	}
	use struct {
		by *life
		at int // where the link is
	}
)

// join adds a link.
func (l *life) join(to *life) {
	l.links = append(l.links, link{to: to, at: len(to.users)})
	to.users = append(to.users, use{by: l, at: len(l.links) - 1})
}

// part removes the use of link number i.
func (l *life) part(i int) {
	to, at := l.links[i].to, l.links[i].at
	last := len(to.users) - 1
	moved := to.users[last]
	to.users[at] = moved
	moved.by.links[moved.at].at = at
	to.users[last] = use{}
	to.users = to.users[:last]
}

// prepare makes the life of a new entry.
func (l *life) prepare(m *Manager, self *once.Entry[life], id ID, p taskgraph.Priority,
	first *life) {
	l.m, l.self, l.id, l.first = m, self, id, first
	l.state.Store(uint32(Queued))
	l.urgency.Store(rank(p))
}

// event returns the event of when it is ready or has failed.
func (l *life) event() taskgraph.Event { return l.done.get(l.m.sys, string(l.id)) }

func (l *life) get() State                   { return State(l.state.Load()) }
func (l *life) set(s State)                  { l.state.Store(uint32(s)) }
func (l *life) priority() taskgraph.Priority { return byRank[l.urgency.Load()] }

// release gives up a hold for a reason, and reports whether it was the last.
func (l *life) release(why Reason) bool {
	l.last.Store(uint32(why))
	return l.self.Release()
}

// raise raises the priority, and reports whether it did.
func (l *life) raise(to uint32) bool {
	for {
		was := l.urgency.Load()
		if was <= to {
			return false
		}
		if l.urgency.CompareAndSwap(was, to) {
			return true
		}
	}
}

// promote raises the priority of a life and of what it waits for.
func (l *life) promote(p taskgraph.Priority) {
	if s := l.get(); s == Ready || s == Failed {
		return
	}
	if l.raise(rank(p)) {
		l.m.turn.Put(note{kind: noteRaised, life: l})
	}
}

// wanted ends a life that nobody holds, see Item.Wanted.
func (l *life) wanted() bool {
	if l.m.closing.Load() {
		return false
	}
	if l.self.Kill() {
		l.m.table.Remove(l.id, l.self)
		return false
	}
	if l.self.Dead() {
		return false
	}
	if l.get() == Queued {
		l.set(Loading)
	}
	return true
}

// child returns the value of a child for a pipe after Dependencies.
func (l *life) child(id ID) (any, error) {
	if id == l.id {
		return nil, fmt.Errorf("%w: %q depends on itself", ErrCycle, id)
	}
	for i := range l.links {
		if c := l.links[i].to; c.id == id {
			switch {
			case l.links[i].cuts(l):
				return nil, fmt.Errorf("%w: from %q to %q", ErrCycle, l.id, id)
			case c.err != nil:
				return nil, c.err
			}
			return c.value, nil
		}
	}
	return nil, fmt.Errorf("%w: %q is no child of %q", ErrUnknown, id, l.id)
}

// cuts reports whether a link of a life is one that the rule cuts: R2 of cycles.md.
func (k link) cuts(l *life) bool { return k.inner && k.to.id <= l.id }

// newest returns the life that has taken the place of l, or l.
func (l *life) newest() *life {
	for {
		n := l.next.Load()
		if n == nil {
			return l
		}
		l = n
	}
}

// parents returns for whose sake the life was asked for, the first one first.
func (l *life) parents() []ID {
	var ids []ID
	for p := l.first; p != nil; p = p.first {
		ids = append(ids, p.id)
	}
	for i, j := 0, len(ids)-1; i < j; i, j = i+1, j-1 {
		ids[i], ids[j] = ids[j], ids[i]
	}
	return ids
}

// closeValue closes what can be closed. The first error of that, or panic, is kept for Close: here
// nobody waits for it, and the turn must go on.
func (m *Manager) closeValue(id ID, v any) {
	c, ok := v.(io.Closer)
	if !ok {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			m.unclosed(id, &graphevent.PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	if err := c.Close(); err != nil {
		m.unclosed(id, err)
	}
}

func (m *Manager) unclosed(id ID, err error) {
	err = fmt.Errorf("assets: value of %q: %w", id, err)
	m.closeErr.CompareAndSwap(nil, &err)
}
