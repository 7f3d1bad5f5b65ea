package modelcheck

import "math"

// never is a deadline that does not come.
const never = math.MaxInt64

// FutexWait waits, if w holds v, until a FutexWake on w, and returns true; also if w holds
// something else. limit is a time limit, negative for none; what it does depends on
// Config.Timers. At the limit the result is false. Only a thread of a model may call it.
//
//go:norace
func FutexWait(w *Uint32, v uint32, limit int64) bool {
	t := active
	e := t.e
	t.step(&w.m, opWait)
	if t.unwinding {
		return true
	}
	if r := w.v.Load(); r != v {
		ev := t.pend
		ev.op = opLoad // it read, and changed nothing
		t.note(ev, false, uint64(v), foundOther, uint64(r))
		return true
	}
	t.note(t.pend, false, uint64(v), 0, uint64(v))
	t.waited = true
	e.waits++
	t.waitSeq = e.waits
	t.deadline = never
	if limit >= 0 {
		t.deadline = t.clock + limit
	}
	early := limit >= 0 && e.cfg.Timers == TimersEarly
	if early {
		t.pend = event{word: t.pend.word, op: opExpire}
	} else {
		t.pend = event{word: t.pend.word, op: opResume}
	}
	t.turn(early)
	t.waited = false
	if t.pend.op == opExpire {
		t.clock = max(t.clock, t.deadline)
		t.note(t.pend, true, 0, 0, 0)
		return false
	}
	t.pend.word = 0 // the wake was the step on the word
	t.note(t.pend, false, 0, 0, 0)
	return true
}

// FutexWake wakes up to n threads that wait on w, the longest waiting first, and returns how
// many. Only a thread of a model may call it.
//
//go:norace
func FutexWake(w *Uint32, n int) (woke int) {
	t := active
	e := t.e
	t.step(&w.m, opWake)
	if t.unwinding {
		return 0
	}
	for ; woke < n; woke++ {
		var first *thread
		for _, u := range e.threads[:e.n] {
			if u.waited && u.pend.word == t.pend.word && u.pend.op != opWoken &&
				(first == nil || u.waitSeq < first.waitSeq) {
				first = u
			}
		}
		if first == nil {
			break
		}
		if first.pend.op == opExpire {
			e.robbed |= first.bit
		}
		first.pend.op = opWoken
		e.ready |= first.bit
		e.woken |= first.bit
	}
	t.note(t.pend, woke > 0, uint64(n), 0, uint64(woke))
	e.woken, e.robbed = 0, 0
	return woke
}
