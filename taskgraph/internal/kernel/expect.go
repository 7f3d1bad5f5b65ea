package kernel

import "time"

// Work that comes at a known moment finds workers awake: they drowse from shortly before until shortly after, see
// [sleepevent.Group.KeepAwake]. Nothing relies on that: who sleeps is woken for work as always.

// KeepAwake has idle workers be awake for d from then on, all but as many as runners will come from outside.
func (k *Kernel) KeepAwake(in, d time.Duration, outside int) {
	n := k.Workers() - outside
	if fg := k.groups[0]; fg != nil {
		fg.KeepAwake(n, in, d)
		n -= fg.Workers()
	}
	k.groups[1].KeepAwake(n, in, d)
}

// Doze rests for so long like an idle worker, for the holder of s who runs a body that has nothing to do. It reports whether
// nothing but the time ended that; otherwise somebody wants the slot, which the holder should give away.
func (k *Kernel) Doze(s *Slot, d time.Duration) bool {
	if k.sim != nil || s.group == nil || k.surplus(s) || k.HasOwn(s) || k.stopped.Load() {
		return false
	}
	k.Enter() // the body is not over
	s.group.BeginSearch()
	k.idle(s)
	wanted := s.group.IdleTimeout(s.worker, s.rescan, d)
	k.busy(s)
	s.group.EndSearch()
	k.rampUp() // wakers may have counted on us
	k.Leave()
	return !wanted
}

// WakeAll wakes all idle workers, for those who doze to look why.
func (k *Kernel) WakeAll() {
	for _, g := range k.groups {
		if g != nil {
			g.WakeAll()
		}
	}
}

// IdleAwake returns how many idle workers are awake. It is a hint.
func (k *Kernel) IdleAwake() (n int) {
	for _, g := range k.groups {
		if g != nil {
			n += g.DrowsingCount()
		}
	}
	return n
}
