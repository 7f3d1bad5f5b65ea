package taskgraph

import "runtime"

// follow makes room for as many workers as the machine has processors. As many of them run as
// GOMAXPROCS says, which may change without notice. If half, half of them run only foreground work.
func (s *System) follow(half bool) {
	s.follows = true
	s.opts.Workers = min(max(s.opts.Workers, runtime.NumCPU()), maxWorkers)
	if half {
		s.foreground = -1
		s.opts.Foreground = s.opts.Workers / 2
	}
}

// Workers without work and the watch call adjust.
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
		// We may have read the number long ago and overwritten a newer one: look again.
	}
}
