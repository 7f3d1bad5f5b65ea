package assets

import "errors"

// A note asks for some bookkeeping. The turn takes them in order, one at a time.
type note struct {
	kind noteKind
	life *life
	with *life // of noteSwapped: what took the place
	err  error
}

type noteKind uint8

const (
	noteStart   noteKind = iota // a life is new: its load begins
	noteAwait                   // its children are known
	noteEnded                   // its load has ended
	noteRaised                  // its priority has risen
	noteLook                    // somebody began or ceased to hold it
	noteUnload                  // it is to go when nobody holds it
	noteReload                  // it is to be loaded again
	noteSwapped                 // another life has taken its place
	noteLeave                   // a scene was left
	noteClose                   // everything is to end
)

// A book is the state that only the turn has.
type book struct {
	flying int                // loads that have begun and not ended
	idle   map[ID]*knot       // what the Keeper knows to be idle, by the ID it knows
	marks  uint64             // so many searches for cycles
	shut   bool               // noteClose has come
	apart  map[*life]struct{} // those that are detached
	raised []*life            // of raised, to be used again
	// affected is what the changes that wait for Drain tell, by what is to take a place.
	affected map[*life][]ID
}

// note does what one note asks for.
func (m *Manager) note(n note) {
	switch n.kind {
	case noteStart:
		m.start(n.life)
	case noteAwait:
		m.await(n.life)
	case noteEnded:
		m.ended(n.life, n.err)
	case noteRaised:
		m.raised(n.life)
	case noteLook:
		m.look(n.life)
	case noteUnload:
		n.life.unpinned = true
		m.look(n.life)
	case noteReload:
		m.reload(n.life)
	case noteSwapped:
		m.swapped(n.life, n.with, n.err == nil)
	case noteLeave:
		for _, id := range m.o.Keeper.Leave() {
			m.forgotten(id, Left)
		}
	case noteClose:
		m.book.shut = true
	}
	if m.book.shut && m.book.flying == 0 && !m.gone.IsComplete() {
		m.end()
	}
}

// start begins a load.
func (m *Manager) start(l *life) {
	m.book.flying++
	l.item = &Item{ID: l.id, Platform: m.o.Platform, Registry: m.o.Registry, life: l}
	if m.book.shut {
		m.ended(l, ErrClosed)
		return
	}
	m.o.Loader.Load(l.item)
}

// await adds the children of a life, and goes on at once if there is nothing to wait for.
func (m *Manager) await(l *life) {
	l.set(Waiting)
	l.knot = &knot{members: []*life{l}}
	seen := make(map[ID]bool, len(l.item.Children))
	for _, id := range l.item.Children {
		if id == l.id { // R2
			if !seen[id] {
				l.cut = append(l.cut, id)
			}
		} else if !seen[id] {
			c := m.acquire(id, l.priority(), l)
			l.join(c)
			if !c.settled {
				l.knot.open++
			}
		}
		seen[id] = true
	}
	if l.knot.open > 0 {
		m.tie(l)
	}
	if l.knot.open == 0 {
		m.openUp(l.knot)
	} else if l.knot.held() == 0 { // what held it was inside the knot, or let go meanwhile
		m.look(l)
	}
}

// ended takes what a load has left, and goes on with the knot.
func (m *Manager) ended(l *life, err error) {
	m.book.flying--
	it := l.item
	l.item = nil
	l.info, l.value, l.size, l.keep = it.Info, it.Value, it.Size, it.Keep
	if l.info.ID == "" {
		l.info.ID = l.id
	}
	if l.keep == KeepDefault {
		l.keep = m.rule(l).Keep
	}
	if l.keep == KeepDefault {
		l.keep = KeepScene
	}
	if err != nil {
		if m.closing.Load() {
			err = ErrClosed
		}
		l.err = m.explain(l, err)
		l.failedAt = m.sys.Now()
		m.closeValue(l.id, l.value)
		l.value, l.size = nil, 0
	}
	if l.knot == nil {
		l.knot = &knot{members: []*life{l}, opened: true}
	}
	l.knot.next++
	m.goOn(l.knot)
}

// rule returns what is special about the type of a life.
func (m *Manager) rule(l *life) TypeRule {
	if r, ok := m.o.Types[l.info.Type]; ok {
		return r
	}
	return m.o.Types[""]
}

// explain makes the Error of a life.
func (m *Manager) explain(l *life, err error) error {
	var e *Error
	if errors.As(err, &e) && e.ID == l.id {
		if e.Parents == nil && !isChild(e.Err) {
			e.Parents = l.parents()
		}
		return err
	}
	return &Error{ID: l.id, Stage: "load", Parents: l.parents(), Attempts: 1, Err: err}
}

// isChild reports whether a cause is the Error of another resource.
func isChild(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// settle makes the lives of a knot ready or failed, and has those go on that waited for it.
func (m *Manager) settle(k *knot) {
	k.settled = true
	dead := k.members[0].self.Dead()
	for _, l := range k.members { // before an event says so of one of them: R5
		l.settled, l.first = true, nil
		switch {
		case dead:
		case l.err != nil:
			l.set(Failed)
		default:
			m.counts.bytes.Add(l.size)
			l.counted = true
			l.set(Ready)
		}
	}
	for _, l := range k.members {
		switch {
		case dead:
			m.counts.abandoned.Add(1)
			l.done.end(ErrReleased)
		case l.err != nil:
			m.counts.failed.Add(1)
			l.done.end(l.err)
			m.tell(Change{Kind: ChangeFailed, ID: l.id, Err: l.err})
		default:
			m.counts.ready.Add(1)
			l.done.end(nil)
			if !l.reloading {
				m.tell(Change{Kind: ChangeReady, ID: l.id})
			}
		}
	}
	for _, l := range k.members {
		for _, u := range l.users {
			p := u.by.knot
			if p == k {
				continue
			}
			if p.open--; p.open == 0 && !p.opened {
				m.openUp(p)
			}
		}
	}
	if dead {
		m.drop(k, Tree)
		return
	}
	for _, l := range k.members {
		if l.reloading {
			m.reloaded(l)
		}
		if l.again {
			l.again = false
			m.turn.Put(note{kind: noteReload, life: l})
		}
	}
	m.look(k.members[0])
}

// look sees to it that a knot that nobody holds is kept or goes, and that one that is held is not
// idle. It may be called at any time and any number of times.
func (m *Manager) look(l *life) {
	k := l.knot
	switch {
	case k == nil || k.gone || k.opened && !k.settled:
		// In the pipes: they ask whether it is wanted. Its end looks again.
	case k.held() > 0:
		if k.idle {
			m.busy(k)
		}
	case !k.opened:
		if l.self.Kill() { // it waits: nobody else goes on with it
			m.abandon(k)
		}
	case k.leaves():
		why := Tree
		if k.serves() {
			why = k.lastReason()
		}
		m.unload(k, why)
	case !k.idle:
		r, why := k.resident(), k.lastReason()
		k.idle, k.known = true, r.ID
		m.book.idle[r.ID] = k
		for _, id := range m.o.Keeper.Idle(r, why) {
			if id == r.ID {
				m.forgotten(id, why)
			} else {
				m.forgotten(id, Orphaned)
			}
		}
	}
}

// busy takes a knot from the Keeper.
func (m *Manager) busy(k *knot) {
	k.idle = false
	delete(m.book.idle, k.known)
	m.o.Keeper.Busy(k.known)
}

// forgotten unloads what the Keeper names, and has forgotten.
func (m *Manager) forgotten(id ID, why Reason) {
	if k := m.book.idle[id]; k != nil {
		k.idle = false
		delete(m.book.idle, id)
		m.unload(k, why)
	}
}

// unload ends a knot that is over, if nobody holds it.
func (m *Manager) unload(k *knot, why Reason) {
	if !k.members[0].self.Kill() {
		return // somebody holds it again, and will look when that ends
	}
	if k.idle {
		m.busy(k)
	}
	for _, l := range k.members {
		m.counts.unloaded.Add(1)
		m.uncount(l)
		if l.err == nil && l.current() {
			m.tell(Change{Kind: ChangeUnloaded, ID: l.id})
		}
	}
	m.drop(k, why)
}

// uncount takes the size of a life whose value is closed out of the sum.
func (m *Manager) uncount(l *life) {
	if l.counted {
		l.counted = false
		m.counts.bytes.Add(-l.size)
	}
}

// drop takes a knot that is dead out of everything.
func (m *Manager) drop(k *knot, why Reason) {
	k.gone = true
	if why == Released {
		why = Orphaned
	}
	for _, l := range k.members {
		m.table.Remove(l.id, l.self)
		l.set(Unknown)
		if l.heir == nil { // else it was closed when it was replaced
			m.closeValue(l.id, l.value)
		}
		delete(m.book.apart, l)
		for i := range l.links {
			l.part(i)
			if c := l.links[i].to; !l.links[i].inner && c.release(why) {
				m.turn.Put(note{kind: noteLook, life: c})
			}
		}
		l.links = nil
		if l.heir != nil {
			l.heir.before = nil
			if !l.inner && l.heir.release(why) {
				m.turn.Put(note{kind: noteLook, life: l.heir})
			}
		}
	}
}

// raised takes a priority that has risen to where the item waits, and to what it waits for.
func (m *Manager) raised(l *life) {
	todo := append(m.book.raised[:0], l)
	for len(todo) > 0 {
		l := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if l.settled || l.item == nil {
			continue
		}
		m.o.Loader.Promote(l.item)
		for i := range l.links {
			if c := l.links[i].to; !c.settled && c.raise(l.urgency.Load()) {
				todo = append(todo, c)
			}
		}
	}
	clear(todo[:cap(todo)])
	m.book.raised = todo
}

// end unloads everything, when no load is under way.
func (m *Manager) end() {
	finish := func(l *life) {
		m.counts.unloaded.Add(1)
		m.uncount(l)
		m.closeValue(l.id, l.value)
		l.knot.gone = true
	}
	for id, e := range m.table.All {
		if e.Value.settled {
			m.table.Remove(id, e)
			finish(&e.Value)
		}
	}
	for l := range m.book.apart {
		finish(l)
	}
	for p := range m.changes.Drain() {
		if p.to != nil {
			m.uncount(p.to)
			m.closeValue(p.to.id, p.to.value)
		}
	}
	m.gone.Trigger()
}
