package modelcheck

// Inside reports whether the caller is a thread of a model.
//
//go:norace
func Inside() bool { return active != nil }

// OpBegin notes that the calling thread begins an operation of a history.
//
//go:norace
func OpBegin() {
	if t := active; t != nil {
		t.opFirst = true
	}
}

// OpEnd notes that the calling thread ends the operation. It returns when the operation began
// and ended, in steps of the execution: the tightest interval that contains what it did, so
// that the history is as strict as any that the same steps allow.
//
//go:norace
func OpEnd() (began, ended int64) {
	t := active
	if t == nil {
		return 0, 0
	}
	if t.opFirst { // it made no step: it counts with the last step of the thread or its starter
		t.opFirst = false
		t.began = t.end
		if !t.unwinding {
			t.e.x.opEnd(t.e, t, true)
		}
	} else if !t.unwinding {
		t.e.x.opEnd(t.e, t, false)
	}
	return int64(t.began), int64(t.end)
}

// OpStarted returns when the calling thread's current operation began, and false if the operation
// has not made a step yet.
//
//go:norace
func OpStarted() (began int64, ok bool) {
	t := active
	if t == nil || t.opFirst {
		return 0, false
	}
	return int64(t.began), true
}

// Note adds a line of text to the trace, in the column of the calling thread.
func Note(text func() string) {
	if t := current(); t != nil && t.e.tracing && !t.unwinding {
		t.e.recordText(t, text())
	}
}

// Go starts f in a new thread of the model. Outside a model it starts a goroutine.
//
//go:norace
func Go(f func()) {
	t := active
	if t == nil {
		go f()
		return
	}
	if t.unwinding {
		return
	}
	t.step(&t.e.spawns, opSpawn) // the order of starts decides the threads' letters
	t.note(t.pend, false, 0, 0, uint64(t.e.n))
	t.e.launch(t, f)
	if t.e.aborting {
		t.unwind()
	}
}

// Yield is what a thread calls in each round of a loop in which it waits for another. After
// Config.Spin rounds in which nothing was written it is not chosen until something is, or
// until nobody else can move.
//
//go:norace
func Yield() {
	t := active
	if t == nil || t.unwinding {
		return
	}
	e := t.e
	e.paused = true
	if t.pauses++; t.pauses > e.cfg.Spin {
		e.spin |= t.bit
	}
}

// Now is virtual time: each call is Config.Tick later than the thread's last one.
//
//go:norace
func Now() int64 {
	t := active
	t.clock += t.e.cfg.Tick
	return t.clock
}

// Choose returns a number from 0 to n-1; an exploration tries them all.
//
//go:norace
func Choose(n int) int {
	t := active
	if t == nil || t.unwinding || n <= 1 {
		return 0
	}
	if n > choiceMark {
		panic("modelcheck: Choose of more than 256")
	}
	e := t.e
	if e.settingUp {
		return 0
	}
	if len(e.schedule) >= 1<<16 {
		e.Fail(KindLivelock, "no end after 65536 steps and choices")
	}
	v := e.x.choose(e, t, n)
	e.schedule = append(e.schedule, choiceMark|uint16(v))
	return v
}
