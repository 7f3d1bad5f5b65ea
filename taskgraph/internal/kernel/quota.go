package kernel

// The number of workers may change while the kernel runs, up to the number of slots made at the
// start. Workers of each kind above their quota rest as soon as they run out of work. The page
// quota.md has the steps U1 to U3.

// SetWorkers says how many workers shall run, and how many of these run only foreground work. It
// reports whether that changes the quota.
func (k *Kernel) SetWorkers(workers, foreground int) bool {
	workers = min(max(workers, 1), len(k.base))
	foreground = min(max(foreground, 0), workers-1, k.cfg.Foreground)
	background := min(workers-foreground, len(k.base)-k.cfg.Foreground)
	v := uint64(foreground)<<32 | uint64(background)
	if k.quota.Load() == v {
		return false
	}
	k.quota.Store(v) // U1
	for _, s := range k.base {
		if !k.surplus(s) {
			s.rest.Unpark()
		}
	}
	return true
}

// Workers returns how many workers may run.
func (k *Kernel) Workers() int {
	v := k.quota.Load()
	return int(v>>32) + int(uint32(v))
}

// Awake returns how many workers and callers run tasks, search or drowse. It is a hint.
func (k *Kernel) Awake() int {
	n := k.Workers() + int(k.lent.used.Load())
	for _, g := range k.groups {
		n -= g.IdleCount() - g.DrowsingCount()
	}
	return n
}

func (k *Kernel) surplus(s *Slot) bool {
	v := k.quota.Load()
	if s.background {
		return s.worker >= int(uint32(v))
	}
	return s.worker >= int(v>>32)
}

// layOff parks the holder of s, which counts as searching, while it is above the quota.
func (k *Kernel) layOff(s *Slot) {
	s.group.EndSearch()
	k.rampUp() // U2: wakers may have relied on this search
	k.idle(s)
	for k.surplus(s) && !k.stopped.Load() && !s.isCalled() {
		s.rest.Park() // U3
	}
	k.busy(s)
	s.group.BeginSearch()
}

// idle says that the holder of s has reported and has no work, until busy.
func (k *Kernel) idle(s *Slot) {
	if k.cfg.OnPark != nil {
		k.cfg.OnPark(s, true)
	}
	k.cfg.OnIdle(s)
	s.idle.Store(true)
	k.Leave()
}

func (k *Kernel) busy(s *Slot) {
	k.Enter()
	s.idle.Store(false)
	if k.cfg.OnPark != nil {
		k.cfg.OnPark(s, false)
	}
}
