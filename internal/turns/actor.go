package turns

import (
	"bytes"
	"runtime"
	"strconv"

	"github.com/heddle-go/heddle/internal/atomics"
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

// SetName sets the name, in a trace, of the actor that has the turn. On a nil Scheduler it does
// nothing.
func (s *Scheduler) SetName(name func() string) {
	if s != nil {
		s.current.name = name
	}
}

// SetPrompt says that a runs at once when it is ready, without a choice, because its next steps up
// to its next wait have no visible effect.
func (a *Actor) SetPrompt(prompt bool) { a.prompt = prompt }

// Go starts an actor that calls f. If it is prompt, it runs before any other actor: the moment of
// its first step has no visible effect. On a nil Scheduler it starts a goroutine and returns nil.
func (s *Scheduler) Go(prompt bool, name func() string, f func()) *Actor {
	if s == nil {
		atomics.Go(f)
		return nil
	}
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

// Join makes an actor of the calling goroutine, which is about to call Begin, while the actor that
// has the turn waits for that.
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

// Leave ends a: it gives its turn away for ever.
func (a *Actor) Leave() {
	s := a.s
	s.forget(a)
	a.gone = true
	to := s.next(nil)
	s.current = to
	to.turn <- struct{}{}
}

// Rename makes the next goroutine that acts as a its goroutine; the one before has started that as
// its last act.
func (a *Actor) Rename() { a.id = 0 }

// Identifying the caller takes longer than everything else, so it is done once in so many steps or
// calls.
const (
	checkEvery = 32
	checkCalls = 8
)

// Check panics if the caller is not the goroutine that has the turn. On a nil Scheduler it does
// nothing.
func (s *Scheduler) Check() {
	if s != nil && !s.closed {
		s.me(true)
	}
}

// CheckSometimes is Check for frequent calls: it checks the first call and some of the others.
func (s *Scheduler) CheckSometimes() {
	if s != nil {
		s.checkSometimes()
	}
}

func (s *Scheduler) checkSometimes() {
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
		panic("taskgraph: a goroutine that the simulation does not know uses the system: in " +
			"deterministic mode only the goroutine that started it, and bodies, may")
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

// Scheduler returns the Scheduler of a.
func (a *Actor) Scheduler() *Scheduler { return a.s }
