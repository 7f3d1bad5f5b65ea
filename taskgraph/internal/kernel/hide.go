package kernel

import "github.com/heddle-go/heddle/graphevent"

// Hide hides the holder's own Normal tasks, of which there are none yet, from thieves until Reveal: for a burst of
// tasks that are so short that a thief costs the holder more than it takes off it. Others are woken for SpawnHidden and
// PushAllHidden only after that. It reports whether they are hidden. It is for the holder.
//
// The watch reveals what is hidden for longer than a tick, so nothing stays there while the holder computes or blocks.
func (k *Kernel) Hide(s *Slot) bool {
	if k.sim != nil || !s.deques[0].Empty() {
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

// SpawnHidden is Spawn that wakes nobody while the tasks of s are hidden.
func (k *Kernel) SpawnHidden(s *Slot, n graphevent.Node) {
	d := &s.deques[0]
	d.Push(n)
	if !s.isHidden() { // H3
		k.wakeFor(d, Normal)
	}
}

// PushAllHidden is PushAll that wakes nobody while the tasks of s are hidden.
func (k *Kernel) PushAllHidden(s *Slot, ns []graphevent.Node) {
	s.deques[0].PushAll(ns)
	if !s.isHidden() { // H3
		k.Wake(Normal)
	}
}
