package turns

import (
	"fmt"
	"slices"
)

// next chooses which actor runs next. me is the caller if it could continue, else nil.
func (s *Scheduler) next(me *Actor) *Actor {
	s.choosing = true
	defer func() { s.choosing = false }()
	for {
		s.look()
		if len(s.prompt) > 0 {
			a := s.prompt[0]
			s.prompt = slices.Delete(s.prompt, 0, 1)
			if me != nil {
				s.enlist(me)
			}
			return a
		}
		if a := s.choose(me); a != nil {
			return a
		}
		if s.unblock() {
			continue
		}
		if s.closing && !s.closed {
			s.main.waits = false
			return s.main
		}
		if s.advance() {
			continue
		}
		return s.reportStuck()
	}
}

// look finds out what can run by now.
func (s *Scheduler) look() {
	for _, w := range s.works {
		w.Gather()
	}
	s.conds = slices.DeleteFunc(s.conds, func(a *Actor) bool {
		if !a.cond() {
			return false
		}
		a.cond = nil
		s.Ready(a)
		return true
	})
	s.ends = slices.DeleteFunc(s.ends, func(e *end) bool {
		if e.ctx.Err() == nil {
			return false
		}
		e.over = true
		s.Go(false, func() string { return "the end of a context" }, e.f)
		return true
	})
}

// choose chooses among me, if it is not nil, ready actors, and pieces of work. It returns nil if
// there are none.
func (s *Scheduler) choose(me *Actor) *Actor {
	c := s.candidates[:0]
	if me != nil {
		c = append(c, mine)
	}
	var classes [maxWorks]uint32
	for i, w := range s.works {
		classes[i] = w.Classes()
	}
	for i := range s.items {
		switch it := &s.items[i]; {
		case it.actor == nil:
			if k := slices.Index(s.works, it.work); classes[k]>>it.piece.Class&1 != 0 {
				c = append(c, i)
			}
		case it.actor == s.front && me == nil:
			c = slices.Insert(c, 0, i)
		default:
			c = append(c, i)
		}
	}
	s.candidates = c
	if len(c) == 0 {
		return nil
	}
	front := me != nil || s.front != nil && c[0] != mine && s.items[c[0]].actor == s.front
	k := s.choice.choose(len(c), front, func(k int) *uint64 {
		if c[k] == mine {
			return &me.rank
		}
		if it := &s.items[c[k]]; it.actor == nil {
			return &it.rank
		}
		return &s.items[c[k]].actor.rank
	})
	s.steps++
	return s.begin(me, k, c)
}

const mine = -1

// begin begins the candidate k of c.
func (s *Scheduler) begin(me *Actor, k int, c []int) *Actor {
	if c[k] == mine {
		s.noteChoice(k, c, me, nil)
		return me
	}
	it := s.removeItem(c[k])
	if me != nil {
		s.enlist(me)
	}
	if it.actor != nil {
		s.front = it.actor
		s.noteChoice(k, c, it.actor, nil)
		return it.actor
	}
	a := it.work.Begin(it.piece)
	a.rank, a.waits = it.rank, false
	s.front = a
	s.noteChoice(k, c, a, &it)
	return a
}

// noteChoice adds to the trace that a is the candidate k, or takes the piece that is.
func (s *Scheduler) noteChoice(k int, c []int, a *Actor, takes *item) {
	if s.trace == nil {
		return
	}
	does := "goes on"
	if takes != nil {
		does = "takes " + takes.work.Describe(takes.piece)
	}
	s.trace(fmt.Sprintf("%d [%d/%d] %s %s", s.steps, k, len(c), a.name(), does))
}

// Note adds a line to the trace.
func (s *Scheduler) Note(what string) {
	if s.trace != nil {
		s.trace(fmt.Sprintf("%d %s", s.steps, what))
	}
}

// Traced reports whether there is a scheduler that has a trace.
func (s *Scheduler) Traced() bool { return s != nil && s.trace != nil }

func (s *Scheduler) unblock() bool {
	for _, w := range s.works {
		if w.Unblock() {
			return true
		}
	}
	return false
}

// reportStuck tells the first actor that nothing can proceed.
func (s *Scheduler) reportStuck() *Actor {
	err := s.stuck
	if err == nil {
		err = s.onStuck()
		s.Note("nothing can go on")
	} else {
		s.main.failed = true // it was told before, and waits nevertheless
	}
	s.stuck = err
	s.main.waits = false
	return s.main
}

// TakeStuck returns, once, what the first actor must know if nothing can proceed: why it must not
// wait any longer. On a nil Scheduler there is nothing.
func (s *Scheduler) TakeStuck() error {
	if s == nil {
		return nil
	}
	err := s.stuck
	if err != nil && s.current == s.main {
		s.stuck = nil
		return err
	}
	return nil
}
