package kernel

// A Call is something that a certain base slot's holder is to do at its next task boundary, besides tasks: it
// gets [GotCall] and takes it. Each slot has room for one, and one caller at a time calls.
//
// A holder that runs sees the hint and then the slot's own word. The hint is set before the word and until it is
// empty again, so whoever finds a call by the word gets at it by the hint. One that goes to sleep looks at the word
// after it has said that it is idle, and the caller wakes it after it has written the word: one of the
// two sees the other. A call is taken or withdrawn, by a step on that word, and not both.
type Call struct {
	What any
}

// Call gives c to the holder of s, a base slot that has no other call, and wakes it if it sleeps.
func (k *Kernel) Call(s *Slot, c *Call) {
	// K1 first, or a worker that sees the call does not get at it, and looks again and again.
	k.hint(hintCall)
	s.call.Store(c) // K2
	if k.sim != nil {
		k.sim.call(s)
		return
	}
	if s.rest != nil {
		s.rest.Unpark()
	}
	s.group.WakeWorker(s.worker) // K3
}

// TakeCall takes the call of s, for its holder, or returns nil if it was withdrawn.
func (k *Kernel) TakeCall(s *Slot) *Call { return s.call.Swap(nil) } // K4, LP(TakeCall)

// Withdraw takes c back (K5), and reports false if the holder has taken it.
func (k *Kernel) Withdraw(s *Slot, c *Call) bool { return s.call.CompareAndSwap(c, nil) } // LP(Withdraw)

// CallsOver says that every call was taken or withdrawn.
func (k *Kernel) CallsOver() { k.hints.And(^hintCall) } // K6

// isCalled reports whether there is a call for the holder of s.
func (s *Slot) isCalled() bool { return s.call.Load() != nil }
