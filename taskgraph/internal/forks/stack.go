package forks

// A Stack is what a slot keeps of calls, for its holder: the private ones of the bodies on his
// stack, and free records. README.md has its rules, P1 and P2.
type Stack[C, A any] struct {
	calls  []*Call[C, A]
	top    int
	begun  int
	enough int
	calm   int // calls since there were too few public ones
}

const (
	few  = 2    // the least public calls that are ever enough
	many = 256  // and the most
	calm = 4096 // after so many calls without want, half will do

	cache = 64 // free records that a stack keeps at most
)

// NewStack returns the stack of a slot beside which so many workers may steal.
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

// IsTop reports whether k is on top, which is private.
func (s *Stack[C, A]) IsTop(k *Call[C, A]) bool { return s.calls[s.top-1] == k }

// Pop takes the call on top out. Its record is free.
func (s *Stack[C, A]) Pop() {
	s.top--
	if s.begun > s.top {
		s.begun = s.top
	}
}

// HidesMore reports whether there may be a call that nobody has begun, besides the one on top.
func (s *Stack[C, A]) HidesMore() bool { return s.begun < s.top-1 }

// IsCalm notes that there were enough public calls at a Push. It reports whether that has been so
// for long: then SettleDown is to follow.
func (s *Stack[C, A]) IsCalm() bool {
	s.calm++
	return s.calm == calm
}

// SettleDown has fewer public calls be enough, and returns how many.
func (s *Stack[C, A]) SettleDown() (enough int) {
	s.calm, s.enough = 0, max(s.enough/2, few)
	return s.enough
}

// Enough returns how many public calls are enough, when there were too few. None says that there
// were none at all; if that is because thieves took all there was, more are enough from now on.
func (s *Stack[C, A]) Enough(none bool) int {
	if none && s.top-s.begun > 1 {
		s.calm, s.enough = 0, min(2*s.enough, many)
	}
	return s.enough
}

// Publish takes the oldest call out that nobody has begun, for everybody to see, or returns nil if
// there is none.
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
// first. The others are not private any more.
func (s *Stack[C, A]) PublishAll(show func(*Call[C, A])) {
	for _, k := range s.calls[:s.top] {
		k.n &^= private
		if k.F != nil {
			show(k)
		}
	}
	free := copy(s.calls, s.calls[s.top:]) // and no part of the array, or it would have to grow again
	s.calls = s.calls[:free]
	s.top, s.begun = 0, 0
}

// put makes k free, which is in no stack, and reports false if there are enough free ones.
func (s *Stack[C, A]) put(k *Call[C, A]) bool {
	if len(s.calls)-s.top >= cache {
		return false
	}
	k.n |= private
	s.calls = append(s.calls, k)
	return true
}
