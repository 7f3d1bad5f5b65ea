package kernel

// A Call asks the holder of one particular base slot for something besides tasks. At its next task
// boundary the holder gets [GotCall] and takes the call. Each slot has room for one call, and only
// one goroutine at a time may call. The page call.md has the steps K1 to K6.
type Call struct {
	What any
}

// Call gives c to the holder of s, a base slot that has no other call, and wakes it if it sleeps.
func (k *Kernel) Call(s *Slot, c *Call) {
	// K1 first: a worker that saw the call without the hint would look again and again.
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
func (k *Kernel) Withdraw(s *Slot, c *Call) bool {
	return s.call.CompareAndSwap(c, nil) // LP(Withdraw)
}

// CallsOver says that every call was taken or withdrawn.
func (k *Kernel) CallsOver() { k.hints.And(^hintCall) } // K6

func (s *Slot) isCalled() bool { return s.call.Load() != nil }
