package taskgraph

import (
	"runtime/debug"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/park"
)

// callback calls f, a function of the Options, and returns when it has ended. It runs on a goroutine of its own, because
// the caller is in the middle of something that a Goexit must not cut off. What f fails with is a failure that nobody
// has seen, by the name of the option.
func (s *System) callback(option string, f func()) {
	done := s.newParker(park.Go)
	s.runners.Add(1)
	s.startGoroutine(false, func() string { return option }, func() {
		defer s.leave()
		defer done.Unpark()
		s.guarded(option, f)
	})
	done.Park()
}

// guarded calls f and notes a panic or a Goexit.
func (s *System) guarded(option string, f func()) {
	clean := false
	defer func() {
		if clean {
			return
		}
		e := s.Name(s.NewEvent(), option)
		e.Fail(thrown(recover()))
	}()
	f()
	clean = true
}

// thrown returns the failure of what ended early, of which recover returned v. It is nil while a Goexit unwinds, unless
// a deferred function panicked on the way: then the Goexit goes on all the same.
func thrown(v any) error {
	if v == nil {
		return graphevent.ErrGoexit
	}
	return &graphevent.PanicError{Value: v, Stack: debug.Stack()}
}

// onFailure tells of the failure of what name names.
func (s *System) onFailure(name string, err error) {
	if f := s.opts.OnFailure; f != nil && !s.abandoned.Load() {
		s.callback("OnFailure", func() { f(name, err) })
	}
}
