package history

// AutoResetEvent is the Spec of an event that a wait resets: OpTrigger, OpWait, OpReset.
func AutoResetEvent() Spec[bool] {
	return Spec[bool]{Name: OpName, Step: func(set bool, c *Call) (bool, bool) {
		return stepEvent(set, c, true)
	}}
}

// ManualResetEvent is the Spec of an event that stays set: OpTrigger, OpWait, OpReset.
func ManualResetEvent() Spec[bool] {
	return Spec[bool]{Name: OpName, Step: func(set bool, c *Call) (bool, bool) {
		return stepEvent(set, c, false)
	}}
}

func stepEvent(set bool, c *Call, auto bool) (after, legal bool) {
	switch c.Op {
	case OpTrigger:
		return true, true
	case OpWait:
		if c.Status == Pending {
			return set && !auto, set // a wait that is over has found it set
		}
		return set && !auto, set == (c.Status == OK)
	case OpReset:
		return false, c.Status == Pending || set == (c.Status == OK)
	}
	badOp("Event", c)
	return set, false
}
