package taskgraph

import (
	"runtime/debug"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/park"
)

// callback calls f, a function of the Options, on a goroutine of its own and waits for it, because
// a Goexit must not cut off the caller. It reports a failure of f by the name of the option, as one
// that nobody has seen.
func (s *System) callback(option string, f func()) {
	done := s.newParker(park.Go)
	s.runners.Add(1)
	s.turns.Go(false, func() string { return option }, func() {
		defer s.leave()
		defer done.Unpark()
		s.guarded(option, f)
	})
	done.Park()
}

func (s *System) guarded(option string, f func()) {
	clean := false
	defer func() {
		if !clean {
			s.Name(s.NewEvent(), option).Fail(thrown(recover()))
		}
	}()
	f()
	clean = true
}

// thrown returns the failure of a function that ended early and for which recover returned v. While
// a Goexit unwinds, v is nil unless a deferred function panicked, after which the Goexit continues.
func thrown(v any) error {
	if v == nil {
		return graphevent.ErrGoexit
	}
	return &graphevent.PanicError{Value: v, Stack: debug.Stack()}
}

func (s *System) onFailure(name string, err error) {
	if f := s.opts.OnFailure; f != nil && !s.abandoned.Load() {
		s.callback("OnFailure", func() { f(name, err) })
	}
}
