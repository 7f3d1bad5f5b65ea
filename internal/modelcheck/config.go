package modelcheck

import "strings"

// Timers says when the time limit of a wait may come.
type Timers uint8

const (
	// TimersNever: no limit ever comes, so that a lost wake-up cannot hide behind one.
	TimersNever Timers = iota

	// TimersOnTime: the earliest limit comes when nobody can move.
	TimersOnTime

	// TimersEarly: a limit may come at any moment.
	TimersEarly
)

// A Config says under which rules executions run. The zero Config is the default.
type Config struct {
	Timers Timers

	Tick   int64 // ns that each call of Now is later than the thread's last one; 0: 1
	Steps  int   // an execution with more steps is a livelock; 0: 5000
	Spin   int   // rounds that a thread may spin while nothing is written; 0: 1
	Rounds int   // times that all are let go on spinning if nobody else can move; 0: 3

	// FreezeThread is suspended for ever after FreezeStep steps; the others must finish.
	// FreezeStep 0: nobody is.
	FreezeThread, FreezeStep int

	tolerate func(*Failure) bool // the exploration goes on after it
}

func (c Config) withDefaults() Config {
	if c.Tick == 0 {
		c.Tick = 1
	}
	if c.Steps == 0 {
		c.Steps = 5000
	}
	if c.Spin == 0 {
		c.Spin = 1
	}
	if c.Rounds == 0 {
		c.Rounds = 3
	}
	if c.FreezeStep == 0 {
		c.FreezeThread = -1
	}
	return c
}

// A Kind says how an execution failed.
type Kind string

const (
	KindAssertion       Kind = "assertion"       // the model says so
	KindPanic           Kind = "panic"           // a thread panicked
	KindDeadlock        Kind = "deadlock"        // nobody can move: a lost wake-up
	KindLivelock        Kind = "livelock"        // no end
	KindBlocking        Kind = "blocking"        // one suspended thread keeps others from finishing
	KindLinearizability Kind = "linearizability" // the history has no order that explains it
	KindDeterminism     Kind = "nondeterminism"  // the same schedule led elsewhere
	KindUnseen          Kind = "unseen"          // the model does what the engine cannot see
)

// brief says in one line what is wrong with an execution that failed in this way.
//
//go:norace
func (k Kind) brief(text string) string {
	switch k {
	case KindDeadlock:
		return "threads wait, and nobody can move"
	case KindBlocking:
		return "a thread that stands still keeps others from their end"
	case KindLinearizability:
		return "no order of the calls explains what they returned"
	}
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// A Failure is what was wrong with an execution.
type Failure struct {
	Kind        Kind
	Text        string
	Schedule    string // replays it
	Preemptions int    // switches away from a thread that could have gone on
	Execution   int    // number of the execution in its exploration, from 1
	Trace       string // what the threads did

	threads int    // how many there were
	lines   []line // the trace, line by line
}
