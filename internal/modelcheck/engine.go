package modelcheck

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
)

// MaxThreads is the largest number of threads in a model.
const MaxThreads = 8

// A set is a set of threads, a bit for each.
type set = uint16

// An Engine runs executions of one model at a time. README.md has M1 to M4, which hold it together.
type Engine struct {
	cfg     Config
	x       Explorer
	threads [MaxThreads]*thread
	n       int // threads of this execution

	epoch  uint32
	words  uint16
	spawns meta // a word that each start of a thread writes

	live, ready, spin, frozen set
	woken, robbed             set // by the current step; robbed: could have timed out
	paused                    bool
	rounds                    int // how often all spinning threads were allowed to continue
	waits                     int

	steps, preemptions int
	schedule           []uint16 // thread, or choiceMark plus value
	running            bool
	settingUp          bool
	joined             set // threads of the set-up that have ended
	servants           set // threads of the set-up and what they start, which need not end
	starting           *thread
	starter            *thread // nil: the root
	root               chan struct{}
	aborting, pruned   bool
	reached            bool // the thread to freeze has reached its last step
	failure            *Failure

	tracing  bool
	rows     []row
	runs     uint64
	checking bool // check that each step is made by its thread's goroutine

	beat  atomic.Uint32
	stuck string // why the execution was given up: a thread does not give the token back
}

// choiceMark tells a choice of Choose from a thread in a schedule.
const choiceMark = 0x100

// freezeMark marks in a schedule that the thread that moved last is suspended for ever.
const freezeMark = 0x200

// active is the thread that holds the token, nil where no model runs. It is a plain variable:
// only the holder of the token writes it, and in a process in which a model runs nothing else
// may use the instrumented words.
var active *thread

// exclusive keeps the models of one process apart. It guards epochs, the number of executions so
// far, and missing, the text about a thread that did not give the token back.
var (
	exclusive sync.Mutex
	epochs    uint32
	missing   string
)

// current returns the thread of a model that makes an operation, nil outside of models.
//
//go:norace
func current() *thread {
	if active == nil {
		delay()
	}
	return active
}

// NewEngine returns an engine. Close ends its goroutines.
func NewEngine(cfg Config) *Engine {
	e := &Engine{cfg: cfg.withDefaults(), root: make(chan struct{}, 1),
		schedule: make([]uint16, 0, 4096)}
	for i := range e.threads {
		e.threads[i] = &thread{
			e: e, id: i, bit: 1 << i,
			token: make(chan struct{}, 1), start: make(chan func(), 1), fin: make(chan struct{}, 1),
		}
	}
	return e
}

// Close ends the goroutines of the engine, which must not be in use.
func (e *Engine) Close() {
	for _, t := range e.threads {
		if t.alive {
			close(t.start)
			t.alive = false
		}
	}
}

// Thread adds a thread to the execution that is being set up, and runs it up to its first
// step. Only the body of the model may call it.
func (e *Engine) Thread(f func()) {
	e.launch(nil, f)
}

// launch starts a thread and waits until it announces its first step, or is done.
//
//go:norace
func (e *Engine) launch(by *thread, f func()) {
	if e.stuck != "" {
		return
	}
	if e.n == MaxThreads {
		panic(fmt.Sprintf("modelcheck: more than %d threads", MaxThreads))
	}
	t := e.threads[e.n]
	e.n++
	t.pend, t.pauses, t.moves, t.extra = event{}, 0, 0, 0
	t.unwinding, t.opFirst, t.waited = false, false, false
	t.began, t.end = e.steps, e.steps // the step that started it; 0: the set-up
	t.clock = 0
	if by != nil {
		t.clock = by.clock
	}
	e.live |= t.bit
	if e.settingUp || by != nil && e.servants&by.bit != 0 {
		e.servants |= t.bit
	}
	e.x.spawn(e, by, t)
	if !t.alive {
		t.alive = true
		t.token = make(chan struct{}, 1)
		t.start = make(chan func(), 1)
		go t.loop(t.start)
	}
	starting, starter := e.starting, e.starter // by itself may not have reached its first step
	e.starting, e.starter = t, by
	active = t
	t.start <- f
	if by == nil {
		e.back()
	} else {
		by.await()
	}
	e.starting, e.starter = starting, starter
}

// Run runs the threads until all are done, or the execution fails. It reports whether all are done;
// if not, the body of the model must return. A second call only repeats the result.
func (e *Engine) Run() bool {
	if e.running {
		return e.failure == nil && !e.pruned
	}
	e.running = true
	if next := e.dispatch(nil); next != nil {
		e.hand(next)
		e.back()
	}
	if e.stuck != "" {
		return false
	}
	e.join(0)
	return e.failure == nil && !e.pruned
}

// back waits until the root gets the token back, or until the watch gives the execution up.
//
//go:norace
func (e *Engine) back() {
	hideSync()
	<-e.root
	showSync()
	active = nil
	if e.stuck != "" {
		e.running = true // there is nothing left to run
	}
}

// hand gives the token to a thread; nil is the root.
//
//go:norace
func (e *Engine) hand(t *thread) {
	active = t
	hideSync()
	if t == nil {
		e.root <- struct{}{}
	} else {
		t.token <- struct{}{}
	}
	showSync()
}

// word returns the number of a word.
//
//go:norace
func (e *Engine) word(m *meta) uint16 {
	if m.epoch != e.epoch {
		if m.epoch != 0 {
			e.fail(KindDeterminism,
				"a word was kept from an earlier execution: each execution makes its words anew")
		}
		if e.words++; e.words == 0 {
			panic("modelcheck: more than 65535 words in one execution")
		}
		m.epoch, m.id = e.epoch, e.words
	}
	return m.id
}

// dispatch decides which thread moves next. nil stands for the root: the execution is over.
//
//go:norace
func (e *Engine) dispatch(cur *thread) *thread {
	if e.aborting || e.failure != nil {
		return e.abort()
	}
	enabled := e.ready &^ (e.spin | e.frozen)
	if enabled == 0 && !e.settingUp {
		if e.live&^(e.frozen|e.servants) == 0 {
			return e.abort() // no thread is left that must end
		}
		if enabled = e.stalled(); enabled == 0 {
			return e.abort()
		}
	}
	if e.steps >= e.cfg.Steps {
		e.fail(KindLivelock,
			fmt.Sprintf("no end after %d steps; a loop that waits for another thread calls "+
				"Gosched or Pause in each round\n%s", e.steps, e.who()))
		return e.abort()
	}
	e.steps++
	if e.settingUp {
		return e.settled(cur, enabled)
	}
	at := -1
	if cur != nil && enabled&cur.bit != 0 {
		at = cur.id
	}
	next := e.x.pick(e, at, enabled)
	if next < 0 {
		e.pruned = e.failure == nil
		return e.abort()
	}
	if at >= 0 && next != at {
		e.preemptions++
	}
	if e.tracing && cur != nil && next != cur.id {
		switch {
		case at >= 0:
			e.recordMark(rowPreempted, cur)
		case e.frozen&cur.bit == 0:
			e.recordMark(rowSpins, cur)
		}
	}
	e.schedule = append(e.schedule, uint16(next))
	return e.threads[next]
}

// stalled is called when no thread can move by itself. It returns the threads that may move
// nevertheless: all that spin, to see whether they stop, or the one with the earliest time limit.
// If there is none, or spinning leads nowhere, it fails the execution and returns the empty set.
//
//go:norace
func (e *Engine) stalled() set {
	if spinning := e.ready &^ e.frozen; spinning != 0 {
		if e.rounds++; e.rounds <= e.cfg.Rounds {
			e.unspin()
			return spinning
		}
	}
	if e.cfg.Timers == TimersOnTime {
		var first *thread
		for _, t := range e.threads[:e.n] {
			if t.waited && t.deadline != never && e.frozen&t.bit == 0 &&
				(first == nil || t.deadline < first.deadline) {
				first = t
			}
		}
		if first != nil {
			e.rounds = 0
			first.pend.op = opExpire
			e.ready |= first.bit
			return first.bit
		}
	}
	switch {
	case e.frozen != 0:
		e.fail(KindBlocking, e.who())
	case e.ready != 0:
		e.fail(KindLivelock, "all who live only spin, and nothing is written\n"+e.who())
	default:
		e.fail(KindDeadlock, e.who())
	}
	return 0
}

// abort ends the execution: it returns the next thread to unwind, nil when there is none.
//
//go:norace
func (e *Engine) abort() *thread {
	if e.live == 0 {
		return nil
	}
	e.aborting = true
	return e.threads[bits.TrailingZeros16(e.live)]
}

// fail notes the first failure of an execution, which is then unwound.
//
//go:norace
func (e *Engine) fail(kind Kind, text string) {
	if e.failure == nil {
		e.failure = &Failure{Kind: kind, Text: text, Preemptions: e.preemptions}
		if e.tracing {
			e.recordFailure()
		}
	}
}

// who describes what each thread is about to do.
//
//go:norace
func (e *Engine) who() string {
	s := ""
	for _, t := range e.threads[:e.n] {
		if e.live&t.bit == 0 {
			continue
		}
		what := "is about to " + t.pend.op.verb()
		switch {
		case e.frozen&t.bit != 0:
			what = "is suspended, and " + what
		case t.waited:
			what = "waits to be woken"
		case t.pauses > 0:
			what = "spins, and " + what
		}
		s += fmt.Sprintf("thread %s %s, word %d\n", name(t.id), what, t.pend.word)
	}
	return s
}

// wrote notes that a word has changed, so that spinning threads have a reason to look again.
//
//go:norace
func (e *Engine) wrote() {
	e.rounds = 0
	if e.paused {
		e.unspin()
	}
}

//go:norace
func (e *Engine) unspin() {
	for _, t := range e.threads[:e.n] {
		t.pauses = 0
	}
	e.paused, e.spin = false, 0
}

// freeze suspends the thread that has just moved.
//
//go:norace
func (e *Engine) freeze(t *thread) {
	if e.frozen&t.bit == 0 {
		e.frozen |= t.bit
		e.reached = true
		e.schedule = append(e.schedule, freezeMark)
		if e.tracing {
			e.recordMark(rowSuspended, t)
		}
	}
}

// Fail fails the execution. A thread that calls it does not return from it.
//
//go:norace
func (e *Engine) Fail(kind Kind, text string) {
	e.fail(kind, text)
	if t := active; t != nil && !t.unwinding {
		t.unwind()
	}
}
