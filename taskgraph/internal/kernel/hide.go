package kernel

// Hide hides the holder's own Normal tasks from thieves until Reveal, and nobody is woken for them.
// The holder calls it, with none queued, before a burst of tasks so short that a thief would cost
// it more than the thief takes over. It reports whether the tasks will be hidden.
//
// The watch reveals what is hidden for longer than one of its periods, so no task stays hidden
// while the holder computes or blocks.
func (k *Kernel) Hide(s *Slot) bool {
	if k.sim != nil || s.isHidden() || !s.deques[0].Empty() {
		return false
	}
	s.hidden.Add(1) // H1
	k.watch()       // H2
	return true
}

// Reveal ends Hide, and wakes a worker if there is anything. Anybody may call it at any time.
func (k *Kernel) Reveal(s *Slot) {
	h := s.hidden.Load()
	if h&1 != 0 && s.hidden.CompareAndSwap(h, h+1) && !s.deques[0].Empty() { // H4
		k.Wake(Normal)
	}
}

// RevealLate reveals tasks that have been hidden since its last call. It is for the watch.
func (k *Kernel) RevealLate() {
	for _, s := range *k.slots.Load() {
		h := s.hidden.Load()
		if h&1 != 0 && h == s.seenHidden {
			k.Reveal(s)
		}
		s.seenHidden = h
	}
}

func (s *Slot) isHidden() bool { return s.hidden.Load()&1 != 0 }

// WakeOwn is Wake for what the holder of s has just pushed to its deque for l, if not hidden.
func (k *Kernel) WakeOwn(s *Slot, l Level) {
	if l != Normal || !s.isHidden() { // H3
		k.Wake(l)
	}
}
