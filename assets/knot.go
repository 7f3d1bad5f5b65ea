package assets

import (
	"cmp"
	"slices"

	"github.com/heddle-go/heddle/assets/internal/once"
)

// A knot is lives that depend on each other, each directly or not on each other one; mostly it is
// one life. Its members become ready at one moment. Only the turn has it. cycles.md has the rule,
// and why it is right.
type knot struct {
	members []*life
	// open is how many links lead from a member to a life outside that has not settled.
	open    int
	opened  bool // open is 0, or no member waits: the members go on, in order
	next    int  // the member that goes on
	settled bool
	gone    bool

	idle  bool // the Keeper knows it
	known ID   // under this ID

	forth, back uint64 // the last search that came here
}

func (k *knot) held() int { return k.members[0].self.Held() }

// current reports whether a member is what its ID stands for.
func (l *life) current() bool { return l.heir == nil && !l.detached }

// leaves reports whether a knot that is over goes as soon as nobody holds it: one that has failed,
// was replaced, or shall go.
func (k *knot) leaves() bool {
	forced, always := true, false
	for _, l := range k.members {
		if l.current() {
			forced = false
		}
	}
	for _, l := range k.members {
		if l.current() {
			forced = forced || l.err != nil || l.unpinned
			always = always || l.err == nil && l.keep == KeepAlways
		}
	}
	return forced && !always
}

// lastReason returns why nobody holds the knot: of the last releases of its members that which
// takes the most with it (K4).
func (k *knot) lastReason() (why Reason) {
	for _, l := range k.members {
		why = max(why, Reason(l.last.Load()))
	}
	return why
}

// serves reports whether a member is what its ID stands for, and ready.
func (k *knot) serves() bool {
	return slices.ContainsFunc(k.members, func(l *life) bool { return l.current() && l.err == nil })
}

// resident returns what the Keeper is told.
func (k *knot) resident() (r Resident) {
	for _, l := range k.members {
		if !l.current() {
			continue
		}
		if r.ID == "" {
			r.ID, r.Type = l.id, l.info.Type
		}
		r.Size += l.size
		r.Keep = max(r.Keep, l.keep)
	}
	return r
}

// A walk goes along the links that are waited on, or back, a link at a time, and meets knots.
type walk struct {
	back         bool
	found        []*knot // in the order in which they were met
	at           int     // of found
	member, link int
}

// step takes one link. It returns the knot that is met for the first time, if one is; done says
// that there are no more links.
func (w *walk) step(mark uint64) (met *knot, done bool) {
	for w.at < len(w.found) {
		k := w.found[w.at]
		if w.member == len(k.members) {
			w.at, w.member = w.at+1, 0
			continue
		}
		l := k.members[w.member]
		n := len(l.links)
		if w.back {
			n = len(l.users)
		}
		if w.link == n {
			w.member, w.link = w.member+1, 0
			continue
		}
		w.link++
		var to *life
		if w.back {
			to = l.users[w.link-1].by
		} else {
			to = l.links[w.link-1].to
		}
		return w.meet(to, mark), false
	}
	return nil, true
}

// meet notes the knot of a life that waits, if it is met for the first time.
func (w *walk) meet(to *life, mark uint64) *knot {
	k := to.knot
	if k == nil || k.opened {
		return nil // it waits for nothing
	}
	seen := &k.forth
	if w.back {
		seen = &k.back
	}
	if *seen == mark {
		return nil
	}
	*seen = mark
	w.found = append(w.found, k)
	return k
}

// tie makes a knot of all that is on a circle with l, which has just got its links: R3.
func (m *Manager) tie(l *life) {
	m.book.marks++
	mark := m.book.marks
	start := l.knot
	forth, back := walk{found: []*knot{start}}, walk{found: []*knot{start}, back: true}
	// One step in each direction in turn, so that the search takes as long as the shorter one. A
	// knot that is met by both, start perhaps, is on a circle, and if one of the searches is
	// through without, there is none.
	for {
		k, done := forth.step(mark)
		if done {
			return
		}
		if k != nil && (k == start || k.back == mark) {
			break
		}
		k, done = back.step(mark)
		if done {
			return
		}
		if k != nil && (k == start || k.forth == mark) {
			break
		}
	}
	for _, w := range []*walk{&forth, &back} {
		for done := false; !done; {
			_, done = w.step(mark)
		}
	}
	all := &knot{}
	for _, k := range forth.found {
		if k != start && k.back != mark || k == start && all.members != nil {
			continue
		}
		all.members = append(all.members, k.members...)
		all.open += k.open
	}
	m.merge(all)
}

// merge makes a knot of the members it has. Their links among each other hold nothing from now on.
func (m *Manager) merge(all *knot) {
	for _, l := range all.members {
		l.knot = all
	}
	links, heirs := 0, 0
	entries := make([]*once.Entry[life], 0, len(all.members))
	for _, l := range all.members {
		entries = append(entries, l.self)
		for i := range l.links {
			if k := &l.links[i]; !k.inner && k.to.knot == all {
				k.inner = true
				links++
			}
		}
		if l.heir != nil && !l.inner && l.heir.knot == all {
			l.inner = true
			heirs++
		}
	}
	if !all.settled {
		all.open -= links
	}
	once.Merge(entries, links+heirs)
}

// openUp lets the members of a knot that waits for nothing go on, one after the other, children
// that were not cut first.
func (m *Manager) openUp(k *knot) {
	k.opened = true
	slices.SortFunc(k.members, func(a, b *life) int { return cmp.Compare(b.id, a.id) }) // R4
	m.goOn(k)
}

// goOn lets the next member of a knot go on, or settles it.
func (m *Manager) goOn(k *knot) {
	if k.next == len(k.members) {
		m.settle(k)
		return
	}
	l := k.members[k.next]
	if l.item == nil || l.item.then == nil {
		return // abandon has called it
	}
	l.set(Loading)
	l.resume(m.linked(l))
}

// resume calls what Await was given.
func (l *life) resume(err error) {
	then := l.item.then
	l.item.then = nil
	then(err)
}

// linked notes which edges are cut and what children were lost, and returns why the life fails if
// it does because of a child.
func (m *Manager) linked(l *life) error {
	l.info = l.item.Info
	rule := m.rule(l)
	for i := range l.links {
		c := l.links[i].to
		switch {
		case l.links[i].cuts(l):
			l.cut = append(l.cut, c.id)
		case c.err != nil && rule.Degrade:
			l.lost = append(l.lost, c.err)
		case c.err != nil:
			return &Error{ID: l.id, Stage: "dependencies", Attempts: 1, Err: c.err}
		}
	}
	slices.Sort(l.cut)
	return nil
}

// abandon ends a knot that waits and is dead.
func (m *Manager) abandon(k *knot) {
	k.opened = true
	for _, l := range k.members {
		m.table.Remove(l.id, l.self)
	}
	for _, l := range k.members {
		l.resume(ErrReleased)
	}
}
