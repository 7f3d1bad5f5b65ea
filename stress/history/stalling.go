package history

import "math/bits"

// Stalling is the state of a queue that knows which consumers have stalled.
type Stalling struct {
	// Values are what it holds, on all levels, in the order in which they were pushed.
	Values Values
	// Pending has a bit for each value whose push has yet to choose whom to wake.
	Pending [4]uint64
	// Stalled has a bit for each consumer that has stalled.
	Stalled uint32
}

// StallingQueue is the Spec of a queue with priorities and Leveled values that knows which of
// its consumers have stalled: OpPop as for Levels, and a push is two calls that share its
// begin and its end, an OpPush of the value and then an OpChoose. OpStall is a pop that registers its
// consumer as stalled: any value there belongs to a push that has yet to choose. OpUnstall
// and OpWake change the registrations alone.
func StallingQueue() Spec[Stalling] { return Spec[Stalling]{Step: stepStalling, Name: LeveledOpName} }

func stepStalling(s Stalling, c *Call) (Stalling, bool) {
	legal := true
	switch c.Op {
	case OpPush, OpPop:
		s.Values, legal = stepLevels(s.Values, c)
		if c.Op == OpPush {
			s.Pending[c.Arg>>6] |= 1 << (c.Arg & 63)
		}
		return s, legal
	case OpChoose:
		word, bit := &s.Pending[uint8(c.Arg)>>6], uint64(1)<<(c.Arg&63)
		legal = *word&bit != 0
		*word &^= bit
		return s, s.wake(c) && legal
	case OpWake:
		return s, s.wake(c)
	case OpStall:
		for i := range s.Values.Len() {
			v := s.Values.At(i)
			legal = legal && s.Pending[v>>6]>>(v&63)&1 == 1
		}
		legal = legal && s.Stalled>>c.Arg&1 == 0
		s.Stalled |= 1 << c.Arg
		return s, legal
	case OpUnstall:
		is := s.Stalled>>c.Arg&1 == 1
		s.Stalled &^= 1 << c.Arg
		return s, c.Status == Pending || is == (c.Status == Fail)
	}
	badOp("StallingQueue", c)
	return s, false
}

// wake takes the lowest consumer out, and reports whether c may have chosen it.
func (s *Stalling) wake(c *Call) bool {
	lowest := -1
	if s.Stalled != 0 {
		lowest = bits.TrailingZeros32(s.Stalled)
	}
	s.Stalled &= s.Stalled - 1
	return c.Status == Pending || int(c.Ret) == lowest
}
