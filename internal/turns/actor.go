package turns

import (
	"bytes"
	"runtime"
	"strconv"
)

// An Actor is a goroutine that takes turns.
type Actor struct {
	s    *Scheduler
	name func() string
	turn chan struct{}
	id   uint64 // of its goroutine; 0: not known yet
	rank uint64

	waits   bool // for a Ready
	expired bool
	failed  bool
	prompt  bool
	gone    bool
	cond    func() bool
}

func (s *Scheduler) newActor(name func() string) *Actor {
	return &Actor{s: s, name: name, turn: make(chan struct{}, 1)}
}

// Current returns the actor that has the turn.
func (s *Scheduler) Current() *Actor { return s.current }

// Name names a in a trace.
func (a *Actor) Name() string { return a.name() }

// IsMain reports whether a is the first actor.
func (a *Actor) IsMain() bool { return a == a.s.main }

// SetName says how a is called in a trace.
func (a *Actor) SetName(name func() string) { a.name = name }

// SetPrompt says that a goes on at once when it is ready, without a choice: because nobody can see
// what it does next, other than that it waits.
func (a *Actor) SetPrompt(prompt bool) { a.prompt = prompt }

// Go starts an actor that calls f. If it is prompt it does so before anybody else goes on.
func (s *Scheduler) Go(prompt bool, name func() string, f func()) *Actor {
	a := s.newActor(name)
	a.prompt = prompt
	a.rank = s.choice.rank()
	s.enlist(a)
	go func() {
		a.Begin()
		defer a.Leave()
		f()
	}()
	return a
}

// Join makes an actor of a goroutine that is about to call Begin. It is called by that goroutine,
// while the one that has the turn waits for it.
func (s *Scheduler) Join(name func() string) *Actor {
	a := s.newActor(name)
	a.prompt = true
	s.enlist(a)
	return a
}

// Begin waits for the first turn of a.
func (a *Actor) Begin() {
	<-a.turn
	a.id = 0
}

// Leave ends the part of a: it gives its turn away for ever.
func (a *Actor) Leave() {
	s := a.s
	s.forget(a)
	a.gone = true
	to := s.next(nil)
	s.current = to
	to.turn <- struct{}{}
}

// Rename makes the next goroutine that acts as a be taken for it: the one before has started
// it as its last act.
func (a *Actor) Rename() { a.id = 0 }

// To ask who the caller is takes longer than everything else, so it is done once in so many steps,
// or of so many calls.
const (
	checkEvery = 32
	checkCalls = 8
)

// Check panics if the caller is not the goroutine that has the turn.
func (s *Scheduler) Check() {
	if !s.closed {
		s.me(true)
	}
}

// CheckSometimes is Check for what is called often: it looks at the first call and at some of
// the others.
func (s *Scheduler) CheckSometimes() {
	if s.calls++; s.calls%checkCalls == 1 {
		s.Check()
	}
}

func (s *Scheduler) me(check bool) *Actor {
	a := s.current
	if !check {
		return a
	}
	if id := goroutine(); a.id == 0 {
		a.id = id
	} else if a.id != id {
		panic("taskgraph: a goroutine that the simulation does not know uses the system: in deterministic mode only the goroutine that started it, and bodies, may")
	}
	return a
}

// goroutine returns the number of the calling goroutine.
func goroutine() uint64 {
	var buf [40]byte
	text := buf[:runtime.Stack(buf[:], false)]
	text = bytes.TrimPrefix(text, []byte("goroutine "))
	if i := bytes.IndexByte(text, ' '); i >= 0 {
		text = text[:i]
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		panic("turns: no number of a goroutine in " + strconv.Quote(string(text)))
	}
	return n
}

// Scheduler returns whom a takes turns of.
func (a *Actor) Scheduler() *Scheduler { return a.s }
