package taskgraph

import "runtime"

// follow makes room for as many workers as the machine has processors, of which as many run as
// GOMAXPROCS says: it may change, and nobody tells of it. Half says that half of them are to
// run foreground work only.
func (s *System) follow(half bool) {
	s.follows = true
	s.opts.Workers = min(max(s.opts.Workers, runtime.NumCPU()), maxWorkers)
	if half {
		s.foreground = -1
		s.opts.Foreground = s.opts.Workers / 2
	}
}

// adjust is called by workers that run dry, and by the watch.
func (s *System) adjust() {
	if !s.follows {
		return
	}
	for {
		procs := runtime.GOMAXPROCS(0)
		fg := s.foreground
		if fg < 0 {
			fg = procs / 2
		}
		if !s.kern.SetWorkers(procs, fg) {
			return
		}
		// We may have read the number long ago, and put it over a newer one: look again.
	}
}
