package kernel

// Hide hides the holder's own Normal tasks, of which there are none yet, from thieves until Reveal: for a burst of
// tasks that are so short that a thief costs the holder more than it takes off it. Nobody is woken for them before that.
// It reports whether they are hidden. It is for the holder.
//
// The watch reveals what is hidden for longer than a tick, so nothing stays there while the holder computes or blocks.
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

// RevealLate reveals what was hidden when it was last called, and is still. It is for the watch.
func (k *Kernel) RevealLate() {
	for _, s := range *k.slots.Load() {
		h := s.hidden.Load()
		if h&1 != 0 && h == s.seenHidden {
			k.Reveal(s)
		}
		s.seenHidden = h
	}
}

// isHidden reports whether the Normal tasks of s are hidden.
func (s *Slot) isHidden() bool { return s.hidden.Load()&1 != 0 }

// WakeOwn is Wake for what the holder of s has just pushed to its deque for l, unless that is hidden.
func (k *Kernel) WakeOwn(s *Slot, l Level) {
	if l != Normal || !s.isHidden() { // H3
		k.Wake(l)
	}
}
