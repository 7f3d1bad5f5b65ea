package modelcheck

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// A thread is one thread of a model: a goroutine that is kept from execution to execution
// and runs only while it holds the token.
type thread struct {
	e     *Engine
	id    int
	bit   set
	token chan struct{} // hidden from the race detector
	start chan func()   // seen by it: what the starter did happens before the body
	fin   chan struct{} // seen by it: the body happens before what follows Run
	alive bool          // the goroutine exists
	root  []uintptr     // how its stack begins, in executions that check whose steps are made
	gid   uint64        // its goroutine's number, likewise

	pend      event // the announced step, carried out when the thread is chosen
	pcs       stack // where it was announced, if the execution is traced
	pauses    int   // calls of Pause and Gosched since the last write
	moves     int   // steps carried out
	unwinding bool
	extra     int // steps carried out while unwinding

	opFirst    bool // the next step is the first of an operation
	began, end int  // number of that step, and of the last one

	clock    int64 // virtual time
	deadline int64 // of the wait that the thread is in; never: none
	waited   bool  // the thread waits on a word, in the order of waitSeq
	waitSeq  int
}

// deepen makes the stack of a new goroutine as large as those of models grow: at once, and while
// there is next to nothing on it to be copied.
//
//go:noinline
func deepen() {
	var room [5 << 10]byte
	runtime.KeepAlive(&room)
}

func (t *thread) loop(start chan func()) {
	deepen()
	for f := range start {
		if !t.below(t.id, f) {
			return
		}
	}
}

// below calls body with so many frames of its own below it: so the stack of each thread begins in a
// way that no other goroutine's does.
//
//go:noinline
func (t *thread) below(frames int, f func()) (normal bool) {
	if frames == 0 {
		normal = t.body(f)
	} else {
		normal = t.below(frames-1, f)
	}
	return normal
}

// body runs one body. If the body does not return, the goroutine ends: a recovered panic may have
// interrupted a Goexit, which then continues.
func (t *thread) body(f func()) (normal bool) {
	defer func() {
		if !normal {
			t.died(recover())
		}
		t.finish()
	}()
	if t.e.checking {
		t.identify()
	}
	f()
	return true
}

// died notes why a body did not return.
//
//go:norace
func (t *thread) died(panicked any) {
	t.alive = false
	switch {
	case t.unwinding:
	case panicked != nil:
		t.e.fail(KindPanic, fmt.Sprintf("thread %s panicked: %v\n%s", name(t.id), panicked,
			debug.Stack()))
	default:
		t.e.fail(KindPanic, fmt.Sprintf("thread %s ended by runtime.Goexit", name(t.id)))
	}
}

// finish passes the token on for the last time.
//
//go:norace
func (t *thread) finish() {
	e := t.e
	if e.stuck != "" {
		return // the thread has come back too late
	}
	if e.tracing && !t.unwinding && e.failure == nil {
		e.recordMark(rowEnds, t)
	}
	e.live &^= t.bit
	e.ready &^= t.bit
	e.frozen &^= t.bit
	t.fin <- struct{}{}
	if e.starting == t {
		e.starting = nil
		e.hand(e.starter)
		return
	}
	e.hand(e.dispatch(nil))
}

//go:norace
func (t *thread) await() {
	hideSync()
	<-t.token
	showSync()
}

// step announces a step and returns when the thread has been chosen to carry it out.
//
//go:norace
func (t *thread) step(m *meta, o op) {
	if t.unwinding {
		t.unwindStep()
		return
	}
	if t.e.checking {
		t.checkGoroutine()
	}
	if t.e.tracing {
		t.pcs = stack{}
		runtime.Callers(2, t.pcs[:])
	}
	t.pend = event{word: t.e.word(m), op: o}
	t.turn(true)
}

// identify notes what tells the thread's goroutine from others. Its body calls it.
//
//go:noinline
func (t *thread) identify() {
	var pcs [MaxThreads + 8]uintptr
	n := runtime.Callers(3, pcs[:]) // from what called body on
	t.root = append(t.root[:0], pcs[:n]...)
	t.gid = goroutine()
}

// checkGoroutine fails the execution if a goroutine other than the thread's makes the step, and
// ends that goroutine. It looks at where the stack begins, and only if that is too deep to be seen
// at the number of the goroutine, which takes ten times as long.
//
//go:norace
func (t *thread) checkGoroutine() {
	var pcs [128]uintptr
	n := runtime.Callers(2, pcs[:])
	if own := n - len(t.root); n < len(pcs) && own > 0 {
		same := true
		for i, pc := range t.root {
			same = same && pcs[own+i] == pc
		}
		if same {
			return
		}
	} else if goroutine() == t.gid {
		return
	}
	t.e.fail(KindUnseen,
		"a goroutine that is no thread of the model makes a step, while it is the turn of thread "+
			name(t.id)+
			": inside a model goroutines are started by Go of the package of the words, "+
			"not by a go statement\n"+string(debug.Stack()))
	runtime.Goexit()
}

// goroutine returns the number of the calling goroutine, as stack traces have it.
//
//go:norace
func goroutine() (id uint64) {
	var buf [32]byte
	for _, c := range buf[len("goroutine "):runtime.Stack(buf[:], false)] {
		if c < '0' || c > '9' {
			break
		}
		id = 10*id + uint64(c-'0')
	}
	return id
}

// turn lets other threads go first. ready: the thread can move by itself.
//
//go:norace
func (t *thread) turn(ready bool) {
	e := t.e
	if ready {
		e.ready |= t.bit
	}
	if e.starting == t {
		e.starting = nil
		e.hand(e.starter)
		t.await()
	} else {
		cur := t
		if !ready {
			cur = nil
		}
		if next := e.dispatch(cur); next != t {
			e.hand(next)
			t.await()
		}
	}
	if e.aborting {
		t.unwind()
	}
	e.ready &^= t.bit
	if !e.settingUp {
		t.moves++
	}
}

// unwind leaves the body of a thread; deferred calls still run, and their steps are carried
// out at once.
//
//go:norace
func (t *thread) unwind() {
	t.unwinding = true
	runtime.Goexit()
}

// unwindStep bounds what deferred calls do.
//
//go:norace
func (t *thread) unwindStep() {
	if t.extra++; t.extra > 10000 {
		t.extra = 0
		runtime.Goexit()
	}
}

// did notes the step that has been carried out.
//
//go:norace
func (t *thread) did(changed bool, a, b, r uint64) {
	if t.unwinding {
		return
	}
	t.note(t.pend, changed, a, b, r)
}

//go:norace
func (t *thread) didCAS(ok, differs bool, old, v, found uint64) {
	if t.unwinding {
		return
	}
	if !ok {
		t.pend.op = opCASFailed
	}
	t.note(t.pend, ok && differs, old, v, found)
}

//go:norace
func (t *thread) note(ev event, changed bool, a, b, r uint64) {
	e := t.e
	if changed {
		e.wrote()
	}
	if ev.op != opLoad && ev.op != opCASFailed {
		ev.flags |= flagWrite
	}
	if t.opFirst {
		t.opFirst = false
		t.began = e.steps
		ev.flags |= flagFirst
	}
	t.end = e.steps
	if e.settingUp {
		return
	}
	if e.tracing {
		e.record(t, ev, a, b, r)
	}
	e.x.did(e, t, ev)
	if t.id == e.cfg.FreezeThread && t.moves == e.cfg.FreezeStep {
		e.freeze(t)
	}
}
