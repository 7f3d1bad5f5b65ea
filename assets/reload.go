package assets

import (
	"slices"

	"github.com/heddle-go/heddle/assets/internal/once"
	"github.com/heddle-go/heddle/taskgraph"
)

// Reload has a resource loaded again, because its file has changed, say. What it has so far stays
// in use until the new one is ready and Drain is called: that puts it in the place of the old one,
// for all handles, tells subscribers so, and then, child before parent, of all that depends on it,
// and then closes the old value. If the new load fails the old one stays, and subscribers are told.
// What is being loaded is loaded again when that has ended; what is not there is not loaded. Reload
// reports whether the resource was there.
func (m *Manager) Reload(id ID) bool {
	e := m.table.Find(id)
	if e == nil || e.Dead() {
		return false
	}
	m.turn.Put(note{kind: noteReload, life: &e.Value})
	return true
}

// reload begins to load what is to take the place of a life.
func (m *Manager) reload(l *life) {
	l = l.newest()
	switch {
	case l.self.Dead() || m.book.shut:
		return
	case !l.settled:
		l.again = true
		return
	case l.reload != nil:
		l.reload.again = true
		return
	}
	e := once.NewEntry[life]()
	e.Value.prepare(m, e, l.id, taskgraph.PriorityNormal, nil)
	e.Value.reloading, e.Value.of = true, l
	l.reload = &e.Value
	m.counts.started.Add(1)
	m.start(&e.Value)
}

// reloaded keeps a life for Drain, which is to take the place of another.
func (m *Manager) reloaded(l *life) {
	old := l.of
	if l.err == nil {
		if first, ok := old.self.Acquire(); ok {
			if first {
				m.look(old)
			}
			affected := old.above()
			m.book.affected[l] = affected
			m.changes.Push(pending{of: old, to: l, affected: affected})
			return
		}
	}
	old.reload, l.of = nil, nil
	l.detached = true
	l.self.Release() // settle looks next
}

// swap puts a life in the place of another.
func (m *Manager) swap(p pending) (changes int) {
	n := note{kind: noteSwapped, life: p.of, with: p.to}
	if !m.table.Replace(p.of.id, p.of.self, p.to.self) {
		n.err = ErrReleased
	}
	p.of.next.Store(p.to)
	defer func() { // also if a subscriber panics
		m.closeValue(p.of.id, p.of.value)
		m.turn.Put(n)
	}()
	m.call(Change{Kind: ChangeReloaded, ID: p.of.id})
	for _, id := range p.affected {
		m.call(Change{Kind: ChangeAffected, ID: id, Cause: p.of.id})
	}
	return 1 + len(p.affected)
}

// swapped lets go of a life that was replaced; it holds what took its place.
func (m *Manager) swapped(l *life, to *life, in bool) {
	// What came to depend on the old one after its changes were listed is told with the next ones.
	known := m.book.affected[to]
	delete(m.book.affected, to)
	for _, id := range l.above() {
		if !slices.Contains(known, id) {
			m.tell(Change{Kind: ChangeAffected, ID: id, Cause: l.id})
		}
	}
	to.reloading, l.reload = false, nil
	l.heir, to.before, to.of = to, l, nil
	m.uncount(l)
	m.bind(l.knot, to.knot)
	if !in {
		to.detached = true
		m.book.apart[to] = struct{}{}
	}
	if to.again {
		to.again = false
		m.reload(to)
	}
	l.release(Tree)
	m.look(l)
}

// bind makes one knot of what holds itself since a life has an heir, which depends on it or on what
// depends on it.
func (m *Manager) bind(k, heir *knot) {
	forth := heir.reach(false)
	if !forth[k] || k == heir {
		return
	}
	all := &knot{opened: true, settled: true}
	for b := range k.reach(true) {
		if forth[b] {
			if b.idle {
				m.busy(b)
			}
			all.members = append(all.members, b.members...)
		}
	}
	m.merge(all)
}

// reach returns the knots that a knot holds, directly or not, or that hold it.
func (k *knot) reach(back bool) map[*knot]bool {
	seen := map[*knot]bool{k: true}
	for todo := []*knot{k}; len(todo) > 0; {
		from := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		meet := func(l *life) {
			if l != nil && l.knot != nil && !seen[l.knot] {
				seen[l.knot] = true
				todo = append(todo, l.knot)
			}
		}
		for _, l := range from.members {
			if back {
				meet(l.before)
				for _, u := range l.users {
					meet(u.by)
				}
				continue
			}
			meet(l.heir)
			for i := range l.links {
				meet(l.links[i].to)
			}
		}
	}
	return seen
}

// prior and later lead to what a life is to take the place of or took it of, and to what is to take
// its place or took it.
func (l *life) prior() *life {
	if l.of != nil {
		return l.of
	}
	return l.before
}

func (l *life) later() *life {
	if l.heir != nil {
		return l.heir
	}
	return l.reload
}

// dependents returns the uses of a resource: each of those lives that took each other's places has
// some, of those that were loaded with it.
func (l *life) dependents() (all []use) {
	for l.prior() != nil {
		l = l.prior()
	}
	for ; l != nil; l = l.later() {
		all = append(all, l.users...)
	}
	return all
}

// above returns what depends on a life, or on those whose place it took, directly or not: each
// after all that it depends on, but for what is on a circle.
func (l *life) above() []ID {
	type place struct {
		id    ID
		users []use
	}
	seen := map[ID]bool{l.id: true}
	stack := []place{{l.id, nil}}
	for ; l != nil; l = l.prior() {
		stack[0].users = append(stack[0].users, l.users...)
	}
	var ids []ID
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if n := len(top.users); n > 0 {
			u := top.users[n-1].by
			top.users = top.users[:n-1]
			if !seen[u.id] {
				seen[u.id] = true
				stack = append(stack, place{u.id, u.dependents()})
			}
			continue
		}
		ids = append(ids, top.id)
		stack = stack[:len(stack)-1]
	}
	slices.Reverse(ids)
	return ids[1:]
}
