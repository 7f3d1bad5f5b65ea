package history

// Closable is the state of a list that can be closed.
type Closable struct {
	// Values are what it holds, in the order of registration.
	Values Values
	// Closed is final.
	Closed bool
}

// ClosableList is the Spec of a list that can be closed: OpPush, OpClose, OpClosed. An OpPush
// fails if and only if the list is closed; one OpClose closes it and takes all values in the
// order of registration, further ones fail.
func ClosableList() Spec[Closable] { return Spec[Closable]{Step: stepClosable, Name: OpName} }

func stepClosable(s Closable, c *Call) (Closable, bool) {
	switch c.Op {
	case OpPush:
		if c.Status == Fail || s.Closed {
			return s, s.Closed && c.Status == Fail
		}
		s.Values.Push(c.Arg)
		return s, true
	case OpClose:
		if c.Status == Fail || s.Closed {
			return s, s.Closed && c.Status == Fail
		}
		return Closable{Closed: true}, c.Status == Pending || s.Values.Pack(false) == c.Ret
	case OpClosed:
		return s, c.Status != Pending && s.Closed == (c.Status == OK)
	}
	badOp("ClosableList", c)
	return s, false
}
