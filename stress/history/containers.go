package history

// FIFO is the Spec of an unbounded queue: OpPush, OpPop.
func FIFO() Spec[Values] { return Spec[Values]{Step: stepFIFO, Name: OpName} }

func stepFIFO(s Values, c *Call) (Values, bool) {
	switch {
	case c.Op == OpPush && c.Status != Fail:
		s.Push(c.Arg)
		return s, true
	case c.Op == OpPop:
		ok := s.take(0, c)
		return s, ok
	}
	badOp("FIFO", c)
	return s, false
}

// take is a pop or steal of the value i, if there is any value.
func (s *Values) take(i int, c *Call) bool {
	switch {
	case c.Status != OK && c.Status != Pending:
		return s.n == 0
	case s.n == 0:
		return false // if pending: as if it had no effect
	}
	return s.Remove(i) == c.Ret || c.Status == Pending
}

// BoundedFIFO is the Spec of a queue that holds at most capacity values: OpPush, OpPop. An
// OpPush that fails means that the queue was full at one moment.
func BoundedFIFO(capacity int) Spec[Values] {
	return Spec[Values]{Name: OpName, Step: func(s Values, c *Call) (Values, bool) {
		if c.Op != OpPush {
			return stepFIFO(s, c)
		}
		full := s.Len() >= capacity
		if c.Status == Fail || full {
			return s, full && c.Status == Fail
		}
		s.Push(c.Arg)
		return s, true
	}}
}

// LIFO is the Spec of a stack: OpPush, OpPop, OpPopAll. What OpPopAll takes begins with the
// value pushed last.
func LIFO() Spec[Values] { return Spec[Values]{Step: stepLIFO, Name: OpName} }

func stepLIFO(s Values, c *Call) (Values, bool) {
	switch {
	case c.Op == OpPush && c.Status != Fail:
		s.Push(c.Arg)
		return s, true
	case c.Op == OpPop:
		ok := s.take(int(s.n)-1, c)
		return s, ok
	case c.Op == OpPopAll:
		return Values{}, c.Status == Pending || c.Ret == s.Pack(true)
	}
	badOp("LIFO", c)
	return s, false
}

// Deque is the Spec of a work-stealing deque: OpPush, OpPop and OpNewest at one end, OpSteal at
// the other. An OpSteal with the status Retry has no effect and is always legal here: ask
// RetryJustified, with Taking, whether it could lose a race.
func Deque() Spec[Values] { return Spec[Values]{Step: stepDeque, Name: OpName} }

func stepDeque(s Values, c *Call) (Values, bool) {
	switch c.Op {
	case OpPopAll:
		badOp("Deque", c)
	case OpNewest:
		look := s
		return s, c.Status == Pending || look.take(int(s.n)-1, c)
	}
	if c.Op != OpSteal {
		return stepLIFO(s, c)
	}
	if c.Status == Retry {
		return s, true
	}
	ok := s.take(0, c)
	return s, ok
}

// Taking reports whether a call is an OpPop or OpSteal that took a value or, if it is pending,
// may have.
func Taking(c *Call) bool {
	return (c.Op == OpPop || c.Op == OpSteal) && (c.Status == OK || c.Status == Pending)
}

// Levels is the Spec of a queue with priorities and Leveled values, 0 the highest: OpPush, OpPop.
// An OpPop takes the first value of any level, also if a higher one is not empty; it fails
// if all are empty at one moment. It is a part of what a LevelChecker asks.
func Levels() Spec[Values] { return Spec[Values]{Step: stepLevels, Name: LeveledOpName} }

func stepLevels(s Values, c *Call) (Values, bool) {
	switch {
	case c.Op == OpPush && c.Status != Fail:
		s.Push(c.Arg)
		return s, true
	case c.Op == OpPop && c.Status == Fail:
		return s, s.n == 0
	case c.Op == OpPop:
		i := s.first(LevelOf(c.Ret))
		return s, i >= 0 && (s.Remove(i) == c.Ret || c.Status == Pending)
	}
	badOp("Levels", c)
	return s, false
}

// first returns the place of the first value of a level, or -1.
func (s *Values) first(level int) int {
	for i := range int(s.n) {
		if LevelOf(int64(s.v[i])) == level {
			return i
		}
	}
	return -1
}
