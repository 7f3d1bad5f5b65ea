package assets

import (
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A pending change waits for Drain.
type pending struct {
	change Change
	// Of a reload: to takes the place of of, which both are held for this.
	of, to   *life
	affected []ID
}

// watchers are those who subscribed. The list that the pointer leads to is never changed.
type watchers struct {
	list atomics.Pointer[[]*func(Change)]
}

func (w *watchers) all() []*func(Change) {
	if l := w.list.Load(); l != nil {
		return *l
	}
	return nil
}

// edit replaces the list.
func (w *watchers) edit(f func([]*func(Change)) []*func(Change)) {
	for {
		old := w.list.Load()
		var l []*func(Change)
		if old != nil {
			l = slices.Clone(*old)
		}
		l = f(l)
		if w.list.CompareAndSwap(old, &l) {
			return
		}
	}
}

// Subscribe has f called for each Change from then on, until cancel is called: by Drain, where that
// is called, and in the order in which the changes took place. A call of f that has begun may go on
// after cancel. While somebody has subscribed Drain must be called from time to time, or the
// changes take more and more memory.
func (m *Manager) Subscribe(f func(Change)) (cancel func()) {
	m.watchers.edit(func(l []*func(Change)) []*func(Change) { return append(l, &f) })
	return func() {
		m.watchers.edit(func(l []*func(Change)) []*func(Change) {
			return slices.DeleteFunc(l, func(g *func(Change)) bool { return g == &f })
		})
	}
}

// tell keeps a change for Drain, if anybody wants to know.
func (m *Manager) tell(c Change) {
	if len(m.watchers.all()) > 0 {
		m.changes.Push(pending{change: c})
	}
}

// Drain puts what was reloaded in its place and calls the subscribers, here and now, for all
// changes that have been kept since, and returns how many there were. It is for the moment of a
// program, and the thread, at which what it uses may change: between two frames, say. Drain must
// not be called by a subscriber, or at the same time as Close; if another Drain runs it returns 0.
func (m *Manager) Drain() int {
	if m.draining.Swap(true) {
		return 0
	}
	defer m.draining.Store(false)
	n := 0
	for left := m.changes.Len(); left > 0; left-- {
		p, ok := m.changes.Pop()
		if !ok {
			break
		}
		if p.to != nil {
			n += m.swap(p)
			continue
		}
		m.call(p.change)
		n++
	}
	return n
}

// call calls the subscribers.
func (m *Manager) call(c Change) {
	for _, f := range m.watchers.all() {
		(*f)(c)
	}
}
