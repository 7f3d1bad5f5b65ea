package forks

// A Stack has the private calls of the bodies on a slot, and free records, for the slot's holder.
// README.md has its rules, P1 and P2.
type Stack[C, A any] struct {
	calls  []*Call[C, A]
	top    int
	begun  int
	enough int
	calm   int // calls made since thieves were short of them, or somewhat more
}

const (
	few  = 2    // the least public calls that are ever enough
	many = 256  // and the most
	calm = 4096 // after so many calls without a shortage, half suffices

	cache = 64 // free records that a stack keeps at most
)

// NewStack returns the stack of a slot in a system with the given number of workers.
func NewStack[C, A any](workers int) Stack[C, A] {
	return Stack[C, A]{enough: min(few*workers, many)}
}

// IsEmpty reports whether no call is private.
func (s *Stack[C, A]) IsEmpty() bool { return s.top == 0 }

// IsFull reports whether there is no free record, see Pool.Fill.
func (s *Stack[C, A]) IsFull() bool { return s.top == len(s.calls) }

// Push puts a free record on top, and returns it. The stack is not full.
func (s *Stack[C, A]) Push() *Call[C, A] {
	k := s.calls[s.top]
	s.top++
	return k
}

// IsTop reports whether k, which is private, is on top.
func (s *Stack[C, A]) IsTop(k *Call[C, A]) bool { return s.calls[s.top-1] == k }

// Pop takes the call on top out. Its record is free.
func (s *Stack[C, A]) Pop() {
	s.top--
	if s.begun > s.top {
		s.begun = s.top
	}
}

// HidesMore reports whether, besides the call on top, there may be one that nobody has begun.
func (s *Stack[C, A]) HidesMore() bool { return s.begun < s.top-1 }

// IsCalm notes that thieves were not short of public calls at a Push. It reports whether that has
// been so for long; the caller then calls SettleDown.
func (s *Stack[C, A]) IsCalm() bool {
	s.calm++
	return s.calm == calm
}

// SettleDown lowers the number of public calls that are enough, and returns it.
func (s *Stack[C, A]) SettleDown() (enough int) {
	s.calm, s.enough = 0, max(s.enough/2, few)
	return s.enough
}

// Enough returns how many public calls are enough; it is called when there were too few. none says
// that there were none at all; if thieves have taken them, Enough raises the number. Otherwise that
// is as calm as a Push with enough of them: or bodies that never have as many calls open would make
// all of them public for ever, though nobody wants them.
func (s *Stack[C, A]) Enough(none bool) int {
	switch {
	case none && s.top-s.begun > 1:
		s.calm, s.enough = 0, min(2*s.enough, many)
	case s.IsCalm():
		return s.SettleDown()
	}
	return s.enough
}

// Publish takes the oldest call that nobody has begun out of the stack, to be published, or returns
// nil if there is none.
func (s *Stack[C, A]) Publish() *Call[C, A] {
	for s.begun < s.top && s.calls[s.begun].F == nil {
		s.begun++
	}
	if s.begun == s.top {
		return nil
	}
	k := s.calls[s.begun]
	copy(s.calls[s.begun:], s.calls[s.begun+1:])
	s.calls = s.calls[:len(s.calls)-1]
	s.top--
	k.n &^= private
	return k
}

// PublishAll takes all calls out, and calls show with those that nobody has begun, the oldest
// first. The others are no longer private.
func (s *Stack[C, A]) PublishAll(show func(*Call[C, A])) {
	for _, k := range s.calls[:s.top] {
		k.n &^= private
		if k.F != nil {
			show(k)
		}
	}
	free := copy(s.calls, s.calls[s.top:]) // moved, so that the array keeps its capacity
	s.calls = s.calls[:free]
	s.top, s.begun = 0, 0
}

// put frees k, which is in no stack, and reports false if there are enough free records.
func (s *Stack[C, A]) put(k *Call[C, A]) bool {
	if len(s.calls)-s.top >= cache {
		return false
	}
	k.n |= private
	s.calls = append(s.calls, k)
	return true
}
