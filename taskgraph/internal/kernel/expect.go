package kernel

import "time"

// Work that comes at a known moment finds workers awake: they drowse from shortly before until
// shortly after it, see [sleepevent.Group.KeepAwake]. Nothing relies on that: work wakes a sleeping
// worker as always.

// KeepAwake keeps idle workers awake for d, beginning after in: all of them less the number of
// runners that will come from outside.
func (k *Kernel) KeepAwake(in, d time.Duration, outside int) {
	n := k.Workers() - outside
	for _, g := range k.groups {
		g.KeepAwake(n, in, d)
		n -= g.Workers()
	}
}

// Doze rests like an idle worker for up to d. It is for the holder of s, whose body has nothing to
// do. It reports whether it rested until the time was over; if not, somebody wants the slot, and
// the holder should give it away.
func (k *Kernel) Doze(s *Slot, d time.Duration) bool {
	if k.sim != nil || s.group == nil || k.surplus(s) || k.HasOwn(s) || k.stopped.Load() ||
		k.roused.Load() {
		return false
	}
	k.Enter() // the body is not over
	s.group.BeginSearch()
	k.idle(s)
	wanted := s.group.IdleTimeout(s.worker, s.dozing, d) // DO2
	k.busy(s)
	s.group.EndSearch()
	k.rampUp() // wakers may have relied on this search
	k.Leave()
	return !wanted
}

// Rouse wakes everybody who dozes, and all idle workers. From then on nobody dozes.
func (k *Kernel) Rouse() {
	k.roused.Store(true) // DO1
	for _, g := range k.groups {
		g.WakeAll()
	}
}

// Handy reports, as a hint, whether a worker for level l comes quickly: it searches or drowses.
func (k *Kernel) Handy(l Level) bool {
	for _, g := range k.groups {
		if (g == k.bg || !l.IsBackground()) && (g.Searching() > 0 || g.DrowsingCount() > 0) {
			return true
		}
	}
	return false
}
