package tick

import (
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

// collect finds what is due in a new frame, dt after the last one, and arranges it.
func (s *Set) collect(dt time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame++
	s.now += dt
	s.dt = dt
	s.join()
	s.batch = s.batch[:0]
	kept := s.every[:0]
	for _, t := range s.every {
		if !t.removed {
			kept = append(kept, t)
		}
	}
	clear(s.every[len(kept):])
	s.every = kept
	s.batch = append(s.batch, kept...)
	for len(s.cooling) > 0 && s.cooling[0].due <= s.now {
		if t := s.cooling.pop(); !t.removed {
			s.batch = append(s.batch, t)
		}
	}
	err := s.arrange(0)
	late := s.batch[len(kept):]
	for _, t := range late {
		if err == nil {
			t.cool()
		}
		s.cooling.push(t)
	}
	if err != nil {
		s.now -= dt
		s.forget()
	}
	return err
}

// join moves what was added to where the next frame finds it.
func (s *Set) join() {
	for _, t := range s.added {
		switch {
		case t.removed:
		case t.interval == 0:
			s.every = append(s.every, t)
		default:
			s.cooling.push(t)
		}
	}
	clear(s.added)
	s.added = s.added[:0]
}

// admit makes what was added part of the frame, as of group g, and holds it. It reports whether
// there was anything. A circle is a failure of the frame; then what was added begins with the next
// one.
func (s *Set) admit(g int) bool {
	if !s.gather(g) {
		return false
	}
	s.hold()
	return true
}

func (s *Set) gather(g int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batch = s.batch[:0]
	for _, t := range s.added {
		if !t.removed {
			s.batch = append(s.batch, t)
		}
	}
	if len(s.batch) == 0 {
		s.join()
		return false
	}
	err := s.arrange(g)
	if err != nil {
		s.forget()
		if s.err == nil {
			s.err = err
		}
	} else {
		for _, t := range s.batch {
			t.cool()
		}
	}
	s.join()
	return err == nil
}

// cool sets when t is due next, after it was due now.
func (t *Tick) cool() {
	switch {
	case t.interval == 0:
	case t.due == soon:
		t.due = t.s.now + t.interval
	default:
		t.due += ((t.s.now-t.due)/t.interval + 1) * t.interval
	}
}

// arrange makes s.batch part of the frame: it finds an order in which prerequisites come first, the
// groups of each, and puts it in s.order. No group before first is open. It is a search along the
// prerequisites without recursion, so that no stack grows with the length of a chain.
func (s *Set) arrange(first int) error {
	for _, t := range s.batch {
		t.frame, t.mark = s.frame, unseen
	}
	s.order, s.edges = s.order[:0], s.edges[:0]
	for _, root := range s.batch {
		if root.mark != unseen {
			continue
		}
		s.see(root)
		for len(s.path) > 0 {
			t := s.path[len(s.path)-1]
			if t.scan == len(t.before) {
				t.place(first)
				s.path = s.path[:len(s.path)-1]
				continue
			}
			p := t.before[t.scan]
			t.scan++
			switch {
			case p.frame != s.frame || p.mark == placed:
			case p.mark == unseen:
				s.see(p)
			default:
				err := s.circle(p)
				for _, t := range s.batch {
					t.frame = 0 // it has no part in the frame
				}
				return err
			}
		}
	}
	return nil
}

// see puts t on the path, without the prerequisites that were removed.
func (s *Set) see(t *Tick) {
	t.mark, t.scan = open, 0
	kept := t.before[:0]
	for _, p := range t.before {
		if !p.removed || p.frame == s.frame {
			kept = append(kept, p)
		}
	}
	clear(t.before[len(kept):])
	t.before = kept
	s.path = append(s.path, t)
}

// circle names the functions on the path from p on, each of which waits for the next, and the last
// for p.
func (s *Set) circle(p *Tick) error {
	err := &taskgraph.CycleError{}
	from := len(s.path) - 1
	for s.path[from] != p {
		from--
	}
	for _, t := range s.path[from:] {
		err.Path = append(err.Path, t.name)
	}
	return err
}

// place decides in which groups t starts and ends in this frame, now that its prerequisites are
// placed, and puts it in the order. See the README for the rule and why it is this one.
func (t *Tick) place(first int) {
	s := t.s
	t.lo = len(s.edges)
	start, by := max(t.group, first), 0
	for _, p := range t.before {
		if p.frame == s.frame {
			s.edges = append(s.edges, p)
			start, by = max(start, p.start), max(by, p.fin)
		}
	}
	t.hi = len(s.edges)
	if by > max(start, t.end) {
		start = by
	}
	if start > t.group {
		for s.opts.Groups[start].NoDemotion {
			start++
		}
	}
	t.start, t.fin = start, max(start, t.end)
	t.mark = placed
	s.order = append(s.order, t)
}

// hold makes a task of each function in s.order, held, after the tasks of its prerequisites.
func (s *Set) hold() {
	for _, t := range s.order {
		t.dt = s.dt
		if t.ran {
			t.dt = s.now - t.last
		}
		t.ran, t.last = true, s.now
		on := s.opts.Thread
		if t.any && t.start == t.group {
			on = nil
		}
		if on != t.thread {
			t.task.On(on)
			t.thread = on
		}
		s.events = s.events[:0]
		for _, p := range s.edges[t.lo:t.hi] {
			s.events = append(s.events, p.held.Event())
		}
		t.held = t.task.Task(s.sys).After(s.events...)
		list := s.list(t.start, t.high, t.fin)
		*list = append(*list, t)
		s.ends[t.fin] = append(s.ends[t.fin], t)
	}
	s.forget()
}

// forget drops what arrange left, so that it keeps nothing alive that is removed.
func (s *Set) forget() {
	clear(s.batch)
	clear(s.order)
	clear(s.edges)
	clear(s.path)
	s.batch, s.order, s.edges, s.path = s.batch[:0], s.order[:0], s.edges[:0], s.path[:0]
}
